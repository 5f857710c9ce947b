// Starts Python in the worker: fetches Pyodide and the packed lab side by side, unpacks, imports.

import { STATIC, readManifest } from "./place.js";
import { Downloads, unpackInto } from "./unpack.js";
import { guardWasm } from "./wasm.js";

const DATA = "/lab/static/data";
const packAddress = (pack) => `${STATIC}python/${pack.file}`;

/** The interpreter with the lab in it. */
export class Lab {
  #manifest;
  #unpacked = new Set();

  /** app.export.runtime, whose functions the worker calls. */
  runtime;

  constructor(pyodide, manifest) {
    /** The interpreter itself. */
    this.pyodide = pyodide;
    this.#manifest = manifest;
  }

  /**
   * Load everything that it takes to open a room.
   *
   * @param {string} room - the first room that will be asked for; its own part comes along
   * @param {(progress: {stage: "download" | "start", loaded: number, total: number}) => void} report
   * @returns {Promise<Lab>}
   */
  static async load(room, report) {
    const manifest = await readManifest();
    const { wasm, library, python } = manifest.packs;
    const needed = [python, ...(manifest.room_packs[room] ?? [])];
    const total = [wasm, library, ...needed].reduce((sum, pack) => sum + pack.gzip, 0);
    const downloads = new Downloads((loaded) => {
      report({ stage: loaded < total ? "download" : "start", loaded: Math.min(loaded, total), total });
    });
    try {
      const packs = Promise.all(needed.map((pack) => downloads.bytes(packAddress(pack))));
      // whichever part fails first is the cause that is shown
      const failed = packs.then(() => new Promise(() => {}));
      const lab = new Lab(await Promise.race([startPyodide(manifest, downloads), failed]), manifest);
      (await packs).forEach((content, at) => lab.#unpack(needed[at], content));
      lab.#enter();
      return lab;
    } catch (reason) {
      downloads.abort();
      throw reason;
    }
  }

  /**
   * Bring what one room needs beside what is there.
   *
   * @param {string} room
   */
  async bring(room) {
    const missing = (this.#manifest.room_packs[room] ?? []).filter((pack) => !this.#unpacked.has(pack.file));
    const downloads = new Downloads(() => {});
    const packs = await Promise.all(missing.map((pack) => downloads.bytes(packAddress(pack))));
    packs.forEach((content, at) => this.#unpack(missing[at], content));
    if (missing.length) this.pyodide.runPython("import importlib; importlib.invalidate_caches()");
    const needed = this.runtime.needs(room);
    const files = needed.toJs();
    needed.destroy();
    await Promise.all(files.map((name) => this.#bringData(name)));
  }

  #unpack(pack, content) {
    unpackInto(this.pyodide.FS, "", content);
    this.#unpacked.add(pack.file);
  }

  async #bringData(name) {
    const { FS } = this.pyodide;
    if (FS.analyzePath(`${DATA}/${name}`).exists) return;
    const answer = await fetch(`${STATIC}data/${name}`);
    if (!answer.ok) throw new Error(`The data file ${name} could not be fetched: the server says ${answer.status}`);
    FS.mkdirTree(DATA);
    FS.writeFile(`${DATA}/${name}`, new Uint8Array(await answer.arrayBuffer()));
  }

  #enter() {
    const pyodide = this.pyodide;
    pyodide.runPython("import sys; sys.path.insert(0, '/lab')");
    const start = pyodide.pyimport("app.export.start");
    this.runtime = start.start(`${STATIC}panel/`, (folder) => this.#bringRest(folder));
    this.runtime.use_data(DATA, (name) => fetchNow(`${STATIC}data/${name}`));
    start.destroy();
  }

  #bringRest(folder) {
    const zlib = this.pyodide.pyimport("zlib");
    const squeezed = this.pyodide.toPy(fetchNow(packAddress(this.#manifest.packs.rest)));
    const GZIP = 31;
    const tar = zlib.decompress(squeezed, GZIP);
    const view = tar.getBuffer();
    try {
      unpackInto(this.pyodide.FS, folder, view.data.slice());
    } finally {
      view.release();
      for (const proxy of [tar, squeezed, zlib]) proxy.destroy();
    }
  }
}

async function startPyodide(manifest, downloads) {
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

/** Python is in the middle of an import or a computation and cannot wait: a worker may fetch synchronously. */
function fetchNow(address) {
  const request = new XMLHttpRequest();
  request.open("GET", address, false);
  request.responseType = "arraybuffer";
  request.send();
  if (request.status !== 200) throw new Error(`${address}: the server says ${request.status}`);
  return new Uint8Array(request.response);
}
