// <embedding-lab room="build" scheme="rope" hide="code" load="visible"></embedding-lab>
// A room inside any page. All elements of a page share one Python.

import { LabClient } from "./client.js";
import { loadScripts, readDescribed } from "./draw.js";
import { SITE, STATIC, readManifest } from "./place.js";
import { LabWidget } from "./widget.js";

const NOT_THE_ROOMS = /^(load|room|class|id|style|title|hidden|lang|dir|role|slot|tabindex|(data|aria)-.*|on.*)$/;
const PAGE_OPTIONS = new Set(["hide", "theme", "embed"]);
const SHEETS = ["css/tokens.css", "css/widget.css"];
let made = 0;

/** The element. Its attributes are the room's state, as an address has it. */
class EmbeddingLabElement extends HTMLElement {
  #widget = null;
  #observer = new MutationObserver((changes) => {
    // what the widget itself writes on its element is no wish of the page
    if (changes.some(({ attributeName: name }) => name === "room" || !NOT_THE_ROOMS.test(name))) this.#reopen();
  });
  #seen = null;

  connectedCallback() {
    // moved within the page: everything is still there
    if (this.#widget) return;
    this.#widget = new LabWidget(LabClient.shared(), this, `embedded-${(made += 1)}`, (query) => this.#tell(query));
    this.#widget.onRetry = () => this.#begin();
    this.#dress();
    this.#observer.observe(this, { attributes: true });
    void this.#begin();
  }

  disconnectedCallback() {
    queueMicrotask(() => {
      if (this.isConnected) return;
      this.#observer.disconnect();
      this.#seen?.disconnect();
      this.#widget?.close();
      this.#widget = null;
    });
  }

  get #room() {
    return this.getAttribute("room") ?? "";
  }

  get #query() {
    // HTML writes attributes in small letters: a setting such as V goes into `state`, as an address has it
    const asked = new URLSearchParams(this.getAttribute("state") ?? "");
    for (const { name, value } of this.attributes) {
      if (name !== "state" && !NOT_THE_ROOMS.test(name)) asked.append(name, value);
    }
    return asked.toString();
  }

  #dress() {
    this.classList.add("lab-theme");
    const theme = this.getAttribute("theme");
    if (theme === "light" || theme === "dark") this.dataset.theme = theme;
    else delete this.dataset.theme;
  }

  async #begin() {
    const widget = this.#widget;
    try {
      const { rooms } = await readManifest();
      if (!rooms.includes(this.#room)) {
        throw new Error(`There is no room called "${this.#room}". The rooms are: ${rooms.join(", ")}.`);
      }
      await Promise.all([loadSheets(), loadScripts()]);
      await widget.showPicture(await fetchPicture(this.#room), this.#query);
      await this.#wanted(widget);
    } catch (reason) {
      if (widget === this.#widget) widget.fail(reason);
      return;
    }
    if (widget === this.#widget) this.#open();
  }

  #open() {
    const differs = [...new URLSearchParams(this.#query).keys()].some((key) => !PAGE_OPTIONS.has(key));
    return this.#widget.open(this.#room, this.#query, { differs });
  }

  #reopen() {
    this.#dress();
    if (["waking", "live"].includes(this.#widget?.state)) void this.#open();
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

async function fetchPicture(room) {
  const answer = await fetch(`${SITE}${room}/doc.json`);
  if (!answer.ok) throw new Error(`The picture of ${room} could not be fetched: the server says ${answer.status}`);
  return readDescribed(await answer.text());
}

let sheets = null;

function loadSheets() {
  sheets ??= Promise.all(SHEETS.map((name) => loadSheet(STATIC + name)));
  return sheets;
}

function loadSheet(href) {
  return new Promise((resolve) => {
    const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href });
    // a picture without its colours is better than none
    link.onload = link.onerror = resolve;
    document.head.append(link);
  });
}

if (!customElements.get("embedding-lab")) customElements.define("embedding-lab", EmbeddingLabElement);
