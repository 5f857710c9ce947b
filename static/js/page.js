// What a page needs beside the rooms: theme and colours of figures, links, clipboard, names for controls.
// Rooms call window.EmbeddingLab from Bokeh callbacks; the same file serves the app, the site and embeds.

import { modelsOf, shadowOf, takesVectors } from "./bokeh.js";
import { copy } from "./copy.js";
import { watchFigures } from "./figures.js";
import { chosen, figureCalled, figureIn, opened } from "./menu.js";
import { nameControls } from "./names.js";
import { showEmbed } from "./share.js";
import { watchPlaces } from "./sight.js";
import { speakForServed } from "./talk.js";
import "./slices.js";

const lab = (window.EmbeddingLab ??= {});
const AFTER_DRAWING = 100; // milliseconds: BokehJS makes new components step by step
const PAGE_OPTIONS = ["room", "figure", "embed", "hide", "theme", "spec"];

/** Resolve a token to the colour it has on an element now. */
function colour(token, element, cache) {
  if (!cache.has(token)) {
    const probe = document.createElement("span");
    // where the system sets the colours, those of a figure still tell its lines apart
    probe.style.cssText = `display:none;forced-color-adjust:none;color:var(--${token})`;
    // what an <embedding-lab> holds is shown in its slot alone
    probe.slot = "lab";
    element.append(probe);
    const [r, g, b] = getComputedStyle(probe).color.match(/[\d.]+/g).map(Number);
    probe.remove();
    cache.set(token, [r, g, b]);
  }
  return cache.get(token);
}

const hex = (rgb) => "#" + rgb.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("");

function palette(stops, size = 256) {
  return Array.from({ length: size }, (_, step) => {
    const place = (step / (size - 1)) * (stops.length - 1);
    const index = Math.min(Math.floor(place), stops.length - 2);
    const share = place - index;
    return hex(stops[index].map((part, channel) => part + (stops[index + 1][channel] - part) * share));
  });
}

function paintModel(model, element, cache) {
  for (const tag of model.tags ?? []) {
    if (typeof tag !== "string") continue;
    if (tag.startsWith("paint:")) {
      const values = {};
      for (const pair of tag.slice(6).split(",")) {
        const [property, token] = pair.split("=");
        const value = hex(colour(token, element, cache));
        values[property] = takesVectors(model, property) ? { value } : value;
      }
      model.setv(values, { sync: false });
    } else if (tag.startsWith("palette:")) {
      const stops = tag.slice(8).split(",").map((token) => colour(token, element, cache));
      model.setv({ palette: palette(stops) }, { sync: false });
    }
  }
}

/** The element whose tokens hold for a document: an <embedding-lab>, what stands around a room in an app, or the page. */
function homeOf(doc) {
  for (const root of doc.roots()) {
    const view = window.Bokeh.index.get_by_id?.(root.id) ?? [...(window.Bokeh.index.roots ?? [])].find((v) => v.model === root);
    // a room that was left is painted when it comes back
    if (view?.el && !view.el.isConnected) return null;
    const home = view && (wearsTheme(view) ? shadowOf(view) : (view.el?.closest?.(".lab-theme") ?? themeWithin(view)));
    if (home) return home;
  }
  return document.documentElement;
}

const wearsTheme = ({ model }) => Boolean(model.css_classes?.includes?.("lab-theme"));

/** In an app of somebody else's the root is theirs, and the theme stands below it; what is not in its shadow has no colour. */
function themeWithin(view) {
  if (wearsTheme(view)) return shadowOf(view);
  return (view.children?.() ?? []).map(themeWithin).find(Boolean);
}

/** Apply the colours of the theme to every figure, and names to groups of radio buttons. */
lab.paint = function paint() {
  const documents = window.Bokeh?.documents ?? [];
  for (const doc of documents) {
    const element = homeOf(doc);
    // what was just taken off the page has no colours
    if (!element?.isConnected) continue;
    const cache = new Map();
    for (const model of modelsOf(doc)) paintModel(model, element, cache);
  }
  nameControls();
  watchFigures();
  watchPlaces();
  documents.forEach(followParts);
};

const followed = new WeakSet();
let later = 0;

/** What a room adds afterwards, such as its questions when they are opened, is painted and named too. */
function followParts(doc) {
  if (followed.has(doc)) return;
  followed.add(doc);
  doc.on_change((event) => {
    if (event.attr !== "children") return;
    clearTimeout(later);
    later = setTimeout(() => {
      lab.paint();
      speakForServed();
    }, AFTER_DRAWING);
  });
}

/** The search part of an address with another state: what else it says stays. */
export function searchWith(search, query) {
  const said = new URLSearchParams(search);
  const parts = PAGE_OPTIONS.filter((key) => said.has(key)).map((key) => `${key}=${encodeURIComponent(said.get(key))}`);
  const whole = [...parts, query].filter(Boolean).join("&");
  return whole && `?${whole}`;
}

/** Called by a room when its state changed: the page's address follows, other doors decide for themselves. */
lab.onQuery ??= function onQuery(widget, query) {
  if (widget !== (lab.pageWidget ?? "page")) return;
  const search = searchWith(location.search, query);
  try {
    history.replaceState(history.state, "", location.pathname + search + location.hash);
  } catch {
    // a frame in a sandbox has no address of its own to write to
  }
};

lab.ready = function ready() {
  nameTheme(); // a walk to another room brings a new header
  lab.paint();
  speakForServed();
  // a reload brings readers back to where they stood
  if (scrollY === 0 && !history.state?.top) lab.toFigure();
};

/** Scroll to the figure that the address names behind its #; returns whether there is one. */
lab.toFigure = function toFigure() {
  const key = location.hash.slice(1);
  const figure = key ? figureCalled(key) : null;
  figure?.scrollIntoView({ behavior: moves() ? "smooth" : "auto" });
  return Boolean(figure);
};

function origin(event, selector) {
  return event.composedPath().find((node) => node instanceof Element && node.matches(selector));
}

function clicked(event) {
  // on somebody else's page the rest is none of ours
  if (!origin(event, ".lab-theme")) return;
  const copied = origin(event, "[data-copy]");
  if (copied) return void copy(copied.dataset.copy, copied.textContent.includes("CSV") ? "CSV" : "Code", copied);
  const ofFigure = origin(event, "[data-figure]");
  if (ofFigure) return void chosen(event, ofFigure, showEmbed);
  const summary = origin(event, ".lab-menu summary");
  if (summary) return opened(event, summary);
  const shows = origin(event, ".lab-show");
  if (shows) scrollTo(shows, origin(event, ".lab-room"));
  const button = origin(event, "[data-tool]");
  const tool = button?.dataset.tool;
  if (tool === "link") copy(location.href, "Link", button);
  if (tool === "theme") setTheme(isDark() ? "light" : "dark");
  if (tool === "embed") showEmbed("");
}

/** What a question shows stands in its figure, or at the top of its room. */
function scrollTo(button, room) {
  const key = [...button.classList].find((name) => name.startsWith("lab-to-"))?.slice("lab-to-".length);
  const figure = () => [key && figureIn(room, key)].find((place) => place?.checkVisibility());
  const seek = (place) => place?.scrollIntoView({ behavior: moves() ? "smooth" : "auto" });
  if (!key || figure()) return seek(figure() ?? room);
  // behind a closed tab a figure is nowhere yet: it will stand at the top of its room, or further down
  seek(room);
  const topOf = (place) => place.getBoundingClientRect().top;
  const until = performance.now() + OPENS;
  const clock = setInterval(() => {
    const opened = figure();
    if (opened || performance.now() > until) clearInterval(clock);
    if (opened && topOf(opened) - topOf(room) > innerHeight / 2) seek(opened);
  }, 100);
}

const OPENS = 10_000; // milliseconds that a figure may take to open

const moves = () => !matchMedia("(prefers-reduced-motion: reduce)").matches;

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem("embedding-lab-theme", theme);
  } catch {
    // a page without storage keeps its theme until it is left
  }
}

function nameTheme() {
  const button = document.querySelector("[data-tool=theme]");
  if (button) button.textContent = isDark() ? "Light" : "Dark";
}

lab.start = function start() {
  if (lab.started) return;
  lab.started = true;
  document.addEventListener("click", clicked);
  addEventListener("hashchange", lab.toFigure);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    nameTheme();
    lab.paint();
  });
  // the reader's choice, or the page around this frame
  const themed = new MutationObserver(lab.ready);
  themed.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  nameTheme();
  lab.paint();
};

lab.start();
export const { paint, start } = lab;
