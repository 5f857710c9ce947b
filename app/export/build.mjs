// Runs a function of a Python file in the site's own Python:
// node build.mjs <folder of Pyodide> <standard library> <file> <function> <argument or ""> <place>=<folder> ...
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [core, library, program, name, argument, ...mounts] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${core}/pyodide.mjs`).href);

// Panel's module for the browser imports this name, and nothing of it is called here
globalThis.XMLHttpRequest ??= class {};

const pyodide = await loadPyodide({
  indexURL: core,
  stdLibURL: library,
  // sets keep one order, so the same sources give the same bytes
  env: { PYTHONHASHSEED: "0", PYTHONDONTWRITEBYTECODE: "1" },
});
for (const mount of mounts) {
  const [place, folder] = mount.split("=");
  pyodide.FS.mkdirTree(place);
  pyodide.mountNodeFS(place, folder);
}
try {
  const names = pyodide.toPy({ __name__: "inside" });
  pyodide.runPython(readFileSync(program, "utf8"), { globals: names, filename: "inside.py" });
  const run = names.get(name);
  if (argument) run(argument);
  else run();
} catch (reason) {
  console.error(reason.message);
  process.exit(1);
}
// a room may have planned something for later, which nobody waits for here
process.exit(0);
