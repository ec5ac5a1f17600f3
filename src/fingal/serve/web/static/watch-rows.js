// @ts-check
/** A run's figures as curves, read from where the last reading ended; a long run is thinned out as it grows. */

import { api } from "./api.js";

/** @typedef {import("./charts.js").Point} Point */
/** @typedef {{rows: Record<string, number>[], end: number, more: boolean, broken: number, anew: boolean}} Part */

/** Figures that only say how far a run has come. */
const LEFT_OUT = new Set(["step", "time", "minutes", "iteration"]);

/** So many points a curve has at most; a screen has no room for more. */
export const MOST_POINTS = 1200;

/** The address of something of a run, whose name may have slashes. @param {string} name @param {string} what */
export function runAddress(name, what) {
  return `runs/${name.split("/").map(encodeURIComponent).join("/")}/${what}`;
}

export class Curves {
  /** @param {string} name of the run */
  constructor(name) {
    this.name = name;
    /** @type {Map<string, Point[]>} */
    this.figures = new Map();
    /** The byte up to which it was read. */
    this.end = 0;
    this.broken = 0;
    this.before = this.last = 0;
    /** @type {Promise<boolean> | null} */
    this.reading = null;
  }

  clear() {
    this.figures.clear();
    this.end = this.broken = this.before = this.last = 0;
  }

  /**
   * Read what has been written since, part by part; who asks while this is going on waits for the same reading.
   * @param {() => boolean} wanted whether to go on @param {() => void} [told] after each part
   * @returns {Promise<boolean>} whether there was anything new
   */
  read(wanted, told = () => {}) {
    this.reading ??= this.#read(wanted, told).finally(() => (this.reading = null));
    return this.reading;
  }

  /** @param {() => boolean} wanted @param {() => void} told */
  async #read(wanted, told) {
    let news = false;
    for (let more = true; more && wanted(); ) {
      /** @type {Part} */
      const part = await api(`${runAddress(this.name, "rows")}?after=${this.end}`);
      if (part.anew) this.clear();
      this.add(part.rows);
      this.end = part.end;
      this.broken += part.broken;
      news ||= part.rows.length > 0 || part.anew;
      more = part.more;
      told();
    }
    return news;
  }

  /** @param {Record<string, number>[]} rows */
  add(rows) {
    for (const row of rows) {
      // A run of several parts begins to count anew with each.
      if (row.step < this.last) this.before += this.last;
      this.last = row.step;
      for (const [name, value] of Object.entries(row)) {
        if (LEFT_OUT.has(name)) continue;
        let points = this.figures.get(name);
        if (!points) this.figures.set(name, (points = []));
        points.push([this.before + row.step, value]);
      }
    }
    for (const [name, points] of this.figures) if (points.length > MOST_POINTS) this.figures.set(name, halved(points));
  }
}

/** Every other point, and the last. @param {Point[]} points */
export function halved(points) {
  return points.filter((_, index) => index % 2 === 0 || index === points.length - 1);
}
