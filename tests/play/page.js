// What the player sees of a page, and how it knows that a page is at rest. Added before any script of the page.
window.play = (() => {
  const open = new Set();
  let found = [];

  // the built site: every message to the worker is answered by its number
  window.Worker = class extends Worker {
    constructor(...all) {
      super(...all);
      this.addEventListener("message", ({ data }) => {
        if (data.type !== "patch" && data.type !== "progress") open.delete(data.id);
      });
    }
    postMessage(message, ...rest) {
      if (message.id !== undefined) open.add(message.id);
      super.postMessage(message, ...rest);
    }
    terminate() {
      open.clear();
      super.terminate();
    }
  };

  const soon = () => new Promise((resolve) => setTimeout(resolve));
  // a room that was left stays, off the page
  const roots = () => [...(window.Bokeh?.index?.roots ?? [])].filter(({ el }) => el.isConnected);
  const documents = () => [...new Set(roots().map(({ model }) => model.document))];
  const models = (tag) => documents().flatMap((doc) => [...(doc._all_models?.values() ?? [])].filter((model) => model.tags?.includes(tag)));

  /** Resolve when Python has dealt with everything that was sent to it, and what it sent is drawn. */
  async function rest() {
    await soon();
    for (const pulse of models("pulse")) {
      const [echo] = models("echo");
      const beat = String(Math.random());
      const answered = new Promise((resolve) => echo.properties.value.change.connect(() => echo.value === beat && resolve()));
      pulse.value = beat;
      await answered;
    }
    while (open.size) await soon();
    for (const doc of documents()) {
      if (!doc.is_idle && !document.hidden) await new Promise((resolve) => doc.idle.connect(resolve));
    }
    await soon();
    if (open.size) return rest();
  }

  const every = function* (node) {
    if (node.shadowRoot) yield* every(node.shadowRoot);
    for (const child of node.querySelectorAll("*")) {
      yield child;
      if (child.shadowRoot) yield* every(child.shadowRoot);
    }
  };
  const named = (element) =>
    element.getAttribute("aria-label") || element.labels?.[0]?.textContent?.trim() || element.textContent.trim().slice(0, 60);
  const KINDS = {
    slider: ".noUi-handle",
    select: "select",
    radio: "input[type=radio]",
    checkbox: "input[type=checkbox]",
    text: "input[type=text], input[type=search], input[type=number], input:not([type]), textarea",
    button: "button",
    stepper: ".lab-steppers span",
    summary: "summary",
    link: "main a[href], a[data-room]",
  };

  /** Everything a reader can act on, in the order of the page. */
  function controls() {
    found = [];
    const told = [];
    // an open dialog has the page to itself
    const within = document.querySelector("dialog[open]") ?? document;
    for (const element of every(within)) {
      const kind = Object.keys(KINDS).find((name) => element.matches(KINDS[name]));
      if (!kind || !element.checkVisibility({ visibilityProperty: true }) || element.disabled) continue;
      const { width, height } = element.getBoundingClientRect();
      if (kind !== "radio" && kind !== "checkbox" && !(width && height)) continue;
      if (element.closest("[inert]") || (kind === "link" && element.target)) continue;
      const host = element.getRootNode().host;
      found.push(element);
      told.push({
        kind,
        label: named(element),
        group: element.closest("[role=radiogroup]")?.getAttribute("aria-label") ?? "",
        options: kind === "select" ? element.options.length : 0,
        show: host?.classList.contains("lab-show") ?? false,
        tab: host?.classList.contains("lab-tabs") ?? false,
        copies: element.matches("[data-copy], [data-tool=link]"),
        file: host?.matches?.("[class*=file], [class*=File]") ?? false,
      });
    }
    return told;
  }

  const SKIPPED = ["lab-questions", "lab-errors", "lab-notices", "lab-train-live"];
  const texts = (selector) => {
    const said = [];
    for (const element of every(document)) {
      if (element.matches(selector) && element.checkVisibility()) {
        const inner = [...every(element)].filter((part) => part.matches("p, .lab-error"));
        said.push(...(inner.length ? inner : [element]).map((part) => part.textContent.replace(/\s+/g, " ").trim()));
      }
    }
    return said.filter(Boolean);
  };

  function sums(data) {
    const told = {};
    for (const [name, column] of data instanceof Map ? data : Object.entries(data)) {
      const numbers = [];
      const take = (value) => {
        if (typeof value === "number") numbers.push(value);
        else if (value && typeof value === "object" && Symbol.iterator in value) for (const part of value) take(part);
      };
      take(column);
      const finite = numbers.filter(Number.isFinite);
      told[name] = [numbers.length, finite.reduce((sum, value) => sum + value, 0), finite.reduce((sum, value) => sum + Math.abs(value), 0)];
    }
    return told;
  }

  const SAID = { value: 1, active: 1, text: 1, title: 1, start: 1, end: 1, labels: 1, options: 1, label: 1 };

  /** What a slider slides over, where its own value is a place in a list that its formatter has. */
  const stops = ({ type, format }) => {
    if (type !== "Slider" || !format?.args) return undefined;
    const values = format.args instanceof Map ? [...format.args.values()] : Object.values(format.args);
    return values.find((value) => value?.length > 0 && typeof value !== "string");
  };

  function model(one) {
    const told = { type: one.type.split(".").at(-1) };
    told.name = one.tags?.find?.((tag) => String(tag).startsWith("label:"))?.slice(6) || one.title || one.label || "";
    for (const name of Object.keys(SAID)) {
      if (!(name in one.properties)) continue;
      // a file's field has no value before one is chosen
      if (one.type.endsWith("FileInput")) continue;
      const value = one[name];
      if (["string", "number", "boolean"].includes(typeof value) || value === null) told[name] = value;
      else if (Array.isArray(value) && value.every((part) => ["string", "number"].includes(typeof part) || Array.isArray(part))) {
        told[name] = value.map((part) => (Array.isArray(part) ? part.join("|") : part));
      }
    }
    const over = stops(one);
    if (over) Object.assign(told, { value: over[one.value], start: null, end: null });
    return told;
  }

  /** What a control shows, where it is not what its model says. */
  function lies(view) {
    const shadow = view.shadow_el;
    const { model: one } = view;
    const unlike = (shown, meant) => (shown === meant ? [] : [`${one.title || one.name || one.type} shows ${shown}, its model says ${meant}`]);
    if (!shadow || !view.el.checkVisibility()) return [];
    if (one.type === "Slider") {
      // the handle stands at the nearest step, the number beside it is the value
      const shown = Number(shadow.querySelector(".noUi-handle")?.getAttribute("aria-valuenow"));
      const said = shadow.querySelector(".bk-slider-title .bk-slider-value, .bk-slider-title span")?.textContent;
      const spoken = Number(said?.replaceAll(",", "").replace("−", "-"));
      const named = stops(one)?.[one.value];
      if (typeof named === "string") return unlike(said, named);
      const meant = named ?? one.value;
      if (said && Math.abs(spoken - meant) > 0.01 + Math.abs(meant) * 0.01) return unlike(said, meant);
      return Math.abs(shown - one.value) <= one.step + 0.1 ? [] : unlike(shown, one.value);
    }
    if (/Select$/.test(one.type)) {
      const meant = one.options.find((option) => (Array.isArray(option) ? option[0] : option) === one.value);
      return unlike(shadow.querySelector("select")?.selectedOptions[0]?.textContent, Array.isArray(meant) ? meant[1] : meant);
    }
    if (one.type === "RadioGroup") {
      const at = [...shadow.querySelectorAll("input[type=radio]")].findIndex((input) => input.checked);
      return unlike(at, one.active ?? -1);
    }
    if (/^Text(Area)?Input$/.test(one.type)) {
      const input = shadow.querySelector("input, textarea");
      return input?.matches(":focus") ? [] : unlike(input?.value, one.value ?? "");
    }
    return [];
  }

  /** The whole page in one moment. */
  function look() {
    const shown = { models: [], figures: [], lies: [], places: {} };
    const walk = (view) => {
      const one = view.model;
      const classes = one.css_classes ?? [];
      // a figure that has not been in sight is not made
      const place = one.tags?.find?.((tag) => String(tag).startsWith("figure:"))?.slice(7);
      if (place) {
        const parts = one.children.flatMap((child) => [child, ...(child.children ?? [])]);
        if (!parts.find((part) => part.css_classes?.includes("lab-picture")).children.length) return;
        shown.places[place] = parts.find((part) => part.type === "CheckboxGroup")?.active ?? [];
      }
      if (one.visible === false || classes.some((name) => SKIPPED.includes(name)) || one.tags?.includes("pulse") || one.tags?.includes("echo")) return;
      if (one.type === "Figure") shown.figures.push(one.renderers.map((part) => (part.visible ? sums(part.data_source?.data ?? {}) : {})));
      else if (!one.properties.children && one.type.split(".").at(-1) !== "Notifications") {
        shown.models.push(model(one));
        shown.lies.push(...lies(view));
      }
      for (const child of view.children?.() ?? []) if (child.model.properties.css_classes && one.type !== "Figure") walk(child);
    };
    for (const root of roots()) walk(root);
    const root = document.getElementById("lab-root");
    return {
      address: location.search,
      path: location.pathname,
      room: document.documentElement.dataset.room ?? "",
      state: root ? root.dataset.state : roots().length || !document.documentElement.dataset.room ? "live" : "empty",
      held: [...every(document)].some((part) => part.matches(".lab-held, .lab-failure") && part.checkVisibility()),
      captions: texts(".lab-caption"),
      errors: texts(".lab-errors"),
      notices: texts(".lab-notices"),
      wide: document.documentElement.scrollWidth - innerWidth,
      home: !!document.querySelector(".lab-home h1"),
      ...shown,
    };
  }

  return { every, rest, controls, look, control: (at) => found[at] };
})();
