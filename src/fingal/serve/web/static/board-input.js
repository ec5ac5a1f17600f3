// @ts-check
/**
 * How a board is played: mouse, touch and keys.
 *
 * Where cells are small under a finger, a tap shows the stone first and another tap on it plays; the finger may slide
 * to the right cell. A finger that is held on a cell marks it, where cells can be marked. Keys: arrows walk over the cells, Enter or Space plays, Escape leaves. One cell is in the order of
 * Tab.
 */

import { SCALE, stone } from "./board-stone.js";
import { s } from "./dom.js";
import { cellName, cellPlace } from "./rules.js";
import { settings } from "./settings.js";

/** @typedef {import("./board.js").Board} Board */

/** Cells below so many pixels are too small to be hit with a finger at the first attempt. */
const FINGER = 44;

/** A finger that rests on a cell for so many milliseconds is held there. */
const HOLD = 500;

/** @type {Record<string, number>} */
const ARROWS = { ArrowRight: 0, ArrowDown: 90, ArrowLeft: 180, ArrowUp: 270 };

export class BoardInput {
  /** @param {Board} board */
  constructor(board) {
    this.board = board;
    this.focused = "";
    /** @type {string | null} */
    this.hovered = null;
    /** @type {string | null} */
    this.preview = null;
    this.touching = false;
    this.holding = 0;
    const { svg } = board;
    svg.addEventListener("pointermove", (event) => this.#move(event));
    svg.addEventListener("pointerleave", () => this.#hover(null));
    svg.addEventListener("pointerdown", (event) => this.#down(event));
    svg.addEventListener("pointerup", (event) => this.#up(event));
    svg.addEventListener("pointercancel", () => this.#let());
    // A click leaves the focus where it was: the arrow keys go on to walk through the game.
    svg.addEventListener("mousedown", (event) => event.preventDefault());
    svg.addEventListener("contextmenu", (event) => board.options.onMark && event.preventDefault());
    svg.addEventListener("keydown", (event) => this.#key(event));
    svg.addEventListener("focusin", (event) => this.#focus(event));
    svg.addEventListener("focusout", () => this.board.layers.focus.replaceChildren());
  }

  destroy() {
    this.#let();
    this.board.options.onHover?.(null);
  }

  /** The cells are new: one of them is in the order of Tab. */
  built() {
    const { width, height } = this.board.options;
    if (!this.board.cells.has(this.focused)) {
      this.focused = cellName(Math.floor((width - 1) / 2), Math.floor((height - 1) / 2));
    }
    this.board.cells.get(this.focused)?.setAttribute("tabindex", "0");
    this.#ghost();
  }

  /** The view is new: what was hovered may be taken now. */
  shown() {
    if (this.preview && !this.#free(this.preview)) this.setPreview(null);
    this.board.svg.classList.toggle("playable", !!this.board.view.turn && !!this.board.options.onMove);
    this.#ghost();
  }

  /** Play the previewed move. */
  confirm() {
    if (this.preview) this.#play(this.preview);
  }

  /** @param {string | null} cell */
  setPreview(cell) {
    if (cell === this.preview) return;
    this.preview = cell;
    this.board.options.onPreview?.(cell);
    // To a finger this is what pointing is to a mouse.
    this.board.options.onHover?.(cell);
    this.#ghost();
  }

  /** @param {string | null} cell */
  #free(cell) {
    const { view, options } = this.board;
    return !!cell && !!view.turn && !!options.onMove && !view.stones[cell];
  }

  /** @param {PointerEvent} event */
  #cell(event) {
    const matrix = this.board.svg.getScreenCTM();
    if (!matrix) return null;
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    return this.board.layout.at([x / SCALE, y / SCALE]);
  }

  /** @param {PointerEvent} event */
  #move(event) {
    if (event.pointerType === "mouse") return this.#hover(this.#cell(event));
    if (!this.touching) return;
    const cell = this.#cell(event);
    if (cell !== this.started) clearTimeout(this.holding);
    if (this.preview) {
      if (this.#free(cell) && cell !== this.preview) {
        this.slid = true;
        this.setPreview(cell);
      }
    }
  }

  /** @param {string | null} cell */
  #hover(cell) {
    if (cell === this.hovered) return;
    this.hovered = cell;
    this.board.options.onHover?.(cell);
    this.#ghost();
  }

  /** @param {PointerEvent} event */
  #down(event) {
    if (event.pointerType === "mouse") return;
    const cell = this.#cell(event);
    this.#let();
    this.touching = true;
    this.slid = false;
    this.started = cell;
    this.second = cell !== null && cell === this.preview;
    if (this.#careful() && this.#free(cell)) this.setPreview(cell);
    const { onMark } = this.board.options;
    if (!cell || !onMark) return;
    this.holding = window.setTimeout(() => {
      this.#let();
      this.setPreview(null);
      onMark(cell);
    }, HOLD);
  }

  /** The finger is gone, or has done what it came for. */
  #let() {
    this.touching = false;
    clearTimeout(this.holding);
  }

  /** @param {PointerEvent} event */
  #up(event) {
    const cell = this.#cell(event);
    const { options } = this.board;
    if (event.pointerType === "mouse") {
      if (!cell) return;
      if (event.button === 2 || (event.button === 0 && event.shiftKey)) options.onMark?.(cell);
      else if (event.button === 0 && this.#free(cell)) this.#play(cell);
      return;
    }
    if (!this.touching) return;
    this.#let();
    if (!cell) return this.setPreview(null);
    if (!this.#careful()) {
      if (cell === this.started && this.#free(cell)) this.#play(cell);
      return;
    }
    if (this.second && !this.slid) this.confirm();
    else if (!this.#free(cell)) this.setPreview(null);
  }

  /** Whether a tap is to be confirmed. */
  #careful() {
    const chosen = settings.get("confirm");
    return chosen === "always" || (chosen === "small" && this.board.cellPixels < FINGER);
  }

  /** @param {string} cell */
  #play(cell) {
    this.setPreview(null);
    this.hovered = null;
    this.board.options.onMove?.(cell);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.focused) return;
    // Nobody has been shown a cell while the board itself has the focus.
    if (event.target === this.board.svg) return;
    const [, row] = cellPlace(this.focused);
    let to = /** @type {string | null} */ (null);
    if (event.key in ARROWS) to = this.board.layout.towards(this.focused, ARROWS[event.key]) ?? this.focused;
    else if (event.key === "Home") to = cellName(0, row);
    else if (event.key === "End") to = cellName(this.board.options.width - 1, row);
    else if (event.key === "Enter" || event.key === " ") {
      if (event.shiftKey) this.board.options.onMark?.(this.focused);
      else if (this.#free(this.focused)) this.#play(this.focused);
    } else if (event.key === "Escape") {
      this.setPreview(null);
      /** @type {SVGElement | undefined} */ (this.board.cells.get(this.focused))?.blur();
    } else return;
    // The page has keys of its own, which walk through the game.
    event.preventDefault();
    event.stopPropagation();
    if (to) this.board.cells.get(to)?.focus();
  }

  /** @param {FocusEvent} event */
  #focus(event) {
    const cell = event.target instanceof Element ? event.target.getAttribute("data-cell") : null;
    if (!cell) return;
    // A layer of its own: the cells that are drawn later would cover half of the ring.
    this.board.layers.focus.replaceChildren(s("polygon", { class: "aim", points: this.board.hexagon(cell) }));
    if (cell === this.focused) return;
    this.board.cells.get(this.focused)?.setAttribute("tabindex", "-1");
    this.board.cells.get(cell)?.setAttribute("tabindex", "0");
    this.focused = cell;
    this.board.options.onHover?.(cell);
  }

  /** The stone that would be put down. */
  #ghost() {
    const layer = this.board.layers.hover;
    if (!layer) return;
    layer.replaceChildren();
    const cell = this.preview ?? this.hovered;
    const { turn, variation } = this.board.view;
    if (!cell || !turn || !this.#free(cell) || (!this.preview && variation?.length)) return;
    const ghost = stone(this.board, cell, turn);
    ghost.classList.add("ghost");
    layer.append(ghost);
    if (this.preview) layer.append(s("polygon", { class: "aim", points: this.board.hexagon(cell) }));
  }
}
