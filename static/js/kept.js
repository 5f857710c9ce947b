// Rooms that a reader has left stay as they were, so that coming back takes no time; the one left longest ago is closed.

import { searchWith } from "./page.js";

const small = (navigator.deviceMemory ?? 8) <= 4 || matchMedia("(pointer: coarse)").matches;
/** How many are kept: a phone holds less. */
const MOST = small ? 2 : 11;

/**
 * A page that was left.
 *
 * @typedef {object} Left
 * @property {import("./widget.js").LabWidget} widget
 * @property {string} address - path and query, as they were last
 * @property {string} title
 * @property {DOMStringMap} data - of the html element
 * @property {Element[]} nodes - of the body
 */

export class Kept {
  #rooms = new Map();

  /**
   * Keep a page that is being left.
   *
   * @param {string} room
   * @param {Left} page
   */
  put(room, page) {
    this.#rooms.get(room)?.widget.close();
    this.#rooms.delete(room); // so that it comes last
    this.#rooms.set(room, page);
    for (const [longest, { widget }] of this.#rooms) {
      if (this.#rooms.size <= MOST) break;
      this.#rooms.delete(longest);
      widget.close();
    }
  }

  /**
   * The page of a room as it was left, if it is still there; it is kept no longer.
   *
   * @param {string} room
   * @param {(address: string) => boolean} fits - whether this is the state that is wanted
   * @returns {Left | undefined}
   */
  take(room, fits) {
    const page = this.#rooms.get(room);
    if (!page || !fits(page.address)) return undefined;
    this.#rooms.delete(room);
    return page;
  }

  /** What was set just before the reader left was answered afterwards. */
  told(widget, query) {
    const page = [...this.#rooms.values()].find((left) => left.widget === widget);
    if (!page) return;
    const [path, search = ""] = page.address.split(/(?=\?)/);
    page.address = path + searchWith(search, query);
  }

  /** Close all of them: the Python that they worked with is gone. */
  clear() {
    for (const { widget } of this.#rooms.values()) widget.close();
    this.#rooms.clear();
  }
}
