// @ts-check
/** Puzzles: find the only winning move. A wrong move is refuted on the board, the right one explained. */

import { api } from "./api.js";
import { Board } from "./board.js";
import { h, isForPage } from "./dom.js";
import { Lesson } from "./learn-lesson.js";
import { sayAddress } from "./learn-parts.js";
import { progress } from "./learn-progress.js";
import { other } from "./rules.js";
import { settings } from "./settings.js";
import { announce, button, complain, segmented, toggle } from "./ui.js";

/** @typedef {import("./main.js").App} App */
/** @typedef {import("./types.js").Colour} Colour */
/** @typedef {{id: string, width: number, height: number, grade: number}} Listed */
/**
 * @typedef {object} Question
 * @property {string} id
 * @property {number} width
 * @property {number} height
 * @property {number} grade
 * @property {number} missed
 * @property {number} asked
 * @property {Colour} turn
 * @property {Record<Colour, string[]>} stones
 * @property {string | null} last
 * @property {string} position
 */
/**
 * @typedef {object} Explained
 * @property {boolean} right
 * @property {string | null} only
 * @property {string} text
 * @property {string[]} carrier
 * @property {Colour} winner
 * @property {string | null} reply
 * @property {string[]} variation
 */

const GRADES = [1, 2, 3, 4, 5];

/** @param {HTMLElement} container @param {App} app @param {string[]} rest */
export function mountPuzzles(container, app, rest) {
  const page = new PuzzlePage(container, app);
  page.begin(rest[0] ?? "");
  return () => page.destroy();
}

class PuzzlePage extends Lesson {
  /** @param {HTMLElement} container @param {App} app */
  constructor(container, app) {
    super(container, "Find the only winning move", "Puzzle");
    this.app = app;
    /** @type {Listed[]} */
    this.list = [];
    /** @type {Question | null} */
    this.puzzle = null;
    /** The move on the board. @type {string | null} */
    this.tried = null;
    /** @type {Explained | null} */
    this.found = null;
    /** Whether nothing was tried or shown yet. */
    this.first = true;
    this.line = false;
  }

  /** @param {string} id */
  async begin(id) {
    try {
      this.list = (await api("puzzles")).puzzles;
      if (this.gone) return;
      this.#choices();
      await this.#open(this.list.some((puzzle) => puzzle.id === id) ? id : this.#another());
    } catch (error) {
      complain(error);
    }
  }

  /** Those that are asked for. */
  #wanted() {
    const { grades, size } = progress.kept;
    const found = this.list.filter((puzzle) => (!grades.length || grades.includes(puzzle.grade)) && (!size || puzzle.width === size));
    return found.length ? found : this.list;
  }

  /** The next puzzle: an easy one among those not solved, but not always the same. */
  #another() {
    const wanted = this.#wanted().filter((puzzle) => puzzle.id !== this.puzzle?.id);
    const open = wanted.filter((puzzle) => progress.kept.puzzles[puzzle.id] !== "solved");
    const from = open.length ? open : wanted;
    const easiest = Math.min(...from.map((puzzle) => puzzle.grade));
    const level = from.filter((puzzle) => puzzle.grade <= easiest);
    return level[Math.floor(Math.random() * level.length)]?.id ?? this.puzzle?.id ?? "";
  }

  /** @param {string} id */
  async #open(id) {
    if (!id) return void (this.about.textContent = "There are no puzzles here.");
    try {
      const puzzle = await api(`puzzles/${id}`);
      if (this.gone) return;
      this.puzzle = puzzle;
      this.tried = this.found = null;
      this.first = true;
      this.line = false;
      sayAddress("learn", "puzzles", id);
      const { width, height } = puzzle;
      const options = { width, height, label: `Puzzle, ${width} by ${height}`, onMove: (/** @type {string} */ cell) => this.#try(cell), onPreview: (/** @type {string | null} */ cell) => this.#preview(cell) };
      if (this.board) this.board.set(options);
      else this.board = new Board(this.field, options);
      this.show();
      announce(`Grade ${puzzle.grade}, ${width} by ${height}. ${settings.colourName(puzzle.turn)} to move. Find the only winning move.`);
    } catch (error) {
      complain(error);
    }
  }

  /** Try a move, or be shown the answer. @param {string | null} cell */
  async #try(cell) {
    const { puzzle } = this;
    if (!puzzle || this.tried || this.found) return;
    this.tried = cell;
    this.show();
    try {
      /** @type {Explained} */
      const found = await api(`puzzles/${puzzle.id}`, "POST", { move: cell });
      if (this.gone || this.puzzle !== puzzle) return;
      if (this.first) progress.puzzle(puzzle.id, found.right);
      this.first = false;
      this.found = found;
      this.tried = cell ?? found.only;
      // Where no carrier shows it, the moves have to.
      this.line = found.carrier.length === 0;
      this.show();
      this.#choices();
    } catch (error) {
      this.tried = null;
      this.show();
      complain(error);
    }
  }

  /** A tap on a small cell is played by another one. @param {string | null} cell */
  #preview(cell) {
    if (cell) announce((this.score.textContent = `Tap ${cell} again to play it.`));
    else this.show();
  }

  #again() {
    this.tried = this.found = null;
    this.show();
    this.field.querySelector(/** @type {any} */ (".cell[tabindex='0']"))?.focus();
  }

  async #analyse() {
    if (!this.puzzle) return;
    const { width, height, position } = this.puzzle;
    try {
      const game = await api("games", "POST", { width, height, text: position, title: "Puzzle" });
      this.app.go(`#/analyse/${game.id}`);
    } catch (error) {
      complain(error);
    }
  }

  show() {
    const { puzzle, found, tried } = this;
    if (!puzzle) return;
    /** @type {Record<string, Colour>} */
    const stones = {};
    for (const colour of /** @type {Colour[]} */ (["black", "white"])) for (const cell of puzzle.stones[colour]) stones[cell] = colour;
    if (tried) stones[tried] = puzzle.turn;
    if (found?.reply) stones[found.reply] = other(puzzle.turn);
    this.board?.show({
      stones,
      turn: tried || found ? null : puzzle.turn,
      last: found?.reply ?? tried ?? puzzle.last,
      overlay: found ? this.#overlay(found) : {},
      variation: found && this.line ? this.#variation(found) : [],
    });
    const name = settings.colourName(puzzle.turn);
    this.title.replaceChildren(h("span", { class: `dot ${puzzle.turn}`, "aria-hidden": "true" }), `Find ${name}'s only winning move`);
    this.about.replaceChildren(dots(puzzle.grade), h("span", { text: `Grade ${puzzle.grade} · ${puzzle.width}×${puzzle.height} · ${missedBy(puzzle)}` }));
    this.#says();
    this.#buttons();
    const { puzzles, streak, best } = progress.kept;
    const solved = this.list.filter((each) => puzzles[each.id] === "solved").length;
    this.score.textContent = `Solved ${solved} of ${this.list.length} · streak ${streak}${best > streak ? ` · best ${best}` : ""}`;
  }

  /** @param {Explained} found */
  #overlay(found) {
    /** @type {Record<string, string>} */
    const notes = {};
    for (const cell of found.carrier) notes[cell] = `${settings.colourName(found.winner)}'s connection`;
    const colour = found.winner === this.puzzle?.turn ? "var(--good)" : "var(--warm)";
    const tints = Object.fromEntries(found.carrier.map((cell) => [cell, { colour, strength: 0.32 }]));
    return { tints, carriers: this.line ? [] : [{ cells: found.carrier, colour: found.winner }], notes };
  }

  /** @param {Explained} found */
  #variation(found) {
    const turn = this.puzzle?.turn ?? "black";
    const next = found.reply ? turn : other(turn);
    return found.variation.map((cell, index) => ({ cell, colour: index % 2 ? other(next) : next, number: index + 1 }));
  }

  #says() {
    const { found } = this;
    this.verdict.className = `verdict ${found ? (found.right ? "right" : found.only ? "shown" : "wrong") : ""}`;
    if (!found) return void this.verdict.replaceChildren(h("p", { text: this.tried ? "…" : "" }));
    const head = found.right ? "Right" : found.only ? "The answer" : "Not this one";
    this.verdict.replaceChildren(h("strong", { text: head }), h("p", { text: settings.speak(found.text) }));
    if (found.carrier.length && found.variation.length > 1) {
      this.verdict.append(toggle("Show how it may go on", this.line, (on) => {
        this.line = on;
        this.show();
      }));
    }
  }

  #buttons() {
    const { found } = this;
    const made = [];
    if (found && !found.only) made.push(button("Try again", () => this.#again(), { icon: "undo", kind: "primary", title: "Try again (r)" }));
    if (!found || !found.only) made.push(button("Show answer", () => this.#answer(), { icon: "bulb", title: "Show the answer (a)" }));
    const solved = !!found?.only;
    made.push(button(solved ? "Next" : "Another", () => this.#open(this.#another()), { icon: "next", kind: solved ? "primary" : "", title: "Next puzzle (n)" }));
    if (solved) made.push(button("Analyse", () => this.#analyse(), { icon: "chart" }));
    const focused = this.actions.contains(document.activeElement);
    this.actions.replaceChildren(...made);
    if (focused) made[0].focus();
  }

  #answer() {
    this.found = this.tried = null;
    this.#try(null);
  }

  /** Which puzzles are asked: by size and grade, with how many of each are solved. */
  #choices() {
    const { grades, size, puzzles } = progress.kept;
    const sizes = [...new Set(this.list.map((puzzle) => puzzle.width))].sort((a, b) => a - b);
    const grade = (/** @type {number} */ number) => {
      const all = this.list.filter((puzzle) => puzzle.grade === number && (!size || puzzle.width === size));
      const solved = all.filter((puzzle) => puzzles[puzzle.id] === "solved").length;
      const made = h("button", { type: "button", class: "grade", "aria-pressed": String(grades.includes(number)), disabled: !all.length },
        dots(number), h("span", { text: `Grade ${number}` }), h("meter", { min: 0, max: all.length || 1, value: solved, "aria-hidden": "true" }),
        h("small", { text: `${solved}/${all.length}` }));
      made.addEventListener("click", () => {
        progress.put("grades", grades.includes(number) ? grades.filter((each) => each !== number) : [...grades, number].sort());
        this.#choices();
      });
      return made;
    };
    const held = this.choice.contains(document.activeElement) ? [...this.choice.querySelectorAll("button, input")].indexOf(/** @type {any} */ (document.activeElement)) : -1;
    this.choice.replaceChildren(
      segmented("Board", [[0, "Any"], ...sizes.map((each) => /** @type {[number, string]} */ ([each, String(each)]))], size, (value) => {
        progress.put("size", value);
        this.#choices();
      }),
      h("fieldset", { class: "grade-list" }, h("legend", { text: "Grades" }), ...GRADES.map(grade)));
    if (held >= 0) /** @type {HTMLElement | undefined} */ ([...this.choice.querySelectorAll("button, input")][held])?.focus();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (!isForPage(event)) return;
    if (event.key === "n") this.#open(this.#another());
    else if (event.key === "r" && this.found && !this.found.only) this.#again();
    else if (event.key === "a" && !this.found?.only) this.#answer();
    else return;
    event.preventDefault();
  }
}

/** @param {Question} puzzle */
function missedBy({ missed, asked }) {
  if (missed === 0) return `all ${asked} players found it`;
  if (missed === asked) return `none of ${asked} players found it`;
  return `${missed} of ${asked} players missed it`;
}

/** @param {number} grade */
function dots(grade) {
  return h("span", { class: "dots", "aria-hidden": "true" }, ...GRADES.map((number) => h("i", { class: number <= grade ? "on" : "" })));
}
