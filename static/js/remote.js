// The page's side of a live room's own language (app/kit/remote.py): ask it something, hear what it tells.

import { tagged } from "./bokeh.js";

const ASKS = "remote-asks"; // tag of the field that the room reads
const AT_ONCE = 8; // requests in one message: their answers, and a change with each, fit into the room's
const lab = (window.EmbeddingLab ??= {});
const known = new Map();

lab.onTold = (widget, text) => known.get(widget)?.hear(text);

/** One live room. Events: `change` and `answer`, with what was told as their detail. */
export class Remote extends EventTarget {
  #widget;
  #field;
  #last = 0;
  #heard = 0;
  #waiting = [];
  #asked = new Map();

  /**
   * @param {string} widget - the room's name on this page
   * @param {object} doc - its BokehJS document
   */
  constructor(widget, doc) {
    super();
    this.#widget = widget;
    [this.#field] = tagged(doc, ASKS);
    known.set(widget, this);
  }

  /**
   * Ask the room for something; changes that wait together are made as one.
   *
   * @param {"set" | "lock" | "reset" | "values" | "ask" | "state"} act
   * @param {*} content
   * @returns {Promise<*>} rejected with the room's own sentence where it refuses
   */
  ask(act, content = null) {
    return new Promise((resolve, reject) => {
      const last = this.#waiting.at(-1);
      if (act === "set" && last?.act === "set") {
        last.content = { ...last.content, ...content };
        last.askers.push({ resolve, reject });
      } else {
        this.#waiting.push({ act, content, askers: [{ resolve, reject }] });
      }
      queueMicrotask(() => this.#send());
    });
  }

  #send() {
    if (this.#asked.size || !this.#waiting.length) return;
    const requests = this.#waiting.splice(0, AT_ONCE).map(({ act, content, askers }) => {
      const id = (this.#last += 1);
      this.#asked.set(id, askers);
      return { id, act, content };
    });
    this.#field.value = JSON.stringify(requests);
  }

  /** Take what the room tells: the last few messages, of which some may be known already. */
  hear(text) {
    for (const told of JSON.parse(text)) {
      if (told.at <= this.#heard) continue;
      this.#heard = told.at;
      if (told.kind === "done") this.#settle(told);
      else this.dispatchEvent(new CustomEvent(told.kind, { detail: told }));
    }
    this.#send();
  }

  #settle({ id, value, problem }) {
    for (const { resolve, reject } of this.#asked.get(id) ?? []) problem ? reject(new Error(problem)) : resolve(value);
    this.#asked.delete(id);
  }

  /** The room is gone: nobody answers any more. */
  close() {
    if (known.get(this.#widget) === this) known.delete(this.#widget);
    const askers = [...this.#asked.values(), ...this.#waiting.map((one) => one.askers)].flat();
    this.#asked.clear();
    this.#waiting = [];
    for (const { reject } of askers) reject(new Error("the figure was closed"));
  }
}
