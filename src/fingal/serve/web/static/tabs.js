// @ts-check
/** Panels of which one is seen. */

import { h } from "./dom.js";

let made = 0;

/**
 * @param {string} label @param {[string, string, HTMLElement][]} panels name, title, content
 * @returns {{element: HTMLElement, choose: (name: string) => void}}
 */
export function tabs(label, panels) {
  const id = `tabs-${made++}`;
  const heads = panels.map(([name, title]) =>
    h("button", {
      type: "button",
      role: "tab",
      id: `${id}-${name}`,
      "aria-controls": `${id}-${name}-panel`,
      text: title,
      onclick: () => choose(name),
    }),
  );
  const bodies = panels.map(([name, , content]) =>
    h(
      "div",
      {
        role: "tabpanel",
        id: `${id}-${name}-panel`,
        "aria-labelledby": `${id}-${name}`,
      },
      content,
    ),
  );
  const list = h("div", { role: "tablist", "aria-label": label, class: "tablist" }, ...heads);
  /** @param {string} name */
  const choose = (name) =>
    panels.forEach(([other], index) => {
      heads[index].setAttribute("aria-selected", String(other === name));
      heads[index].tabIndex = other === name ? 0 : -1;
      bodies[index].hidden = other !== name;
    });
  list.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const at = heads.findIndex((head) => head === document.activeElement);
    const next = (at + step + heads.length) % heads.length;
    choose(panels[next][0]);
    heads[next].focus();
    event.preventDefault();
    event.stopPropagation();
  });
  choose(panels[0][0]);
  return { element: h("div", { class: "tabs" }, list, ...bodies), choose };
}
