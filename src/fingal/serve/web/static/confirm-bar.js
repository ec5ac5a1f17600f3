// @ts-check
/** The bar that asks whether a tap was meant: below the board, within reach of a thumb. */

import { h } from "./dom.js";
import { button } from "./ui.js";

/** @typedef {import("./board.js").Board} Board */

export class ConfirmBar {
  constructor() {
    this.element = h("div", { class: "confirm-bar", hidden: true });
  }

  /** Ask about a cell of a board, or no more. @param {Board} board @param {string | null} cell */
  show(board, cell) {
    this.element.hidden = !cell;
    if (!cell) return;
    this.element.replaceChildren(
      button("Cancel", () => board.input.setPreview(null)),
      button(`Play ${cell}`, () => board.input.confirm(), { icon: "check", kind: "primary" }),
    );
  }
}
