// The element <embedding-lab>: its attributes are the room's state, as an address has it. All of a page share one Python.

import { LabClient, NoWorker } from "./client.js";
import { loadScripts, readDescribed, OtherBokeh } from "./draw.js";
import { fetchPart, readManifest } from "./parts.js";
import { SITE } from "./place.js";
import { isDefault } from "./settings.js";
import { adopt } from "./styles.js";
import { LabWidget } from "./widget.js";
import { WORDS } from "./words.js";

const lab = window.EmbeddingLab;
const KNOWN = /^(load|class|id|style|title|hidden|lang|dir|role|slot|tabindex|(data|aria)-.*|on.*)$/;
const LONGEST_QUERY = 4000;
const FALLBACK = new CSSStyleSheet();
FALLBACK.replaceSync(`
  :host([data-state=empty]) .fallback { position: absolute; inset: 0 0 auto; }
  :host(:is([data-state=still], [data-state=blank], [data-state=waking], [data-state=live])) .fallback { display: none; }`);
let made = 0;

class EmbeddingLabElement extends HTMLElement {
  #widget = null;
  #observer = new MutationObserver((changes) => {
    if (changes.some(({ attributeName: name }) => lab.embed.reads(this, name))) this.#reopen();
  });
  #seen = null;
  #unfollow = null;

  connectedCallback() {
    void adopt(this.getRootNode());
    // moved within the page: everything is still there
    if (this.#widget) return this.#dress();
    this.#hideFallback();
    this.#widget = new LabWidget(LabClient.shared(), this, `embedded-${(made += 1)}`, (query) => this.#tell(query));
    this.#widget.onRetry = () => this.#begin();
    this.#widget.onFail = (cause) => this.#becomeFrame(cause);
    this.#widget.reserve(lab.embed.height(this));
    this.#dress();
    this.#warn();
    this.#observer.observe(this, { attributes: true });
    void this.#begin();
  }

  disconnectedCallback() {
    queueMicrotask(() => {
      if (this.isConnected) return;
      this.#end();
    });
  }

  #end() {
    this.#observer.disconnect();
    this.#seen?.disconnect();
    this.#unfollow?.();
    this.#widget?.close();
    this.#widget = this.#unfollow = null;
  }

  get #room() {
    return this.getAttribute("room") ?? "";
  }

  get #query() {
    return lab.embed.query(this);
  }

  /** What stands in the element for readers without scripts is seen until there is a picture. */
  #hideFallback() {
    if (this.shadowRoot) return;
    const fallback = Object.assign(document.createElement("div"), { className: "fallback" });
    fallback.append(document.createElement("slot"));
    const root = this.attachShadow({ mode: "open" });
    root.append(Object.assign(document.createElement("slot"), { name: "lab" }), fallback);
    root.adoptedStyleSheets = [FALLBACK];
  }

  #dress() {
    this.classList.add("lab-theme");
    this.#unfollow?.();
    const theme = this.getAttribute("theme") ?? new URLSearchParams(this.getAttribute("state") ?? "").get("theme");
    const wear = (name) => {
      this.dataset.theme = name;
      lab.paint?.();
    };
    if (theme !== "light" && theme !== "dark") this.#unfollow = lab.followTheme(this, wear);
    else wear(theme);
  }

  /** A teacher's slip is told the teacher, in the console: students can do nothing about it. */
  #warn() {
    const unread = this.getAttributeNames().filter((name) => !KNOWN.test(name) && !lab.embed.reads(this, name));
    const settings = Object.keys(lab.embed.built.settings[this.#room] ?? {});
    if (unread.length && settings.length) console.warn(WORDS.unread(unread, this.#room, settings), this);
  }

  async #begin() {
    const widget = this.#widget;
    try {
      const { rooms, settings, pictures } = await readManifest();
      if (!rooms.includes(this.#room)) throw new Error(WORDS.noRoom(this.#room, rooms));
      if (!mayEvaluate()) throw new NoWorker();
      await Promise.all([adopt(this.getRootNode()), loadScripts()]);
      const query = this.#query;
      if (query.length <= LONGEST_QUERY && isDefault(query, settings[this.#room])) {
        await widget.showPicture(await fetchPicture(this.#room, pictures), query);
      } else {
        widget.showBlank();
      }
      await this.#wanted(widget);
    } catch (reason) {
      if (widget && widget === this.#widget) widget.fail(reason);
      return;
    }
    if (widget === this.#widget) this.#open();
  }

  #open() {
    return this.#widget.open(this.#room, this.#query);
  }

  #reopen() {
    this.#dress();
    if (["waking", "live"].includes(this.#widget?.state)) void this.#open();
  }

  /** What this page is refused, a frame of the lab's own origin may do. */
  #becomeFrame(cause) {
    const foreign = new URL(SITE).origin !== self.origin;
    const refused = cause instanceof NoWorker || cause instanceof OtherBokeh || (foreign && cause.kind === "unreachable" && navigator.onLine);
    if (!refused) return;
    queueMicrotask(() => {
      this.#end();
      lab.embed.frame(this);
    });
  }

  /** Resolves when the reader wants the room live: at once, on a click, or when it comes into view. */
  #wanted(widget) {
    const when = this.getAttribute("load") ?? "visible";
    if (when === "eager") return Promise.resolve();
    if (when === "click") return widget.offer();
    return new Promise((resolve) => {
      this.#seen = new IntersectionObserver((entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        this.#seen.disconnect();
        resolve();
      });
      this.#seen.observe(this);
    });
  }

  #tell(query) {
    const detail = { room: this.#room, query };
    this.dispatchEvent(new CustomEvent("embedding-lab-state", { bubbles: true, detail }));
  }
}

/** BokehJS makes functions of texts; a page's policy may forbid that. */
function mayEvaluate() {
  try {
    return new Function("return true")();
  } catch {
    return false;
  }
}

async function fetchPicture(room, pictures) {
  const { file, integrity } = pictures[room];
  return readDescribed(new TextDecoder().decode(await fetchPart(SITE + file, integrity)));
}

if (!customElements.get("embedding-lab")) customElements.define("embedding-lab", EmbeddingLabElement);
