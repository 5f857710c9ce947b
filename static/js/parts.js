// Parts of the site, each known by its digest: fetched, compared, and asked for past the cache where they came damaged.

import { digest, digestNow } from "./sha256.js";
import { SITE } from "./place.js";
import { WORDS } from "./words.js";

/** A part cannot be had. `kind`: `unreachable`, `refused` (the server's status) or `damaged`. */
export class PartError extends Error {
  constructor(kind, address, detail) {
    super(WORDS.part[kind](address, detail));
    this.kind = kind;
  }
}

/**
 * The bytes of a part.
 *
 * @param {string} address
 * @param {string} integrity - as the attribute of that name: "sha256-..."
 * @param {{signal?: AbortSignal, onBytes?: (loaded: number) => void}} [how] - told how many bytes have come so far
 * @returns {Promise<Uint8Array>}
 */
export async function fetchPart(address, integrity, { signal, onBytes = () => {} } = {}) {
  let detail = "";
  // a damaged file may stay in the browser's cache for long: the second try goes past it
  for (const cache of ["default", "reload"]) {
    const answer = await ask(address, { cache, signal });
    try {
      const bytes = await readCounted(answer, onBytes);
      if ((await digest(bytes)) === integrity) return bytes;
      detail = isPage(answer.headers.get("content-type")) ? WORDS.webPage : "";
    } catch (reason) {
      if (signal?.aborted) throw reason;
      detail = reason.message;
    }
  }
  throw new PartError("damaged", address, detail);
}

/**
 * The bytes of a part, while Python is in the middle of something and cannot wait: only a worker may do this.
 *
 * @param {string} address
 * @param {string} integrity
 * @returns {Uint8Array}
 */
export function fetchPartNow(address, integrity) {
  for (const suffix of ["", `${address.includes("?") ? "&" : "?"}again=${Date.now()}`]) {
    const request = new XMLHttpRequest();
    request.open("GET", address + suffix, false);
    request.responseType = "arraybuffer";
    try {
      request.send();
    } catch (reason) {
      throw new PartError("unreachable", address, reason.message);
    }
    if (request.status !== 200) throw new PartError("refused", address, request.status);
    const bytes = new Uint8Array(request.response);
    if (digestNow(bytes) === integrity) return bytes;
  }
  throw new PartError("damaged", address, "");
}

async function ask(address, options) {
  let answer;
  try {
    answer = await fetch(address, options);
  } catch (reason) {
    throw new PartError("unreachable", address, reason.message);
  }
  if (!answer.ok) throw new PartError("refused", address, answer.status);
  return answer;
}

const isPage = (type) => Boolean(type?.startsWith("text/html"));

/** Read a body to its end. */
export async function readCounted(answer, onBytes) {
  const chunks = [];
  let loaded = 0;
  for (const reader = answer.body.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    onBytes((loaded += value.byteLength));
  }
  const bytes = new Uint8Array(loaded);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}

let manifest = null;

/** The site's manifest, read once: packs, scripts, rooms. A failed read is tried again. */
export function readManifest() {
  manifest ??= readNow("no-cache").catch((reason) => {
    manifest = null;
    throw reason;
  });
  return manifest;
}

async function readNow(cache) {
  const address = `${SITE}manifest.json`;
  const answer = await ask(address, { cache });
  try {
    return await answer.json();
  } catch (reason) {
    throw new PartError("damaged", address, isPage(answer.headers.get("content-type")) ? WORDS.webPage : reason.message);
  }
}

/**
 * Whether the site has been built anew since this page came: what this page would ask for may be gone.
 *
 * @param {string} [build] - the build of this page, where it is known without the manifest
 */
export async function isOutdated(build) {
  try {
    const known = build ?? (await manifest)?.build;
    return Boolean(known) && (await readNow("no-store")).build !== known;
  } catch {
    return false;
  }
}
