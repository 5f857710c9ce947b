// Draws a room's document with BokehJS into an element of the page.

import { isIdle } from "./bokeh.js";
import { readManifest, fetchPart } from "./parts.js";
import { STATIC } from "./place.js";
import { straighten } from "./scale.js";
import { lighten } from "./viewport.js";
import { WORDS } from "./words.js";

let scripts = null;

/** Load the drawing scripts, in the order that they need each other, unless the page has them already. */
export function loadScripts() {
  scripts ??= loadInOrder().catch((reason) => {
    scripts = null;
    throw reason;
  });
  return scripts;
}

/** Another version of BokehJS is on the page already: the two cannot stand side by side. */
export class OtherBokeh extends Error {}

async function loadInOrder() {
  const manifest = await readManifest();
  const version = window.Bokeh?.version;
  if (version && version !== manifest.bokeh) throw new OtherBokeh(WORDS.otherBokeh(version, manifest.bokeh));
  for (const { file, provides, integrity } of manifest.scripts) {
    if (window.Bokeh && provides in window.Bokeh.Models) continue;
    const address = new URL(file, STATIC).href;
    await loadScript(address, integrity).catch(async () => {
      // the cause in words; and what came damaged is in the browser's cache no longer
      await fetchPart(address, integrity);
      await loadScript(address, integrity);
    });
  }
  const { prototype } = window.Bokeh.Models.Plot;
  straighten(prototype.default_view.prototype);
  lighten(prototype.default_view.prototype);
}

/** The browser itself compares a script with its digest. */
function loadScript(address, integrity) {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    Object.assign(script, { src: address, integrity, crossOrigin: "anonymous", async: false });
    script.onload = resolve;
    script.onerror = (event) => {
      script.remove();
      reject(event);
    };
    document.head.append(script);
  });
}

/** A drawn document. */
export class Picture {
  /**
   * @param {HTMLElement} element - what it is drawn in
   * @param {object} doc - the BokehJS document
   * @param {Iterable<object>} views
   */
  constructor(element, doc, views) {
    this.element = element;
    this.doc = doc;
    this.views = views;
  }

  /** Take it off the page and out of BokehJS's lists. */
  remove() {
    this.views.clear();
    this.doc.clear({ sync: false });
    const { documents } = window.Bokeh;
    const at = documents.indexOf(this.doc);
    if (at >= 0) documents.splice(at, 1);
    this.element.remove();
  }
}

/**
 * Draw a document, invisible until `show` is called, so that it can take a place without a jump.
 *
 * @param {{doc: object, root: string}} described - as app.export.runtime describes it
 * @param {HTMLElement} stack - the element to draw into
 * @param {string[]} [hidden] - parts that are left out, as an address names them
 * @returns {Promise<Picture>}
 */
export async function draw(described, stack, hidden = []) {
  const element = document.createElement("div");
  element.className = "lab-view";
  stack.append(element);
  const key = crypto.randomUUID?.() ?? String(Math.random());
  const item = { docid: key, roots: { [described.root]: element }, root_ids: [described.root] };
  try {
    const [views] = await window.Bokeh.embed.embed_items({ [key]: described.doc }, [item]);
    const { document: doc } = [...views.roots][0].model;
    if (hidden.includes("controls")) leaveOut(doc, "lab-controls");
    leaveOutPanels(doc, hidden);
    await idle(doc);
    return new Picture(element, doc, views);
  } catch (reason) {
    element.remove();
    throw reason;
  }
}

/** Wait until everything is laid out and painted; a tab in the background paints nothing. */
function idle(doc) {
  if (isIdle(doc) || document.hidden) return Promise.resolve();
  return new Promise((resolve) => {
    doc.idle.connect(resolve);
    document.addEventListener("visibilitychange", resolve, { once: true });
  });
}

/**
 * Read a description that was written when the site was built: the site's own address goes into it.
 *
 * @param {string} json
 * @returns {{doc: object, root: string}}
 */
export function readDescribed(json) {
  return JSON.parse(json.replaceAll("%STATIC%", STATIC));
}

function leaveOut(doc, without) {
  const unwanted = (model) => model.css_classes?.includes(without);
  for (const model of doc.all_models) {
    if (!model.children?.some?.(unwanted)) continue;
    model.children = model.children.filter((child) => !unwanted(child));
    // what stood beside it has the whole width now
    model.css_classes = model.css_classes.map((name) => (name === "lab-beside" ? "lab-alone" : name));
  }
}

const PANELS = ["formula", "numbers", "code", "questions"];

/** What stands behind the figure: its tabs, of which the first is open. */
function leaveOutPanels(doc, hidden) {
  const left = PANELS.filter((panel) => !hidden.includes(panel));
  if (left.length === PANELS.length) return;
  if (!left.length) leaveOut(doc, "lab-tabs");
  if (hidden.includes("questions")) leaveOut(doc, "lab-ask");
  if (!left.some((panel) => panel !== "questions")) leaveOut(doc, "lab-drawer");
  // the picture has the formula alone
  if (left[0] !== PANELS[0]) leaveOut(doc, "lab-panel");
  for (const model of doc.all_models) {
    if (model.css_classes?.includes("lab-tabs") && !model.css_classes.includes("lab-ask")) model.labels = model.labels.filter((_, at) => !hidden.includes(PANELS[at]));
  }
}
