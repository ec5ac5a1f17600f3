// @ts-check
/**
 * A board as SVG: stones, sides, coordinates, overlays; played by mouse, touch and keys, read out by screen readers.
 *
 *     import { Board, thumbnail } from "./board.js";          (and link board.css)
 *     const board = new Board(container, { width: 11, height: 11, label: "Puzzle 3", onMove: (cell) => ... });
 *     board.show({ stones: { a1: "black" }, turn: "white", last: "a1" });
 *     board.show({ stones, turn: null, overlay: { tints: { c3: { colour: "var(--good)", strength: 0.4 } } } });
 *     board.set({ width: 5, height: 5, turn: 30 });           (options may change at any time)
 *     board.destroy();
 *
 * The container gives the room: the board fills its width and height (so give it both, e.g. by CSS `aspect-ratio` or a
 * grid), and with `turn: "auto"` it stands upright where the room is narrow. Colours come from CSS variables
 * (board.css), numbers, coordinates, turn and animation from the person's settings unless an option says otherwise.
 *
 * Options: width, height; label (what a screen reader calls it); onMove(cell): an empty cell was chosen while `turn` of
 * the view is a colour; onHover(cell | null); onPreview(cell | null): a tap that has to be confirmed by another (small
 * cells); onMark(cell): a click with the right button or with shift, a finger held on it; turn: "auto" or degrees; coordinates, numbers.
 *
 * View: what to show, all of it: see the typedefs View and Overlay below. `show` changes only what differs.
 * `thumbnail(width, height, stones)` gives a small, mute SVG element of a position, for lists.
 */

import { BoardInput } from "./board-input.js";
import { drawChain, drawMarks, drawOverlay, drawVariation } from "./board-overlay.js";
import { SCALE, stone, thumbnail, xy } from "./board-stone.js";
import { s } from "./dom.js";
import { CORNER, Layout, OWNERS } from "./geometry.js";
import { cellName } from "./rules.js";
import { settings } from "./settings.js";

/** @typedef {import("./types.js").Colour} Colour */
/** @typedef {import("./types.js").Mark} Mark */

/**
 * @typedef {object} Options
 * @property {number} width
 * @property {number} height
 * @property {string} [label]
 * @property {number | "auto"} [turn]
 * @property {boolean} [coordinates]
 * @property {boolean} [numbers]
 * @property {(cell: string) => void} [onMove]
 * @property {(cell: string | null) => void} [onHover]
 * @property {(cell: string | null) => void} [onPreview]
 * @property {(cell: string) => void} [onMark]
 */

/**
 * @typedef {object} View
 * @property {Record<string, Colour>} stones
 * @property {Colour | null} [turn] whose stone a click puts down; null where nobody may play
 * @property {string | null} [last] gets the last move's mark
 * @property {string[]} [chain] the winning chain, drawn from end to end
 * @property {Record<string, number>} [numbers] of the moves
 * @property {Mark[]} [marks] triangles and so on
 * @property {Overlay} [overlay]
 * @property {Ghost[]} [variation] numbered stones that might be played
 */

/** @typedef {{cell: string, colour: Colour, number?: number}} Ghost */

/**
 * What is said of a board's cells. Colours are CSS colours, `var(--…)` among them; strength and size from 0 to 1.
 * @typedef {object} Overlay
 * @property {Record<string, {colour: string, strength: number}>} [tints] the whole cell, below stones
 * @property {Record<string, {colour: string, size?: number, lines?: string[], best?: boolean}>} [discs] candidate
 *   moves: discs with up to two lines of text
 * @property {Record<string, string[]>} [labels] up to two lines of text on a cell
 * @property {{ends: [string, string], colour: Colour, strong?: boolean}[]} [links] lines between cells and sides (top,
 *   bottom, left, right)
 * @property {{cells: string[], colour: Colour}[]} [carriers] dots in a colour's tint: what a connection needs
 * @property {string[]} [crosses] moves that need not be tried
 * @property {Record<string, Colour>} [fills] cells that are somebody's already: small stones
 * @property {Record<string, {colour: Colour, strength: number}>} [owners] whose a cell will be, the larger the surer
 * @property {string[]} [outlined] cells with an inner ring: must-play, hints
 * @property {Record<string, string>} [notes] what a screen reader says of a cell besides, and a tooltip
 */

export { thumbnail };

export class Board {
  /** @param {HTMLElement} container @param {Options} options */
  constructor(container, options) {
    this.container = container;
    this.options = options;
    /** @type {View} */
    this.view = { stones: {}, turn: null };
    this.svg = s("svg", { class: "board" });
    container.append(this.svg);
    this.layout = this.#layout();
    /** @type {Map<string, SVGGElement>} */
    this.cells = new Map();
    /** @type {Map<string, SVGGElement>} */
    this.stones = new Map();
    /** @type {Record<string, SVGGElement>} */
    this.layers = {};
    this.shownChain = "";
    this.input = new BoardInput(this);
    this.#build();
    this.observer = new ResizeObserver(() => this.#fit());
    this.observer.observe(container);
    this.forget = settings.watch(() => this.#rebuild());
  }

  /** Change options; the view stays. @param {Partial<Options>} changes */
  set(changes) {
    this.options = { ...this.options, ...changes };
    this.#rebuild();
  }

  /** Show something else. @param {View} view */
  show(view) {
    const before = this.view;
    this.view = view;
    this.#stones(before);
    this.#texts();
    drawOverlay(this, view.overlay ?? {});
    drawVariation(this, view.variation ?? []);
    drawMarks(this, view);
    const chain = (view.chain ?? []).join(" ");
    if (chain !== this.shownChain) drawChain(this, view.chain ?? [], settings.moves());
    this.shownChain = chain;
    this.svg.classList.toggle("won", chain !== "");
    this.input.shown();
  }

  destroy() {
    this.observer.disconnect();
    this.forget();
    this.input.destroy();
    this.svg.remove();
  }

  /** Pixels from a cell's middle to its neighbour's, as it is on the screen now. */
  get cellPixels() {
    const { width, height } = this.svg.getBoundingClientRect();
    const { box } = this.layout;
    return Math.min(width / box.width, height / box.height);
  }

  /** @param {string} cell @param {number} [radius] */
  hexagon(cell, radius = CORNER) {
    return this.layout.hexagon(this.layout.of(cell), radius).map(xy).join(" ");
  }

  /** A cell's middle in units of the drawing. @param {string} cell @returns {[number, number]} */
  middle(cell) {
    const [x, y] = this.layout.of(cell);
    return [x * SCALE, y * SCALE];
  }

  #layout() {
    const { width, height } = this.options;
    const coordinates = this.options.coordinates ?? settings.get("coordinates");
    let turn = this.options.turn ?? settings.turn();
    if (turn === "auto") {
      const room = this.container.getBoundingClientRect();
      turn =
        room.width > 0 && room.height > 0 ? Layout.fitting(width, height, room.width, room.height, coordinates) : 0;
      turn += settings.get("flipped") && this.options.turn === undefined ? 180 : 0;
    }
    return new Layout(width, height, turn, coordinates);
  }

  #fit() {
    if (this.#layout().turn !== this.layout.turn) this.#rebuild();
  }

  #rebuild() {
    const focused = this.input.focused && this.svg.contains(document.activeElement);
    this.layout = this.#layout();
    this.#build();
    const view = this.view;
    this.view = { stones: {}, turn: null };
    this.shownChain = "";
    this.quiet = true;
    this.show(view);
    this.quiet = false;
    if (focused) this.cells.get(this.input.focused)?.focus();
  }

  #build() {
    const { width, height } = this.options;
    const { box } = this.layout;
    this.svg.replaceChildren();
    this.cells.clear();
    this.stones.clear();
    const at = [box.left, box.top, box.width, box.height].map((value) => (value * SCALE).toFixed(2));
    this.svg.setAttribute("viewBox", at.join(" "));
    this.svg.setAttribute("role", "grid");
    // Chromium would stop at the board itself on the way to its cell.
    this.svg.setAttribute("tabindex", "-1");
    this.svg.setAttribute("aria-label", this.options.label ?? `Board, ${width} by ${height}`);
    const sides = s("g", { class: "sides", "aria-hidden": "true" });
    for (const { side, path } of this.layout.sides(SCALE)) sides.append(s("path", { d: path, class: OWNERS[side] }));
    this.svg.append(sides);
    const grid = s("g", { class: "cells", role: "rowgroup" });
    for (let row = 0; row < height; row++) {
      const line = s("g", { role: "row" });
      for (let column = 0; column < width; column++) {
        const cell = cellName(column, row);
        const group = s("g", { role: "gridcell", class: "cell", "data-cell": cell, tabindex: -1 });
        group.append(s("polygon", { points: this.hexagon(cell) }));
        this.cells.set(cell, group);
        line.append(group);
      }
      grid.append(line);
    }
    this.svg.append(grid);
    for (const name of ["under", "links", "stones", "over", "marks", "chain", "ghosts", "hover", "focus"]) {
      this.layers[name] = s("g", { class: `layer ${name}`, "aria-hidden": "true" });
      this.svg.append(this.layers[name]);
    }
    if (this.layout.coordinates) {
      const labels = s("g", { class: "coordinates", "aria-hidden": "true" });
      // On small boards the cells are large, and letters as large as they would shout.
      labels.style.fontSize = `${(15 * Math.min(Math.max(Math.max(width, height) / 11, 0.55), 1.2)).toFixed(1)}px`;
      for (const {
        text,
        at: [x, y],
      } of this.layout.labels()) {
        labels.append(s("text", { x: (x * SCALE).toFixed(2), y: (y * SCALE).toFixed(2), text }));
      }
      this.svg.append(labels);
    }
    this.input.built();
  }

  /** Stones that came, went or changed; the others stay as they are. @param {View} before */
  #stones(before) {
    const { stones } = this.view;
    for (const [cell, drawn] of this.stones) {
      if (stones[cell] === before.stones[cell]) continue;
      drawn.remove();
      this.stones.delete(cell);
    }
    for (const [cell, colour] of Object.entries(stones)) {
      if (this.stones.has(cell) || !this.cells.has(cell)) continue;
      const drawn = stone(this, cell, colour);
      if (!this.quiet && cell === this.view.last && settings.moves()) drawn.classList.add("arrives");
      this.stones.set(cell, drawn);
      this.layers.stones.append(drawn);
    }
  }

  /** What is written on stones, and what a screen reader says of every cell. */
  #texts() {
    const { stones, last, numbers } = this.view;
    const notes = this.view.overlay?.notes ?? {};
    const numbered = this.options.numbers ?? settings.get("numbers");
    for (const [cell, group] of this.cells) {
      const colour = stones[cell];
      const words = [cell, colour ? settings.colourName(colour).toLowerCase() : "empty"];
      if (cell === last) words.push("last move");
      if (notes[cell]) words.push(notes[cell]);
      const label = words.join(", ");
      if (group.getAttribute("aria-label") !== label) group.setAttribute("aria-label", label);
      group.classList.toggle("taken", !!colour);
    }
    for (const [cell, drawn] of this.stones) {
      drawn.classList.toggle("last", cell === last);
      const number = numbered && numbers?.[cell] ? String(numbers[cell]) : "";
      const text = drawn.querySelector("text");
      if (text && text.textContent !== number) text.textContent = number;
    }
  }
}
