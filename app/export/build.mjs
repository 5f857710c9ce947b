// Runs inside.py in the site's own Python: node build.mjs <core> <stage> <cache> <out> <data> <inside.py>
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [core, stage, cache, out, data, program] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${core}/pyodide.mjs`).href);

// Panel's module for the browser imports this name, and nothing of it is called here
globalThis.XMLHttpRequest ??= class {};

const pyodide = await loadPyodide({
  indexURL: core,
  // sets keep one order, so the same sources give the same bytes
  env: { PYTHONHASHSEED: "0", PYTHONDONTWRITEBYTECODE: "1" },
});
for (const [place, folder] of Object.entries({ "/stage": stage, "/cache": cache, "/out": out, "/data": data })) {
  pyodide.FS.mkdirTree(place);
  pyodide.mountNodeFS(place, folder);
}
try {
  const names = pyodide.toPy({ __name__: "inside" });
  pyodide.runPython(readFileSync(program, "utf8"), { globals: names, filename: "inside.py" });
  await names.get("main")();
} catch (reason) {
  console.error(reason.message);
  process.exit(1);
}
