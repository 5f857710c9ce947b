// Slides and zoomed pages scale what stands in them. BokehJS measures on screen and draws in the element's own pixels:
// canvases would come out too wide or too narrow, and the pointer would be elsewhere. Here the views of BokehJS, and
// nothing else on the page, measure in the element's own pixels, and events on figures are told in them.

import { areaOf } from "./bokeh.js";

const DONE = Symbol.for("embedding-lab.straightened");
const EVENTS = ["pointerover", "pointerout", "pointerdown", "pointermove", "pointerup", "pointercancel", "wheel", "contextmenu"];
const TOLERANCE = 0.004; // a width is told in whole pixels, so a scale of 1 is seldom found exactly

/**
 * Correct all views that are made from now on.
 *
 * @param {object} views - the prototype of the views of figures
 */
export function straighten(views) {
  let base = null;
  for (let each = views; each; each = Object.getPrototypeOf(each)) {
    if (Object.hasOwn(each, "_update_bbox")) base = each;
  }
  if (!base || base[DONE]) return;
  const { initialize } = base;
  Object.defineProperty(base, DONE, { value: true });
  Object.defineProperty(base, "initialize", {
    configurable: true,
    writable: true,
    value(...all) {
      const done = initialize.apply(this, all);
      correct(this.el);
      return done;
    },
  });
  const { connect_signals: connect } = views;
  Object.defineProperty(views, "connect_signals", {
    configurable: true,
    writable: true,
    value(...all) {
      const area = areaOf(this);
      if (area) {
        correct(area);
        for (const type of EVENTS) this.canvas_view.el.addEventListener(type, (event) => tell(event, area), true);
      }
      return connect.apply(this, all);
    },
  });
}

/** The element that a room is drawn in: its own pixels are those of everything in it. */
function homeOf(element) {
  for (let node = element; node; node = node.parentNode ?? node.host) {
    if (node.classList?.contains("lab-stack")) return node;
  }
  return null;
}

/** Where a room begins on screen, and how many pixels of the screen one of its own is wide. */
function frameOf(element) {
  const home = homeOf(element);
  if (!home?.offsetWidth) return null;
  const { left, top, width, height } = home.getBoundingClientRect();
  const x = width / home.offsetWidth;
  const y = home.offsetHeight ? height / home.offsetHeight : x;
  return Math.abs(x - 1) < TOLERANCE && Math.abs(y - 1) < TOLERANCE ? null : { left, top, x, y };
}

function correct(element) {
  const measure = element.getBoundingClientRect;
  element.getBoundingClientRect = function getBoundingClientRect() {
    const seen = measure.call(element);
    const frame = frameOf(element);
    if (!frame) return seen;
    const { left, top, x, y } = frame;
    return new DOMRect(left + (seen.left - left) / x, top + (seen.top - top) / y, seen.width / x, seen.height / y);
  };
}

const across = (at, frame) => frame.left + (at - frame.left) / frame.x;
const down = (at, frame) => frame.top + (at - frame.top) / frame.y;

/** An event says where it is on screen; listeners of the figure are told it in the room's own pixels. */
function tell(event, area) {
  const frame = frameOf(area);
  if (!frame || Object.hasOwn(event, "pageX")) return;
  const { clientX, clientY } = event;
  const told = { clientX: across(clientX, frame), clientY: down(clientY, frame) };
  Object.assign(told, { x: told.clientX, y: told.clientY, pageX: told.clientX + scrollX, pageY: told.clientY + scrollY });
  for (const [name, value] of Object.entries(told)) Object.defineProperty(event, name, { value });
}
