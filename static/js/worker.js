// The worker: one interpreter, one ordered queue. A message is handled to its end and then answered.

import { Lab } from "./boot.js";

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
      self.postMessage({ type: "failed", id: message.id, cause: causeOf(reason), kind: reason?.kind });
    }
  }
  working = false;
}

/** A Python error ends with its one telling line. */
function causeOf(reason) {
  return String(reason?.message ?? reason).trimEnd().split("\n").at(-1);
}

const handlers = {
  async start({ room, manifest }) {
    lab = await Lab.load(room, manifest, (progress) => self.postMessage({ type: "progress", ...progress }));
    // within reach of whoever opens the worker in the browser's console
    self.lab = lab;
  },

  async open({ widget, room, query, spec, dark }) {
    await lab.bring(room);
    return lab.runtime.open_widget(widget, room, query, dark ?? undefined, sendPatch, spec ?? "");
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

// whoever made the worker may have to try another way: a browser does not say that it refuses one
self.postMessage({ type: "here" });
