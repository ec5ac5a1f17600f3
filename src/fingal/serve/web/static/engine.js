// @ts-check
/** One engine that analyses: switched on and off, which player it is, its win rate and its best lines. */

import { h } from "./dom.js";
import { moveText } from "./moves.js";
import { candidateRate, lossColour } from "./overlays.js";
import { settings } from "./settings.js";
import { complain, short, winRate } from "./ui.js";

/** @typedef {import("./main.js").App} App */
/** @typedef {import("./game.js").Game} Game */
/** @typedef {import("./types.js").Analysis} Analysis */
/** @typedef {import("./types.js").Candidate} Candidate */

const ROWS = 5;

export class Engine {
  /**
   * @param {App} app @param {Game} game @param {0 | 1} slot
   * @param {{changed: () => void, preview: (slot: number, candidate: Candidate | null) => void,
   *   play: (move: string) => void}} page
   */
  constructor(app, game, slot, page) {
    this.app = app;
    this.game = game;
    this.slot = slot;
    this.page = page;
    this.on = false;
    this.resting = false;
    /** @type {string | null} */
    this.player = null;
    /** @type {Analysis | null} */
    this.analysis = null;
    /** The node that was asked about last. */
    this.node = -1;
    this.box = h("input", { type: "checkbox", role: "switch", "aria-label": slot ? "Second engine" : "Engine" });
    this.box.addEventListener("change", () => this.turn(this.box.checked));
    this.select = h("select", { class: "quiet", "aria-label": slot ? "Second player" : "Player" });
    this.text = h("input", {
      type: "text",
      hidden: true,
      maxlength: 200,
      placeholder: "puct:net=fingal-small",
      "aria-label": "A player's text",
      spellcheck: "false",
    });
    this.rate = h("strong", { class: "rate" });
    this.figures = h("small", { class: "figures" });
    this.bar = h("div", { class: "bar", "aria-hidden": "true" }, h("i"));
    this.rows = h("div", { class: "rows" });
    this.element = h(
      "section",
      { class: "engine", "aria-label": slot ? "Second engine" : "Engine" },
      h("div", { class: "head" }, h("label", { class: "toggle bare" }, this.box), this.rate, this.select, this.figures),
      this.text,
      this.bar,
      this.rows,
    );
    this.#players();
    this.ends = [app.socket.on("analysis", (message) => this.#hear(message)), app.socket.on("open", () => this.#ask())];
  }

  destroy() {
    for (const end of this.ends) end();
    if (this.on) this.#silence();
  }

  /** What people call the player. */
  get name() {
    return this.player && this.select.value === "other" ? this.player : (this.select.selectedOptions[0]?.text ?? "");
  }

  /** @param {boolean} on */
  turn(on) {
    this.on = on;
    this.box.checked = on;
    this.analysis = null;
    if (on) this.#ask();
    else this.#silence();
    this.draw();
    this.page.changed();
  }

  /** Rest while something else needs the machine, then go on. @param {boolean} resting */
  rest(resting) {
    this.resting = resting;
    if (!this.on) return;
    if (resting) this.#silence();
    else this.#ask();
  }

  /** Look at a node. @param {number} node */
  look(node) {
    if (node === this.node) return;
    this.node = node;
    this.analysis = null;
    // At the end of a game there is nothing to ask; what was asked before is not to go on for nobody.
    if (this.on && this.game.position(node).winner) this.#silence();
    else if (this.on) this.#ask();
    this.draw();
  }

  #silence() {
    this.app.socket.ask("stop", { slot: this.slot }).catch(() => {});
  }

  /** Take another player. @param {string | null} player */
  take(player) {
    this.player = player;
    const known = [...this.select.options].some((option) => option.value === (player ?? ""));
    this.select.value = known ? (player ?? "") : "other";
    this.text.hidden = this.select.value !== "other";
    if (!known) this.text.value = player ?? "";
    this.analysis = null;
    if (this.on) this.#ask();
  }

  #players() {
    this.select.append(
      h("option", { value: "", text: "Strongest" }),
      ...[...this.app.about.levels]
        .reverse()
        .map((level) => h("option", { value: `level:${level.name}`, text: level.title })),
      h("option", { value: "other", text: "Other…" }),
    );
    this.select.addEventListener("change", () => {
      this.text.hidden = this.select.value !== "other";
      if (this.select.value === "other") this.text.focus();
      else this.take(this.select.value || null);
      this.page.changed();
    });
    this.text.addEventListener("change", () => {
      this.take(this.text.value.trim() || null);
      this.page.changed();
    });
  }

  #ask() {
    if (!this.on || this.resting || this.node < 0 || this.game.position(this.node).winner) return;
    const body = { node: this.node, slot: this.slot, player: this.player, lines: 30 };
    this.game.ask("analyse", body).catch((error) => {
      if (error.code === "lost") return;
      this.on = this.box.checked = false;
      complain(error);
      this.draw();
    });
  }

  /** @param {Analysis} message */
  #hear(message) {
    if (!this.on || message.game !== this.game.id || message.slot !== this.slot || message.node !== this.node) return;
    this.analysis = message;
    this.draw();
    this.page.changed();
  }

  draw() {
    const { analysis } = this;
    const position = this.node < 0 ? null : this.game.position(this.node);
    this.element.classList.toggle("on", this.on);
    const ended = position?.winner ? (position.winner === "black" ? 100 : 0) : 50;
    const black = analysis
      ? analysis.proof
        ? provenRate(analysis, position?.turn ?? "black")
        : winRate(analysis.value)
      : ended;
    this.rate.textContent = !this.on
      ? "Engine"
      : analysis
        ? `${settings.colourName("black")} ${black}%`
        : position?.winner
          ? "Game over"
          : "…";
    this.figures.replaceChildren(
      ...(analysis ? [short(analysis.visits), h("span", { class: "unit", text: " visits" })] : []),
    );
    this.figures.title = analysis ? `${analysis.player}, ${speed(analysis)}` : "";
    this.bar.hidden = this.rows.hidden = !this.on;
    /** @type {HTMLElement} */ (this.bar.firstElementChild).style.width = `${black}%`;
    const shown = analysis?.candidates.slice(0, ROWS) ?? [];
    // Rows are kept and only their words change, so that one can be pointed at while it streams.
    while (this.rows.children.length < shown.length) this.rows.append(this.#row());
    while (this.rows.children.length > shown.length) this.rows.lastElementChild?.remove();
    shown.forEach((candidate, index) => {
      const row = /** @type {HTMLElement} */ (this.rows.children[index]);
      const [mark, move, rate, visits, line] = /** @type {HTMLElement[]} */ ([...row.children]);
      mark.style.background = lossColour(candidate.loss);
      move.textContent = candidate.move;
      const text = candidateRate(candidate, position?.turn ?? "black");
      rate.textContent = candidate.proof ? text : `${text}%`;
      visits.textContent = short(candidate.visits);
      line.textContent = candidate.variation.slice(1, 12).map(moveText).join(" ");
      row.dataset.move = candidate.move;
      row.setAttribute("aria-label", `${candidate.move}, win rate ${rate.textContent}, ${candidate.visits} visits`);
    });
  }

  #row() {
    const row = h(
      "button",
      { type: "button", class: "row-line" },
      h("i"),
      h("b"),
      h("span", { class: "percent" }),
      h("span", { class: "visits" }),
      h("span", { class: "pv" }),
    );
    const candidate = () => this.analysis?.candidates.find((found) => found.move === row.dataset.move) ?? null;
    row.addEventListener("pointerenter", () => this.page.preview(this.slot, candidate()));
    row.addEventListener("focus", () => this.page.preview(this.slot, candidate()));
    row.addEventListener("pointerleave", () => this.page.preview(this.slot, null));
    row.addEventListener("blur", () => this.page.preview(this.slot, null));
    row.addEventListener("click", () => row.dataset.move && this.page.play(row.dataset.move));
    return row;
  }
}

/** @param {Analysis} analysis @param {"black" | "white"} turn */
const provenRate = (analysis, turn) => (analysis.proof > 0 === (turn === "black") ? 100 : 0);

/** @param {Analysis} analysis */
const speed = (analysis) => `${short(Math.round(analysis.visits / Math.max(analysis.seconds, 0.1)))}/s`;
