// @ts-check
/** What stands beside the board of a game: the teacher's warning, the hint, and the buttons. */

import { h } from "./dom.js";
import { moveText } from "./moves.js";
import { newGameDialog, rematch } from "./new-game.js";
import { isCell } from "./rules.js";
import { settings } from "./settings.js";
import { button, winRate } from "./ui.js";

/** @typedef {import("./play.js").PlayPage} PlayPage */
/** @typedef {import("./types.js").Advice} Advice */
/** @typedef {import("./types.js").Colour} Colour */
/** @typedef {import("./types.js").Warned} Warned */

/** @param {Warned} warning @param {() => void} takeBack @param {() => void} keep */
export function warningCard({ loss, better, reason }, takeBack, keep) {
  const lead = h("strong", { text: loss >= 0.9 ? "That move loses the game. " : "There was better. " });
  const choices = h(
    "div",
    { class: "row" },
    button("Take it back", takeBack, { icon: "undo", kind: "primary" }),
    button("Keep it", keep),
    isCell(better) ? h("small", { text: `Better: ${better}` }) : null,
  );
  return h("div", { class: "notice warn" }, h("p", {}, lead, settings.speak(reason)), choices);
}

/** @param {Advice} hint @param {Colour} turn whose move it is */
export function hintCard(hint, turn) {
  const rate = winRate(hint.value, turn);
  const words = hint.move === "swap-pieces" ? "Swap" : moveText(hint.move);
  const figure = rate > 0 && rate < 100 ? h("span", { class: "soft", text: ` Win rate ${rate}%.` }) : null;
  const lead = h("strong", { text: `${words}. ` });
  return h("div", { class: "notice" }, h("p", {}, lead, settings.speak(hint.reason), figure));
}

/**
 * The buttons of a game: while it lasts, and when it is over.
 * @param {PlayPage} page @param {boolean} free whether a person may move
 * @param {boolean} over @param {boolean} canSwap
 */
export function gameButtons(page, free, over, canSwap) {
  const person = Object.values(page.seats).includes("person");
  const undo = button("Undo", () => page.takeBack(), { icon: "undo", title: "Take the last move back" });
  undo.disabled = !person || page.game.tip === 0;
  const again = button("New", () => newGameDialog(page.app), { icon: "plus", title: "New game" });
  if (over) {
    const review = button("Review", () => page.app.go(`#/analyse/${page.game.id}?review`), {
      icon: "chart",
      kind: "primary",
      title: "What each move lost, and what was better",
    });
    const same = button("Again", () => rematch(page.app, page.game.settings), {
      icon: "flip",
      title: "The same players, colours exchanged",
    });
    return [review, same, undo, again];
  }
  const hint = button("Hint", () => page.askHint(), { icon: "bulb", title: "What would a strong player do?" });
  const resign = button("Resign", () => page.resign(), { icon: "flag" });
  hint.disabled = resign.disabled = !free;
  const swap = button("Swap", () => page.play("swap-pieces"), {
    icon: "swap",
    kind: "primary swap",
    title: "Take over the first stone: it is mirrored and becomes yours",
  });
  const analyse = button("Analyse", () => page.analyse(), { icon: "chart" });
  return [...(canSwap && free ? [swap] : []), undo, hint, resign, analyse, again];
}
