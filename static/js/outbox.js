// What the reader changes, on its way to Python.

/** Sends the changes of a BokehJS document, one message at a time. */
export class Outbox {
  #doc;
  #send;
  #onFailure;
  #waiting = [];
  #sending = false;
  #listen = (event) => {
    // what came from Python does not go back there
    if (event.sync) this.#post(event);
  };

  /**
   * @param {object} doc - a BokehJS document
   * @param {(patch: object) => Promise<void>} send - resolves when Python has applied the patch
   * @param {(reason: Error) => void} onFailure
   */
  constructor(doc, send, onFailure) {
    this.#doc = doc;
    this.#send = send;
    this.#onFailure = onFailure;
    doc.on_change(this.#listen);
  }

  /** Send nothing more. */
  close() {
    this.#waiting = [];
    this.#doc.remove_on_change(this.#listen);
    this.#doc = null;
  }

  #post(event) {
    // while Python is at work only the last value of a property waits: a held key builds no backlog
    const replaced = (other) => other.attr !== undefined && other.attr === event.attr && other.model === event.model;
    if (event.kind === "ModelChanged") this.#waiting = this.#waiting.filter((other) => !replaced(other));
    this.#waiting.push(event);
    if (!this.#sending) void this.#work();
  }

  async #work() {
    this.#sending = true;
    try {
      // what one gesture changes arrives as several events of one task, and leaves as one message
      await null;
      while (this.#waiting.length) {
        const patch = this.#doc.create_json_patch(this.#waiting);
        this.#waiting = [];
        await this.#send(patch);
      }
    } catch (reason) {
      if (this.#doc) this.#onFailure(reason);
    } finally {
      this.#sending = false;
    }
  }
}
