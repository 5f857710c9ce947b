// Where the lab's files are: told from this module's own address, so a subfolder or another host is fine.
// The built site keeps scripts and stylesheets in static/page-<hash>/, whose name changes with them.

/** Address of the folder of this version's scripts and stylesheets, ending in a slash. */
export const PAGE = new URL("../", import.meta.url).href;

/** Address of the folder static/, ending in a slash. */
export const STATIC = new URL("../", PAGE).href;

/** Address of the site, ending in a slash. */
export const SITE = new URL("../", STATIC).href;
