// @ts-check
/** What puzzles and the swap trainer have in common: a board, a column of words and buttons beside it, and keys. */

import { h } from "./dom.js";
import { settings } from "./settings.js";

/** @typedef {import("./board.js").Board} Board */

export class Lesson {
  /** @param {HTMLElement} container @param {string} title @param {string} toolbar what the buttons are for */
  constructor(container, title, toolbar) {
    this.gone = false;
    this.field = h("div", { class: "lesson-board" });
    this.title = h("h2", { class: "lesson-title", text: title });
    this.about = h("p", { class: "lesson-about" });
    this.verdict = h("div", { class: "verdict", role: "status", "aria-live": "polite" });
    this.actions = h("div", { class: "lesson-actions", role: "toolbar", "aria-label": toolbar });
    this.score = h("p", { class: "score" });
    this.choice = h("div", { class: "choice" });
    this.side = h("aside", { class: "lesson-side" });
    this.side.append(this.title, this.about, this.verdict, this.actions, this.score, this.choice);
    container.append(h("div", { class: "lesson" }, this.field, this.side));
    /** There from the first position on. @type {Board | null} */
    this.board = null;
    this.keys = (/** @type {KeyboardEvent} */ event) => this.key(event);
    document.addEventListener("keydown", this.keys);
    this.forget = settings.watch(() => this.show());
  }

  /** Show what there is, anew. */
  show() {}

  /** @param {KeyboardEvent} event */
  key(event) {}

  destroy() {
    this.gone = true;
    document.removeEventListener("keydown", this.keys);
    this.forget();
    this.board?.destroy();
  }
}
