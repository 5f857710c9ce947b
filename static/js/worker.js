// The worker: one interpreter, one ordered queue. A message is handled to its end and then answered.

import { boot } from "./boot.js";
import { STATIC } from "./place.js";

const queue = [];
let working = false;
let lab = null;

self.onmessage = ({ data }) => {
  queue.push(data);
  if (!working) void work();
};

async function work() {
  working = true;
  while (queue.length) {
    const message = queue.shift();
    try {
      const value = await handlers[message.type](message);
      self.postMessage({ type: "done", id: message.id, value });
    } catch (reason) {
      console.warn(reason);
      self.postMessage({ type: "failed", id: message.id, cause: causeOf(reason) });
    }
  }
  working = false;
}

/** A Python error ends with its one telling line. */
function causeOf(reason) {
  const lines = String(reason?.message ?? reason).trimEnd().split("\n");
  return lines.at(-1);
}

const handlers = {
  async start() {
    lab = await boot((progress) => self.postMessage({ type: "progress", ...progress }));
  },

  async open({ widget, room, query, dark }) {
    const needed = lab.runtime.needs(room);
    const files = needed.toJs();
    needed.destroy();
    await Promise.all(files.map(bringData));
    return lab.runtime.open_widget(widget, room, query, dark ?? undefined, sendPatch);
  },

  connect({ widget }) {
    lab.runtime.connect_widget(widget);
  },

  patch({ widget, patch }) {
    lab.runtime.patch_widget(widget, patch);
  },

  close({ widget }) {
    lab.runtime.close_widget(widget);
  },
};

function sendPatch(widget, patch, buffers) {
  const sent = new Map();
  for (const [id, bytes] of buffers) sent.set(id, bytes.buffer);
  self.postMessage({ type: "patch", widget, patch, buffers: sent }, [...sent.values()]);
}

async function bringData(name) {
  const path = `/lab/static/data/${name}`;
  const { FS } = lab.pyodide;
  if (FS.analyzePath(path).exists) return;
  const answer = await fetch(`${STATIC}data/${name}`);
  if (!answer.ok) throw new Error(`The data file ${name} could not be fetched: the server says ${answer.status}`);
  FS.mkdirTree("/lab/static/data");
  FS.writeFile(path, new Uint8Array(await answer.arrayBuffer()));
}
