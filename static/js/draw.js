// Draws a room's document with BokehJS into an element of the page.

import { STATIC, readManifest } from "./place.js";

let scripts = null;

/** Load the drawing scripts, in the order that they need each other, unless the page has them already. */
export function loadScripts() {
  scripts ??= loadInOrder().catch((reason) => {
    scripts = null;
    throw reason;
  });
  return scripts;
}

async function loadInOrder() {
  const manifest = await readManifest();
  const version = window.Bokeh?.version;
  if (version && version !== manifest.bokeh) {
    throw new Error(`this page has BokehJS ${version} already, the lab needs ${manifest.bokeh}`);
  }
  for (const { file, provides } of manifest.scripts) {
    if (!window.Bokeh || !(provides in window.Bokeh.Models)) await loadScript(new URL(file, STATIC).href);
  }
}

function loadScript(address) {
  return new Promise((resolve, reject) => {
    const script = Object.assign(document.createElement("script"), { src: address, async: false });
    script.onload = resolve;
    script.onerror = () => {
      script.remove();
      reject(new Error(`${address} could not be fetched`));
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
 * @param {string} [without] - class of parts that are left out
 * @returns {Promise<Picture>}
 */
export async function draw(described, stack, without) {
  const element = document.createElement("div");
  element.className = "lab-view";
  stack.append(element);
  const key = crypto.randomUUID?.() ?? String(Math.random());
  const item = { docid: key, roots: { [described.root]: element }, root_ids: [described.root] };
  try {
    const [views] = await window.Bokeh.embed.embed_items({ [key]: described.doc }, [item]);
    const { document: doc } = [...views.roots][0].model;
    if (without) leaveOut(doc, without);
    await idle(doc);
    return new Picture(element, doc, views);
  } catch (reason) {
    element.remove();
    throw reason;
  }
}

/** Wait until everything is laid out and painted; a tab in the background paints nothing. */
function idle(doc) {
  if (doc.is_idle || document.hidden) return Promise.resolve();
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
