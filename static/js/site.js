// A page of the site: draws its room's picture, wakes Python, and walks from room to room with it.

import { LabClient } from "./client.js";
import { loadScripts, readDescribed } from "./draw.js";
import { Kept } from "./kept.js";
import { readManifest } from "./parts.js";
import { SITE } from "./place.js";
import { isDefault, specOfPage } from "./spec.js";
import { speakFor } from "./talk.js";
import { LabWidget } from "./widget.js";
import { WORDS } from "./words.js";

// start.js waits for this sign
window.EmbeddingLab.here = true;
const client = LabClient.shared();
const kept = new Kept();
let widget = null;
let made = 0;
let walk = 0;

for (const end of ["broken", "restarted"]) client.addEventListener(end, () => kept.clear());

/** Show the room of the page as it stands in the document; the start page has none. */
async function show() {
  const root = document.getElementById("lab-root");
  if (!root) return;
  // the address follows a moment after the room has told its state
  const told = (query) => (shown === widget ? queueMicrotask(settle) : kept.told(shown, query));
  let spec = null;
  const shown = new LabWidget(client, root, `page-${(made += 1)}`, told);
  stage(shown);
  shown.onRetry = wake;
  shown.onLive = (remote) => shown === widget && speakFor(remote);
  await wake();

  async function wake() {
    const query = location.search;
    try {
      await loadScripts();
      const { settings, build } = await readManifest();
      // the browser may have kept this page from an earlier site
      if (build !== document.documentElement.dataset.build) throw new Error(WORDS.outdated);
      spec ??= await specOfPage();
      if (!spec && isDefault(query, settings[root.dataset.room])) {
        await shown.showPicture(readDescribed(document.getElementById("lab-first").textContent), query);
      } else {
        shown.showBlank();
      }
      if (shown === widget) comeBack();
      await painted();
    } catch (reason) {
      return shown.fail(reason);
    }
    // the reader has gone on to another room
    if (shown !== widget) return;
    return shown.open(root.dataset.room, query, spec);
  }
}

/** The widget of the page: its address is the page's. */
function stage(shown) {
  widget = shown;
  window.EmbeddingLab.pageWidget = shown?.id;
}

/** Wait for the frame after the next: what was drawn is on screen then. A hidden tab paints nothing. */
function painted() {
  if (document.hidden) return Promise.resolve();
  return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
}

/** The room at an address of this site: "" for the start page, null where it is something else. */
function roomAt(address) {
  const { origin, pathname } = new URL(address);
  const site = new URL(SITE);
  if (origin !== site.origin || !pathname.startsWith(site.pathname)) return null;
  const room = pathname.slice(site.pathname.length).replace(/(^|\/)(index\.html)?$/, "");
  const known = [...document.querySelectorAll("a[data-room]")].some((link) => link.dataset.room === room);
  return room === "" || known ? room : null;
}

/**
 * Go to another page of the site without leaving this one: Python stays, and a room that was visited is there at once.
 *
 * @param {string} address
 * @param {{push?: boolean, top?: number}} [how] - whether the address is a new one, and how far down the reader stood
 */
async function go(address, { push = false, top = 0 } = {}) {
  const turn = (walk += 1);
  const { pathname, search, hash } = new URL(address);
  // who follows a link finds the room as it was left; who goes back wants that very state
  const before = kept.take(roomAt(address), (left) => left === pathname + search || (push && !search));
  const page = before ?? (await fetched(address, turn, push));
  if (!page || turn !== walk) return;
  if (page.data.build !== document.documentElement.dataset.build) return location.assign(address);
  if (push) {
    keepPlace();
    history.pushState(null, "", before ? before.address + hash : address);
  }
  leave(roomAt(address));
  settle();
  wanted = top;
  take(page);
  if (!before) return arrive();
  stage(before.widget);
  speakFor(before.widget.remote);
  comeBack();
  wanted = null;
}

/** The page at an address; nothing where it does not come, which is said, or where the reader has gone on. */
async function fetched(address, turn, push) {
  try {
    // what the browser has kept of a page may be of an earlier site: the server is asked whether it still holds
    const answer = await fetch(address, { cache: "no-cache" });
    if (!answer.ok) throw new Error(WORDS.status(answer.status));
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (!page.getElementById("room")) throw new Error(WORDS.webPage);
    return { title: page.title, data: page.documentElement.dataset, nodes: [...page.body.children] };
  } catch (reason) {
    if (turn === walk) stay(reason, push);
    return null;
  }
}

/** Take leave of the page: a room that is live is kept, unless it is to be opened anew. */
function leave(next) {
  const { dataset } = document.documentElement;
  if (widget?.state === "live" && next !== dataset.room) {
    const nodes = [...document.body.children];
    kept.put(dataset.room, { widget, address: shownAddress, title: document.title, data: { ...dataset }, nodes });
  } else {
    widget?.close();
  }
  stage(null);
}

/** The page that was asked for does not come: what is live stays, and its address with it. */
function stay(reason, push) {
  if (!push) history.pushState(null, "", shownAddress);
  document.querySelector(".lab-stay")?.remove();
  const line = Object.assign(document.createElement("p"), { className: "lab-status lab-stay" });
  line.setAttribute("role", "alert");
  line.textContent = WORDS.unreachablePage(reason.message);
  document.querySelector("main").before(line);
  scrollTo(0, 0);
}

function take(page) {
  const here = document.documentElement;
  for (const [key, value] of Object.entries(page.data)) if (key !== "theme") here.dataset[key] = value;
  document.title = page.title;
  document.body.replaceChildren(...page.nodes);
  const main = document.querySelector("main");
  main.tabIndex = -1;
  main.focus({ preventScroll: true });
  scrollTo(0, 0);
  window.EmbeddingLab.ready?.();
}

document.addEventListener("click", (event) => {
  const { metaKey, ctrlKey, shiftKey, altKey } = event;
  if (event.defaultPrevented || event.button || metaKey || ctrlKey || shiftKey || altKey) return;
  const link = event.composedPath().find((node) => node instanceof HTMLAnchorElement && node.href);
  if (!link || link.target || link.hasAttribute("download") || roomAt(link.href) === null) return;
  const { pathname, hash } = new URL(link.href);
  if (hash && pathname === location.pathname) return;
  event.preventDefault();
  void go(link.href, { push: link.href !== location.href });
});

const here = () => location.pathname + location.search;
let shownAddress = here();

/** What is on screen is what the address says. */
function settle() {
  shownAddress = here();
}

addEventListener("popstate", () => {
  const top = history.state?.top ?? 0;
  // a step within the page's own anchors needs nothing new
  if (here() === shownAddress) scrollTo(0, top);
  else void go(location.href, { top });
});

// How far down the reader stood is kept with each address: a page is empty at first, and the browser would give up.
history.scrollRestoration = "manual";
let wanted = history.state?.top ?? (location.hash ? 0 : null);

function keepPlace() {
  if (wanted === null) history.replaceState({ ...history.state, top: scrollY }, "");
}

function comeBack() {
  // whoever comes anew may have asked for one figure of the room
  if (wanted === 0 && window.EmbeddingLab.toFigure?.()) return;
  if (wanted !== null) scrollTo(0, wanted);
}

/** The first picture may be shorter than the room to come, so the place is looked for twice. */
async function arrive() {
  const turn = walk;
  await show();
  if (turn !== walk) return;
  comeBack();
  wanted = null;
}

for (const type of ["scrollend", "pagehide"]) addEventListener(type, keepPlace);
// whoever moves meanwhile is where they want to be
for (const type of ["wheel", "touchmove", "keydown", "pointerdown"]) {
  addEventListener(type, () => (wanted = null), { passive: true, capture: true });
}

// the icon's address is relative, and would be asked for anew from every place that the reader walks to
const icon = document.querySelector("link[rel=icon]");
if (icon) icon.href = new URL(icon.getAttribute("href"), document.baseURI).href;

void arrive();
