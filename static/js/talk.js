// A page of the lab in somebody's frame: what the page around asks goes to the room, what the room tells goes back.

import { modelsOf, tagged } from "./bokeh.js";
import { Remote } from "./remote.js";
import { specOfPage } from "./spec.js";

const ASK = "embedding-lab:ask";
const TOLD = "embedding-lab:told";
const lab = (window.EmbeddingLab ??= {});
const served = new WeakMap();
let remote = null;
let waiting = [];
let listener = null;

/** The room of this page is live, or another one is: what was asked meanwhile is asked now. */
export function speakFor(next) {
  if (next === remote) return;
  remote = next;
  if (!remote) return;
  // a room that was left and came back is known already
  for (const kind of ["change", "answer"]) remote.addEventListener(kind, passOn);
  for (const request of waiting.splice(0)) void answer(request);
}

/** The language of this page's room, while it is live. */
export const spokenFor = () => remote;

/** A served page has its room from the start, in the first document that has one. */
export function speakForServed() {
  if (lab.client) return;
  order();
  const doc = window.Bokeh?.documents?.find((one) => modelsOf(one).some(({ tags }) => tags?.includes?.("remote-asks")));
  if (!doc) return;
  if (!served.has(doc)) served.set(doc, new Remote("page", doc));
  speakFor(served.get(doc));
}

function passOn({ type: kind, detail }) {
  tell({ kind, detail });
}

let ordered = false;

/** A served page whose address names a specification waits for it. */
function order() {
  const [field] = (window.Bokeh?.documents ?? []).flatMap((doc) => tagged(doc, "spec-wanted"));
  if (!field || ordered) return;
  ordered = true;
  specOfPage().then(
    (text) => (field.value = text || "{}"),
    (reason) => {
      const line = Object.assign(document.createElement("p"), { className: "lab-status", textContent: reason.message });
      line.setAttribute("role", "alert");
      document.querySelector("main").before(line);
      field.value = "{}";
    },
  );
}

function tell(content) {
  if (!listener) return;
  // a page without an origin of its own can only be told as anybody
  window.parent.postMessage({ type: TOLD, ...content }, listener === "null" ? "*" : listener);
}

async function answer({ id, act, content }) {
  try {
    tell({ id, value: await (act === "hello" ? remote.ask("state") : remote.ask(act, content)) });
  } catch (reason) {
    tell({ id, problem: reason.message });
  }
}

if (window.parent !== window) {
  addEventListener("message", (event) => {
    if (event.source !== window.parent || event.data?.type !== ASK) return;
    listener = event.origin;
    if (remote) void answer(event.data);
    else waiting.push(event.data);
  });
}
