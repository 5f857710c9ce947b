// The line over a picture: Python is waking up, or could not, and what the reader can do.

import { WORDS } from "./words.js";

/** Build an element; properties are set as they are, children may be strings. */
function make(name, properties, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

/** A status line with progress, an offer, or a failure; one at a time. */
export class Notice {
  element = make("div", { className: "lab-notice" });
  #words = null;
  #bar = null;
  #after = "";

  /** Take the line away. */
  clear() {
    this.element.replaceChildren();
    this.#words = this.#bar = null;
  }

  /**
   * Say that Python is waking up.
   *
   * @param {boolean} alive - whether it runs already, and only this state is missing
   * @param {boolean} differs - whether the picture shows another state than the one to come
   */
  wake(alive, differs) {
    this.#after = differs ? WORDS.otherState : "";
    this.#words = make("span", { textContent: (alive ? WORDS.opening : WORDS.waiting) + this.#after });
    this.#bar = make("progress", { max: 1, hidden: alive });
    this.#bar.setAttribute("aria-label", WORDS.waiting);
    const line = make("p", { className: "lab-status" }, this.#words, this.#bar);
    line.setAttribute("role", "status");
    this.element.replaceChildren(line);
  }

  /** Show how far the download is. */
  progress({ stage, loaded, total }) {
    if (!this.#bar) return;
    this.#words.textContent = (stage === "download" ? WORDS.download(loaded, total) : WORDS.start) + this.#after;
    this.#bar.value = loaded / total;
  }

  /**
   * Offer to make the picture live; resolves when the reader takes it.
   *
   * @param {Element} place - what the line lies over: a click on a picture that does not answer takes the offer too
   */
  offer(place) {
    const button = make("button", { type: "button", textContent: WORDS.wake });
    this.element.replaceChildren(make("p", { className: "lab-status" }, WORDS.asleep, " ", button));
    return new Promise((resolve) => place.addEventListener("click", resolve, { once: true }));
  }

  /**
   * Show a failure; resolves when the reader wants to try again.
   *
   * @param {Error} cause
   */
  fail(cause) {
    const button = make("button", { type: "button", textContent: WORDS.retry });
    const panel = make(
      "div",
      { className: "lab-failure" },
      make("h2", { textContent: WORDS.failed }),
      make("pre", { textContent: cause.message }),
      button,
    );
    panel.setAttribute("role", "alert");
    this.#words = this.#bar = null;
    this.element.replaceChildren(panel);
    return new Promise((resolve) => button.addEventListener("click", resolve, { once: true }));
  }
}
