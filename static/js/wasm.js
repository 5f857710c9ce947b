// Watches over the one request that Pyodide makes by itself: its WebAssembly.

import { readCounted } from "./parts.js";
import { digest } from "./sha256.js";

const LOCAL = new Set(["localhost", "127.0.0.1", "[::1]"]);
const TYPE = "application/wasm";

/**
 * Count the bytes of Pyodide's WebAssembly, compare them, and notice when it fails.
 *
 * Pyodide only warns when its WebAssembly cannot be had, and then waits for ever. The browser keeps compiled
 * code for a response that it fetched itself, which halves a later start; so that response is used wherever
 * the server compresses it, and the archive (a third of the bytes) where it does not, where something on the way
 * lets no such file through, and where it came damaged.
 *
 * @param {import("./unpack.js").Downloads} downloads
 * @param {{raw: number, gzip: number, integrity: string}} pack
 * @param {string} archive - address of the compressed copy
 * @param {string} integrity - of the file itself
 * @returns {{broken: Promise<never>, release: () => void}}
 */
export function guardWasm(downloads, pack, archive, integrity) {
  const original = WebAssembly.instantiateStreaming;
  let onBroken;
  const broken = new Promise((_, reject) => (onBroken = reject));
  broken.catch(() => {});
  const start = (answer, imports) => original.call(WebAssembly, answer, imports);

  async function direct(asked, imports) {
    const answer = await asked;
    const compressed = answer.headers.has("content-encoding") || LOCAL.has(new URL(answer.url).hostname);
    if (!answer.ok || !compressed || !answer.headers.get("content-type")?.startsWith(TYPE)) {
      await answer.body?.cancel();
      return null;
    }
    const share = pack.gzip / pack.raw;
    const bytes = readCounted(answer.clone(), (loaded) => downloads.count(archive, loaded * share));
    const [started, content] = await Promise.all([start(answer, imports), bytes]);
    return (await digest(content)) === integrity ? started : null;
  }

  WebAssembly.instantiateStreaming = async (asked, imports) => {
    try {
      const started = await direct(asked, imports).catch(() => null);
      if (started) return started;
      const content = await downloads.unpack(archive, pack.integrity);
      return await start(new Response(content, { headers: { "Content-Type": TYPE } }), imports);
    } catch (reason) {
      onBroken(reason);
      throw reason;
    }
  };
  return {
    broken,
    release: () => {
      WebAssembly.instantiateStreaming = original;
    },
  };
}
