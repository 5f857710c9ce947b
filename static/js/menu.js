// The menu of a figure: its address, an element or a frame of it alone, and its picture as a file.

import { shadowOf, views } from "./bokeh.js";
import { copy } from "./copy.js";

const lab = (window.EmbeddingLab ??= {});
const FIGURE = "figure:"; // how the tag of a figure's place begins, see app/kit/place.py

/** The view of the place that a node of its menu stands in. */
function placeOf(event) {
  const path = event.composedPath();
  return views().find(({ el, model }) => path.includes(el) && model.tags?.some?.((tag) => String(tag).startsWith(FIGURE)));
}

/** The element of a figure in the same room as another element, by its key. */
export function figureIn(room, key) {
  const root = views().find(({ el }) => el === room);
  const walk = (view) => (view.model.tags?.includes?.(FIGURE + key) ? view.el : (view.children?.() ?? []).map(walk).find(Boolean));
  return root && walk(root);
}

/** The element of a figure anywhere on the page, by its key. */
export function figureCalled(key) {
  return views().find(({ model }) => model.tags?.includes?.(FIGURE + key))?.el;
}

const keyOf = ({ model }) => model.tags.find((tag) => String(tag).startsWith(FIGURE)).slice(FIGURE.length);

function canvasOf(place) {
  const walk = (view) => (view.model.type === "Figure" ? [view] : (view.children?.() ?? []).flatMap(walk));
  return walk(place).find(({ el }) => el.checkVisibility());
}

/** The address of one figure in the state that is shown; that of an element is in the lab's own site. */
export function addressOf(key, element) {
  const here = element ? new URL(`${lab.embed.site}${element.room}/`) : new URL(location.href);
  for (const [name, value] of Object.entries(element?.state ?? {})) here.searchParams.set(name, value);
  here.searchParams.set("figure", key);
  return here;
}

/** The <embedding-lab> that a node stands in, if any. */
const elementOf = (event) => event.composedPath().find((node) => node.localName === "embedding-lab");

/** The colour of the paper as it is now: a canvas reads no `light-dark()`. */
function paper(view) {
  const probe = Object.assign(document.createElement("span"), { hidden: true });
  probe.style.color = "var(--paper)";
  shadowOf(view).append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** A picture as a file. The paper is drawn too: a slide may have another colour. */
async function save(place, kind) {
  const canvas = canvasOf(place);
  const { border_fill_color: before } = canvas.model;
  canvas.model.setv({ border_fill_color: paper(canvas) }, { sync: false });
  const blob = await canvas.export(kind).to_blob();
  canvas.model.setv({ border_fill_color: before }, { sync: false });
  saveFile(blob, `${document.documentElement.dataset.room ?? "figure"}-${keyOf(place)}.${kind}`);
}

/** Give the reader a file. */
export function saveFile(blob, name) {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/**
 * Do what was clicked in a figure's menu.
 *
 * @param {Event} event
 * @param {HTMLElement} button
 * @param {(key: string) => void} embed - shows how one figure is put into a page
 */
export function chosen(event, button, embed) {
  const place = placeOf(event);
  const kind = button.dataset.figure;
  if (kind === "link") copy(addressOf(keyOf(place), elementOf(event)).href, "Link", button);
  if (kind === "embed") embed(keyOf(place));
  if (kind === "png" || kind === "svg") void save(place, kind);
  button.closest("details").open = false;
}

/** A figure of tables alone has no picture to save. */
export function opened(event, summary) {
  const place = placeOf(event);
  for (const button of summary.parentElement.querySelectorAll("[data-figure=png], [data-figure=svg]")) {
    button.hidden = !canvasOf(place);
  }
  // only a page of the lab has the dialog, and only the lab has addresses
  const dialog = document.getElementById("lab-embed");
  summary.parentElement.querySelector("[data-figure=embed]").hidden = !dialog;
  summary.parentElement.querySelector("[data-figure=link]").hidden = !dialog && !elementOf(event);
}
