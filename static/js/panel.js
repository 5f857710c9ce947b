// A room inside somebody's Panel app or notebook: figures take the theme's colours, and follow the page's.

import { views } from "./bokeh.js";
import { prepare, withoutAddress } from "./guest.js";

const lab = window.EmbeddingLab;
const followed = new WeakSet();
prepare();

/** Have every room on the page wear the theme around it. */
export function wear() {
  for (const { el, model } of views()) {
    if (followed.has(el) || !model.css_classes?.includes?.("lab-theme")) continue;
    followed.add(el);
    withoutAddress(el);
    lab.followTheme(el, (theme) => {
      el.dataset.theme = theme;
      lab.paint();
    });
  }
  lab.paint();
}
