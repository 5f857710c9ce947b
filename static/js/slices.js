// Files that a reader chooses stay in the page: Python is told their names and sizes, and asks for parts of them.
//
// Both ways lead through one hidden field (app/kit/upload.py): its value is what the page says, its placeholder
// what Python asks. A file of any size opens so, and no message is larger than a part.

const lab = (window.EmbeddingLab ??= {});
const kept = new WeakMap();
let turns = 0;
let dropped = null;

/**
 * Let the reader choose, and tell Python what was chosen.
 *
 * @param {object} held - the hidden field's model
 * @param {string} accept - endings, as an input takes them
 * @param {boolean} several - whether a table may come in more than one file
 */
function choose(held, accept, several) {
  if (dropped) {
    offer(held, dropped, several);
    dropped = null;
    return;
  }
  const input = Object.assign(document.createElement("input"), { type: "file", accept, multiple: several });
  input.onchange = () => offer(held, input.files, several);
  input.click();
}

function offer(held, list, several) {
  const files = [...list].slice(0, several ? undefined : 1);
  if (!files.length) return;
  const turn = (turns += 1);
  kept.set(held, { turn, files });
  held.value = JSON.stringify({ turn, files: files.map(({ name, size }) => ({ name, size })) });
}

/** Send the part that Python asks for; an answer to a choice that is no more is left out. */
async function answer(held) {
  if (!held.placeholder) return;
  const { turn, part, file, offset, size } = JSON.parse(held.placeholder);
  const there = () => kept.get(held)?.turn === turn;
  if (!there()) return;
  let said;
  try {
    // without a size it is only a pause in a long computation
    said = { content: size ? await encoded(kept.get(held).files[file].slice(offset, offset + size)) : "" };
  } catch (reason) {
    // the file was moved, changed or lies on a drive that is gone
    said = { error: String(reason?.name ?? reason) };
  }
  if (there()) held.value = JSON.stringify({ turn, part, ...said });
}

function encoded(blob) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(",") + 1));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
}

lab.files = { choose, answer };

/** The button under a pointer that takes files, inside whatever shadow. */
const buttonAt = (event) =>
  event
    .composedPath()
    .find((node) => node.classList?.contains("lab-files"))
    ?.shadowRoot?.querySelector("button");

for (const type of ["dragover", "drop"]) {
  addEventListener(type, (event) => {
    const button = event.dataTransfer?.types.includes("Files") && buttonAt(event);
    if (!button || button.disabled) return;
    event.preventDefault();
    if (type !== "drop") return;
    dropped = event.dataTransfer.files;
    button.click();
  });
}
