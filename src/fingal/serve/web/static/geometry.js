// @ts-check
/**
 * Where the parts of a board lie. Lengths are in shares of a cell: two neighbours' middles are 1 apart.
 *
 * Unturned, hexagons stand on a corner, a row runs to the right and each is half a cell further right than the one
 * above. A turn is in degrees, clockwise; with an odd multiple of 30 the hexagons lie on a side instead.
 */

import { STEPS, cellName, cellPlace } from "./rules.js";

/** @typedef {import("./types.js").Colour} Colour */
/** @typedef {[number, number]} Point */
/** @typedef {"top" | "right" | "bottom" | "left"} Side */

/** From the middle of a hexagon to a corner. */
export const CORNER = 1 / Math.sqrt(3);
/** From the middles of the outermost cells to the outer border of the sides. */
const REACH = 0.84;
/** How round the corners of that border are. */
const ROUND = 0.5;
/** From the middles of the outermost cells to the coordinates. */
const COORDINATE = REACH + 0.32;

/** Whose a side is. @type {Record<Side, Colour>} */
export const OWNERS = { top: "black", bottom: "black", left: "white", right: "white" };

/** The turns that fit themselves to the room there is: lying, and standing for narrow screens. */
const FITTING = [0, 30];

export class Layout {
  /** @param {number} width @param {number} height @param {number} [turn] degrees @param {boolean} [coordinates] */
  constructor(width, height, turn = 0, coordinates = true) {
    this.width = width;
    this.height = height;
    this.turn = turn;
    this.coordinates = coordinates;
    this.box = this.#box();
  }

  /** A point so far from another; 0 degrees is right and 90 down, before the board is turned.
   * @param {Point} start @param {number} degrees @param {number} distance @returns {Point} */
  away(start, degrees, distance) {
    const angle = ((degrees + this.turn) * Math.PI) / 180;
    return [start[0] + distance * Math.cos(angle), start[1] + distance * Math.sin(angle)];
  }

  /** @param {number} column @param {number} row @returns {Point} */
  middle(column, row) {
    return this.away(this.away([0, 0], 0, column), 60, row);
  }

  /** @param {string} cell @returns {Point} */
  of(cell) {
    return this.middle(...cellPlace(cell));
  }

  /** Six corners around a point. @param {Point} middle @param {number} [radius] @returns {Point[]} */
  hexagon(middle, radius = CORNER) {
    return [-90, -30, 30, 90, 150, 210].map((degrees) => this.away(middle, degrees, radius));
  }

  /** The cell nearest to a point, null where none is near. @param {Point} point @returns {string | null} */
  at([x, y]) {
    const angle = (-this.turn * Math.PI) / 180;
    const across = x * Math.cos(angle) - y * Math.sin(angle);
    const down = (x * Math.sin(angle) + y * Math.cos(angle)) / Math.sin(Math.PI / 3);
    const [column, row] = [Math.round(across - down / 2), Math.round(down)];
    let best = /** @type {string | null} */ (null);
    let nearest = 0.66;
    for (const [dx, dy] of [[0, 0], ...STEPS]) {
      const [c, r] = [column + dx, row + dy];
      if (c < 0 || r < 0 || c >= this.width || r >= this.height) continue;
      const [mx, my] = this.middle(c, r);
      const distance = Math.hypot(mx - x, my - y);
      if (distance < nearest) [best, nearest] = [cellName(c, r), distance];
    }
    return best;
  }

  /**
   * The neighbour that lies best in a direction of the screen (0 right, 90 down), null where the board ends. Of two
   * that lie equally well the one of the same column or row is taken, so that a key goes back what its opposite went.
   * @param {string} cell @param {number} degrees @returns {string | null}
   */
  towards(cell, degrees) {
    const [column, row] = cellPlace(cell);
    let best = /** @type {string | null} */ (null);
    let most = 0.3;
    for (const [dx, dy] of STEPS) {
      const [c, r] = [column + dx, row + dy];
      if (c < 0 || r < 0 || c >= this.width || r >= this.height) continue;
      const [x, y] = this.middle(dx, dy);
      const angle = (degrees * Math.PI) / 180;
      const likeness = x * Math.cos(angle) + y * Math.sin(angle) + (dx && dy ? 0 : 0.01) + (dy ? 0 : 0.001);
      if (likeness > most) [best, most] = [cellName(c, r), likeness];
    }
    return best;
  }

  /** The corner cells' middles, clockwise from the top-left one, each with the direction of its outer corner. */
  #corners() {
    const [w, t] = [this.width - 1, this.height - 1];
    return /** @type {[Point, number, boolean][]} */ ([
      [this.middle(0, 0), 210, true],
      [this.middle(w, 0), -60, false],
      [this.middle(w, t), 30, true],
      [this.middle(0, t), 120, false],
    ]);
  }

  /**
   * The four sides as SVG paths. Their outer border is a rhomboid with round corners; inwards they reach to the middles
   * of the corner cells, and the cells lie on them. Two sides meet on the line that halves the corner.
   * @param {number} scale @returns {{side: Side, path: string}[]}
   */
  sides(scale) {
    const corners = this.#corners();
    /** @param {Point} point */
    const put = ([x, y]) => `${(x * scale).toFixed(2)} ${(y * scale).toFixed(2)}`;
    const arc = `A ${ROUND * scale} ${ROUND * scale} 0 0 1`;
    /** @param {number} index @param {number} normal where the straight border lies, in degrees */
    const corner = (index, normal) => {
      const [middle, direction, sharp] = corners[index];
      const centre = this.away(middle, direction, (REACH - ROUND) / Math.sin(((sharp ? 30 : 60) * Math.PI) / 180));
      return { middle, tip: this.away(centre, direction, ROUND), start: this.away(centre, normal, ROUND) };
    };
    /** @type {[Side, number][]} */
    const sides = [
      ["top", -90],
      ["right", 0],
      ["bottom", 90],
      ["left", 180],
    ];
    // The right and left sides lean: their outward direction is 30 degrees above or below the row's.
    const normals = [-90, -30, 90, 150];
    return sides.map(([side], index) => {
      const [first, second] = [corner(index, normals[index]), corner((index + 1) % 4, normals[index])];
      return {
        side,
        path:
          `M ${put(first.middle)} L ${put(first.tip)} ${arc} ${put(first.start)} L ${put(second.start)} ` +
          `${arc} ${put(second.tip)} L ${put(second.middle)} Z`,
      };
    });
  }

  /** Where a link to a side ends, seen from a cell: the nearest point of the side's strip.
   * @param {Side} side @param {string} cell @returns {Point} */
  onSide(side, cell) {
    const [column, row] = cellPlace(cell);
    const reach = CORNER + 0.12;
    if (side === "top") return this.away(this.middle(clamp(column + row / 2, this.width), 0), -90, reach);
    const last = this.height - 1;
    if (side === "bottom") return this.away(this.middle(clamp(column - (last - row) / 2, this.width), last), 90, reach);
    const end = this.width - 1;
    if (side === "left") return this.away(this.middle(0, clamp(row + column / 2, this.height)), 150, reach);
    return this.away(this.middle(end, clamp(row - (end - column) / 2, this.height)), -30, reach);
  }

  /** Letters above and below their columns, numbers left and right of their rows.
   * @returns {{text: string, at: Point}[]} */
  labels() {
    const found = [];
    const far = COORDINATE / Math.cos(Math.PI / 6);
    for (let column = 0; column < this.width; column++) {
      const text = cellName(column, 0).slice(0, 1);
      found.push({ text, at: this.away(this.middle(column, 0), -120, far) });
      found.push({ text, at: this.away(this.middle(column, this.height - 1), 60, far) });
    }
    for (let row = 0; row < this.height; row++) {
      found.push({ text: String(row + 1), at: this.away(this.middle(0, row), 180, far) });
      found.push({ text: String(row + 1), at: this.away(this.middle(this.width - 1, row), 0, far) });
    }
    return found;
  }

  /** What all of it takes: left, top, width, height. */
  #box() {
    /** @type {Point[]} */
    const points = [];
    for (const [middle, direction, sharp] of this.#corners()) {
      const tip = (REACH - ROUND) / Math.sin(((sharp ? 30 : 60) * Math.PI) / 180) + ROUND;
      points.push(this.away(middle, direction, tip));
      for (const side of [-60, 60]) points.push(this.away(middle, direction + side, REACH));
    }
    const letter = 0.26;
    if (this.coordinates) {
      for (const {
        at: [x, y],
      } of this.labels())
        points.push([x - letter, y - letter], [x + letter, y + letter]);
    }
    const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
    const margin = 0.06;
    const [left, top] = [Math.min(...xs) - margin, Math.min(...ys) - margin];
    return { left, top, width: Math.max(...xs) + margin - left, height: Math.max(...ys) + margin - top };
  }

  /** The turn in which the cells are largest in a room of so many pixels; lying, where it makes little difference.
   * @param {number} width @param {number} height @param {number} across @param {number} down
   * @param {boolean} coordinates */
  static fitting(width, height, across, down, coordinates) {
    const sizes = FITTING.map((turn) => {
      const { box } = new Layout(width, height, turn, coordinates);
      return Math.min(across / box.width, down / box.height);
    });
    return sizes[1] > sizes[0] * 1.06 ? FITTING[1] : FITTING[0];
  }
}

/** @param {number} value @param {number} count */
const clamp = (value, count) => Math.min(Math.max(value, 0), count - 1);
