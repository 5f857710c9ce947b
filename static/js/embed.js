// <embedding-lab room="build" scheme="rope" hide="code" load="visible"></embedding-lab>
// A room inside any page. This script is of the old kind, so a page of another host may use it whatever that host sends;
// it brings the element's modules, and where they, or workers, are refused, each element becomes a frame by itself.
// When the site is built, frame.js is appended to it.
(function () {
  "use strict";
  const lab = (window.EmbeddingLab = window.EmbeddingLab || {});
  if (lab.embed) return;
  /** Written when the site is built: folder of the modules and their digests, each room's settings and heights. */
  const BUILT = "%LAB-BUILT%";
  const NAME = "embedding-lab";
  const OWN = ["room", "state", "load", "spec", "still", "id", "class", "style"];
  const OF_THE_PAGE = ["figure", "hide", "theme"]; // attributes that an address has too, and are no settings of a room
  const PATIENCE = 20; // seconds
  const OPENED = 400; // pixels that formula, numbers or code take at most, but for the longest
  const BAR = 60; // pixels of the line with Formula, Numbers and Code
  const WORDS = {
    old: "This figure needs a newer browser: Chrome or Edge 123, Firefox 121, Safari 17.5, or later.",
    file: "This figure cannot start from a file: put the lab's folder on a web server, such as python -m http.server.",
    silent: `The lab has not answered for ${PATIENCE} s. It may be out of reach. `,
    alone: "Open the figure in a page of its own",
  };

  const me = document.currentScript;

  /** This script's own address: as a module it has no element, and only the place of an error tells. */
  function address() {
    if (me) return me.src;
    const found = /[\w-]+:\/\/[^\s()]*\/embed\.js[^\s():]*/.exec(new Error().stack || "");
    if (found) return found[0];
    const scripts = document.querySelectorAll('script[src*="/embed.js"]');
    return scripts[scripts.length - 1].src;
  }

  const STATIC = new URL("../", address()).href;
  const SITE = new URL("../", STATIC).href;
  const all = () => Array.from(document.getElementsByTagName(NAME));

  /**
   * The state that an element asks for, as an address has it. Attributes that are no settings of its room are the page's.
   * HTML writes attributes in small letters: where a room has both d and D, the capital one goes into `state`.
   */
  function query(element) {
    const asked = new URLSearchParams(element.getAttribute("state") || "");
    for (const { name, value } of Array.from(element.attributes)) {
      const setting = OF_THE_PAGE.includes(name) ? name : settingOf(element, name);
      if (setting) asked.append(setting, value);
    }
    return asked.toString();
  }

  /** The setting of an element's room that an attribute stands for, or "". */
  function settingOf(element, name) {
    const settings = Object.keys(BUILT.settings[element.getAttribute("room")] || {});
    if (OWN.includes(name) || settings.includes(name)) return OWN.includes(name) ? "" : name;
    const capital = settings.filter((setting) => setting.toLowerCase() === name);
    return capital.length === 1 ? capital[0] : "";
  }

  /** Whether an attribute is read at all. */
  const reads = (element, name) => ["room", "state", ...OF_THE_PAGE].includes(name) || settingOf(element, name) !== "";

  /** What a question and a sentence of one's own take beside the figure, at least as much as they need. */
  function beyond({ question, caption, title, open }) {
    const lines = (text, length) => Math.ceil(String(text || "").length / length) * 26;
    const asks = question && (question.options ? 150 + lines(question.prompt, 34) + 36 * question.options.length : 330);
    return (asks || 0) + lines(caption, 40) + lines(title, 30) + OPENED * (Array.isArray(open) ? open.length : Number(Boolean(open)));
  }

  /** The height of what an element shows in its first state, for the width that it has. */
  function height(element, spec) {
    const asked = spec || {};
    const inState = new URLSearchParams(element.getAttribute("state") || "");
    const room = element.getAttribute("room") || asked.room;
    const figure = asked.figure || element.getAttribute("figure") || inState.get("figure");
    const alone = figure && BUILT.figures[`${room}/${figure}`];
    const measured = alone || BUILT.heights[room];
    if (!measured) return 0;
    const hidden = String(asked.hide || element.getAttribute("hide") || inState.get("hide") || "");
    const bare = alone ? hidden.includes("controls") : hidden;
    const heights = measured[bare ? "bare" : "whole"];
    const widths = alone ? BUILT.elements : BUILT.widths;
    // an element without styles is a piece of a line, and has no width
    const outer = element.parentElement || element.getRootNode().host;
    const width = element.clientWidth || (outer && outer.clientWidth) || 720;
    // between two widths the higher of both: what is too high moves nothing when the figure wakes
    const next = widths.findIndex((one) => one >= width);
    const [high, higher] = next < 0 ? [heights.at(-1), 0] : [heights[next], widths[next] === width ? 0 : heights[Math.max(0, next - 1)]];
    return Math.max(high, higher) + (alone && bare ? BAR : 0) + beyond(asked);
  }

  function say(element, words, link) {
    const line = document.createElement("p");
    line.className = "lab-sentence";
    line.setAttribute("role", "alert");
    line.textContent = words;
    if (link) line.append(Object.assign(document.createElement("a"), { href: link, textContent: WORDS.alone, target: "_blank" }));
    element.append(line);
    return line;
  }

  /** Show the room in a frame: it has the lab's own origin, whatever this page is refused. */
  function frame(element, spec) {
    if (element.querySelector("iframe[data-embedding-lab]")) return null;
    const room = element.getAttribute("room") || (spec && spec.room) || "";
    const asked = query(element);
    // what no address can hold goes behind the #, which is sent to nobody
    const held = spec ? `#spec=${encodeURIComponent(JSON.stringify(spec))}` : "";
    const src = `${SITE}${room}/?embed=1${asked && "&"}${asked}${held}`;
    const made = document.createElement("iframe");
    Object.assign(made, { src, title: element.getAttribute("title") || `Embedding Lab: ${room}` });
    made.dataset.embeddingLab = "";
    made.style.cssText = `display:block;width:100%;border:0;height:${height(element, spec) || 600}px`;
    made.slot = "lab";
    element.dataset.state = "frame";
    element.style.display = "block";
    element.replaceChildren(made);
    const alone = src.replace(/#.*$/s, "").replace("?embed=1", "?").replace(/\?&?$/, "").replace("?&", "?");
    let line = null;
    const waiting = setTimeout(() => (line = say(element, WORDS.silent, alone)), PATIENCE * 1000);
    made.addEventListener("embedding-lab-heard", () => {
      clearTimeout(waiting);
      if (line) line.remove();
    });
    return made;
  }

  /** Where the modules do not come, the element is made here, of a frame alone. */
  function onlyFrames() {
    if (customElements.get(NAME)) return;
    customElements.define(
      NAME,
      class extends HTMLElement {
        static get observedAttributes() {
          return ["room", "state"];
        }
        connectedCallback() {
          frame(this);
        }
        attributeChangedCallback(name, before) {
          if (before === null || !this.isConnected) return;
          this.replaceChildren();
          frame(this);
        }
      },
    );
  }

  function bring(type, path, integrity) {
    const script = document.createElement("script");
    if (type) script.type = type;
    // a module is fetched with CORS in any case; of the others a page may have any
    if (integrity) Object.assign(script, { integrity, crossOrigin: "anonymous" });
    else if (me && me.crossOrigin) script.crossOrigin = me.crossOrigin;
    script.async = false;
    script.src = STATIC + path;
    document.head.append(script);
    return script;
  }

  function preload(path, integrity) {
    const link = document.createElement("link");
    Object.assign(link, { rel: "modulepreload", href: STATIC + path, integrity, crossOrigin: "anonymous" });
    document.head.append(link);
  }

  const preloadAll = (modules) => Object.keys(modules).forEach((name) => preload(`${BUILT.page}/js/${name}`, modules[name]));

  function start() {
    preloadAll(BUILT.first);
    const script = bring("module", `${BUILT.page}/js/still.js`, BUILT.first["still.js"]);
    script.onload = () => customElements.get(NAME) || onlyFrames();
    script.onerror = onlyFrames;
    // neither an error nor a file: whoever waits is told
    setTimeout(() => customElements.get(NAME) || all().forEach((element) => say(element, WORDS.silent, SITE)), PATIENCE * 1000);
  }

  /** What the newest of our means need: light-dark() and :has() are the youngest, in browsers of 2023 and 2024. */
  const isOld = () =>
    typeof DecompressionStream === "undefined" || !CSS.supports("color", "light-dark(#000, #fff)") || !CSS.supports("selector(:has(a))");

  const onEach = (act) => {
    all().forEach(act);
    document.addEventListener("DOMContentLoaded", () => all().forEach(act));
  };
  const once = (act) => (element) => {
    if (element.dataset.state || element.dataset.labSeen) return;
    element.dataset.labSeen = "1";
    act(element);
  };

  // with the first that is wanted live comes what all of them need
  const preloadRest = () => lab.embed.asked || ((lab.embed.asked = true), preloadAll(BUILT.modules));

  lab.embed = { built: BUILT, site: SITE, page: `${STATIC}${BUILT.page}/`, query, reads, settingOf, height, frame, preload: preloadRest };
  if (isOld()) onEach(once((element) => say(element, WORDS.old)));
  else if (SITE.startsWith("file:")) onEach(once((element) => say(element, WORDS.file)));
  else start();
})();
