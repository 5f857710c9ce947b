// A field for a number is a text field that reads what people write; here it gets what a browser's own has:
// the right keyboard on a phone, arrow keys and small buttons that step, its bounds said aloud.

const known = new WeakSet();

/**
 * Make a text field a spin button.
 *
 * @param {HTMLInputElement} input
 * @param {string} told - kind, lowest, highest and step, as app/kit/number_field.py writes them into a tag
 */
export function numberField(input, told) {
  if (known.has(input)) return;
  known.add(input);
  const [kind, low, high, step] = told.split(",");
  const ends = { low: low === "" ? -Infinity : Number(low), high: high === "" ? Infinity : Number(high) };
  input.inputMode = kind === "whole" && ends.low >= 0 ? "numeric" : "decimal";
  input.autocomplete = "off";
  input.setAttribute("role", "spinbutton");
  if (low !== "") input.setAttribute("aria-valuemin", low);
  if (high !== "") input.setAttribute("aria-valuemax", high);
  const say = () => input.setAttribute("aria-valuenow", input.value);
  input.addEventListener("focus", say);
  input.addEventListener("change", say);
  say();
  const move = (steps) => {
    const now = Number(input.value);
    if (input.disabled || Number.isNaN(now)) return;
    const next = Math.min(Math.max(now + steps * Number(step), ends.low), ends.high);
    // decimal steps add up to figures that nobody asked for
    input.value = String(Number(next.toPrecision(12)));
    input.dispatchEvent(new Event("change", { bubbles: true }));
  };
  const keys = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 };
  input.addEventListener("keydown", (event) => {
    if (!(event.key in keys) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    move(keys[event.key]);
  });
  input.after(steppers(move));
}

function steppers(move) {
  const box = document.createElement("div");
  box.className = "lab-steppers";
  // the arrow keys do the same, and a screen reader has them
  box.setAttribute("aria-hidden", "true");
  for (const [sign, steps] of [["▴", 1], ["▾", -1]]) {
    const step = Object.assign(document.createElement("span"), { textContent: sign });
    step.addEventListener("click", () => move(steps));
    box.append(step);
  }
  return box;
}
