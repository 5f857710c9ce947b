// The first script of a page of the site, of the old kind: it sets the theme before anything is painted, and says what is
// wrong where the modules cannot: a page opened as a file, an old browser, scripts that do not come.
(function () {
  "use strict";
  var me = document.currentScript;
  var root = document.documentElement;
  var asked = new URLSearchParams(location.search);
  var SILENT = 20; // seconds
  var WORDS = {
    file: "The lab was opened as a file, and browsers let no program start from one. Put its folder on a web server: " +
      "run python -m http.server in the folder, and open the address that it prints.",
    old: "The lab needs a newer browser: Chrome or Edge 123, Firefox 121, Safari 17.5, or later.",
    missing: "A part of the lab could not be fetched: ",
    sandbox: "The lab is in a sandbox, and its server lets no sandbox read its files. The teacher's way out: add " +
      "allow-same-origin to the frame, or have the server send Access-Control-Allow-Origin: *.",
    silent: "The lab's scripts have not come for " + SILENT + " s. The network may be slow.",
    outdated: "The lab has been updated since the browser kept this page.",
    reload: "Reload",
  };

  var theme = asked.get("theme");
  try {
    theme = theme || localStorage.getItem("embedding-lab-theme");
  } catch (refused) {
    // a page without storage has the system's theme
  }
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  if (/^(1|true|on|yes)$/i.test(asked.get("embed") || "")) root.classList.add("lab-embedded");
  if (asked.get("hide")) root.dataset.hide = "";

  var said = false;

  /** Say one sentence where the room would stand, in the words of the first thing that went wrong. */
  function say(words, detail, way) {
    if (said || !document.querySelector("main")) return;
    var home = document.getElementById("lab-root");
    var state = home ? home.dataset.state : "empty";
    if (state && state !== "empty") return;
    said = true;
    var panel = document.createElement("div");
    panel.className = "lab-failure lab-sentence";
    panel.setAttribute("role", "alert");
    panel.appendChild(document.createElement("p")).textContent = words;
    if (detail) panel.appendChild(document.createElement("pre")).textContent = detail;
    if (way) panel.appendChild(way);
    var place = home || document.querySelector("main");
    place.insertBefore(panel, place.firstChild);
    place.removeAttribute("aria-busy");
  }

  function ready(act) {
    if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", act);
    else act();
  }

  /** Our own scripts, which a reload would take from the browser's cache as they are. */
  function ours() {
    return Array.prototype.filter.call(document.querySelectorAll("script[src], link[rel=modulepreload]"), function (each) {
      return (each.src || each.href).indexOf(base) === 0;
    });
  }

  function reload() {
    var button = document.createElement("button");
    button.type = "button";
    button.textContent = WORDS.reload;
    button.onclick = function () {
      button.disabled = true;
      var all = ours().map(function (each) {
        return fetch(each.src || each.href, { cache: "reload" }).catch(function () {});
      });
      all.push(fetch(location.href, { cache: "reload" }).catch(function () {}));
      Promise.all(all).then(function () {
        location.reload();
      });
    };
    return button;
  }

  var base = new URL("../", me.src).href;
  var old = typeof DecompressionStream === "undefined" || !CSS.supports("color", "light-dark(#000, #fff)") || !CSS.supports("selector(:has(a))");

  if (location.protocol === "file:") {
    ready(function () { say(WORDS.file); });
  } else if (old) {
    ready(function () { say(WORDS.old); });
  } else {
    document.addEventListener("error", missed, true);
    document.addEventListener("load", arrived, true);
    setTimeout(function () {
      if (!(window.EmbeddingLab || {}).here) say(WORDS.silent, "", reload());
    }, SILENT * 1000);
  }

  /** A module did not come, or what it needs: the drawing scripts are asked for once more by the modules themselves. */
  function missed(event) {
    var script = event.target;
    if (script.tagName !== "SCRIPT" || script.type !== "module") return;
    ready(function () {
      if (self.origin === "null") return say(WORDS.sandbox);
      outdated().then(function (gone) {
        say(gone ? WORDS.outdated : WORDS.missing, gone ? "" : script.src, reload());
      });
    });
  }

  /** A module that came empty, or as somebody else's script, has left no sign. */
  function arrived(event) {
    var script = event.target;
    if (script.tagName === "SCRIPT" && script.type === "module" && !(window.EmbeddingLab || {}).here) missed(event);
  }

  function outdated() {
    return fetch(new URL("../manifest.json", base).href, { cache: "no-store" })
      .then(function (answer) { return answer.json(); })
      .then(function (manifest) { return manifest.build !== root.dataset.build; })
      .catch(function () { return false; });
  }
})();
