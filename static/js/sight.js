// Which figures are in sight: only they are made, computed and drawn. Python keeps the names in a hidden field.

import { tagged, views } from "./bokeh.js";

const FIGURE = "figure:"; // how the tag of a figure's place begins, see app/kit/place.py
const SIGHT = "sight"; // tag of the hidden field
const AHEAD = "60% 0px"; // figures just beyond the window come early
const watched = new WeakMap();

const keyOf = (model) => model.tags?.find?.((tag) => String(tag).startsWith(FIGURE))?.slice(FIGURE.length);

const observer = new IntersectionObserver(
  (entries) => {
    const moved = new Set();
    for (const { target, isIntersecting } of entries) {
      const place = watched.get(target);
      place.seen = isIntersecting;
      moved.add(place.field);
    }
    for (const field of moved) say(field);
  },
  { rootMargin: AHEAD },
);

/** Tell Python what is in sight; a document that is gone hears nothing. */
function say(field, all = false) {
  const places = views().map(({ el }) => watched.get(el)).filter((place) => place?.field === field && field.document);
  const value = places.filter((place) => all || place.seen).map(({ key }) => key).join(",");
  if (places.length && value !== field.value.split("+")[0]) field.value = value;
}

/** Watch every figure's place on the page; those that are watched already are left alone. */
export function watchPlaces() {
  for (const { el, model } of views()) {
    const key = keyOf(model);
    if (!key || watched.has(el)) continue;
    const [field] = tagged(model.document, SIGHT);
    if (!field) continue;
    watched.set(el, { key, field, seen: false });
    observer.observe(el);
  }
}

// on paper everything is in sight, but for rooms that were left
addEventListener("beforeprint", () => {
  const here = views().filter(({ el }) => el?.isConnected && watched.has(el));
  for (const field of new Set(here.map(({ el }) => watched.get(el).field))) say(field, true);
});
