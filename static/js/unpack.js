// Archives of the site: fetched with a count of their bytes, unpacked by the browser.

import { fetchPart } from "./parts.js";

/**
 * Downloads that share one count.
 *
 * @param {(loaded: number) => void} onBytes - called with the sum of bytes so far
 */
export class Downloads {
  #loaded = new Map();
  #onBytes;
  #stop = new AbortController();

  constructor(onBytes) {
    this.#onBytes = onBytes;
  }

  /** Give up what is still under way. */
  abort() {
    this.#stop.abort();
  }

  /**
   * A file as it is.
   *
   * @param {string} address
   * @param {string} integrity
   * @returns {Promise<Uint8Array>}
   */
  fetch(address, integrity) {
    return fetchPart(address, integrity, { signal: this.#stop.signal, onBytes: (bytes) => this.count(address, bytes) });
  }

  /**
   * The unpacked bytes of an archive.
   *
   * @param {string} address
   * @param {string} integrity
   * @returns {Promise<Uint8Array>}
   */
  async unpack(address, integrity) {
    const packed = await this.fetch(address, integrity);
    const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await new Response(unpacked).arrayBuffer());
  }

  /** Note how much of a file has come; what is fetched once more counts once. */
  count(address, bytes) {
    this.#loaded.set(address, bytes);
    this.#onBytes(Math.round([...this.#loaded.values()].reduce((sum, part) => sum + part, 0)));
  }
}

const BLOCK = 512;
const text = new TextDecoder();

/**
 * The files of a tar (USTAR), each with its path and a view on its bytes.
 *
 * @param {Uint8Array} tar
 * @returns {Generator<[string, Uint8Array]>}
 */
export function* readTar(tar) {
  const field = (start, length) => text.decode(tar.subarray(start, start + length)).replace(/\0.*$/s, "");
  for (let at = 0; at + BLOCK <= tar.length && tar[at] !== 0; ) {
    const prefix = field(at + 345, 155);
    const path = (prefix && `${prefix}/`) + field(at, 100);
    const size = parseInt(field(at + 124, 12), 8);
    at += BLOCK;
    yield [path, tar.subarray(at, at + size)];
    at += Math.ceil(size / BLOCK) * BLOCK;
  }
}

/**
 * Write a tar's files into Pyodide's file system.
 *
 * @param {object} FS - Emscripten's file system
 * @param {string} folder
 * @param {Uint8Array} tar
 */
export function unpackInto(FS, folder, tar) {
  const made = new Set();
  for (const [path, content] of readTar(tar)) {
    const target = `${folder}/${path}`;
    const parent = target.slice(0, target.lastIndexOf("/"));
    if (!made.has(parent)) {
      FS.mkdirTree(parent);
      made.add(parent);
    }
    FS.writeFile(target, content, { canOwn: true });
  }
}
