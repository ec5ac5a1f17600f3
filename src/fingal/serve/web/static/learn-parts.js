// @ts-check
/** A page of several parts, each with an address of its own. */

import { h } from "./dom.js";

/** @typedef {import("./main.js").App} App */

/**
 * Links to a page's parts, and the part that the address names; the others are made when they are gone to.
 * @param {HTMLElement} container @param {App} app @param {string} page @param {string} title
 * @param {readonly (readonly [string, string])[]} parts name and title
 * @param {(name: string, place: HTMLElement, rest: string[]) => (() => void)} make
 */
export function mountParts(container, app, page, title, parts, make) {
  const links = new Map(parts.map(([name, text]) => [name, h("a", { href: `#/${page}/${name}`, text })]));
  const place = h("div", { class: "part" });
  const root = h("div", { class: `parted ${page}-page` },
    h("header", { class: "part-head" }, h("h1", { text: title }),
      h("nav", { class: "parts", "aria-label": title }, ...links.values())),
    place);
  container.append(root);
  let shown = "";
  let end = () => {};
  const go = (/** @type {string[]} */ [, asked, ...rest]) => {
    const name = links.has(asked) ? asked : parts[0][0];
    const wanted = [name, ...rest].join("/");
    if (wanted === shown) return;
    shown = wanted;
    for (const [each, link] of links) {
      if (each === name) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    end();
    place.replaceChildren();
    end = make(name, place, rest);
  };
  app.onRoute(go);
  go(app.route);
  return () => end();
}

/** Let the address say what is on view, without going anywhere. @param {...string} parts */
export function sayAddress(...parts) {
  history.replaceState(history.state, "", `#/${parts.map(encodeURIComponent).join("/")}`);
}
