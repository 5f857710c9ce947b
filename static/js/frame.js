// Frames of the lab keep their height right and take the theme of the page around: the page inside tells its height,
// the page around sets it and tells its theme. A script of the old kind: a page of any other host may use it.
(function () {
  "use strict";
  const HEIGHT = "embedding-lab:height";
  const THEME = "embedding-lab:theme";
  const HIGHEST = 20000;
  const followed = new WeakSet();
  const lab = (window.EmbeddingLab = window.EmbeddingLab || {});
  if (lab.framed) return;
  lab.framed = true;

  /** Tell the page around, if there is one, how high this page is, now and whenever that changes. */
  function tell() {
    const root = document.documentElement;
    let last = 0;
    const observer = new ResizeObserver(() => {
      const height = Math.ceil(root.getBoundingClientRect().height);
      if (height === last) return;
      last = height;
      // a height is no secret, and the page around may be anybody's
      window.parent.postMessage({ type: HEIGHT, height }, "*");
    });
    observer.observe(root);
    window.addEventListener("message", (event) => {
      const { type, theme } = event.data || {};
      if (event.source !== window.parent || type !== THEME || (theme !== "light" && theme !== "dark")) return;
      // what the address says goes before the page around
      if (new URLSearchParams(location.search).has("theme")) return;
      root.dataset.theme = theme;
    });
  }

  /** The frame of the lab that a message is from: a message counts only from its own window and origin. */
  function sender(event) {
    for (const frame of document.querySelectorAll("iframe[data-embedding-lab]")) {
      if (frame.contentWindow !== event.source) continue;
      // a frame without an origin of its own is told by its window alone
      const sandboxed = event.origin === "null" && frame.hasAttribute("sandbox") && !frame.sandbox.contains("allow-same-origin");
      if (sandboxed || new URL(frame.src, document.baseURI).origin === event.origin) return frame;
    }
    return null;
  }

  /** Set the height of `iframe[data-embedding-lab]`, and tell it the page's theme. */
  function hear() {
    window.addEventListener("message", (event) => {
      const { type, height } = event.data || {};
      if (type !== HEIGHT || !Number.isFinite(height) || height <= 0) return;
      const frame = sender(event);
      if (!frame) return;
      frame.style.height = `${Math.min(height, HIGHEST)}px`;
      frame.dispatchEvent(new Event("embedding-lab-heard"));
      const say = (theme) => frame.contentWindow && frame.contentWindow.postMessage({ type: THEME, theme }, "*");
      if (followed.has(frame)) return say(lab.themeAround(frame));
      followed.add(frame);
      lab.followTheme(frame, say);
    });
  }

  // The theme around an element: what its page says in an attribute or a class, else the scheme that the browser uses
  // there, else how light its background is, else the system's.
  const SAID_IN = ["theme", "mdColorScheme", "bsTheme", "colorMode", "colorScheme", "mode"];
  const SAID = [
    ["dark", /^(.*[-_])?(dark|slate|night)([-_].*)?$/i],
    ["light", /^(.*[-_])?(light|default|day)([-_].*)?$/i],
  ];
  const CLASSES = [
    ["dark", /^(dark|dark-mode|dark-theme|(theme|quarto|vscode|mode)-dark)$/],
    ["light", /^(light|light-mode|light-theme|(theme|quarto|vscode|mode)-light)$/],
  ];
  const named = (table, word) => (table.find(([, pattern]) => pattern.test(word)) || [""])[0];

  function saidBy(node) {
    if (node.dataset.jpThemeLight) return node.dataset.jpThemeLight === "false" ? "dark" : "light";
    for (const name of SAID_IN) {
      const said = node.dataset[name] && named(SAID, node.dataset[name]);
      if (said) return said;
    }
    for (const word of node.classList) {
      const said = named(CLASSES, word);
      if (said) return said;
    }
    return "";
  }

  function* around(element) {
    for (let node = element.parentNode; node; node = node.parentNode || node.host) if (node.dataset) yield node;
  }

  /** The relative luminance of the nearest background that is not see-through (WCAG 2.2), or null. */
  function luminanceAround(element) {
    for (const node of around(element)) {
      const parts = (getComputedStyle(node).backgroundColor.match(/^rgba?\((.*)\)$/) || ["", "0,0,0,0"])[1].match(/[\d.]+/g).map(Number);
      if (parts.length === 4 && parts[3] < 0.5) continue;
      const [r, g, b] = parts.map((part) => (part / 255 <= 0.04045 ? part / 3294.6 : ((part / 255 + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    }
    return null;
  }

  const system = matchMedia("(prefers-color-scheme: dark)");

  lab.themeAround = function themeAround(element) {
    for (const node of around(element)) {
      const said = saidBy(node);
      if (said) return said;
    }
    const scheme = getComputedStyle(element.parentNode.host || element.parentNode || element).colorScheme;
    const [dark, light] = [/\bdark\b/.test(scheme), /\blight\b/.test(scheme)];
    if (dark !== light) return dark ? "dark" : "light";
    const luminance = luminanceAround(element);
    // as far from black as from white, by contrast
    if (luminance !== null) return luminance < 0.179 ? "dark" : "light";
    // a page that says nothing at all is white, whatever the system
    return dark && system.matches ? "dark" : "light";
  };

  /** Tell the theme around an element, now and whenever it changes; returns how to stop. */
  lab.followTheme = function followTheme(element, say) {
    let last = "";
    const look = () => {
      const theme = element.parentNode ? lab.themeAround(element) : last;
      if (theme !== last) say((last = theme));
    };
    const observer = new MutationObserver(look);
    for (const node of around(element)) observer.observe(node, { attributes: true });
    observer.observe(document.head, { attributes: true, childList: true, subtree: true });
    system.addEventListener("change", look);
    // a background may take its time to change
    document.addEventListener("transitionend", look);
    look();
    return () => {
      observer.disconnect();
      system.removeEventListener("change", look);
      document.removeEventListener("transitionend", look);
    };
  };

  // --- what a page can ask of a figure, an element or a frame alike

  /** Give an object the language of a figure; `ask` brings a request to it and resolves with its answer. */
  lab.speak = function speak(object, ask) {
    const ways = {
      set(values) {
        return ask.call(this, "set", values);
      },
      values(name) {
        return ask.call(this, "values", name);
      },
      lock(names = true) {
        return ask.call(this, "lock", names);
      },
      reset() {
        return ask.call(this, "reset");
      },
      ask() {
        return ask.call(this, "ask");
      },
    };
    for (const name of Object.keys(ways)) Object.defineProperty(object, name, { value: ways[name], configurable: true, writable: true });
  };

  /** What a learning platform takes down of an answer; whose it is, it knows by itself. */
  function statement({ question, prompt, options, chosen, right, figure }, address) {
    const place = new URL(address, document.baseURI);
    place.hash = `${figure || "room"}/${question}`;
    return {
      verb: { id: "http://adlnet.gov/expapi/verbs/answered", display: { en: "answered" } },
      object: {
        objectType: "Activity",
        id: place.href,
        definition: {
          type: "http://adlnet.gov/expapi/activities/cmi.interaction",
          interactionType: "choice",
          description: { en: prompt },
          choices: options.map((text, at) => ({ id: String(at), description: { en: text } })),
          correctResponsesPattern: [String(right)],
        },
      },
      result: { success: chosen === right, completion: true, response: String(chosen) },
      timestamp: new Date().toISOString(),
    };
  }

  /** Pass on what a figure tells, as events of the element or frame that it is in. */
  lab.passOn = function passOn(target, room, kind, { at, kind: _, ...told }, address) {
    const detail = { room, ...told };
    if (kind === "answer") Object.assign(detail, { correct: told.chosen === told.right, statement: statement(told, address) });
    target.dispatchEvent(new CustomEvent(`lab-${kind}`, { bubbles: true, composed: true, detail }));
  };

  /**
   * Speak with the figure in a frame.
   *
   * @param {HTMLIFrameElement} frame
   * @param {{origin?: string}} [whose] - the frame's origin; "null" where a sandbox takes it away
   * @returns {EventTarget} with `ready`, `state`, `set`, `values`, `lock`, `reset`, `ask`, and events `lab-change` and `lab-answer`
   */
  lab.connect = function connect(frame, { origin } = {}) {
    const sandboxed = frame.hasAttribute("sandbox") && !frame.sandbox.contains("allow-same-origin");
    const expected = origin || (sandboxed ? "null" : new URL(frame.src, document.baseURI).origin);
    const made = new EventTarget();
    const asked = new Map();
    let last = 0;
    const post = (id, act, content) => frame.contentWindow && frame.contentWindow.postMessage({ type: "embedding-lab:ask", id, act, content }, expected === "null" ? "*" : expected);
    const ask = (act, content) =>
      new Promise((resolve, reject) => {
        const id = (last += 1);
        asked.set(id, { resolve, reject });
        post(id, act, content);
      });
    made.state = {};
    const hear = (event) => {
      const { type, id, kind, value, problem, detail } = event.data || {};
      if (event.source !== frame.contentWindow || event.origin !== expected || type !== "embedding-lab:told") return;
      if (kind) {
        made.state = detail.state || made.state;
        return lab.passOn(made, new URL(frame.src, document.baseURI).searchParams.get("room") || "", kind, detail, frame.src);
      }
      const waiting = asked.get(id);
      asked.delete(id);
      if (waiting) problem ? waiting.reject(new Error(problem)) : waiting.resolve(value);
    };
    window.addEventListener("message", hear);
    lab.speak(made, (act, content) => made.ready.then(() => ask(act, content)));
    made.close = () => window.removeEventListener("message", hear);
    // a frame that is still loading hears nothing: it is greeted again when it is there
    const hello = ask("hello");
    const greet = () => post(1, "hello");
    frame.addEventListener("load", greet);
    made.ready = hello.then((state) => {
      frame.removeEventListener("load", greet);
      made.state = state;
      return made;
    });
    return made;
  };

  if (window.parent !== window) tell();
  hear();
})();
