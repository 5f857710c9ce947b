// One room in one element: first a picture, then, once Python runs, the live document in its place.

import { draw } from "./draw.js";
import { Outbox } from "./outbox.js";
import { Notice } from "./notice.js";
import { isOutdated } from "./parts.js";
import { Remote } from "./remote.js";
import { WORDS } from "./words.js";
import "./page.js";

const lab = (window.EmbeddingLab ??= {});
const listeners = new Map();
const toldPage = lab.onQuery;

// rooms tell their address by the name of their widget; whoever made the widget decides what it is for
lab.onQuery = (widget, query) => {
  listeners.get(widget)?.(query);
  toldPage?.(widget, query);
};

/**
 * A room in an element of the page.
 *
 * The element's `data-state` says what it is: `empty`, `still` (a picture of just the state that was asked for),
 * `blank` (no picture, since there is none of that state), `waking`, `live` or `failed`.
 */
export class LabWidget {
  #client;
  #container;
  #stack = document.createElement("div");
  #notice;
  #picture = null;
  #outbox = null;
  #turn = 0;
  #asked = null;
  #query;
  #ends = new AbortController();

  /**
   * @param {import("./client.js").LabClient} client
   * @param {HTMLElement} container
   * @param {string} id - one of its own for each widget of a page
   * @param {(query: string) => void} [onQuery] - called when the room's state changed
   */
  constructor(client, container, id, onQuery) {
    this.#client = client;
    this.#container = container;
    this.id = id;
    this.#stack.className = "lab-stack";
    this.#notice = new Notice();
    this.#notice.element.slot = this.#stack.slot = "lab";
    container.append(this.#notice.element, this.#stack);
    this.#state("empty");
    listeners.set(id, (query) => {
      this.#query = query;
      onQuery?.(query);
    });
    const { signal } = this.#ends;
    const busy = () => this.state === "waking" || this.state === "live";
    client.addEventListener("progress", ({ detail }) => this.#notice.progress(detail), { signal });
    client.addEventListener("broken", ({ detail }) => busy() && this.fail(detail), { signal });
    // another widget of the page was retried, and Python came
    client.addEventListener("ready", () => this.state === "failed" && this.#retry(), { signal });
    client.addEventListener("silent", ({ detail }) => busy() && this.#silent(detail), { signal });
    client.addEventListener("heard", () => this.#notice.heard(), { signal });
    client.addEventListener("restarted", () => busy() && this.#retry(), { signal });
  }

  /** `empty`, `still`, `blank`, `waking`, `live` or `failed`. */
  get state() {
    return this.#container.dataset.state;
  }

  /**
   * Show a picture that was drawn when the site was built. It cannot be worked with yet.
   *
   * @param {{doc: object, root: string}} described
   * @param {string} query - the state that will be asked for: parts that it hides take no place
   */
  async showPicture(described, query) {
    const turn = this.#next();
    const hidden = (new URLSearchParams(query).get("hide") ?? "").split(",");
    const picture = await draw(described, this.#stack, hidden);
    if (this.#put(picture, turn)) this.#state("still");
  }

  /** Show that there is no picture of the state that was asked for: another state's has other numbers. */
  showBlank() {
    this.#next();
    const words = Object.assign(document.createElement("p"), { className: "lab-blank", textContent: WORDS.noPicture });
    this.#stack.replaceChildren(words);
    this.#picture = { remove: () => words.remove() };
    this.#state("blank");
  }

  /** Say that Python is waking up, over what the container shows by itself. */
  showNothing() {
    this.#next();
    this.#notice.wake(this.#client.alive);
    this.#state("waking");
  }

  /**
   * Make the room live.
   *
   * @param {string} room
   * @param {string} query - the state, as an address has it
   * @param {string} [spec] - a specification, as JSON
   */
  async open(room, query, spec = "") {
    const turn = this.#next();
    this.#asked = [room, query, spec];
    this.#query = undefined;
    this.#notice.wake(this.#client.alive);
    this.#state("waking");
    try {
      const described = JSON.parse(await this.#client.request("open", { widget: this.id, room, query, spec }));
      if (turn !== this.#turn) return;
      const picture = await draw(described, this.#stack);
      if (!this.#put(picture, turn)) return;
      this.#link(picture.doc);
      await this.#client.request("connect", { widget: this.id });
      if (turn === this.#turn) this.#live();
    } catch (reason) {
      if (turn === this.#turn) this.fail(reason);
    }
  }

  /** Show the cause, with a way to try again; or that the site is another now, and this page has to be loaded anew. */
  fail(cause) {
    const turn = this.#next();
    this.#state("failed");
    this.onFail?.(cause);
    this.#notice.fail(cause).then(() => {
      this.#takeFocus();
      return this.#retry();
    });
    void isOutdated(document.documentElement.dataset.build).then((gone) => {
      if (gone && turn === this.#turn) this.#notice.outdated();
    });
  }

  /** Called with the cause of a failure, before it is shown. */
  onFail = null;

  /** The room's language, while it is live. */
  remote = null;

  /** Called with it when the room is live. */
  onLive = null;

  #silent(seconds) {
    void this.#notice.silent(seconds).then(() => {
      this.#takeFocus();
      this.#client.restart();
    });
  }

  /** Called instead of opening the room again, where there was no room yet to open. */
  onRetry = null;

  /** Take everything away and free the document in Python. */
  close() {
    this.#next();
    this.#ends.abort();
    listeners.delete(this.id);
    this.#client.release(this.id);
    this.#picture?.remove();
    this.#picture = null;
    this.#notice.element.remove();
    this.#stack.remove();
    this.#container.removeAttribute("aria-busy");
    delete this.#container.dataset.state;
  }

  /** The button that was pressed goes away: the keyboard stays with the room. */
  #takeFocus() {
    this.#container.tabIndex = -1;
    this.#container.focus({ preventScroll: true });
  }

  #retry() {
    if (!this.#asked) return this.onRetry?.();
    const [room, query, spec] = this.#asked;
    return this.open(room, this.#query ?? query, spec);
  }

  /** Whatever was under way is of the past, and nothing can be worked with until the next is there. */
  #next() {
    this.#outbox?.close();
    this.remote?.close();
    this.#outbox = this.remote = null;
    this.#stack.inert = true;
    return (this.#turn += 1);
  }

  #state(name) {
    this.#container.dataset.state = name;
    this.#container.setAttribute("aria-busy", String(name === "waking"));
  }

  #live() {
    this.#notice.clear();
    this.#stack.inert = false;
    this.#state("live");
    this.onLive?.(this.remote);
  }

  /** Put a drawn picture in the place of the one before, unless something else was asked for meanwhile. */
  #put(picture, turn) {
    if (turn !== this.#turn) {
      picture.remove();
      return false;
    }
    this.#picture?.remove();
    this.#picture = picture;
    picture.element.classList.add("lab-shown");
    lab.ready?.();
    return true;
  }

  #link(doc) {
    this.#client.subscribe(this.id, (patch, buffers) => doc.apply_json_patch(patch, buffers));
    const send = (patch) => this.#client.request("patch", { widget: this.id, patch });
    this.remote = new Remote(this.id, doc);
    this.#outbox = new Outbox(doc, send, (reason) => this.fail(reason));
  }
}
