// The page's side of the worker: one worker for all widgets of a page, requests answered in order.

import { fetchPart, readManifest } from "./parts.js";
import { PAGE } from "./place.js";
import { Patience } from "./patience.js";
import { WORDS } from "./words.js";

const lab = (window.EmbeddingLab ??= {});

/** The browser, or the page around, lets no worker run. */
export class NoWorker extends Error {
  constructor() {
    super(WORDS.noWorker);
  }
}

/**
 * Runs Python for any number of widgets.
 *
 * Events: `progress` (detail: stage, loaded, total), `ready`, `broken` (detail: the cause), `silent` (detail: for how
 * many seconds nothing came), `heard` (something came after all), `restarted`.
 */
export class LabClient extends EventTarget {
  #worker = null;
  #ready = null;
  #turn = 0;
  #last = 0;
  #pending = new Map();
  #receivers = new Map();
  #patience = new Patience(
    (seconds) => this.dispatchEvent(new CustomEvent("silent", { detail: seconds })),
    () => this.dispatchEvent(new Event("heard")),
  );

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
    const turn = (this.#turn += 1);
    try {
      this.#patience.expect();
      const manifest = await readManifest();
      await checkModules(manifest);
      const worker = await makeWorker();
      if (turn !== this.#turn) {
        worker.terminate();
        throw new Error("Python was started again");
      }
      this.#patience.met();
      this.#take(worker);
      await this.#ask({ type: "start", room, manifest });
    } catch (reason) {
      if (turn === this.#turn) this.#break(reason);
      throw reason;
    }
    this.alive = true;
    this.dispatchEvent(new Event("ready"));
  }

  #take(worker) {
    this.#worker = worker;
    worker.onmessage = ({ data }) => this.#receive(data);
    worker.onerror = (event) => {
      event.preventDefault();
      this.#break(new Error(event.message || "the worker has ended"));
    };
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

  /** End a Python that does not answer and start another; every widget opens its room in it again. */
  restart() {
    const waiting = this.#end();
    this.dispatchEvent(new Event("restarted"));
    for (const { reject } of waiting) reject(new Error("Python was started again"));
  }

  #ask(message) {
    const id = (this.#last += 1);
    const worker = this.#worker;
    this.#patience.expect();
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      worker.postMessage({ id, ...message });
    });
  }

  #receive(message) {
    if (message.type === "patch") {
      this.#patience.heard();
      this.#receivers.get(message.widget)?.(JSON.parse(message.patch), message.buffers);
    } else if (message.type === "progress") {
      this.#patience.heard();
      this.dispatchEvent(new CustomEvent("progress", { detail: message }));
    } else {
      this.#patience.met();
      const waiting = this.#pending.get(message.id);
      this.#pending.delete(message.id);
      if (message.type === "done") waiting?.resolve(message.value);
      else waiting?.reject(new Error(message.cause));
    }
  }

  /** End a worker that is of no use any more; the next `start` makes a new one. */
  #break(cause) {
    for (const { reject } of this.#end()) reject(cause);
    this.dispatchEvent(new CustomEvent("broken", { detail: cause }));
  }

  #end() {
    this.#turn += 1;
    this.#patience.end();
    this.#worker?.terminate();
    this.#worker = this.#ready = null;
    this.alive = false;
    const waiting = [...this.#pending.values()];
    this.#pending.clear();
    return waiting;
  }
}

/** The browser fetches a worker's modules by itself: they are compared first, and then come from its cache. */
async function checkModules(manifest) {
  const modules = Object.entries(manifest.worker);
  await Promise.all(modules.map(([name, integrity]) => fetchPart(`${PAGE}js/${name}`, integrity)));
}

/**
 * A worker's first script has to be of the page's own origin, what it imports has not; a frame in a sandbox has no origin
 * that a blob could share; and a page with COEP takes only scripts that have it too. Some way is open almost everywhere.
 */
async function makeWorker() {
  const address = `${PAGE}js/worker.js`;
  const first = `import ${JSON.stringify(address)};`;
  const blob = URL.createObjectURL(new Blob([first], { type: "text/javascript" }));
  const ways = [blob, `data:text/javascript,${encodeURIComponent(first)}`];
  if (new URL(address).origin === self.origin) ways.unshift(address);
  try {
    for (const way of ways) {
      const worker = await answering(way);
      if (worker) return worker;
    }
  } finally {
    URL.revokeObjectURL(blob);
  }
  throw new NoWorker();
}

/** The worker, once it has said that it is there; null where it is refused. */
function answering(address) {
  return new Promise((resolve) => {
    try {
      const worker = new Worker(address, { type: "module", name: "embedding-lab" });
      worker.onmessage = () => resolve(worker);
      worker.onerror = (event) => {
        event.preventDefault();
        resolve(null);
      };
    } catch {
      resolve(null);
    }
  });
}
