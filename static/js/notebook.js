// A figure in a notebook, for anywidget: the kernel computes it and sends all that the page needs, so no host is asked.
// Where there is no kernel the figure comes from the built site, as <embedding-lab>. This file stands alone: it is sent
// with each figure, and what it needs comes once a page through the kernel.

const PATIENCE = 5000; // milliseconds that a kernel may take to say that it is there
const BUSY = 8000; // and to take a change
const WORDS = {
  waiting: "The kernel is bringing the figure.",
  alone: 'No kernel answers here. Run the cell again, or name the built site with site=.',
  busy: "The kernel has not answered for 8 s. It may be computing; if it was started again, run the cell again.",
  otherBokeh: (theirs, ours) => `This page has BokehJS ${theirs} already, the lab needs ${ours}. Use the lab in a notebook of its own.`,
  failed: (cause) => `The figure could not be drawn: ${cause}`,
};

const lab = (window.EmbeddingLab ??= {});
let made = 0;

/**
 * Import modules that are here as texts: what they import of each other they get as blobs.
 *
 * @param {[string, string][]} modules - names and texts, each after those that it imports
 * @returns {Promise<object>} the last module
 */
export async function link(modules) {
  const addresses = {};
  for (const [name, text] of modules) {
    const linked = text.replace(/(["'])\.\/([\w-]+\.js)\1/g, (whole, _, other) => (addresses[other] ? JSON.stringify(addresses[other]) : whole));
    addresses[name] = URL.createObjectURL(new Blob([linked], { type: "text/javascript" }));
  }
  const [last] = modules.at(-1);
  const module = await import(addresses[last]);
  Object.values(addresses).forEach((address) => URL.revokeObjectURL(address));
  return module;
}

async function unpacked(view) {
  const stream = new Blob([view]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

function run(text) {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    script.onload = resolve;
    script.onerror = () => reject(new Error("the page refuses scripts"));
    document.head.append(script);
  });
}

/** One place of one figure: a cell's output. */
class Output {
  #model;
  #element = document.createElement("div");
  #stack = document.createElement("div");
  #sentence = document.createElement("p");
  #waiting = new Map();
  #kernel = null;
  #live = null;
  #drawn = null;
  #early = [];
  #ended = false;
  #hear = (message, buffers) => this.#receive(message, buffers ?? []);

  constructor(model, element) {
    this.#model = model;
    // several pages may show one figure, and each is answered by its name
    this.name = `${Math.random().toString(36).slice(2)}-${(made += 1)}`;
    this.#element.className = "lab-notebook lab-theme";
    this.#element.dataset.state = "empty";
    this.#stack.className = "lab-stack";
    this.#sentence.className = "lab-sentence";
    this.#sentence.setAttribute("role", "status");
    this.#element.append(this.#sentence, this.#stack);
    element.append(this.#element);
    model.on("msg:custom", this.#hear);
  }

  async begin() {
    const isStatic = siteOfScript() !== "" || document.querySelector('script[type="application/vnd.jupyter.widget-state+json"]') !== null;
    this.#say(WORDS.waiting);
    const late = setTimeout(() => this.#withoutKernel(), isStatic ? 0 : PATIENCE);
    try {
      const about = await this.#ask("open", "about");
      clearTimeout(late);
      await this.#draw(about);
    } catch (reason) {
      clearTimeout(late);
      if (!this.#ended) this.#fail(reason);
    }
  }

  end() {
    this.#ended = true;
    this.#model.off("msg:custom", this.#hear);
    this.#tell({ type: "left" });
    for (const { reject } of this.#waiting.values()) reject(new Error("the figure was closed"));
    this.#live?.remove();
    this.#element.remove();
  }

  /** Say something to the kernel; without one nobody hears it. */
  #tell(message) {
    try {
      this.#model.send({ view: this.name, ...message });
    } catch {
      // the page has no kernel: the sentence about that comes by itself
    }
  }

  /** Ask the kernel, and wait for an answer of a kind. */
  #ask(type, kind, more = {}) {
    if (this.#ended) return Promise.reject(new Error("the figure was closed"));
    return new Promise((resolve, reject) => {
      this.#waiting.set(kind, { resolve, reject });
      this.#tell({ type, ...more });
    });
  }

  #receive(message, buffers) {
    if (message.type === "patch") {
      if (message.from !== this.name) this.#patch(message, buffers);
      return;
    }
    if (message.view !== this.name) return;
    const waiting = this.#waiting.get(message.type);
    this.#waiting.delete(message.type);
    // from here on all changes count, also those that come while it is drawn
    if (message.type === "document") this.#drawn = [];
    waiting?.resolve({ ...message, buffers });
  }

  #patch({ patch, ids }, buffers) {
    if (!this.#drawn) return;
    const bytes = new Map(ids.map((id, at) => [id, copied(buffers[at])]));
    const apply = () => this.#live.apply(JSON.parse(this.#kernel.addressed(patch)), bytes);
    if (this.#live) apply();
    else this.#early.push(apply);
  }

  async #draw(about) {
    const theirs = window.Bokeh?.version;
    if (theirs && theirs !== about.bokeh) {
      if (this.#model.get("site")) return this.#fromSite();
      return this.#say(WORDS.otherBokeh(theirs, about.bokeh), true);
    }
    const kernel = (this.#kernel = await this.#files(about));
    await connected(this.#element);
    kernel.dress(this.#element.getRootNode());
    const { root, buffers } = await this.#ask("draw", "document");
    const doc = JSON.parse(kernel.addressed(await unpacked(buffers[0])));
    const send = (patch) => this.#change(patch);
    const live = await kernel.draw({ doc, root }, this.#element, this.#stack, send, () => this.#model.get("theme"));
    if (this.#ended) return live.remove();
    this.#live = live;
    this.#model.on("change:theme", () => live.wear());
    this.#early.splice(0).forEach((apply) => apply());
    this.#element.dataset.state = "live";
    this.#say("");
    this.#tell({ type: "drawn" });
  }

  async #change(patch) {
    const late = setTimeout(() => this.#say(WORDS.busy), BUSY);
    await this.#ask("patch", "done", { patch: JSON.stringify(patch) });
    clearTimeout(late);
    this.#say("");
    // marimo runs the cells that read a figure again when its page has set something
    if (this.#element.getRootNode().host?.localName !== "marimo-anywidget") return;
    this.#model.set("_turns", this.#model.get("_turns") + 1);
    this.#model.save_changes();
  }

  /** Scripts, modules and styles of this version of the lab: asked for once a page, by whichever figure is first. */
  async #files(about) {
    const kernels = (lab.kernels ??= {});
    const isFirst = !kernels[about.build];
    kernels[about.build] ??= this.#bring(about);
    try {
      return await kernels[about.build];
    } catch (reason) {
      if (isFirst) delete kernels[about.build];
      if (isFirst || this.#ended) throw reason;
      // the figure that asked was closed before all was there: this one asks by itself
      return this.#files(about);
    }
  }

  async #bring({ scripts }) {
    const has = (model) => window.Bokeh && model in window.Bokeh.Models;
    for (const [name, model] of scripts) {
      if (model && has(model)) continue;
      const { buffers } = await this.#ask("file", "content", { name });
      await run(await unpacked(buffers[0]));
    }
    const { buffers } = await this.#ask("file", "content", { name: "page" });
    const { modules, styles, sheets } = JSON.parse(await unpacked(buffers[0]));
    const module = await link(modules);
    module.prepare(styles, sheets);
    return module;
  }

  #say(words, isAlert = false) {
    this.#sentence.textContent = words;
    this.#sentence.hidden = !words;
    this.#sentence.setAttribute("role", isAlert ? "alert" : "status");
  }

  #fail(reason) {
    this.#element.dataset.state = "failed";
    this.#say(WORDS.failed(reason.message), true);
  }

  #withoutKernel() {
    if (this.#model.get("site") || siteOfScript()) return this.#fromSite();
    this.#element.dataset.state = "failed";
    this.#say(WORDS.alone, true);
  }

  /** The same figure from the built site, where the reader's browser computes. */
  #fromSite() {
    const site = new URL((this.#model.get("site") || siteOfScript()).replace(/\/?$/, "/"), document.baseURI).href;
    if (!lab.embed && !document.querySelector(`script[src="${site}static/js/embed.js"]`)) {
      document.head.append(Object.assign(document.createElement("script"), { src: `${site}static/js/embed.js` }));
    }
    const element = document.createElement("embedding-lab");
    const asked = { room: "room", state: "query", figure: "figure", hide: "hide", theme: "theme", title: "title" };
    for (const [attribute, trait] of Object.entries(asked)) {
      const said = this.#model.get(trait);
      if (said && said !== "auto") element.setAttribute(attribute, said);
    }
    this.#element.dataset.state = "site";
    this.#say("");
    this.#stack.replaceChildren(element);
  }
}

/** The site that this script is a part of, where it came from one. */
function siteOfScript() {
  const found = /^(https?:.*\/)static\/js\/notebook\.js/.exec(import.meta.url);
  return found ? found[1] : "";
}

const copied = ({ buffer, byteOffset, byteLength }) => buffer.slice(byteOffset, byteOffset + byteLength);

/** Resolves when an element stands in a page: a notebook fills a cell's output before it shows it. */
function connected(element) {
  return new Promise((resolve) => {
    const observer = new ResizeObserver(() => {
      if (!element.isConnected || !element.offsetWidth) return;
      observer.disconnect();
      resolve();
    });
    observer.observe(element);
  });
}

function render({ model, el }) {
  const output = new Output(model, el);
  void output.begin();
  return () => output.end();
}

export default { render };
