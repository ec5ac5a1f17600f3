// @ts-check
/** The keys, as a dialog. */

import { h } from "./dom.js";
import { dialog } from "./ui.js";

/** @type {[string[], string][]} */
const KEYS = [
  [["←", "→"], "one move back or on"],
  [["↑", "Home"], "to the start"],
  [["↓", "End"], "to the end of the line"],
  [["x"], "engine on or off"],
  [["Space"], "play the engine's best move"],
  [["r"], "review the game"],
  [["c"], "write a comment"],
  [["f"], "turn the board round"],
  [["u"], "undo, in a game"],
  [["h"], "hint, in a game"],
  [["s"], "swap, in a game"],
  [["?"], "this list"],
];
/** @type {[string[], string][]} */
const BOARD = [
  [["Tab"], "to the board"],
  [["←", "→", "↑", "↓"], "walk over the cells"],
  [["Enter"], "play there"],
  [["Shift", "Enter"], "mark the cell"],
  [["Esc"], "leave the board"],
];

export function showHelp() {
  const table = (/** @type {[string[], string][]} */ keys) =>
    h(
      "dl",
      { class: "keys" },
      ...keys.flatMap(([names, what]) => [
        h("dt", {}, ...names.map((name) => h("kbd", { text: name }))),
        h("dd", { text: what }),
      ]),
    );
  dialog("Keys", h("h3", { text: "Anywhere" }), table(KEYS), h("h3", { text: "On the board" }), table(BOARD));
}
