// Keeps the keyboard's place: where the focused part goes away, the next best takes it.

let holder = null; // the component whose part has the focus, or had it before that part went away

document.addEventListener("focusin", (event) => (holder = event.composedPath()[0].getRootNode().host ?? null));
// a click beside everything lets go on purpose
document.addEventListener("pointerdown", () => (holder = null), true);

/**
 * The part of the page that something belongs to: an open dialog, an <embedding-lab>, or the page.
 *
 * @param {Element} element
 */
export function homeAround(element) {
  for (let node = element; node; node = node.parentNode ?? node.host) {
    if (node.matches?.("dialog[open], .lab-theme:not(html)")) return node;
  }
  return document.body;
}

const followed = new WeakSet();

/**
 * BokehJS makes a button anew when its words change or it is disabled, and the keyboard would start at the top of the
 * page: the new button takes the focus, or, where that one is disabled, one beside it.
 *
 * @param {Element} host - the element of a component with a button
 */
export function keepFocus(host) {
  if (followed.has(host)) return;
  followed.add(host);
  new MutationObserver(() => setTimeout(() => passOn(host))).observe(host.shadowRoot, { childList: true });
}

function passOn(host) {
  if (holder !== host || document.activeElement !== document.body) return;
  const enabled = (other) => other.shadowRoot?.querySelector("button:enabled");
  [host, ...host.parentNode.children].map(enabled).find(Boolean)?.focus({ preventScroll: true });
}
