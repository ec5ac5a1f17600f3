// @ts-check
/**
 * Small line charts as SVG: axes, a legend, and a read-out under the mouse, a finger or the arrow keys.
 *
 *     const chart = new Chart("policy loss", { label: "step" });
 *     container.append(chart.element);
 *     chart.show([{ name: "alphazero", hue: 0, points: [[0, 1.2], [10, 0.9]] }]);
 *
 * A series' hue is its number among the colours of charts (--curve-0 to --curve-7 in watch.css), and its dash besides,
 * so that nobody has to tell colours apart. Points come in the order of x.
 */

import { h, s } from "./dom.js";

/** @typedef {[number, number]} Point */
/** @typedef {{name: string, hue: number, points: Point[]}} Series */

const WIDE = 360;
const HIGH = 200;
const LEFT = 46;
const RIGHT = 12;
const TOP = 10;
const BOTTOM = 26;
export const HUES = 8;

/** With more points than this a curve is a thicket. */
const CROWDED = 160;

/**
 * Round numbers from one to the other, about so many.
 * @param {number} low @param {number} high @param {number} count @returns {number[]}
 */
export function ticks(low, high, count) {
  const span = high - low;
  if (!(span > 0) || !Number.isFinite(span)) return [low];
  const power = 10 ** Math.floor(Math.log10(span / count));
  const step = power * ([1, 2, 5, 10].find((factor) => span / (factor * power) <= count) ?? 10);
  const found = [];
  for (let index = Math.ceil(low / step - 1e-9); index * step <= high + 1e-9 * step; index++) found.push(index * step);
  return found;
}

/** A number as short as it can be read. @param {number} value */
export function figure(value) {
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size >= 1e9) return `${trim(value / 1e9)}G`;
  if (size >= 1e6) return `${trim(value / 1e6)}M`;
  if (size >= 1e4) return `${trim(value / 1e3)}k`;
  if (size < 1e-3) return value.toExponential(1).replace("e-", "e−");
  return trim(value).replace("-", "−");
}

/** @param {number} value */
function trim(value) {
  return String(Number(value.toPrecision(3)));
}

/** The lowest and highest, with a little room; never nothing at all. @param {number[]} values @returns {[number, number]} */
export function range(values) {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (low > high) return [0, 1];
  if (low === high) return [low - (Math.abs(low) || 1) * 0.5, high + (Math.abs(high) || 1) * 0.5];
  // A share or a count that begins near nothing is shown from nothing on.
  const room = 0.06 * (high - low);
  return [low >= 0 && low < 0.35 * (high - low) ? 0 : low - room, high + room];
}

/** The number of the point nearest to an x. @param {Point[]} points @param {number} x */
export function nearest(points, x) {
  let low = 0;
  let high = points.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (points[middle][0] < x) low = middle + 1;
    else high = middle;
  }
  return low > 0 && x - points[low - 1][0] <= points[low][0] - x ? low - 1 : low;
}

/** Means over the points around each, about a fiftieth of all; the ends stay where they are. @param {Point[]} points @returns {Point[]} */
export function smooth(points) {
  const reach = Math.max(1, Math.round(points.length / 100));
  const sums = [0];
  for (const [, y] of points) sums.push(sums[sums.length - 1] + y);
  return points.map(([x], index) => {
    const near = Math.min(reach, index, points.length - 1 - index);
    return [x, (sums[index + near + 1] - sums[index - near]) / (2 * near + 1)];
  });
}

export class Chart {
  /** @param {string} title @param {{label?: string}} [look] label: of the x axis */
  constructor(title, look = {}) {
    this.title = title;
    this.label = look.label ?? "step";
    /** @type {Series[]} */
    this.series = [];
    /** Where the read-out is; null: nowhere. @type {number | null} */
    this.at = null;
    /** @type {(value: number) => number} */
    this.x = (value) => value;
    /** @type {(value: number) => number} */
    this.y = (value) => value;
    this.domain = [0, 1];
    /** What the legend says of each series. @type {HTMLElement[]} */
    this.values = [];
    this.svg = s("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, "aria-hidden": "true" });
    this.plot = h("div", { class: "plot", role: "slider", tabindex: 0, "aria-label": title }, this.svg);
    this.now = h("output", { class: "now" });
    this.legend = h("ul", { class: "legend" });
    this.element = h("figure", { class: "chart" },
      h("figcaption", {}, h("span", { class: "name", text: title }), this.now), this.plot, this.legend);
    this.plot.addEventListener("pointermove", (event) => this.#point(event));
    this.plot.addEventListener("pointerdown", (event) => this.#point(event));
    this.plot.addEventListener("pointerleave", () => this.#look(null));
    this.plot.addEventListener("blur", () => this.#look(null));
    this.plot.addEventListener("keydown", (event) => this.#key(event));
  }

  /** @param {Series[]} series */
  show(series) {
    this.series = series.filter((each) => each.points.length > 0);
    this.element.hidden = this.series.length === 0;
    if (!this.series.length) return;
    const begin = Math.min(...this.series.map(({ points }) => points[0][0]));
    const end = Math.max(begin + 1e-9, ...this.series.map(({ points }) => points[points.length - 1][0]));
    const [low, high] = range(this.series.flatMap((each) => each.points.map(([, y]) => y)));
    this.domain = [begin, end];
    this.x = (value) => LEFT + ((value - begin) / (end - begin)) * (WIDE - LEFT - RIGHT);
    this.y = (value) => HIGH - BOTTOM - ((value - low) / (high - low)) * (HIGH - TOP - BOTTOM);
    const axes = s("g", { class: "axes" });
    for (const tick of ticks(low, high, 5)) {
      axes.append(s("line", { class: "rule", x1: LEFT, x2: WIDE - RIGHT, y1: this.y(tick), y2: this.y(tick) }),
        s("text", { class: "left", x: LEFT - 6, y: this.y(tick) + 3.5, text: figure(tick) }));
    }
    for (const tick of ticks(begin, end, 4)) {
      axes.append(s("line", { class: "tick", x1: this.x(tick), x2: this.x(tick), y1: HIGH - BOTTOM, y2: HIGH - BOTTOM + 4 }),
        s("text", { class: "below", x: this.x(tick), y: HIGH - BOTTOM + 16, text: figure(tick) }));
    }
    axes.append(s("line", { class: "base", x1: LEFT, x2: WIDE - RIGHT, y1: HIGH - BOTTOM, y2: HIGH - BOTTOM }));
    const curves = this.series.flatMap(({ hue, points }) => this.#curve(`hue-${hue % HUES}`, points));
    this.readout = s("g", { class: "readout" });
    this.svg.replaceChildren(axes, ...curves, this.readout);
    this.legend.hidden = this.series.length < 2;
    this.values = this.series.map(() => h("b"));
    this.legend.replaceChildren(...this.series.map(({ name, hue }, index) => h("li", {}, swatch(hue), h("span", { text: name }), this.values[index])));
    this.#look(this.at);
  }

  /** A curve; of one with many points also its mean over some of them, with the points themselves faint behind it.
   * @param {string} hue @param {Point[]} points @returns {SVGElement[]} */
  #curve(hue, points) {
    if (points.length === 1) return [s("circle", { class: `point ${hue}`, cx: this.x(points[0][0]), cy: this.y(points[0][1]), r: 3 })];
    const drawn = s("polyline", { class: `curve ${hue}`, points: this.#line(points.length > CROWDED ? smooth(points) : points) });
    return points.length > CROWDED ? [s("polyline", { class: `curve faint ${hue}`, points: this.#line(points) }), drawn] : [drawn];
  }

  /** @param {Point[]} points */
  #line(points) {
    return points.map(([x, y]) => `${this.x(x).toFixed(1)},${this.y(y).toFixed(1)}`).join(" ");
  }

  /** @param {PointerEvent} event */
  #point(event) {
    const { left, width } = this.svg.getBoundingClientRect();
    if (!width) return;
    const [begin, end] = this.domain;
    const share = (((event.clientX - left) / width) * WIDE - LEFT) / (WIDE - LEFT - RIGHT);
    this.#look(begin + Math.min(Math.max(share, 0), 1) * (end - begin));
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const longest = this.series.reduce((best, each) => (each.points.length > best.length ? each.points : best), /** @type {Point[]} */ ([]));
    if (!longest.length) return;
    const at = this.at === null ? longest.length - 1 : nearest(longest, this.at);
    const far = Math.max(1, Math.round(longest.length / 10));
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: longest.length - 1, PageUp: at - far, PageDown: at + far,
      ArrowDown: at - 1, ArrowUp: at + 1 }[event.key];
    if (event.key === "Escape") this.#look(null);
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.#look(longest[Math.min(Math.max(to, 0), longest.length - 1)][0]);
  }

  /** Read out the values at an x, or the latest ones. @param {number | null} x */
  #look(x) {
    this.at = x;
    const [begin, end] = this.domain;
    this.readout?.replaceChildren();
    /** @type {string[]} */
    const words = [];
    let step = end;
    for (const [index, { name, hue, points }] of this.series.entries()) {
      const [at, value] = x === null ? points[points.length - 1] : points[nearest(points, x)];
      step = x === null ? end : at;
      words.push(this.series.length > 1 ? `${name} ${figure(value)}` : figure(value));
      this.values[index].textContent = figure(value);
      if (x !== null) this.readout?.append(s("circle", { class: `point hue-${hue % HUES}`, cx: this.x(at), cy: this.y(value), r: 3.5 }));
    }
    if (x !== null) {
      const line = s("line", { class: "here", x1: this.x(step), x2: this.x(step), y1: TOP, y2: HIGH - BOTTOM });
      this.readout?.prepend(line);
    }
    const where = x === null ? "" : `${this.label} ${figure(step)}`;
    this.now.textContent = [where, this.series.length > 1 ? "" : words[0]].filter(Boolean).join(": ");
    this.plot.setAttribute("aria-valuemin", String(begin));
    this.plot.setAttribute("aria-valuemax", String(end));
    this.plot.setAttribute("aria-valuenow", String(x === null ? end : step));
    this.plot.setAttribute("aria-valuetext", `${this.label} ${figure(step)}: ${words.join(", ")}`);
  }
}

/** A line as a series is drawn. @param {number} hue */
export function swatch(hue) {
  return s("svg", { class: "swatch", viewBox: "0 0 22 8", "aria-hidden": "true" },
    s("line", { class: `curve hue-${hue % HUES}`, x1: 1, x2: 21, y1: 4, y2: 4 }));
}
