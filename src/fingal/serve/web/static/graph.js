// @ts-check
/**
 * The win-rate graph of a line: Black's win rate after each move, and each move's loss as a bar of its colour.
 *
 * A click or a drag goes to the move; it is also a slider for the keyboard.
 */

import { h, s } from "./dom.js";
import { moveText } from "./moves.js";
import { lossLevel } from "./overlays.js";
import { settings } from "./settings.js";
import { winRate } from "./ui.js";

/** @typedef {import("./types.js").Colour} Colour */
/** @typedef {{node: number, move: string, colour: Colour, value: number | null, loss: number | null}} Point */

const WIDE = 600;
const HIGH = 110;

export class Graph {
  /** @param {(node: number) => void} go */
  constructor(go) {
    this.go = go;
    /** @type {Point[]} */
    this.points = [];
    this.at = 0;
    this.svg = s("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, preserveAspectRatio: "none", "aria-hidden": "true" });
    this.tip = h("span", { class: "tip", hidden: true });
    this.nothing = h("span", {
      class: "no-graph",
      text: "The win rate by move: walk through the game with the engine on, or review it.",
    });
    this.element = h(
      "div",
      {
        class: "graph",
        role: "slider",
        tabindex: 0,
        "aria-label": "Win rate by move",
        "aria-valuemin": 0,
      },
      this.svg,
      this.nothing,
      this.tip,
    );
    this.element.addEventListener("pointerdown", (event) => {
      this.element.setPointerCapture(event.pointerId);
      this.#pick(event);
    });
    this.element.addEventListener("pointermove", (event) => {
      this.#point(event);
      if (this.element.hasPointerCapture(event.pointerId)) this.#pick(event);
    });
    this.element.addEventListener("pointerleave", () => (this.tip.hidden = true));
  }

  /** @param {Point[]} points the root first, with no move @param {number} cursor */
  show(points, cursor) {
    this.points = points;
    this.at = Math.max(
      0,
      points.findIndex((point) => point.node === cursor),
    );
    const known = points.filter((point) => point.value !== null);
    // It keeps its place while there is nothing to draw: the board above would jump.
    const empty = known.length < 2;
    this.element.classList.toggle("empty", empty);
    this.nothing.hidden = !empty;
    this.element.setAttribute("aria-valuemax", String(Math.max(0, points.length - 1)));
    this.element.setAttribute("aria-valuenow", String(this.at));
    this.element.setAttribute("aria-valuetext", this.#words(this.at));
    if (empty) return this.svg.replaceChildren();
    const x = (/** @type {number} */ index) => (WIDE * index) / Math.max(1, points.length - 1);
    const y = (/** @type {number} */ value) => HIGH / 2 - (value * (HIGH - 8)) / 2;
    const line = points
      .map((point, index) => (point.value === null ? "" : `${x(index).toFixed(1)},${y(point.value).toFixed(1)}`))
      .filter(Boolean);
    const first = points.findIndex((point) => point.value !== null);
    const last = points.length - 1 - [...points].reverse().findIndex((point) => point.value !== null);
    const bars = points.map((point, index) => {
      if (point.loss === null || lossLevel(point.loss) < 2) return null;
      const high = Math.max(6, (point.loss / 2) * HIGH * 0.9);
      const wide = Math.min(10, WIDE / points.length - 1);
      const top = point.colour === "black" ? 0 : HIGH - high;
      return s("rect", {
        class: `loss-${lossLevel(point.loss)}`,
        x: x(index) - wide / 2,
        y: top,
        width: wide,
        height: high,
      });
    });
    this.svg.replaceChildren(
      s("rect", { class: "upper", width: WIDE, height: HIGH }),
      s("polygon", { class: "area", points: `${x(first)},${HIGH} ${line.join(" ")} ${x(last)},${HIGH}` }),
      s("line", { class: "even", x1: 0, x2: WIDE, y1: HIGH / 2, y2: HIGH / 2 }),
      ...bars.filter((bar) => bar !== null),
      s("polyline", { class: "curve", points: line.join(" ") }),
      s("line", { class: "here", x1: x(this.at), x2: x(this.at), y1: 0, y2: HIGH }),
    );
  }

  /** @param {number} index */
  #words(index) {
    const point = this.points[index];
    if (!point) return "";
    const name = point.move ? `${index}. ${moveText(point.move)}` : "start";
    const rate = point.value === null ? "" : `, ${settings.colourName("black")} ${winRate(point.value)}%`;
    const loss = point.loss !== null && point.loss > 0.02 ? `, lost ${Math.round(50 * point.loss)} points` : "";
    return name + rate + loss;
  }

  /** @param {PointerEvent} event */
  #index(event) {
    const { left, width } = this.element.getBoundingClientRect();
    return Math.round(((event.clientX - left) / width) * (this.points.length - 1));
  }

  /** @param {PointerEvent} event */
  #pick(event) {
    const point = this.points[Math.min(Math.max(this.#index(event), 0), this.points.length - 1)];
    if (point) this.go(point.node);
  }

  /** @param {PointerEvent} event */
  #point(event) {
    const index = Math.min(Math.max(this.#index(event), 0), this.points.length - 1);
    this.tip.hidden = false;
    this.tip.textContent = this.#words(index);
    const share = index / Math.max(1, this.points.length - 1);
    this.tip.style.left = `${100 * share}%`;
    this.tip.style.transform = `translateX(${-100 * share}%)`;
  }
}
