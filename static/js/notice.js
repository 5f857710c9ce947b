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
  #waking = null;

  /** Take the line away. */
  clear() {
    this.element.replaceChildren();
    this.#words = this.#bar = this.#waking = null;
  }

  /**
   * Say that Python is waking up.
   *
   * @param {boolean} alive - whether it runs already, and only this state is missing
   */
  wake(alive) {
    this.#words = make("span", { textContent: alive ? WORDS.opening : WORDS.waiting });
    this.#bar = make("progress", { max: 1, hidden: alive });
    this.#bar.setAttribute("aria-label", WORDS.waiting);
    this.#waking = make("p", { className: "lab-status" }, this.#words, this.#bar);
    this.#waking.setAttribute("role", "status");
    this.element.replaceChildren(this.#waking);
  }

  /** Show how far the download is. */
  progress({ stage, loaded, total }) {
    if (!this.#bar) return;
    this.#words.textContent = stage === "download" ? WORDS.download(loaded, total) : WORDS.start;
    this.#bar.value = loaded / total;
  }

  /**
   * Say that Python does not answer; resolves when the reader wants to wait no longer. `heard` takes the line away.
   *
   * @param {number} seconds
   */
  silent(seconds) {
    const words = WORDS.silent(seconds);
    const shown = this.element.querySelector(".lab-silent");
    if (shown) {
      shown.firstChild.textContent = words;
      return new Promise(() => {});
    }
    const button = make("button", { type: "button", textContent: WORDS.restart });
    const line = make("p", { className: "lab-status lab-silent" }, make("span", { textContent: words }), " ", button);
    line.setAttribute("role", "status");
    this.element.append(line);
    if (this.#waking) this.#waking.hidden = true;
    return new Promise((resolve) => button.addEventListener("click", resolve, { once: true }));
  }

  /** Python has answered after all. */
  heard() {
    this.element.querySelector(".lab-silent")?.remove();
    if (this.#waking) this.#waking.hidden = false;
  }

  /** Say that the site has been built anew and this page has to be loaded again. */
  outdated() {
    const button = make("button", { type: "button", textContent: WORDS.reload });
    button.addEventListener("click", () => location.reload());
    this.#panel(WORDS.outdated, make("p", { textContent: WORDS.outdatedWhy }), button);
  }

  /**
   * Show a failure; resolves when the reader wants to try again.
   *
   * @param {Error} cause
   */
  fail(cause) {
    const button = make("button", { type: "button", textContent: WORDS.retry });
    this.#panel(WORDS.failed, make("pre", { textContent: cause.message }), button);
    return new Promise((resolve) => button.addEventListener("click", resolve, { once: true }));
  }

  #panel(title, ...parts) {
    const panel = make("div", { className: "lab-failure" }, make("h2", { textContent: title }), ...parts);
    panel.setAttribute("role", "alert");
    this.#words = this.#bar = this.#waking = null;
    this.element.replaceChildren(panel);
  }
}
