// Everything that the page knows of BokehJS's insides, one name at a time. tests/ui/test_bokeh_names.py holds each of them:
// when BokehJS changes one, it says which function here has to follow, and what is lost meanwhile.

/** All views on this page. Inside: index.roots, children(). */
export function views() {
  const found = [];
  const walk = (view) => {
    found.push(view);
    for (const child of view.children?.() ?? []) walk(child);
  };
  for (const root of window.Bokeh?.index?.roots ?? []) walk(root);
  return found;
}

/** All models of a document. Inside: _all_models. */
export const modelsOf = (doc) => [...(doc?._all_models?.values() ?? [])];

/** The models of a document that have a tag. */
export const tagged = (doc, tag) => modelsOf(doc).filter(({ tags }) => tags?.includes?.(tag));

/** The shadow root of a view. Inside: shadow_el. */
export const shadowOf = (view) => view.shadow_el ?? view.el?.shadowRoot;

/** The element of a figure's view that hears the pointer. Inside: canvas_view.events_el. */
export const areaOf = (view) => view.canvas_view?.events_el;

/** The views of what a figure's view draws. Inside: renderer_views. */
export const drawnBy = (view) => [...(view.renderer_views?.values() ?? [])];

/** Have a part of a figure end at its frame, whatever canvas it lies on. Inside: needs_clip. */
export function clip(part) {
  Object.defineProperty(part, "needs_clip", { value: true });
}

/** Whether everything of a document is laid out and painted. Inside: is_idle. */
export const isIdle = (doc) => doc.is_idle;

/** Whether a property holds a value for each row, and so is set as { value }. Inside: the name of its class. */
export function takesVectors(model, name) {
  const now = model[name];
  const wrapped = now !== null && typeof now === "object" && "value" in now;
  return Boolean(model.properties[name]?.constructor?.name?.includes("Vector")) || wrapped;
}
