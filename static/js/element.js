// What an <embedding-lab> becomes when it is wanted live. All of a page share one Python.

import { LabClient, NoWorker } from "./client.js";
import { loadScripts, OtherBokeh } from "./draw.js";
import { SITE } from "./place.js";
import { adopt } from "./styles.js";
import { LabWidget } from "./widget.js";

const lab = window.EmbeddingLab;
let made = 0;

/** The live part of one element. */
export class LiveFigure {
  #host;
  #spec;
  #on;
  #widget;

  /**
   * @param {HTMLElement} host - the element
   * @param {object} spec - what is asked of the figure
   * @param {{opened: (talk: EventTarget) => void, told: (query: string) => void}} on
   */
  constructor(host, spec, on) {
    this.#host = host;
    this.#spec = spec;
    this.#on = on;
    this.#widget = new LabWidget(LabClient.shared(), host, `embedded-${(made += 1)}`, on.told);
    this.#widget.onRetry = () => void this.begin();
    this.#widget.onFail = (cause) => this.#becomeFrame(cause);
    this.#widget.onLive = on.opened;
    this.adopt();
  }

  /** Give the root that the element is in now its styles. */
  adopt() {
    void adopt(this.#host.getRootNode());
  }

  /** Fetch what drawing takes, and make the figure live. */
  async begin() {
    const widget = this.#widget;
    widget.showNothing();
    try {
      if (!mayEvaluate()) throw new NoWorker();
      await Promise.all([adopt(this.#host.getRootNode()), loadScripts()]);
    } catch (reason) {
      if (widget === this.#widget) widget.fail(reason);
      return;
    }
    if (widget === this.#widget) await this.open(this.#spec);
  }

  /** Open the figure, anew where it is open. */
  async open(spec) {
    this.#spec = spec;
    await this.#widget?.open(spec.room, "embed=1", JSON.stringify(spec));
  }

  /** Take everything away. */
  close() {
    this.#widget?.close();
    this.#widget = null;
  }

  /** What this page is refused, a frame of the lab's own origin may do. */
  #becomeFrame(cause) {
    const foreign = new URL(SITE).origin !== self.origin;
    const refused = cause instanceof NoWorker || cause instanceof OtherBokeh || (foreign && cause.kind === "unreachable" && navigator.onLine);
    if (!refused) return;
    queueMicrotask(() => {
      this.close();
      const frame = lab.embed.frame(this.#host, this.#spec);
      if (!frame) return;
      const talk = lab.connect(frame);
      const heard = new EventTarget();
      for (const kind of ["change", "answer"]) {
        talk.addEventListener(`lab-${kind}`, ({ detail }) => heard.dispatchEvent(new CustomEvent(kind, { detail })));
      }
      heard.ask = (act, content) => (act === "state" ? Promise.resolve(talk.state) : talk[act](content));
      void talk.ready.then(() => this.#on.opened(heard));
    });
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
