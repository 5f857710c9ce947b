// The element's styles belong to its root, a document or a shadow: a page that renews its head keeps them.

import { fetchPart, readManifest } from "./parts.js";
import { PAGE } from "./place.js";

const NAMES = ["tokens.css", "widget.css"];
let sheets = null;

/**
 * Give a root the element's styles, once.
 *
 * @param {Document | ShadowRoot} root
 */
export async function adopt(root) {
  if (!root.adoptedStyleSheets) return;
  sheets ??= read().catch(() => {
    // a picture without its colours is better than none
    sheets = null;
    return [];
  });
  for (const sheet of await sheets) {
    if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets.push(sheet);
  }
}

async function read() {
  const { styles } = await readManifest();
  const texts = await Promise.all(NAMES.map((name) => fetchPart(`${PAGE}css/${name}`, styles[name])));
  return Promise.all(texts.map((bytes) => new CSSStyleSheet().replace(new TextDecoder().decode(bytes))));
}
