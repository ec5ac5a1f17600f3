// @ts-check
/** A player's strip beside the board: stone, name, who is to move, the clock. */

import { h } from "./dom.js";
import { settings } from "./settings.js";

/** @typedef {import("./game.js").Game} Game */
/** @typedef {import("./types.js").Colour} Colour */

export class Strip {
  /** @param {Colour} colour */
  constructor(colour) {
    this.colour = colour;
    this.name = h("span", { class: "name" });
    this.note = h("span", { class: "note" });
    this.time = h("span", { class: "time", role: "timer" });
    this.element = h(
      "div",
      { class: "strip" },
      h("i", { class: `dot ${colour}`, "aria-hidden": "true" }),
      h("span", { class: "who" }, this.name, this.note),
      this.time,
    );
    /** @type {Game | null} */
    this.game = null;
    this.timer = window.setInterval(() => this.#tick(), 200);
  }

  /** @param {Game} game @param {boolean} toMove @param {string} note */
  show(game, toMove, note) {
    this.game = game;
    const name = game.names[this.colour];
    const colour = settings.colourName(this.colour);
    // Against an engine 'You' is shorter than to find out one's colour; two people are called by theirs.
    const alone = game.settings.black !== game.settings.white;
    this.name.textContent = name && name.toLowerCase() !== "person" ? name : alone ? "You" : colour;
    this.note.textContent = note;
    this.element.classList.toggle("to-move", toMove);
    this.element.title = `${colour} joins ${this.colour === "black" ? "top and bottom" : "left and right"}`;
    this.#tick();
  }

  destroy() {
    clearInterval(this.timer);
  }

  #tick() {
    const clocks = this.game?.status.clocks;
    this.time.hidden = !clocks;
    if (!clocks || !this.game) return;
    const running = clocks.running === this.colour;
    const gone = running ? (performance.now() - this.game.heard) / 1000 : 0;
    const left = Math.max(0, clocks[this.colour] - gone);
    const text = clockText(left);
    if (this.time.textContent !== text) this.time.textContent = text;
    this.time.classList.toggle("running", running);
    this.time.classList.toggle("short", left < 20);
  }
}

/** 4:05, or 9.3 in the last ten seconds. @param {number} seconds */
export function clockText(seconds) {
  if (seconds < 10) return (Math.floor(seconds * 10) / 10).toFixed(1);
  const whole = Math.floor(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const rest = String(whole % 60).padStart(2, "0");
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}
