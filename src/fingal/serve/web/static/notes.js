// @ts-check
/** Comments and marks at a node: written here, kept by the server. */

import { h } from "./dom.js";
import { segmented, button, complain } from "./ui.js";

/** @typedef {import("./game.js").Game} Game */
/** @typedef {import("./types.js").Mark} Mark */

const PAUSE = 700;

export class Notes {
  /** @param {Game} game @param {{go: (node: number) => void}} page */
  constructor(game, page) {
    this.game = game;
    this.page = page;
    this.node = 0;
    /** @type {Mark["kind"]} */
    this.kind = "triangle";
    this.timer = 0;
    this.text = h("textarea", {
      rows: 5,
      maxlength: 4000,
      placeholder: "What is there to say of this position?",
      "aria-label": "Comment",
      id: "comment",
    });
    this.text.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => this.#save(), PAUSE);
    });
    this.text.addEventListener("blur", () => this.#save());
    this.text.addEventListener("keydown", (event) => event.key === "Escape" && this.text.blur());
    this.first = button("Make it the main line", () => this.#ask("promote"), { icon: "up" });
    this.remove = button("Remove from here", () => this.#ask("remove"), { icon: "trash" });
    this.element = h(
      "div",
      { class: "notes" },
      this.text,
      segmented(
        matchMedia("(pointer: coarse)").matches
          ? "Marks: hold a finger on a cell"
          : "Marks: right click, or shift and click",
        [
          ["triangle", "△"],
          ["square", "□"],
          ["circle", "○"],
          ["cross", "✕"],
          ["label", "A"],
        ],
        this.kind,
        (kind) => (this.kind = /** @type {any} */ (kind)),
      ),
      h("div", { class: "row" }, this.first, this.remove),
    );
  }

  /** @param {number} node */
  show(node) {
    const there = this.game.node(node);
    if (!there) return;
    if (there.id !== this.node) {
      this.#save();
      this.node = there.id;
      this.text.value = there.comment ?? "";
    } else if (document.activeElement !== this.text) this.text.value = there.comment ?? "";
    const parent = there.parent === null ? null : this.game.node(there.parent);
    this.first.disabled = this.#branches().length === 0;
    this.remove.disabled = !parent;
  }

  /** Put a mark on a cell, or take it away. @param {string} cell */
  toggle(cell) {
    const node = this.game.node(this.node);
    if (!node || node.id < 0) return;
    const marks = (node.marks ?? []).map(({ kind, cell: at, text }) => ({ kind, cell: at, text: text ?? "" }));
    const there = marks.findIndex((mark) => mark.cell === cell);
    const same = there >= 0 && marks[there].kind === this.kind;
    if (there >= 0) marks.splice(there, 1);
    if (!same) marks.push({ kind: this.kind, cell, text: this.kind === "label" ? nextLetter(marks) : "" });
    this.game.ask("annotate", { node: node.id, marks }).catch(complain);
  }

  #save() {
    clearTimeout(this.timer);
    const node = this.game.node(this.node);
    if (!node || node.id < 0 || (node.comment ?? "") === this.text.value) return;
    this.game.ask("annotate", { node: node.id, comment: this.text.value }).catch(complain);
  }

  /** Where the line to this node leaves the main line. @returns {number[]} */
  #branches() {
    return this.game
      .line(this.node)
      .filter(({ id, parent }) => parent !== null && this.game.node(parent)?.children[0] !== id)
      .map(({ id }) => id);
  }

  /** @param {"promote" | "remove"} what */
  async #ask(what) {
    const node = this.game.node(this.node);
    if (!node || node.parent === null) return;
    try {
      if (what === "remove") this.page.go(node.parent);
      const nodes = what === "remove" ? [node.id] : this.#branches();
      for (const id of nodes) await this.game.ask(what, { node: id });
    } catch (error) {
      complain(error);
    }
  }
}

/** The first letter that is free. @param {Mark[]} marks */
function nextLetter(marks) {
  const taken = new Set(marks.map((mark) => mark.text));
  return [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"].find((letter) => !taken.has(letter)) ?? "*";
}
