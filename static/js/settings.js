// Whether an address asks for just the state that a room begins with, of which the built site has a picture.

/**
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
