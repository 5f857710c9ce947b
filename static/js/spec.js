// The specification of a figure: where a page, an element or a frame has it from. What is in it, Python reads.

import { WORDS } from "./words.js";

/** What an element may say beside settings, and how a specification has it. */
export const PARTS = { figure: text, theme: text, hide: list, lock: list, controls: list, open: list, question: text, caption: text, heading: text };

function text(value) {
  return value;
}

function list(value) {
  return value.split(",").map((part) => part.trim()).filter(Boolean);
}

/**
 * Fetch a specification; the browser's rules of origin hold.
 *
 * @param {string} address
 * @returns {Promise<string>}
 */
export async function fetchSpec(address) {
  const answer = await fetch(address).catch((reason) => {
    throw new Error(WORDS.part.unreachable(address, reason.message));
  });
  if (!answer.ok) throw new Error(WORDS.part.refused(address, answer.status));
  return answer.text();
}

/** The specification that the address of a page names, or holds behind its #. */
export async function specOfPage() {
  const held = /^#spec=(.*)$/s.exec(location.hash)?.[1];
  if (held) return decodeURIComponent(held);
  const named = new URLSearchParams(location.search).get("spec");
  return named ? fetchSpec(new URL(named, location.href).href) : "";
}

/**
 * Read a specification's text.
 *
 * @param {string} content
 * @returns {object}
 */
export function parseSpec(content) {
  let spec;
  try {
    spec = JSON.parse(content || "{}");
  } catch (reason) {
    throw new Error(WORDS.noSpec(reason.message));
  }
  if (spec === null || typeof spec !== "object" || Array.isArray(spec)) throw new Error(WORDS.noSpec("{ ... }"));
  return spec;
}

/**
 * Whether a specification asks for just the picture that a figure begins with.
 *
 * @param {object} spec
 * @param {Object<string, string>} defaults - the room's settings, each with the text of its default
 */
export function isUsual({ state = {}, data }, defaults) {
  if (data && Object.keys(data).length) return false;
  return isDefault(new URLSearchParams(Object.entries(state)).toString(), defaults);
}

/**
 * Whether an address asks for just the state that a room begins with, of which the built site has a picture.
 *
 * @param {string} query - as an address has it
 * @param {Object<string, string>} defaults - the room's settings, each with the text of its default
 * @returns {boolean} false where it cannot be told
 */
export function isDefault(query, defaults) {
  for (const [name, text] of new URLSearchParams(query)) {
    // what is no setting of this room changes nothing in its figure
    if (Object.hasOwn(defaults, name) && !same(text, defaults[name])) return false;
  }
  return true;
}

function same(one, other) {
  if (one === other) return true;
  const [first, second] = [one, other].map((text) => text.split(",").map((part) => part.trim()));
  return first.length === second.length && first.every((part, at) => part !== "" && Number(part) === Number(second[at]));
}
