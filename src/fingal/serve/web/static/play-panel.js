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

/** @param {Advice} hint @param {Colour} turn whose move it is @param {() => void} close */
export function hintCard(hint, turn, close) {
  const rate = winRate(hint.value, turn);
  const words = hint.move === "swap-pieces" ? "Swap" : moveText(hint.move);
  // Where the reason has a figure of its own, that is the same one.
  const figure =
    rate > 0 && rate < 100 && !hint.reason.includes("%")
      ? h("span", { class: "soft", text: ` Win rate ${rate}%.` })
      : null;
  const lead = h("strong", { text: `${words}. ` });
  const cross = button("Close the hint", close, { icon: "close", bare: true, kind: "quiet" });
  return h("div", { class: "notice hint" }, h("p", {}, lead, settings.speak(hint.reason), figure), cross);
}

/** A hint takes a second or two. */
export function waitCard() {
  return h("div", { class: "notice" }, h("p", { class: "soft", text: "Looking for a good move…" }));
}

/**
 * The buttons of a game: while it lasts, and when it is over. They are made once and shown or hidden, so that one that
 * has the focus keeps it.
 */
export class GameButtons {
  /** @param {PlayPage} page */
  constructor(page) {
    this.page = page;
    this.swap = button("Swap", () => page.swap(), {
      icon: "swap",
      kind: "primary swap",
      title: "Take over the first stone: it is mirrored and becomes yours",
    });
    this.review = button("Review", () => page.app.go(`#/analyse/${page.game.id}?review`), {
      icon: "chart",
      kind: "primary",
      title: "What each move lost, and what was better",
    });
    this.again = button("Again", () => rematch(page.app, page.game.settings), {
      icon: "flip",
      title: "The same players, colours exchanged",
    });
    this.undo = button("Undo", () => page.takeBack(), { icon: "undo", title: "Take the last move back" });
    this.hint = button("Hint", () => page.askHint(), { icon: "bulb", title: "What would a strong player do?" });
    this.resign = button("Resign", () => page.resign(), { icon: "flag" });
    this.analyse = button("Analyse", () => page.analyse(), { icon: "chart" });
    const fresh = button("New", () => newGameDialog(page.app), { icon: "plus", title: "New game" });
    const all = [this.swap, this.review, this.again, this.undo, this.hint, this.resign, this.analyse, fresh];
    this.element = h("div", { class: "actions", role: "group", "aria-label": "Game" }, ...all);
  }

  /** @param {boolean} free whether a person may move @param {boolean} over @param {boolean} canSwap */
  show(free, over, canSwap) {
    const focused = document.activeElement;
    this.swap.hidden = !free || !canSwap;
    this.review.hidden = this.again.hidden = !over;
    this.hint.hidden = this.resign.hidden = this.analyse.hidden = over;
    may(this.undo, Object.values(this.page.seats).includes("person") && this.page.game.tip !== 0);
    may(this.hint, free && !this.page.asking);
    may(this.resign, free);
    if (!(focused instanceof HTMLElement) || !focused.hidden || !this.element.contains(focused)) return;
    (over ? this.review : this.undo).focus();
  }
}

/**
 * Not `disabled`, which would take the focus away whenever the engine thinks.
 * @param {HTMLElement} act @param {boolean} yes
 */
function may(act, yes) {
  act.setAttribute("aria-disabled", String(!yes));
}
