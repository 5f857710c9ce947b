// Starts Python in the worker: fetches Pyodide and the packed lab side by side, unpacks, imports.

import { STATIC } from "./place.js";
import { fetchPart, fetchPartNow } from "./parts.js";
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
   * @param {object} manifest - the site's
   * @param {(progress: {stage: "download" | "start", loaded: number, total: number}) => void} report
   * @returns {Promise<Lab>}
   */
  static async load(room, manifest, report) {
    const { wasm, library, python } = manifest.packs;
    const needed = [python, ...(manifest.room_packs[room] ?? [])];
    const total = [wasm, library, ...needed].reduce((sum, pack) => sum + pack.gzip, 0);
    const downloads = new Downloads((loaded) => {
      report({ stage: loaded < total ? "download" : "start", loaded: Math.min(loaded, total), total });
    });
    try {
      const packs = Promise.all(needed.map((pack) => downloads.unpack(packAddress(pack), pack.integrity)));
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
    const packs = await Promise.all(missing.map((pack) => downloads.unpack(packAddress(pack), pack.integrity)));
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
    const content = await fetchPart(...this.#dataAt(name));
    FS.mkdirTree(DATA);
    FS.writeFile(`${DATA}/${name}`, content);
  }

  /** Where a data file is, under an address that changes with it, and its digest. */
  #dataAt(name) {
    const { integrity } = this.#manifest.data[name];
    return [`${STATIC}data/${name}?${encodeURIComponent(integrity.slice(7, 17))}`, integrity];
  }

  #enter() {
    const pyodide = this.pyodide;
    pyodide.runPython("import sys; sys.path.insert(0, '/lab')");
    const start = pyodide.pyimport("app.export.start");
    this.runtime = start.start(`${STATIC}panel/`, (folder) => this.#bringRest(folder));
    this.runtime.use_data(DATA, (name) => fetchPartNow(...this.#dataAt(name)));
    start.destroy();
  }

  #bringRest(folder) {
    const { rest } = this.#manifest.packs;
    const zlib = this.pyodide.pyimport("zlib");
    const squeezed = this.pyodide.toPy(fetchPartNow(packAddress(rest), rest.integrity));
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
  const { packs, pyodide } = manifest;
  const core = new URL(pyodide.folder, STATIC).href;
  const script = async (name) => {
    // what was compared is what the browser's cache then gives
    await fetchPart(core + name, pyodide.files[name]);
    return import(core + name);
  };
  const [{ loadPyodide }, { default: createPyodideModule }, content] = await Promise.all([
    script("pyodide.js"),
    script("pyodide.asm.js"),
    downloads.unpack(packAddress(packs.library), packs.library.integrity),
  ]);
  const source = URL.createObjectURL(new Blob([content]));
  const guard = guardWasm(downloads, packs.wasm, packAddress(packs.wasm), pyodide.files["pyodide.asm.wasm"]);
  try {
    const ready = loadPyodide({
      indexURL: core,
      createPyodideModule,
      stdLibURL: source,
      // nothing is installed from a package index, so no list of packages is fetched
      lockFileContents: JSON.stringify(pyodide.lock),
      packageBaseUrl: core,
    });
    return await Promise.race([ready, guard.broken]);
  } finally {
    guard.release();
    URL.revokeObjectURL(source);
  }
}
