// @ts-check
/** The keys, as a dialog. */

import { h } from "./dom.js";
import { dialog } from "./ui.js";

/** @type {[string[], string][]} */
const BOTH = [
  [["←", "→"], "one move back or on"],
  [["↑", "Home"], "to the start"],
  [["↓", "End"], "to the end of the line"],
  [["f"], "turn the board round"],
];
/** @type {[string[], string][]} */
const GAME = [
  [["u"], "undo"],
  [["h"], "hint"],
  [["s"], "swap"],
];
/** @type {[string[], string][]} */
const ANALYSIS = [
  [["x"], "engine on or off"],
  [["Space"], "play the engine's best move"],
  [["r"], "review the game"],
  [["c"], "write a comment"],
];
/** @type {[string[], string][]} */
const BOARD = [
  [["Tab"], "to the board"],
  [["←", "→", "↑", "↓"], "walk over the cells"],
  [["Enter"], "play there"],
  [["Shift", "Enter"], "mark the cell"],
  [["Esc"], "leave the board"],
];
/** @type {[string[], string][]} */
const ANYWHERE = [[["?"], "this list"]];

export function showHelp() {
  const part = (/** @type {string} */ where, /** @type {[string[], string][]} */ keys) => [
    h("h3", { text: where }),
    h(
      "dl",
      { class: "keys" },
      ...keys.flatMap(([names, what]) => [
        h("dt", {}, ...names.map((name) => h("kbd", { text: name }))),
        h("dd", { text: what }),
      ]),
    ),
  ];
  dialog(
    "Keys",
    ...part("In a game and in the analysis", BOTH),
    ...part("In a game", GAME),
    ...part("In the analysis", ANALYSIS),
    ...part("On the board", BOARD),
    ...part("Anywhere", ANYWHERE),
  );
}
