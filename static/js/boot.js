// Starts Python in the worker: fetches Pyodide and the packed lab side by side, unpacks, imports.

import { STATIC, readManifest } from "./place.js";
import { Downloads, unpackInto } from "./unpack.js";
import { guardWasm } from "./wasm.js";

/**
 * Load the interpreter with the lab in it.
 *
 * @param {(progress: {stage: "download" | "start", loaded: number, total: number}) => void} report
 * @returns {Promise<{pyodide: object, runtime: object}>} the interpreter and app.export.runtime
 */
export async function boot(report) {
  const manifest = await readManifest();
  const { wasm, library, python } = manifest.packs;
  const total = wasm.gzip + library.gzip + python.gzip;
  const downloads = new Downloads((loaded) => {
    report({ stage: loaded < total ? "download" : "start", loaded: Math.min(loaded, total), total });
  });
  try {
    const lab = downloads.bytes(packAddress(python));
    // whichever part fails first is the cause that is shown
    const failed = lab.then(() => new Promise(() => {}));
    const pyodide = await Promise.race([start(manifest, downloads), failed]);
    unpackInto(pyodide.FS, "", await lab);
    return { pyodide, runtime: enter(pyodide, manifest) };
  } catch (reason) {
    downloads.abort();
    throw reason;
  }
}

const packAddress = (pack) => `${STATIC}python/${pack.file}`;

async function start(manifest, downloads) {
  const library = downloads.bytes(packAddress(manifest.packs.library));
  const core = new URL(manifest.pyodide.folder, STATIC).href;
  const [{ loadPyodide }, content] = await Promise.all([import(`${core}pyodide.mjs`), library]);
  const source = URL.createObjectURL(new Blob([content]));
  const guard = guardWasm(downloads, manifest.packs.wasm, packAddress(manifest.packs.wasm));
  try {
    const ready = loadPyodide({
      indexURL: core,
      stdLibURL: source,
      // nothing is installed from a package index, so no list of packages is fetched
      lockFileContents: JSON.stringify(manifest.pyodide.lock),
      packageBaseUrl: core,
    });
    return await Promise.race([ready, guard.broken]);
  } finally {
    guard.release();
    URL.revokeObjectURL(source);
  }
}

function enter(pyodide, manifest) {
  pyodide.runPython("import sys; sys.path.insert(0, '/lab')");
  const start = pyodide.pyimport("app.export.start");
  try {
    const rest = (folder) => fetchRest(pyodide, folder, packAddress(manifest.packs.rest));
    const runtime = start.start(`${STATIC}panel/`, rest);
    runtime.use_data("/lab/static/data", (name) => fetchNow(`${STATIC}data/${name}`));
    return runtime;
  } finally {
    start.destroy();
  }
}

/** Python is in the middle of an import or a computation and cannot wait: a worker may fetch synchronously. */
function fetchNow(address) {
  const request = new XMLHttpRequest();
  request.open("GET", address, false);
  request.responseType = "arraybuffer";
  request.send();
  if (request.status !== 200) throw new Error(`${address}: the server says ${request.status}`);
  return new Uint8Array(request.response);
}

function fetchRest(pyodide, folder, address) {
  const zlib = pyodide.pyimport("zlib");
  const squeezed = pyodide.toPy(fetchNow(address));
  const GZIP = 31;
  const tar = zlib.decompress(squeezed, GZIP);
  const view = tar.getBuffer();
  try {
    unpackInto(pyodide.FS, folder, view.data.slice());
  } finally {
    view.release();
    for (const proxy of [tar, squeezed, zlib]) proxy.destroy();
  }
}
