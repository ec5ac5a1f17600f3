// @ts-check
/** The review of a whole game: each move's loss, the three biggest mistakes, and whether to have swapped. */

import { h } from "./dom.js";
import { moveText } from "./moves.js";
import { lossLevel } from "./overlays.js";
import { settings } from "./settings.js";
import { button, complain, winRate } from "./ui.js";

/** @typedef {import("./game.js").Game} Game */
/** @typedef {import("./types.js").ReviewMessage} ReviewMessage */
/** @typedef {import("./types.js").Reviewed} Reviewed */
/** @typedef {import("./types.js").Colour} Colour */

const GRADES = ["best", "good", "inaccuracies", "mistakes", "blunders"];

export class ReviewPanel {
  /**
   * @param {Game} game
   * @param {{go: (node: number) => void, preview: (moves: string[], node: number) => void, changed: () => void,
   *   end: () => number, busy: (busy: boolean) => void}} page
   */
  constructor(game, page) {
    this.game = game;
    this.page = page;
    /** @type {ReviewMessage | null} */
    this.found = null;
    this.running = false;
    this.element = h("div", { class: "review" });
    this.draw();
  }

  /** What the moves lost, by node. @returns {Map<number, Reviewed>} */
  get moves() {
    return new Map((this.found?.moves ?? []).map((move) => [move.node, move]));
  }

  async start() {
    if (this.running) return;
    this.running = true;
    this.found = null;
    this.draw();
    this.page.busy(true);
    try {
      await this.game.ask("review", { node: this.page.end() }, (message) => {
        this.found = message;
        this.draw();
        this.page.changed();
      });
    } catch (error) {
      complain(error);
    }
    this.running = false;
    this.page.busy(false);
    this.draw();
    this.page.changed();
  }

  draw() {
    const { found } = this;
    if (!found && !this.running) {
      this.element.replaceChildren(
        h("p", { class: "soft", text: "Every move is looked at: what it lost, and what was better." }),
        button("Review the game", () => this.start(), { icon: "magic", kind: "primary" }),
      );
      return;
    }
    if (!found?.done) {
      const share = Math.round(100 * (found?.share ?? 0));
      if (!this.element.querySelector("progress")) {
        this.element.replaceChildren(h("label", { class: "busy" }, h("span"), h("progress", { max: 100 })));
      }
      const bar = this.element.querySelector("progress");
      const words = this.element.querySelector(".busy span");
      if (bar) bar.value = share;
      if (words) words.textContent = `Looking at every move: ${share}%`;
      return;
    }
    const moves = this.moves;
    const { black, white } = this.game.settings;
    const mine = (black === "person") === (white === "person") ? null : black === "person" ? "black" : "white";
    // Against an engine only the person's own are of interest; otherwise the three that the server names.
    const mistakes = mine
      ? found.moves
          .filter((move) => this.game.node(move.node)?.colour === mine && lossLevel(move.loss) > 1)
          .sort((a, b) => b.loss - a.loss)
          .slice(0, 3)
      : found.mistakes.map((node) => moves.get(node)).filter((move) => move !== undefined);
    const title = mine
      ? `Your ${["", "biggest mistake", "two biggest mistakes", "three biggest mistakes"][mistakes.length]}`
      : "The biggest mistakes";
    this.element.replaceChildren(
      h("h2", { text: mistakes.length ? title : "No mistakes that mattered" }),
      h("ol", { class: "mistakes" }, ...mistakes.map((move) => this.#mistake(move))),
      found.swap
        ? h(
            "div",
            { class: "notice swap-advice" },
            h("strong", { text: "Should White have swapped? ".replace("White", settings.colourName("white")) }),
            h("span", { text: settings.speak(found.swap.text) }),
          )
        : "",
      this.#table(found.moves),
      button("Review again", () => this.start(), { icon: "flip" }),
    );
  }

  /** How many moves of each grade, by player. @param {Reviewed[]} moves */
  #table(moves) {
    const counts = { black: [0, 0, 0, 0, 0], white: [0, 0, 0, 0, 0] };
    const lost = { black: [0, 0], white: [0, 0] };
    for (const move of moves) {
      const colour = this.game.node(move.node)?.colour;
      if (!colour) continue;
      counts[colour][lossLevel(move.loss)] += 1;
      lost[colour][0] += move.loss / 2;
      lost[colour][1] += 1;
    }
    /** @param {Colour} colour */
    const column = (colour) =>
      lost[colour][1] ? `${(100 * (1 - lost[colour][0] / lost[colour][1])).toFixed(0)}%` : "–";
    const body = h(
      "tbody",
      {},
      h(
        "tr",
        {},
        h("th", { scope: "row", text: "accuracy" }),
        h("td", { text: column("black") }),
        h("td", { text: column("white") }),
      ),
    );
    GRADES.forEach((grade, level) => {
      if (level === 1) return;
      const both = (/** @type {Colour} */ colour) => counts[colour][level] + (level === 0 ? counts[colour][1] : 0);
      body.append(
        h(
          "tr",
          { class: `loss-${level}` },
          h("th", { scope: "row", text: level ? grade : "good moves" }),
          h("td", { text: both("black") }),
          h("td", { text: both("white") }),
        ),
      );
    });
    return h(
      "table",
      { class: "grades" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("td"),
          h("th", { scope: "col", text: settings.colourName("black") }),
          h("th", { scope: "col", text: settings.colourName("white") }),
        ),
      ),
      body,
    );
  }

  /** @param {Reviewed} move */
  #mistake(move) {
    const node = this.game.node(move.node);
    const colour = node?.colour ?? "black";
    const parent = node?.parent ?? 0;
    const number = this.game.position(move.node).moves;
    const [before, after] = [winRate(move.before, colour), winRate(move.after, colour)];
    const item = h(
      "li",
      { class: `loss-${lossLevel(move.loss)}` },
      h(
        "button",
        { type: "button", class: "mistake", onclick: () => this.page.go(move.node) },
        h(
          "span",
          { class: "what" },
          h("i", { class: `dot ${colour}` }),
          h("b", { text: `${number}. ${moveText(node?.move)}` }),
          h("span", { class: "fall", text: `${before}% → ${after}%` }),
        ),
        h("small", { text: `Better: ${moveText(move.best)}${move.proven ? ", proven" : ""}` }),
      ),
      button("Show the better line", () => this.page.go(parent), { icon: "next", bare: true, kind: "quiet" }),
    );
    const shows = /** @type {HTMLElement} */ (item.lastElementChild);
    const line = () => this.page.preview(move.variation.length ? move.variation : [move.best], parent);
    shows.addEventListener("click", line);
    return item;
  }
}
