// @ts-check
/** The page to learn from: puzzles with one winning move, and when to swap. */

import { mountParts } from "./learn-parts.js";
import { mountPuzzles } from "./learn-puzzles.js";
import { mountSwap } from "./learn-swap.js";

/** @typedef {import("./main.js").App} App */

const PARTS = /** @type {const} */ ([
  ["puzzles", "Puzzles"],
  ["swap", "Swap trainer"],
]);

/** @param {HTMLElement} container @param {App} app */
export function mount(container, app) {
  return mountParts(container, app, "learn", "Learn", PARTS, (name, place, rest) =>
    name === "swap" ? mountSwap(place, app, rest) : mountPuzzles(place, app, rest));
}
