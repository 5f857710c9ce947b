// Figures on a canvas: drawn while they are in sight, cut off at their frame, looked at closely and left again.

import { areaOf, clip, drawnBy, shadowOf, views } from "./bokeh.js";

const shown = () => views().filter(({ model }) => model.type === "Figure");
const known = new WeakMap();

/** Look after every figure on the page; those that are known already are left alone. */
export function watchFigures() {
  for (const view of shown()) {
    if (known.has(view.el)) continue;
    known.set(view.el, view.model);
    sight.observe(view.el);
    cutOff(view);
    fitPaper(view);
    letLookClosely(view);
  }
}

// A slider changes a dozen figures, and a reader sees two or three: the others wait with their drawing.
const sight = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) hold(known.get(target), !isIntersecting);
  },
  { rootMargin: "50%" },
);

function hold(figure, held) {
  figure?.setv({ hold_render: held }, { sync: false });
}

addEventListener("beforeprint", () => {
  for (const { model } of shown()) hold(model, false);
});

// A canvas keeps the width that it was drawn for: on narrower paper it is shown smaller, as a whole.
const PAPER = new CSSStyleSheet();
PAPER.replaceSync("@media print { canvas { max-width: 100%; object-fit: contain; object-position: left top; } }");

function fitPaper(view) {
  const root = areaOf(view)?.getRootNode();
  if (root?.adoptedStyleSheets && !root.adoptedStyleSheets.includes(PAPER)) root.adoptedStyleSheets.push(PAPER);
}

/** Marks lie on a canvas of their own, so that the rest stays when they move; Bokeh does not end it at the frame. */
function cutOff(view) {
  for (const part of drawnBy(view)) if (part.model.level === "overlay") clip(part);
}

const WAY_BACK = `position:absolute;top:2px;right:2px;padding:4px 10px;border:1px solid var(--line);border-radius:6px;
background:var(--paper);color:var(--ink);font:inherit;font-size:var(--size-xs);cursor:pointer`;

/** A drag looks closer, a double click goes a step back, a button to the whole. A finger scrolls the page instead. */
function letLookClosely(view) {
  const { x_range: x, y_range: y, toolbar } = view.model;
  if (matchMedia("(pointer: coarse)").matches) toolbar.setv({ active_drag: null }, { sync: false });
  const back = Object.assign(document.createElement("button"), { type: "button", textContent: "Whole figure", hidden: true });
  back.style.cssText = WAY_BACK;
  const isClose = (range) => range.reset_start != null && (range.start !== range.reset_start || range.end !== range.reset_end);
  const follow = () => {
    back.hidden = !isClose(x) && !isClose(y);
    // what stands inside an image is not read: while there is a button in it, it is a group
    view.el.setAttribute("role", back.hidden ? "img" : "group");
  };
  for (const range of [x, y]) range.change.connect(follow);
  back.addEventListener("click", () => view.reset());
  shadowOf(view).append(back);
}
