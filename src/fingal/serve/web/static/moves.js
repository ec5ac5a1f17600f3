// @ts-check
/** The moves of a game's line as a list to walk through, and the four buttons that do so. */

import { h } from "./dom.js";
import { isCell } from "./rules.js";
import { button } from "./ui.js";

/** @typedef {import("./game.js").Game} Game */
/** @typedef {import("./game.js").TreeNode} TreeNode */

/** How a move is written in lists. @param {string | null | undefined} move */
export function moveText(move) {
  if (!move) return "";
  return isCell(move) ? move : ({ "swap-pieces": "swap", "swap-sides": "swap sides", resign: "resigns" }[move] ?? move);
}

/** The buttons that walk: first, back, next, last. @param {(step: "first" | "back" | "next" | "last") => void} go */
export function walkButtons(go) {
  return h(
    "div",
    { class: "walk", role: "group", "aria-label": "Walk through the game" },
    button("First move", () => go("first"), { icon: "first", bare: true, kind: "quiet", key: "Home" }),
    button("Back", () => go("back"), { icon: "back", bare: true, kind: "quiet", key: "←" }),
    button("Next", () => go("next"), { icon: "next", bare: true, kind: "quiet", key: "→" }),
    button("Last move", () => go("last"), { icon: "last", bare: true, kind: "quiet", key: "End" }),
  );
}

export class MoveList {
  /** @param {(node: number) => void} go */
  constructor(go) {
    this.go = go;
    this.element = h("ol", { class: "moves", "aria-label": "Moves" });
    this.drawn = "";
  }

  /** @param {Game} game @param {number} tip the end of the line @param {number} cursor the node on view */
  show(game, tip, cursor) {
    const line = game.line(tip).filter((node) => node.move);
    const key = line.map((node) => `${node.id}${node.move}`).join(" ");
    if (key !== this.drawn) {
      this.drawn = key;
      this.element.replaceChildren(
        ...line.map((node) =>
          h(
            "li",
            {},
            h(
              "button",
              { type: "button", class: `move ${node.colour}`, "data-node": node.id, onclick: () => this.go(node.id) },
              moveText(node.move),
            ),
          ),
        ),
      );
    }
    for (const made of this.element.querySelectorAll("button")) {
      const here = Number(made.dataset.node) === game.resolve(cursor);
      if (here) made.setAttribute("aria-current", "true");
      else made.removeAttribute("aria-current");
      if (here) keepInView(made, this.element);
    }
    if (!line.length) this.element.scrollTop = 0;
  }
}

/** Scroll a list, and nothing around it, to an element. @param {HTMLElement} element @param {HTMLElement} list */
export function keepInView(element, list) {
  const [at, room] = [element.getBoundingClientRect(), list.getBoundingClientRect()];
  if (at.top < room.top) list.scrollTop += at.top - room.top - 8;
  else if (at.bottom > room.bottom) list.scrollTop += at.bottom - room.bottom + 8;
  if (at.left < room.left) list.scrollLeft += at.left - room.left - 8;
  else if (at.right > room.right) list.scrollLeft += at.right - room.right + 8;
}
