// @ts-check
/** The game tree as text, as in a book: the main line in two columns' rhythm, variations indented below their move. */

import { h } from "./dom.js";
import { keepInView, moveText } from "./moves.js";
import { lossLevel } from "./overlays.js";

/** @typedef {import("./game.js").Game} Game */
/** @typedef {import("./game.js").TreeNode} TreeNode */

export class TreeView {
  /** @param {(node: number) => void} go */
  constructor(go) {
    this.go = go;
    this.element = h("div", { class: "tree", role: "group", "aria-label": "Moves and variations" });
    this.drawn = "";
    /** Losses by node, of a review. @type {Map<number, number>} */
    this.losses = new Map();
  }

  /** @param {Game} game @param {number} cursor */
  show(game, cursor) {
    const key =
      [...game.nodes.values()]
        .map((node) => `${node.id}:${node.children.join(",")}:${node.comment ?? ""}:${node.marks?.length ?? 0}`)
        .join(" ") + [...this.losses].join(" ");
    if (key !== this.drawn) {
      this.drawn = key;
      this.element.replaceChildren();
      const root = game.node(0);
      if (root) {
        if (root.comment) this.element.append(comment(root.comment));
        this.#line(this.element, game, root, 0, h("p", { class: "line" }));
      }
      if (!this.element.children.length)
        this.element.append(h("p", { class: "soft", text: "No moves yet: play on the board." }));
    }
    const here = String(game.resolve(cursor));
    for (const made of /** @type {NodeListOf<HTMLElement>} */ (this.element.querySelectorAll(".move"))) {
      const current = made.dataset.node === here;
      if (current) made.setAttribute("aria-current", "true");
      else made.removeAttribute("aria-current");
      if (current) keepInView(made, this.element);
    }
    if (here === "0") this.element.scrollTop = 0;
  }

  /** The first child's line; the others in boxes of their own. @param {HTMLElement} into @param {Game} game
   * @param {TreeNode} from @param {number} depth @param {HTMLElement} paragraph what it begins in */
  #line(into, game, from, depth, paragraph) {
    into.append(paragraph);
    for (let node = /** @type {TreeNode | null} */ (from); node?.children.length; ) {
      const [first, ...others] = node.children.map((id) => game.node(id)).filter((child) => child !== null);
      paragraph.append(this.#move(game, first));
      if (first.comment) paragraph.append(" ", comment(first.comment), " ");
      for (const other of others) {
        const box = h("div", { class: `variation${depth > 2 ? " deep" : ""}` });
        const start = h("p", { class: "line" }, this.#move(game, other));
        if (other.comment) start.append(" ", comment(other.comment));
        into.append(box);
        this.#line(box, game, other, depth + 1, start);
      }
      if (others.length) into.append((paragraph = h("p", { class: "line" })));
      node = first;
    }
    if (!paragraph.childNodes.length) paragraph.remove();
  }

  /** @param {Game} game @param {TreeNode} node */
  #move(game, node) {
    const number = game.position(node.id).moves;
    const loss = this.losses.get(node.id);
    const level = loss === undefined ? 0 : lossLevel(loss);
    const sign = ["", "", "?!", "?", "??"][level];
    return h(
      "button",
      {
        type: "button",
        class: `move ${node.colour ?? ""} ${level > 1 ? `loss-${level}` : ""}`,
        "data-node": node.id,
        onclick: () => this.go(node.id),
      },
      node.move ? h("span", { class: "number", text: `${number}.` }) : null,
      node.move ? `${moveText(node.move)}${sign}` : "set-up",
      node.marks?.length ? h("i", { class: "marked", title: "has marks" }) : null,
    );
  }
}

/** @param {string} text */
const comment = (text) => h("span", { class: "comment", text });
