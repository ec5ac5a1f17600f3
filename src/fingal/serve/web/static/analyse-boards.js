// @ts-check
/** The one or two boards of the analysis: the same position, each with what its engine thinks. */

import { Board } from "./board.js";
import { ConfirmBar } from "./confirm-bar.js";
import { h } from "./dom.js";
import { candidateDiscs, ghosts, knowledgeOverlay, merged } from "./overlays.js";
import { segmented } from "./ui.js";

/** @typedef {import("./game.js").Game} Game */
/** @typedef {import("./rules.js").Position} Position */
/** @typedef {import("./types.js").Analysis} Analysis */
/** @typedef {import("./types.js").Knowledge} Knowledge */

/**
 * @typedef {{cursor: number, position: Position, known: Knowledge, layers: Set<string>, analyses: (Analysis | null)[],
 *   names: string[]}} Shown
 */

export class AnalysisBoards {
  /**
   * @param {Game} game
   * @param {{play: (cell: string) => void, mark: (cell: string) => void, hovered: () => void}} page
   */
  constructor(game, page) {
    this.game = game;
    this.page = page;
    /** @type {Board[]} */
    this.boards = [];
    /** @type {(string | null)[]} */
    this.hovered = [null, null];
    /** Variations that are previewed from outside. @type {string[][]} */
    this.previews = [[], []];
    this.choice = h(
      "div",
      { class: "which" },
      segmented(
        "Board",
        [
          [0, "First engine"],
          [1, "Second engine"],
        ],
        0,
        (slot) => (this.element.dataset.slot = String(slot)),
      ),
    );
    this.captions = [h("p", { class: "caption first" }), h("p", { class: "caption second" })];
    this.fields = [
      h("div", { class: "field-of-play first" }),
      h("div", { class: "field-of-play second", hidden: true }),
    ];
    this.confirmBar = new ConfirmBar();
    this.element = h(
      "div",
      { class: "boards", "data-slot": 0 },
      this.choice,
      ...this.captions,
      ...this.fields,
      this.confirmBar.element,
    );
    this.#make(0);
  }

  destroy() {
    for (const board of this.boards) board?.destroy();
  }

  /** Show one board or two. @param {boolean} on */
  two(on) {
    this.element.classList.toggle("two", on);
    this.fields[1].hidden = !on;
    if (on && !this.boards[1]) this.#make(1);
    if (!on) this.element.dataset.slot = "0";
  }

  /** Show a variation on a board until another is shown. @param {number} slot @param {string[]} moves */
  preview(slot, moves) {
    if (!moves.length && !this.previews[slot].length) return;
    this.previews[slot] = moves;
    this.page.hovered();
  }

  /** @param {Shown} shown */
  show(shown) {
    const { position, known, layers, analyses } = shown;
    this.boards.forEach((board, slot) => {
      if (slot === 1 && this.fields[1].hidden) return;
      const hovered = this.hovered[slot];
      this.captions[slot].textContent = shown.names[slot];
      /** @type {import("./board.js").Overlay} */
      let overlay = {};
      for (const layer of layers)
        if (layer !== "candidates") overlay = merged(overlay, knowledgeOverlay(layer, known, position, hovered));
      const analysis = analyses[slot];
      const fresh = analysis && analysis.node === this.game.resolve(shown.cursor) ? analysis : null;
      if (fresh) overlay = merged(overlay, candidateDiscs(fresh, position));
      // A label below a disc could not be read.
      for (const cell of Object.keys(overlay.discs ?? {})) if (overlay.labels) delete overlay.labels[cell];
      const pointed = hovered ? fresh?.candidates.find((candidate) => candidate.move === hovered) : undefined;
      const variation = this.previews[slot].length ? this.previews[slot] : (pointed?.variation ?? []);
      if (variation.length) {
        // What was said of the candidates would hide the stones of the variation.
        overlay = { ...overlay, discs: {}, labels: {} };
      }
      board.show({
        stones: position.stones,
        last: position.last,
        numbers: position.numbers,
        chain: position.chain,
        turn: position.winner ? null : position.turn,
        marks: this.game.node(shown.cursor)?.marks ?? [],
        overlay,
        variation: ghosts(variation, position),
      });
    });
  }

  /** @param {number} slot */
  #make(slot) {
    const { width, height } = this.game.settings;
    this.boards[slot] = new Board(this.fields[slot], {
      width,
      height,
      label: `Analysis board${slot ? " of the second engine" : ""}, ${width} by ${height}`,
      onMove: (cell) => this.page.play(cell),
      onMark: (cell) => this.page.mark(cell),
      onPreview: (cell) => this.confirmBar.show(this.boards[slot], cell),
      onHover: (cell) => {
        this.hovered[slot] = cell;
        this.page.hovered();
      },
    });
  }
}
