// Copies to the clipboard, says whether that worked, and leaves the focus where it was.

import { homeAround } from "./focus.js";

const LASTS = 2200; // milliseconds
const TOAST = `position:fixed;bottom:20px;left:50%;transform:translateX(-50%);z-index:20;max-width:90%;box-sizing:border-box;
padding:8px 16px;border:1px solid transparent;border-radius:var(--radius);background:var(--ink);color:var(--paper);
font:var(--size-s)/1.5 var(--font)`;
const KEYS = navigator.platform.startsWith("Mac") ? "⌘C" : "Ctrl+C";

/**
 * Show a short message at the foot of the window.
 *
 * @param {string} words
 * @param {Element} place - what it belongs to: behind an open dialog nobody would see it
 */
function toast(words, place) {
  document.querySelector(".lab-toast")?.remove();
  const box = Object.assign(document.createElement("div"), { className: "lab-toast", slot: "lab" });
  box.setAttribute("role", "status");
  // styled here: in somebody else's page the sheet of the lab's pages is not there
  box.style.cssText = TOAST;
  place.append(box);
  // a screen reader says what changes in a status, not what it was born with
  setTimeout(() => (box.textContent = words));
  setTimeout(() => box.remove(), LASTS);
}

/**
 * Copy a text and say so.
 *
 * @param {string} text
 * @param {string} what - what the reader calls it
 * @param {HTMLElement} button - what was clicked
 */
export async function copy(text, what, button) {
  const place = homeAround(button);
  const done = (await write(text)) || writeFrom(place, text);
  button.focus({ preventScroll: true });
  if (done) return toast(`${what} copied`, place);
  const shown = [...button.parentElement.querySelectorAll("pre")].find((pre) => pre.textContent.trim() === text.trim());
  if (shown) getSelection().selectAllChildren(shown);
  return toast(shown ? `Press ${KEYS} to copy what is marked` : `${what} could not be copied: the browser refuses`, place);
}

async function write(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Without permission, or on plain http, the old way still works; a field behind an open dialog could not be marked. */
function writeFrom(place, text) {
  const area = Object.assign(document.createElement("textarea"), { value: text, readOnly: true, slot: "lab" });
  area.style.cssText = "position:fixed;top:0;left:0;opacity:0";
  place.append(area);
  area.focus({ preventScroll: true });
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done;
}
