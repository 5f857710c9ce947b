// Where the lab's files are: told from this module's own address, so a subfolder or another host is fine.

/** Address of the folder static/, ending in a slash. */
export const STATIC = new URL("../", import.meta.url).href;

/** Address of the site, ending in a slash. */
export const SITE = new URL("../", STATIC).href;

/**
 * Read a JSON file of the site.
 *
 * @param {string} path - below the site
 * @param {RequestInit} [options]
 * @returns {Promise<any>}
 */
export async function fetchJson(path, options) {
  const address = new URL(path, SITE).href;
  const answer = await fetch(address, options);
  if (!answer.ok) throw new Error(`${path} could not be fetched: the server says ${answer.status}`);
  return answer.json();
}

let manifest = null;

/** The site's manifest, read once: packs, scripts, rooms. A failed read is tried again. */
export function readManifest() {
  manifest ??= fetchJson("manifest.json", { cache: "no-cache" }).catch((reason) => {
    manifest = null;
    throw reason;
  });
  return manifest;
}
