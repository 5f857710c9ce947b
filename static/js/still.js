// The element <embedding-lab>: a true still of what it shows, at next to no cost, until a reader touches it; then a live room.

import { isUsual, fetchSpec, parseSpec, PARTS } from "./spec.js";
import { WORDS } from "./words.js";

const lab = window.EmbeddingLab;
const { embed } = lab;
const { built } = embed;
const KNOWN = /^(load|spec|still|class|id|style|title|hidden|lang|dir|role|slot|tabindex|(data|aria)-.*|on.*)$/;
const LOADS = ["touch", "click", "visible", "eager"];
const SHEET = new CSSStyleSheet();
SHEET.replaceSync(`
  :host { display: block; position: relative; font: var(--size-m, 15.5px)/1.5 var(--font, system-ui, sans-serif); color: var(--ink, #16181d); background: var(--paper, #fff); }
  :host([hidden]) { display: none; }
  :host([data-state=empty]) .fallback { position: absolute; inset: 0 0 auto; }
  :host(:is([data-state=still], [data-state=waking], [data-state=live])) .fallback { display: none; }
  :host(:is([data-state=live], [data-state=failed], [data-state=frame])) .still, :host(:not([data-state=still], [data-state=blank])) .wake { display: none; }
  .still { padding: 4px 0; } .still :is(svg, img) { display: block; width: 100%; height: auto; max-width: 720px; }
  .still p { margin: 6px 0; max-width: 68ch; } .still .title { font-weight: 650; font-size: var(--size-l, 18px); margin: 0 0 8px; }
  .frame { min-height: 12em; border: 1px dashed var(--line, #d8dbe2); border-radius: 8px; display: grid; place-items: center; padding: 16px; color: var(--ink-soft, #5a6070); text-align: center; }
  /* in sight as long as any of the figure is, and over it: nothing moves when it goes */
  .offer { position: sticky; top: 8px; z-index: 1; height: 0; text-align: right; }
  .wake { margin: 0 8px; font: inherit; font-size: var(--size-s, 13.5px); min-height: 36px; padding: 6px 14px; border-radius: 8px; border: 1px solid var(--edge, #8a90a0); background: var(--paper, #fff); color: var(--ink, #16181d); cursor: pointer; }
  .wake:hover { background: var(--ink, #16181d); color: var(--paper, #fff); } .wake:focus-visible { outline: 2px solid var(--focus, #2b6cff); outline-offset: 2px; }
  @media print { .wake { display: none; } :host { min-height: 0 !important; } }`);
let tokens = null;

/** Colours and sizes, for the root that an element is in. */
async function adoptTokens(root) {
  tokens ??= fetch(`${embed.page}css/tokens.css`, { integrity: built.tokens })
    .then((answer) => answer.text())
    .then((text) => new CSSStyleSheet().replace(text));
  const sheet = await tokens.catch(() => (tokens = null));
  if (sheet && !root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets.push(sheet);
}

const parsed = () =>
  document.readyState === "loading" ? new Promise((resolve) => document.addEventListener("DOMContentLoaded", resolve, { once: true })) : Promise.resolve();

class EmbeddingLabElement extends HTMLElement {
  #live = null; // the live part, once it is wanted
  #spec = null; // a promise of the specification
  #seen = null;
  #unfollow = null;
  #opened = later();
  #theme = "";
  #observer = new MutationObserver((changes) => this.#changed(new Set(changes.map(({ attributeName: name }) => name))));

  /** The settings that differ from the room's own, as they are now. */
  state = {};

  /** Resolves with the element when its figure is live. */
  get ready() {
    return this.#opened.promise;
  }

  connectedCallback() {
    void adoptTokens(this.getRootNode());
    this.#dress();
    // moved within the page: everything is still there
    if (this.#spec) return void this.#live?.then((live) => live.adopt());
    this.#frame();
    this.dataset.state = "empty";
    this.style.minHeight = `${embed.height(this)}px`;
    this.#observer.observe(this, { attributes: true });
    this.#warn();
    void this.#begin();
  }

  disconnectedCallback() {
    queueMicrotask(() => {
      if (this.isConnected) return;
      this.#observer.disconnect();
      this.#seen?.disconnect();
      this.#unfollow?.();
      this.#live?.then((live) => live.close());
      this.#live = this.#spec = this.#unfollow = this.#talk = null;
      this.#opened = later();
    });
  }

  get room() {
    return this.getAttribute("room") ?? "";
  }

  /** What stands in the element for readers without scripts is seen until there is a picture. */
  #frame() {
    if (this.shadowRoot) return;
    const make = (name, properties, ...children) => {
      const made = Object.assign(document.createElement(name), properties);
      made.append(...children);
      return made;
    };
    const wake = make("button", { className: "wake", type: "button", textContent: WORDS.wake });
    const still = make("div", { className: "still" });
    const fallback = make("div", { className: "fallback" }, make("slot"));
    const root = this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [SHEET];
    root.append(make("div", { className: "offer" }, wake), still, make("slot", { name: "lab" }), fallback);
  }

  #dress() {
    this.classList.add("lab-theme");
    this.#unfollow?.();
    this.#unfollow = null;
    const theme = this.getAttribute("theme") ?? new URLSearchParams(this.getAttribute("state") ?? "").get("theme") ?? this.#theme;
    const wear = (name) => {
      this.dataset.theme = name;
      lab.paint?.();
    };
    if (theme !== "light" && theme !== "dark") this.#unfollow = lab.followTheme(this, wear);
    else wear(theme);
  }

  /** A teacher's slip is told the teacher, in the console: students can do nothing about it. */
  #warn() {
    const unread = this.getAttributeNames().filter((name) => !KNOWN.test(name) && !(name in PARTS) && !embed.reads(this, name));
    const settings = Object.keys(built.settings[this.room] ?? {});
    if (unread.length && settings.length) console.warn(WORDS.unread(unread, this.room, settings), this);
  }

  /** All that is asked of the figure: a specification of its own or from an address, and over it what the attributes say. */
  async #read() {
    await parsed();
    const own = this.querySelector(':scope > script[type="application/json"]')?.textContent;
    const named = this.getAttribute("spec");
    const spec = parseSpec(own ?? (named ? await fetchSpec(new URL(named, this.baseURI).href) : ""));
    const state = { ...spec.state };
    for (const [name, value] of new URLSearchParams(embed.query(this))) {
      if (name in PARTS) spec[name] = PARTS[name](value);
      else state[name] = value;
    }
    for (const name of Object.keys(PARTS)) if (this.hasAttribute(name)) spec[name] = PARTS[name](this.getAttribute(name));
    if (spec.heading !== undefined) spec.title = spec.heading;
    delete spec.heading;
    const room = this.room || spec.room || "";
    if (!(room in built.settings)) throw new Error(WORDS.noRoom(room, Object.keys(built.settings)));
    return { ...spec, room, state };
  }

  async #begin() {
    const reading = (this.#spec = this.#read());
    try {
      const spec = await reading;
      if (reading !== this.#spec) return;
      if (spec.room && !this.room) this.setAttribute("room", spec.room);
      this.#theme = spec.theme;
      if (spec.theme) this.#dress();
      this.state = { ...spec.state };
      this.style.minHeight = `${embed.height(this, spec)}px`;
      await this.#picture(spec);
    } catch (reason) {
      // nothing was touched yet: what cannot be shown is said, and stays said
      return this.#fail(reason);
    }
    this.#await();
  }

  async #picture(spec) {
    const stills = built.stills[spec.room] ?? {};
    const figure = spec.figure || Object.keys(stills)[0];
    const still = this.shadowRoot.querySelector(".still");
    const own = this.getAttribute("still");
    const parts = [];
    const say = (words, name = "") => words && parts.push(Object.assign(document.createElement("p"), { className: name, textContent: words }));
    let state = "still";
    if (own) {
      const image = Object.assign(document.createElement("img"), { src: new URL(own, this.baseURI).href, alt: spec.caption ?? "" });
      say(spec.title, "title");
      parts.push(image);
      say(spec.caption);
    } else if (stills[figure] && isUsual(spec, built.settings[spec.room])) {
      const drawn = await drawing(spec.room, figure, stills[figure]);
      const hidden = spec.hide ?? [];
      if (!hidden.includes("title")) say(spec.title ?? drawn.querySelector("title")?.textContent, "title");
      parts.push(drawn);
      say(spec.caption);
      if (!hidden.includes("caption")) say(drawn.querySelector("desc")?.textContent);
    } else {
      state = "blank";
      say(spec.title, "title");
      parts.push(Object.assign(document.createElement("div"), { className: "frame", textContent: WORDS.asleepWithout }));
      say(spec.caption);
    }
    still.replaceChildren(...parts);
    if (this.dataset.state === "empty") this.dataset.state = state;
  }

  /** Wait until the figure is wanted live: at a touch, when it comes into sight, or at once. */
  #await() {
    const asked = this.getAttribute("load") ?? "touch";
    const when = LOADS.includes(asked) ? asked : "touch";
    if (when === "eager") return void this.wake();
    this.addEventListener("click", this.#touched);
    if (when !== "visible") return;
    this.#seen = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      this.#seen.disconnect();
      void this.wake();
    });
    this.#seen.observe(this);
  }

  #touched = (event) => {
    if (this.#live || !["still", "blank"].includes(this.dataset.state) || event.composedPath()[0].closest?.("a")) return;
    // the button that was pressed goes away: the keyboard stays with the figure
    this.tabIndex = -1;
    this.focus({ preventScroll: true });
    void this.wake();
  };

  /** Make the figure live; resolves when it is. */
  async wake() {
    if (!this.#live) {
      this.#live = this.#bring();
      this.#live.catch((reason) => {
        this.#live = null;
        this.#fail(reason);
      });
    }
    return this.ready;
  }

  async #bring() {
    embed.preload();
    const [{ LiveFigure }, spec] = await Promise.all([import("./element.js"), this.#spec]);
    const live = new LiveFigure(this, spec, {
      opened: (talk) => this.#opens(talk),
      told: (query) => this.dispatchEvent(new CustomEvent("embedding-lab-state", { bubbles: true, detail: { room: spec.room, query } })),
    });
    await live.begin();
    return live;
  }

  #opens(talk) {
    for (const kind of ["change", "answer"]) {
      talk.addEventListener(kind, ({ detail }) => {
        this.state = detail.state;
        lab.passOn(this, this.room, kind, detail, location.href);
      });
    }
    this.#talk = talk;
    this.#opened.resolve(this);
  }

  #talk = null;

  /** Ask the figure for something; whoever asks wants it live. */
  async request(act, content) {
    await this.wake();
    const value = await this.#talk.ask(act, content);
    if (act === "set" || act === "reset") this.state = value;
    if (act === "ask" && value) this.scrollIntoView({ block: "nearest" });
    return value;
  }

  #fail(reason) {
    this.dataset.state = "failed";
    const line = Object.assign(document.createElement("p"), { className: "lab-sentence", slot: "lab", textContent: `${WORDS.failed}: ${reason.message}` });
    line.setAttribute("role", "alert");
    this.append(line);
  }

  /** A setting that changes changes the figure as it stands; whatever else changes opens it anew. */
  async #changed(names) {
    const read = [...names].filter((name) => name === "spec" || name === "still" || name in PARTS || embed.reads(this, name));
    if (!read.length) return;
    const settings = read.filter((name) => name !== "state" && !(name in PARTS) && embed.settingOf(this, name));
    if (settings.length === read.length && this.dataset.state === "live") {
      const values = settings.map((name) => [embed.settingOf(this, name), this.getAttribute(name)]);
      return this.request("set", Object.fromEntries(values)).catch((reason) => console.warn(reason.message, this));
    }
    this.querySelector(":scope > .lab-sentence")?.remove();
    this.#dress();
    if (this.#live) {
      // who asks meanwhile waits for the next
      this.#opened = later();
      this.#spec = this.#read();
      await Promise.all([this.#live, this.#spec]).then(
        ([live, spec]) => live.open(spec),
        (reason) => this.#fail(reason),
      );
    } else {
      this.dataset.state = "empty";
      await this.#begin();
    }
  }
}

/** A promise that is settled from outside. */
function later() {
  const made = {};
  made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }));
  return made;
}

/** The still of a figure in its first state: drawn when the site was built, in the colours of the page. */
async function drawing(room, figure, digest) {
  const answer = await fetch(`${embed.site}stills/${room}/${figure}.svg`, { integrity: digest });
  if (!answer.ok) throw new Error(WORDS.part.refused(`${room}/${figure}.svg`, answer.status));
  return document.importNode(new DOMParser().parseFromString(await answer.text(), "image/svg+xml").documentElement, true);
}

lab.speak(EmbeddingLabElement.prototype, function ask(act, content) {
  return this.request(act, content);
});
if (!customElements.get("embedding-lab")) customElements.define("embedding-lab", EmbeddingLabElement);
