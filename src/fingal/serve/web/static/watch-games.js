// @ts-check
/** A run's latest games, replaying on a board one after another. */

import { api } from "./api.js";
import { Board } from "./board.js";
import { h } from "./dom.js";
import { ago } from "./lobby.js";
import { empty, follow } from "./rules.js";
import { settings } from "./settings.js";
import { button } from "./ui.js";
import { runAddress } from "./watch-rows.js";

/** @typedef {import("./types.js").Colour} Colour */
/** @typedef {{name: string, changed: number, width: number, height: number, moves: {colour: Colour, move: string}[], winner: Colour | null}} Sample */

/** A move stays so long, in milliseconds, and the end of a game so many times as long. */
const PACE = 600;
const REST = 6;

/** So often the latest games are asked for, in milliseconds. */
const EVERY = 15000;

export class Replay {
  constructor() {
    this.run = "";
    /** @type {Sample[]} */
    this.games = [];
    this.at = 0;
    this.ply = 0;
    this.asked = 0;
    this.timer = 0;
    this.playing = settings.moves();
    /** @type {Board | null} */
    this.board = null;
    this.field = h("div", { class: "replay-board" });
    this.caption = h("p", { class: "replay-caption" });
    this.slider = h("input", { type: "range", min: 0, max: 1, value: 0, "aria-label": "Move" });
    this.slider.addEventListener("input", () => {
      this.#play(false);
      this.#go(Number(this.slider.value));
    });
    this.toggle = button("Pause", () => this.#play(!this.playing), { icon: "stop" });
    this.element = h("section", { class: "replay", hidden: true, "aria-label": "Sample games" },
      h("h2", { text: "Sample games" }), this.field, this.caption,
      h("div", { class: "replay-controls" },
        button("Game before", () => this.#turn(-1), { icon: "first", bare: true, kind: "quiet" }),
        this.toggle, this.slider,
        button("Next game", () => this.#turn(1), { icon: "last", bare: true, kind: "quiet" })));
    this.#label();
  }

  destroy() {
    clearTimeout(this.timer);
    this.board?.destroy();
    this.run = "";
  }

  /** Show the games of a run, and now and then ask for newer ones. @param {string} run */
  async follow(run) {
    const now = Date.now();
    if (run === this.run && now - this.asked < EVERY) return;
    const other = run !== this.run;
    this.run = run;
    this.asked = now;
    /** @type {{games: Sample[]}} */
    const { games } = run ? await api(runAddress(run, "games")) : { games: [] };
    if (this.run !== run) return;
    const name = this.games[this.at]?.name;
    this.games = games;
    const still = games.findIndex((game) => game.name === name);
    this.element.hidden = games.length === 0;
    if (!games.length) return clearTimeout(this.timer);
    if (other || still < 0) this.#open(0);
    else this.at = still;
  }

  /** @param {number} at */
  #open(at) {
    this.at = at;
    const game = this.games[at];
    const options = { width: game.width, height: game.height, label: `Sample game, ${game.width} by ${game.height}` };
    if (!this.board) this.board = new Board(this.field, options);
    else this.board.set(options);
    this.slider.max = String(game.moves.length);
    this.#go(this.playing ? 0 : game.moves.length);
  }

  /** @param {number} step */
  #turn(step) {
    if (this.games.length) this.#open((this.at + step + this.games.length) % this.games.length);
  }

  /** Show the game after so many moves. @param {number} ply */
  #go(ply) {
    clearTimeout(this.timer);
    const game = this.games[this.at];
    this.ply = Math.min(ply, game.moves.length);
    let position = empty(game.width, game.height);
    game.moves.slice(0, this.ply).forEach(({ colour, move }, index) => {
      position = follow(position, { id: index + 1, parent: index, colour, move }, true);
    });
    this.board?.show({ stones: position.stones, turn: null, last: position.last, numbers: position.numbers, chain: position.chain });
    this.slider.value = String(this.ply);
    const end = this.ply === game.moves.length;
    const how = end && game.winner ? `${settings.colourName(game.winner)} wins` : `move ${this.ply} of ${game.moves.length}`;
    this.slider.setAttribute("aria-valuetext", how);
    this.caption.textContent = `Game ${this.at + 1} of ${this.games.length} · ${game.width}×${game.height} · ${ago(game.changed)} · ${how}`;
    if (!this.playing) return;
    this.timer = window.setTimeout(() => {
      if (document.hidden) this.#go(this.ply);
      else if (end) this.#turn(1);
      else this.#go(this.ply + 1);
    }, end ? PACE * REST : PACE);
  }

  /** @param {boolean} on */
  #play(on) {
    this.playing = on;
    clearTimeout(this.timer);
    this.#label();
    const length = this.games[this.at]?.moves.length ?? 0;
    if (on && this.games.length) this.#go(this.ply >= length ? 0 : this.ply);
  }

  #label() {
    const text = this.toggle.querySelector("span");
    if (text) text.textContent = this.playing ? "Pause" : "Play";
  }
}
