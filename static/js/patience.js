// Notices that answers stay away. A worker that has ended by itself says nothing, nor does one that computes for long.

const FIRST = 20; // seconds
const STEP = 10;

/** Counts the answers that are awaited, and how long none has come. */
export class Patience {
  #awaited = 0;
  #timer = 0;
  #silence = 0;
  #onSilent;
  #onHeard;

  /**
   * @param {(seconds: number) => void} onSilent - called after twenty seconds without a sign, and every ten from then on
   * @param {() => void} onHeard - called when a sign came after all
   */
  constructor(onSilent, onHeard) {
    this.#onSilent = onSilent;
    this.#onHeard = onHeard;
  }

  /** One more answer is awaited. */
  expect() {
    this.#awaited += 1;
    if (this.#awaited === 1) this.#wait(FIRST);
  }

  /** Something came, though it need not be what is awaited. */
  heard() {
    const told = this.#silence > 0;
    this.#silence = 0;
    if (this.#awaited) this.#wait(FIRST);
    if (told) this.#onHeard();
  }

  /** An answer came. */
  met() {
    this.#awaited = Math.max(0, this.#awaited - 1);
    if (!this.#awaited) clearTimeout(this.#timer);
    this.heard();
  }

  /** Nothing is awaited any more. */
  end() {
    this.#awaited = this.#silence = 0;
    clearTimeout(this.#timer);
  }

  #wait(seconds) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#silence += seconds;
      this.#onSilent(this.#silence);
      this.#wait(STEP);
    }, seconds * 1000);
  }
}
