// Archives of the site: fetched with a count of their bytes, unpacked by the browser.

/**
 * Downloads that share one count.
 *
 * @param {(loaded: number) => void} onBytes - called with the sum of bytes so far
 */
export class Downloads {
  #loaded = 0;
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
   * The unpacked bytes of an archive, as a stream.
   *
   * @param {string} address
   * @returns {Promise<ReadableStream<Uint8Array>>}
   */
  async stream(address) {
    const answer = await this.#ask(address);
    const counter = new TransformStream({
      transform: (chunk, controller) => {
        this.#count(chunk.byteLength);
        controller.enqueue(chunk);
      },
    });
    return answer.body.pipeThrough(counter).pipeThrough(new DecompressionStream("gzip"));
  }

  /**
   * The unpacked bytes of an archive.
   *
   * @param {string} address
   * @returns {Promise<Uint8Array>}
   */
  async bytes(address) {
    const stream = await this.stream(address);
    try {
      return new Uint8Array(await new Response(stream).arrayBuffer());
    } catch (reason) {
      throw new Error(`${address} arrived damaged or in part (${reason.message})`);
    }
  }

  /**
   * Count a stream that somebody else makes use of.
   *
   * @param {ReadableStream<Uint8Array>} stream
   * @param {number} share - bytes on the wire for one byte of the stream
   */
  async follow(stream, share) {
    try {
      for (const reader = stream.getReader(); ; ) {
        const { done, value } = await reader.read();
        if (done) return;
        this.#count(value.byteLength * share);
      }
    } catch {
      // whoever uses the stream learns of it too, and reports it
    }
  }

  #count(bytes) {
    this.#loaded += bytes;
    this.#onBytes(Math.round(this.#loaded));
  }

  async #ask(address) {
    let answer;
    try {
      answer = await fetch(address, { signal: this.#stop.signal });
    } catch (reason) {
      throw new Error(`${address} could not be fetched (${reason.message})`);
    }
    if (!answer.ok) throw new Error(`${address} could not be fetched: the server says ${answer.status}`);
    return answer;
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
