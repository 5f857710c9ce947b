// The dialog "Put this figure into a page": what stays free, a question, the size; a preview, and the lines to copy.

import { saveFile } from "./menu.js";
import { spokenFor } from "./talk.js";

const WIDTHS = { full: "100%", middle: "720px", small: "480px" };
const quoted = (text) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
const python = (value) => (value === true ? "True" : value === false ? "False" : JSON.stringify(value));
const dialogOf = () => document.querySelector("#lab-embed");
const part = (name) => dialogOf().querySelector(`[data-part=${name}]`);

/** How the room, or one figure of it, is put into a page. */
export function showEmbed(figure) {
  const dialog = dialogOf();
  dialog.dataset.of = figure || new URLSearchParams(location.search).get("figure") || "";
  part("preview").replaceChildren();
  part("choices").hidden = true;
  write();
  dialog.showModal();
  void offer();
}

/** What the room has to choose from comes from the room itself; without one that is live the address alone is offered. */
async function offer() {
  const remote = spokenFor();
  const { of: figure } = dialogOf().dataset;
  if (!remote) return;
  const offered = await remote.ask("offer", figure).catch(() => null);
  if (!offered || figure !== dialogOf().dataset.of) return;
  dialogOf().offered = offered;
  fill("free", offered.controls, ({ name, label }) => field("checkbox", name, label, true));
  fill("hide", offered.parts, ({ name, label }) => field("checkbox", name, label, false));
  const question = part("question");
  question.replaceChildren(new Option("None", ""), ...offered.questions.map(({ key, prompt }) => new Option(prompt, key)));
  question.closest("label").hidden = !offered.questions.length;
  part("choices").hidden = false;
  write();
}

function fill(name, items, make) {
  const [legend] = part(name).children;
  part(name).replaceChildren(legend, ...items.map(make));
  part(name).hidden = !items.length;
}

function field(type, name, label, checked) {
  const made = document.createElement("label");
  made.append(Object.assign(document.createElement("input"), { type, name, checked }), ` ${label}`);
  return made;
}

const ticked = (name) => [...part(name).querySelectorAll("input:checked")].map((input) => input.name);

/** The specification that is put together, and what its address says. */
function chosen() {
  const { of: figure } = dialogOf().dataset;
  const { offered } = dialogOf();
  const room = document.documentElement.dataset.room;
  const spec = { room, ...(figure && { figure }) };
  if (!offered || part("choices").hidden) return { spec, simple: true };
  const free = ticked("free");
  const hide = ticked("hide");
  const state = Object.keys(offered.state).length ? { state: offered.state } : {};
  const beyond = {
    ...(free.length < offered.controls.length && { controls: free }),
    ...(part("question").value && { question: part("question").value }),
  };
  return { spec: { ...spec, ...state, ...(hide.length && { hide }), ...beyond }, hide, simple: !Object.keys(beyond).length };
}

/** Write all recipes anew. */
function write() {
  const { spec, hide = [], simple } = chosen();
  const here = new URL(location.href);
  here.hash = "";
  for (const name of ["theme", "spec", "hide"]) if (name !== "hide" || hide.length) here.searchParams.delete(name);
  if (spec.figure) here.searchParams.set("figure", spec.figure);
  if (hide.length) here.searchParams.set("hide", hide.join(","));
  here.searchParams.set("embed", "1");
  const { embedScript, frameScript } = document.documentElement.dataset;
  if (!simple) {
    if (!embedScript) here.searchParams.set("spec", "");
    here.hash = `spec=${encodeURIComponent(JSON.stringify(spec))}`;
  }
  const width = WIDTHS[part("size").value];
  const script = (path) => `<script src="${new URL(path, location.href).href}"></script>`;
  const recipes = {
    frame:
      `<iframe loading="lazy" title="Embedding Lab: ${spec.room}" data-embedding-lab\n  style="width:${width};border:0" src="${quoted(here.href)}"></iframe>\n` +
      script(frameScript ?? embedScript.replace(/[^/]*$/, "frame.js")),
    // an element needs the built site; what `panel serve` shows can only be framed
    element: embedScript ? `${script(embedScript)}\n${element(spec, here, simple, width)}` : "",
    myst: embedScript ? directive(spec) : "",
    notebook: notebook(spec),
    still: `embedding-lab still ${fileName(spec)} --out ${fileName(spec).replace(/json$/, "svg")}`,
    spec: JSON.stringify(spec, null, 2),
  };
  for (const [kind, text] of Object.entries(recipes)) {
    const recipe = dialogOf().querySelector(`[data-recipe=${kind}]`);
    // what has not changed stays marked, where a reader is about to copy it by hand
    if (recipe.textContent !== text) recipe.textContent = text;
    recipe.closest("section").hidden = !text;
    recipe.nextElementSibling.dataset.copy = text;
  }
  dialogOf().address = here.href;
}

const fileName = ({ room, figure }) => `${[room, figure].filter(Boolean).join("-")}.json`;

function element(spec, here, simple, width) {
  // what stands in the element is for readers without scripts
  const alone = `<a href="${quoted(location.href)}">${quoted(document.title)}</a>`;
  const style = width === "100%" ? "" : ` style="max-width:${width}"`;
  if (!simple) {
    const inside = JSON.stringify(spec, null, 1).replaceAll("<", "\\u003c");
    return `<embedding-lab${style}>\n<script type="application/json">${inside}</script>\n${alone}</embedding-lab>`;
  }
  const settings = [...here.searchParams].filter(([key]) => !["room", "embed"].includes(key));
  // attributes lose their capitals, and V is another setting than v
  const capitals = settings.some(([key]) => key !== key.toLowerCase());
  const attributes = capitals
    ? ` state="${quoted(new URLSearchParams(settings).toString())}"`
    : settings.map(([key, value]) => ` ${key}="${quoted(value)}"`).join("");
  return `<embedding-lab room="${spec.room}"${attributes}${style}>${alone}</embedding-lab>`;
}

/** For MyST and Sphinx, by the lab's extension. */
function directive({ room, figure, state = {}, ...more }) {
  const options = [
    figure && `:figure: ${figure}`,
    Object.keys(state).length && `:state: ${new URLSearchParams(Object.entries(state))}`,
    more.hide && `:hide: ${more.hide.join(",")}`,
    more.controls && `:controls: ${more.controls.join(",")}`,
    more.question && `:question: ${more.question}`,
  ];
  return `:::{embedding-lab} ${room}\n${options.filter(Boolean).join("\n")}\n:::`;
}

function notebook({ room, figure, state = {} }) {
  const settings = Object.entries(state).map(([name, value]) => `, ${name}=${python(value)}`);
  const alone = figure ? `, figure="${figure}"` : "";
  return `from app.notebook import EmbeddingFigure\n\nEmbeddingFigure("${room}"${alone}${settings.join("")})`;
}

function preview() {
  const frame = Object.assign(document.createElement("iframe"), { title: "Preview", src: dialogOf().address });
  frame.dataset.embeddingLab = "";
  frame.style.cssText = `width:100%;max-width:${WIDTHS[part("size").value]};height:420px;border:1px solid var(--line)`;
  part("preview").replaceChildren(frame);
}

document.addEventListener("change", ({ target }) => target.closest?.("#lab-embed") && write());
document.addEventListener("click", ({ target }) => {
  const does = target.closest?.("#lab-embed [data-does]")?.dataset.does;
  if (does === "preview") preview();
  if (does === "save") saveFile(new Blob([JSON.stringify(chosen().spec, null, 2)], { type: "application/json" }), fileName(chosen().spec));
});
