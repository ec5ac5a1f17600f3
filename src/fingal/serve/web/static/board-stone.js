// @ts-check
/** A stone of a board, and small pictures of whole positions. */

import { s } from "./dom.js";
import { CORNER, Layout, OWNERS } from "./geometry.js";
import { settings } from "./settings.js";

/** @typedef {import("./board.js").Board} Board */
/** @typedef {import("./types.js").Colour} Colour */

/** Units of the drawing for one cell. */
export const SCALE = 48;
/** A stone's radius. */
export const STONE = 0.405;

/** @param {[number, number]} point */
export const xy = ([x, y]) => `${(x * SCALE).toFixed(2)},${(y * SCALE).toFixed(2)}`;

/**
 * A stone with room for its number and the last move's mark.
 * @param {Board} board @param {string} cell @param {Colour} colour
 */
export function stone(board, cell, colour) {
  const [x, y] = board.middle(cell);
  const group = s("g", { class: `stone ${colour}` });
  if (settings.get("stones") === "hexagons") {
    group.append(s("polygon", { class: "body", points: board.hexagon(cell, CORNER * 0.965) }));
  } else {
    group.append(s("circle", { class: "body", cx: x, cy: y, r: STONE * SCALE }));
  }
  // A ring tells the second colour apart where hues cannot be relied on; the theme shows it.
  group.append(s("circle", { class: "ring", cx: x, cy: y, r: STONE * SCALE * 0.62 }));
  group.append(s("circle", { class: "point", cx: x, cy: y, r: STONE * SCALE * 0.3 }));
  group.append(s("text", { x, y, class: "number" }));
  return group;
}

/**
 * A small, mute picture of a position.
 * @param {number} width @param {number} height @param {Record<string, Colour>} stones @param {number} [turn]
 * @returns {SVGSVGElement}
 */
export function thumbnail(width, height, stones, turn = 0) {
  const layout = new Layout(width, height, turn, false);
  const { box } = layout;
  const at = [box.left, box.top, box.width, box.height].map((value) => (value * SCALE).toFixed(1));
  const svg = s("svg", { class: "board thumbnail", viewBox: at.join(" "), "aria-hidden": "true" });
  for (const { side, path } of layout.sides(SCALE)) svg.append(s("path", { d: path, class: OWNERS[side] }));
  // One path for all cells keeps a list of fifty games light.
  let cells = "";
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      cells += `M${layout.hexagon(layout.middle(column, row)).map(xy).join("L")}Z`;
    }
  }
  svg.append(s("path", { class: "grid", d: cells }));
  for (const [cell, colour] of Object.entries(stones)) {
    const [x, y] = layout.of(cell);
    svg.append(s("circle", { class: `stone ${colour}`, cx: x * SCALE, cy: y * SCALE, r: STONE * SCALE * 1.08 }));
  }
  return svg;
}
