// @ts-check
/** The swap trainer: a first stone is shown, swap or not? After a round the whole map, with one's mistakes on it. */

import { api } from "./api.js";
import { Board } from "./board.js";
import { h, isForPage } from "./dom.js";
import { Lesson } from "./learn-lesson.js";
import { sayAddress } from "./learn-parts.js";
import { progress } from "./learn-progress.js";
import { cellName, neighbours } from "./rules.js";
import { settings } from "./settings.js";
import { announce, button, complain, segmented, winRate } from "./ui.js";

/** @typedef {import("./main.js").App} App */
/** @typedef {{wins: boolean, value: number, proven: boolean}} Opening */
/** @typedef {{size: number, cells: Record<string, Opening>, proven: boolean, text: string}} SwapMap */
/** @typedef {{cell: string, swapped: boolean, right: boolean}} Answer */

const SIZES = [4, 5, 6, 7, 8, 9, 11, 13];
const ROUND = 10;

/** An estimate nearer to even than this is not asked for. */
const CLOSE = 0.1;

/** @param {HTMLElement} container @param {App} app @param {string[]} rest */
export function mountSwap(container, app, rest) {
  const page = new SwapPage(container);
  const asked = Number(rest[0]);
  page.open(SIZES.includes(asked) ? asked : progress.kept.swapSize);
  return () => page.destroy();
}

/**
 * The cells of a round: those beside the border of the map more often than others, none twice, not even turned around.
 * @param {SwapMap} map @param {() => number} random
 */
export function drawRound(map, random = Math.random) {
  const { size, cells } = map;
  const turned = (/** @type {string} */ cell) =>
    cellName(size - 1 - (cell.charCodeAt(0) - 97), size - Number(cell.slice(1)));
  const weighed = Object.entries(cells)
    .filter(([, opening]) => opening.proven || Math.abs(opening.value) >= CLOSE)
    .map(([cell, opening]) => {
      const edge = neighbours(cell, size, size).some((beside) => cells[beside].wins !== opening.wins);
      return { cell, order: random() ** (edge ? 0.4 : 1) };
    })
    .sort((a, b) => b.order - a.order);
  /** @type {string[]} */
  const chosen = [];
  for (const { cell } of weighed) {
    if (chosen.length < ROUND && !chosen.includes(turned(cell))) chosen.push(cell);
  }
  return chosen;
}

class SwapPage extends Lesson {
  /** @param {HTMLElement} container */
  constructor(container) {
    super(container, "Swap or not?", "Answer");
    /** @type {SwapMap | null} */
    this.map = null;
    /** @type {string[]} */
    this.cells = [];
    /** @type {Answer[]} */
    this.answers = [];
    /** Whether the answer to the current question is on view. */
    this.told = false;
    this.streak = this.longest = 0;
    this.steps = h("ol", { class: "steps", "aria-label": "This round" });
    this.score.before(this.steps);
    this.source = h("p", { class: "source" });
    this.side.append(this.source);
  }

  /** @param {number} size */
  async open(size) {
    progress.put("swapSize", size);
    this.#sizes(size);
    try {
      const map = await api(`openings/${size}`);
      if (this.gone || progress.kept.swapSize !== size) return;
      this.map = map;
      sayAddress("learn", "swap", String(size));
      const options = { width: size, height: size, label: `Opening, ${size} by ${size}` };
      if (this.board) this.board.set(options);
      else this.board = new Board(this.field, options);
      this.#round();
    } catch (error) {
      complain(error);
    }
  }

  #round() {
    if (!this.map) return;
    this.cells = drawRound(this.map);
    this.answers = [];
    this.told = false;
    this.streak = this.longest = 0;
    this.#ask();
  }

  /** Show the next stone, or the map at the end. */
  #ask() {
    this.show();
    if (!this.over) announce(this.about.textContent ?? "");
  }

  /** The stone that is asked about; '' when the round is over. */
  get cell() {
    return this.cells[this.told ? this.answers.length - 1 : this.answers.length] ?? "";
  }

  get over() {
    return this.map !== null && this.answers.length === this.cells.length && !this.told;
  }

  get right() {
    return this.answers.filter((answer) => answer.right).length;
  }

  /** @param {boolean} swapped */
  #answer(swapped) {
    if (!this.map || this.told || this.over) return;
    const { cell } = this;
    const right = swapped === this.map.cells[cell].wins;
    this.answers.push({ cell, swapped, right });
    this.streak = right ? this.streak + 1 : 0;
    this.longest = Math.max(this.longest, this.streak);
    this.told = true;
    if (this.answers.length === this.cells.length) progress.swap(this.map.size, this.right, this.longest);
    this.show();
  }

  #next() {
    if (!this.told) return;
    this.told = false;
    this.#ask();
  }

  show() {
    const { map } = this;
    if (!map) return;
    this.field.classList.toggle("map", this.over);
    if (this.over) this.#showMap(map);
    else this.#showStone(map);
    this.steps.replaceChildren(...this.cells.map((cell, index) => {
      const answer = this.answers[index];
      const now = !this.over && index === this.answers.length - (this.told ? 1 : 0);
      const words = answer ? `${cell}: ${answer.right ? "right" : "wrong"}` : now ? "now" : "to come";
      return h("li", { class: `${answer ? (answer.right ? "right" : "wrong") : ""}${now ? " now" : ""}` }, h("span", { class: "unseen", text: words }));
    }));
    const best = progress.kept.swaps[map.size];
    this.score.textContent = `${this.right} right of ${this.answers.length} · streak ${this.streak}${best ? ` · best ${best.best} of ${this.cells.length}` : ""}`;
    this.source.textContent = settings.speak(map.text);
  }

  /** @param {SwapMap} map */
  #showStone(map) {
    const { cell } = this;
    const opening = map.cells[cell];
    const black = settings.colourName("black");
    const white = settings.colourName("white");
    const answer = this.told ? this.answers[this.answers.length - 1] : null;
    const tints = answer ? { [cell]: { colour: opening.wins ? "var(--swap)" : "var(--keep)", strength: 0.75 } } : {};
    this.board?.show({ stones: { [cell]: "black" }, turn: null, last: cell, overlay: { tints } });
    this.title.textContent = "Swap or not?";
    this.about.textContent = `${black} has opened at ${cell}. You are ${white} and may swap.`;
    this.verdict.className = `verdict ${answer ? (answer.right ? "right" : "wrong") : ""}`;
    if (!answer) {
      this.verdict.replaceChildren();
      this.#buttons(button("Swap", () => this.#answer(true), { icon: "swap", kind: "primary", title: "Swap (s)" }),
        button("Don't swap", () => this.#answer(false), { icon: "close", title: "Do not swap (d)" }));
      return;
    }
    this.verdict.replaceChildren(h("strong", { text: answer.right ? "Right" : "Wrong" }), h("p", { text: this.#reason(cell, opening) }));
    const last = this.answers.length === this.cells.length;
    this.#buttons(button(last ? "See the map" : "Next", () => this.#next(), { icon: "next", kind: "primary", title: "Next (n)" }));
  }

  /** @param {string} cell @param {Opening} opening */
  #reason(cell, opening) {
    const black = settings.colourName("black");
    const white = settings.colourName("white");
    const act = opening.wins ? "so swap it" : "so leave it";
    if (opening.proven) return `${cell} ${opening.wins ? `wins for ${black}` : `loses: ${white} wins against it`}, ${act}. This is proven.`;
    return `After ${cell} the net gives ${black} ${winRate(opening.value)}%, ${act}. This is an estimate.`;
  }

  /** @param {SwapMap} map */
  #showMap(map) {
    /** @type {Record<string, {colour: string, strength: number}>} */
    const tints = {};
    /** @type {Record<string, string>} */
    const notes = {};
    for (const [cell, opening] of Object.entries(map.cells)) {
      const strength = opening.proven ? 0.7 : 0.15 + 0.55 * Math.min(1, Math.abs(opening.value));
      tints[cell] = { colour: opening.wins ? "var(--swap)" : "var(--keep)", strength };
      notes[cell] = `${opening.wins ? "swap" : "do not swap"}${opening.proven ? "" : `, ${winRate(opening.value)} percent`}`;
    }
    /** @type {import("./types.js").Mark[]} */
    const marks = this.answers.map(({ cell, right }) => ({ kind: right ? "circle" : "cross", cell, text: "" }));
    for (const { cell, right } of this.answers) notes[cell] += right ? ", you were right" : ", your mistake";
    this.board?.show({ stones: {}, turn: null, overlay: { tints, notes }, marks });
    const wrong = this.answers.filter((answer) => !answer.right).map((answer) => answer.cell);
    this.title.textContent = `${this.right} of ${this.answers.length} right`;
    this.about.textContent = "The whole map, with your answers on it.";
    this.verdict.className = `verdict ${wrong.length ? "shown" : "right"}`;
    this.verdict.replaceChildren(
      h("ul", { class: "key" },
        h("li", {}, h("i", { class: "swap" }), h("span", { text: "swap these" })),
        h("li", {}, h("i", { class: "keep" }), h("span", { text: "leave these" })),
        h("li", {}, h("span", { class: "sign", text: "○" }), h("span", { text: "right" })),
        h("li", {}, h("span", { class: "sign", text: "×" }), h("span", { text: "wrong" }))),
      h("p", { text: wrong.length ? `Mistakes: ${wrong.join(", ")}. Longest streak ${this.longest}.` : `No mistakes. Longest streak ${this.longest}.` }));
    this.#buttons(button("Another round", () => this.#round(), { icon: "next", kind: "primary", title: "Another round (n)" }));
  }

  /** @param {...HTMLButtonElement} made */
  #buttons(...made) {
    const focused = this.actions.contains(document.activeElement);
    this.actions.replaceChildren(...made);
    if (focused) made[0].focus();
  }

  /** @param {number} size */
  #sizes(size) {
    if (this.choice.children.length) return;
    const choices = SIZES.map((each) => /** @type {[number, string]} */ ([each, String(each)]));
    this.choice.replaceChildren(segmented("Board", choices, size, (value) => this.open(value)));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (!isForPage(event)) return;
    if (event.key === "s") this.#answer(true);
    else if (event.key === "d") this.#answer(false);
    else if (event.key === "n") this.over ? this.#round() : this.#next();
    else return;
    event.preventDefault();
  }
}
