// The lab as a guest in a page of somebody else's, whose BokehJS is made as the lab's own pages have it.

import { straighten } from "./scale.js";
import { lighten } from "./viewport.js";
import "./page.js";

/** Have figures measure right and end whole; a second time does nothing. */
export function prepare() {
  const { prototype } = window.Bokeh.Models.Plot;
  straighten(prototype.default_view.prototype);
  lighten(prototype.default_view.prototype);
}

/** What a figure's menu offers of its address makes no sense where the page is no page of the lab. */
export function withoutAddress(element) {
  element.addEventListener("click", (event) => {
    const summary = event.composedPath().find((node) => node.matches?.(".lab-menu summary"));
    for (const button of summary?.parentElement.querySelectorAll("[data-figure=link], [data-figure=embed]") ?? []) button.hidden = true;
  });
}
