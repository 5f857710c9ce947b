// Watches over the one request that Pyodide makes by itself: its WebAssembly.

const LOCAL = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * Count the bytes of Pyodide's WebAssembly, and notice when it fails.
 *
 * Pyodide only warns when its WebAssembly cannot be had, and then waits for ever. The browser keeps compiled
 * code for a response that it fetched itself, which halves a later start; so that response is used wherever
 * the server compresses it, and the archive (a third of the bytes) where it does not.
 *
 * @param {import("./unpack.js").Downloads} downloads
 * @param {{raw: number, gzip: number}} sizes
 * @param {string} archive - address of the compressed copy
 * @returns {{broken: Promise<never>, release: () => void}}
 */
export function guardWasm(downloads, sizes, archive) {
  const original = WebAssembly.instantiateStreaming;
  let onBroken;
  const broken = new Promise((_, reject) => (onBroken = reject));
  broken.catch(() => {});
  WebAssembly.instantiateStreaming = async (asked, imports) => {
    try {
      const answer = await choose(await asked, downloads, sizes, archive);
      return await original.call(WebAssembly, answer, imports);
    } catch (reason) {
      onBroken(new Error(`Pyodide's WebAssembly did not start: ${reason.message}`));
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

async function choose(answer, downloads, sizes, archive) {
  if (!answer.ok) throw new Error(`${answer.url} could not be fetched: the server says ${answer.status}`);
  const compressed = answer.headers.has("content-encoding") || LOCAL.has(new URL(answer.url).hostname);
  const known = answer.headers.get("content-type")?.startsWith("application/wasm");
  if (compressed && known) {
    downloads.follow(answer.clone().body, sizes.gzip / sizes.raw);
    return answer;
  }
  await answer.body.cancel();
  return new Response(await downloads.stream(archive), { headers: { "Content-Type": "application/wasm" } });
}
