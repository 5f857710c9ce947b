// The lab's side of a notebook's page: it comes once through the kernel, and every figure of the page uses it.

import { draw as drawn } from "./draw.js";
import { prepare as prepareBokeh, withoutAddress } from "./guest.js";
import { Outbox } from "./outbox.js";

const lab = window.EmbeddingLab;
const adopted = [];
let addresses = {};

/**
 * Take over what came along.
 *
 * @param {string[]} styles - texts of the element's own stylesheets
 * @param {Object<string, string>} [sheets] - Panel's stylesheets, by the names that documents have for them
 */
export function prepare(styles, sheets = {}) {
  for (const text of styles) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    adopted.push(sheet);
  }
  const address = (text) => URL.createObjectURL(new Blob([text], { type: "text/css" }));
  addresses = Object.fromEntries(Object.entries(sheets).map(([name, text]) => [name, address(text)]));
  prepareBokeh();
}

/** A document's JSON with the addresses that Panel's stylesheets have on this page. */
export const addressed = (json) => json.replace(/%PANEL%([\w./-]+\.css)/g, (whole, name) => addresses[name] ?? "data:text/css,");

/** Give a root the figures' styles, once: a document or a shadow. */
export function dress(root) {
  for (const sheet of adopted) {
    if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets.push(sheet);
  }
}

/**
 * Draw a document and keep it linked with the kernel.
 *
 * @param {{doc: object, root: string}} described
 * @param {HTMLElement} element - it wears the page's theme
 * @param {HTMLElement} stack - what is drawn into
 * @param {(patch: object) => Promise<void>} send - to the kernel
 * @param {() => string} theme - light, dark or auto
 */
export async function draw(described, element, stack, send, theme) {
  const picture = await drawn(described, stack);
  picture.element.classList.add("lab-shown");
  const outbox = new Outbox(picture.doc, send, (reason) => console.error(reason));
  withoutAddress(element);
  let unfollow = null;
  const put = (name) => {
    element.dataset.theme = name;
    lab.paint();
  };
  const wear = () => {
    unfollow?.();
    unfollow = null;
    if (["light", "dark"].includes(theme())) put(theme());
    else unfollow = lab.followTheme(element, put);
  };
  wear();
  return {
    wear,
    apply: (patch, buffers) => picture.doc.apply_json_patch(patch, buffers),
    remove() {
      unfollow?.();
      outbox.close();
      picture.remove();
    },
  };
}
