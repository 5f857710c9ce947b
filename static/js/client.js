// The page's side of the worker: one worker for all widgets of a page, requests answered in order.

const lab = (window.EmbeddingLab ??= {});

/**
 * Runs Python for any number of widgets.
 *
 * Events: `progress` (detail: stage, loaded, total), `ready`, `broken` (detail: the cause).
 */
export class LabClient extends EventTarget {
  #worker = null;
  #ready = null;
  #last = 0;
  #pending = new Map();
  #receivers = new Map();

  /** The client that everything on this page shares. */
  static shared() {
    return (lab.client ??= new LabClient());
  }

  /** Whether Python runs. */
  alive = false;

  /**
   * Start Python, once; a start that failed is tried anew.
   *
   * @param {string} room - the room that is wanted first: what it needs is fetched along
   */
  start(room) {
    this.#ready ??= this.#begin(room);
    return this.#ready;
  }

  async #begin(room) {
    this.#worker = makeWorker();
    this.#worker.onmessage = ({ data }) => this.#receive(data);
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.#break(new Error(event.message || "the worker's script could not be fetched"));
    };
    try {
      await this.#ask({ type: "start", room });
    } catch (reason) {
      this.#break(reason);
      throw reason;
    }
    this.alive = true;
    this.dispatchEvent(new Event("ready"));
  }

  /**
   * Send a request and wait for its answer.
   *
   * @param {string} type - a handler of worker.js
   * @param {object} content
   */
  async request(type, content) {
    await this.start(content.room);
    return this.#ask({ type, ...content });
  }

  /**
   * Receive the patches of one widget.
   *
   * @param {string} widget
   * @param {(patch: object, buffers: Map<string, ArrayBuffer>) => void} receive
   */
  subscribe(widget, receive) {
    this.#receivers.set(widget, receive);
  }

  /** Free a widget's document, here and in Python. */
  release(widget) {
    this.#receivers.delete(widget);
    if (this.alive) this.#ask({ type: "close", widget }).catch(() => {});
  }

  #ask(message) {
    const id = (this.#last += 1);
    const worker = this.#worker;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      worker.postMessage({ id, ...message });
    });
  }

  #receive(message) {
    if (message.type === "patch") {
      this.#receivers.get(message.widget)?.(JSON.parse(message.patch), message.buffers);
    } else if (message.type === "progress") {
      this.dispatchEvent(new CustomEvent("progress", { detail: message }));
    } else {
      const waiting = this.#pending.get(message.id);
      this.#pending.delete(message.id);
      if (message.type === "done") waiting?.resolve(message.value);
      else waiting?.reject(new Error(message.cause));
    }
  }

  /** End a worker that is of no use any more; the next `start` makes a new one. */
  #break(cause) {
    this.#worker?.terminate();
    this.#worker = this.#ready = null;
    this.alive = false;
    const waiting = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of waiting) reject(cause);
    this.dispatchEvent(new CustomEvent("broken", { detail: cause }));
  }
}

function makeWorker() {
  const address = new URL("./worker.js", import.meta.url).href;
  const options = { type: "module", name: "embedding-lab" };
  if (new URL(address).origin === location.origin) return new Worker(address, options);
  // a worker's first script has to be of the page's own origin; what it imports has not
  const first = new Blob([`import ${JSON.stringify(address)};`], { type: "text/javascript" });
  return new Worker(URL.createObjectURL(first), options);
}
