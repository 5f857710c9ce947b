// What a screen reader says of controls and figures, where BokehJS and Panel leave it out.

import { areaOf, shadowOf, views } from "./bokeh.js";
import { keepFocus } from "./focus.js";
import { numberField } from "./number.js";

/** Name everything on the page; called again when something new has come. */
export function nameControls() {
  for (const view of views()) {
    const shadow = shadowOf(view);
    if (shadow) nameOne(view, shadow);
  }
}

function nameOne(view, shadow) {
  const label = view.model.tags?.find?.((tag) => typeof tag === "string" && tag.startsWith("label:"))?.slice(6);
  const told = view.model.tags?.find?.((tag) => typeof tag === "string" && tag.startsWith("number:"))?.slice(7);
  if (told) numberField(shadow.querySelector("input"), told);
  const group = shadow.querySelector(".bk-input-group");
  if (group && label && shadow.querySelector("input[type=radio]")) {
    group.setAttribute("role", "radiogroup");
    group.setAttribute("aria-label", label);
  } else if (group && label && shadow.querySelector("input[type=checkbox]")) {
    group.setAttribute("role", "group");
    group.setAttribute("aria-label", label);
  } else if (label && view.model.type === "Figure") {
    view.el.setAttribute("role", "img");
    view.el.setAttribute("aria-label", label);
  } else if (label) {
    shadow.querySelector("select, input")?.setAttribute("aria-label", label);
  }
  if (view.model.type === "Figure") {
    // the picture has its name one level up, and nothing in it answers to keys
    areaOf(view)?.setAttribute("tabindex", "-1");
  }
  if (shadow.querySelector(".bk-btn")) keepFocus(view.el);
  const menu = shadow.querySelector(".bk-menu");
  if (menu && view.model.completions) nameSuggestions(shadow.querySelector("input"), menu);
  for (const handle of shadow.querySelectorAll(".noUi-handle")) nameHandle(handle, view, label);
}

const followed = new WeakSet();

/** Call `say` now and whenever something in an element changes; an element is followed once. */
function follow(element, options, say) {
  if (followed.has(element)) return;
  followed.add(element);
  say();
  new MutationObserver(say).observe(element, { childList: true, subtree: true, ...options });
}

function nameHandle(handle, view, label) {
  // a slider over a list has its words in a pane of its own in front of it; its own value is a place in the list
  const pane = view.el.previousElementSibling?.shadowRoot;
  const words = () => pane?.querySelector("div")?.textContent.split(":") ?? [];
  const title = view.model.title || label || words()[0]?.trim() || view.model.name || "value";
  handle.setAttribute("aria-label", title);
  const head = view.model.title && shadowOf(view).querySelector(".bk-slider-title");
  // what is seen is what is heard: a slider over stops counts them, and others say more decimals than they show
  if (head) follow(head, { characterData: true }, () => sayValue(handle, head.querySelector(".bk-slider-value")));
  if (view.model.title || words().length < 2) return;
  follow(pane, { characterData: true }, () => handle.setAttribute("aria-valuetext", words().slice(1).join(":").trim()));
}

function sayValue(handle, shown) {
  if (shown) handle.setAttribute("aria-valuetext", shown.textContent);
}

/** A field with suggestions is a combobox, its menu a list of options. */
function nameSuggestions(input, menu) {
  menu.id = "suggestions";
  menu.setAttribute("role", "listbox");
  input.setAttribute("role", "combobox");
  input.setAttribute("aria-autocomplete", "list");
  input.setAttribute("aria-controls", menu.id);
  follow(menu, { attributes: true, attributeFilter: ["class", "style"] }, () => {
    const open = menu.style.display !== "none";
    input.setAttribute("aria-expanded", String(open));
    input.removeAttribute("aria-activedescendant");
    [...menu.children].forEach((option, place) => {
      const chosen = option.classList.contains("bk-active");
      option.id = `suggestion-${place}`;
      option.setAttribute("role", "option");
      option.setAttribute("aria-selected", String(chosen));
      if (open && chosen) input.setAttribute("aria-activedescendant", option.id);
    });
  });
}
