// @ts-check
/** What lies over a board's cells: tints, candidates, links, carriers, crosses, variations, marks, the chain. */

import { SCALE, stone } from "./board-stone.js";
import { s } from "./dom.js";
import { CORNER } from "./geometry.js";

/** @typedef {import("./board.js").Board} Board */
/** @typedef {import("./board.js").Overlay} Overlay */
/** @typedef {import("./board.js").View} View */
/** @typedef {import("./board.js").Ghost} Ghost */
/** @typedef {import("./geometry.js").Side} Side */

/** Pixels of a cell below which a disc has one line of text. */
const TWO_LINES = 36;

const SIDES = ["top", "bottom", "left", "right"];

/** @param {Board} board @param {Overlay} overlay */
export function drawOverlay(board, overlay) {
  const on = (/** @type {string} */ cell) => board.cells.has(cell);
  const { under, links, over } = board.layers;
  // Two lines in a small cell could not be read: the first takes the place of both.
  const small = !!overlay.discs && board.cellPixels < TWO_LINES;
  under.replaceChildren();
  links.replaceChildren();
  over.replaceChildren();
  for (const [cell, { colour, strength }] of Object.entries(overlay.tints ?? {})) {
    if (!on(cell) || strength <= 0) continue;
    const tint = s("polygon", { class: "tint", points: board.hexagon(cell, CORNER * 0.96) });
    tint.style.fill = colour;
    tint.style.fillOpacity = Math.min(strength, 1).toFixed(3);
    under.append(tint);
  }
  for (const cell of overlay.outlined ?? []) {
    if (on(cell)) under.append(s("polygon", { class: "outlined", points: board.hexagon(cell, CORNER * 0.84) }));
  }
  for (const [cell, { colour, strength }] of Object.entries(overlay.owners ?? {})) {
    if (!on(cell) || strength < 0.05) continue;
    under.append(
      s("polygon", {
        class: `owner ${colour}`,
        points: board.hexagon(cell, CORNER * (0.14 + 0.5 * Math.min(strength, 1))),
      }),
    );
  }
  for (const { cells, colour } of overlay.carriers ?? []) {
    for (const cell of cells) {
      if (!on(cell)) continue;
      const [cx, cy] = board.middle(cell);
      links.append(s("circle", { class: `carrier ${colour}`, cx, cy, r: 0.15 * SCALE }));
    }
  }
  for (const link of overlay.links ?? []) {
    const ends = endpoints(board, link.ends);
    if (!ends) continue;
    const [[x1, y1], [x2, y2]] = ends;
    links.append(s("line", { class: `casing ${link.colour}${link.strong ? " strong" : ""}`, x1, y1, x2, y2 }));
    links.append(s("line", { class: `link ${link.colour}${link.strong ? " strong" : ""}`, x1, y1, x2, y2 }));
  }
  for (const [cell, colour] of Object.entries(overlay.fills ?? {})) {
    if (!on(cell)) continue;
    const [cx, cy] = board.middle(cell);
    over.append(s("circle", { class: `fill ${colour}`, cx, cy, r: 0.2 * SCALE }));
  }
  for (const cell of overlay.crosses ?? []) {
    if (!on(cell)) continue;
    const [x, y] = board.middle(cell);
    const arm = 0.11 * SCALE;
    over.append(
      s("path", {
        class: "crossed",
        d: `M${x - arm} ${y - arm}l${2 * arm} ${2 * arm}m0 ${-2 * arm}l${-2 * arm} ${2 * arm}`,
      }),
    );
  }
  for (const [cell, disc] of Object.entries(overlay.discs ?? {})) {
    if (!on(cell)) continue;
    const [cx, cy] = board.middle(cell);
    const drawn = s("circle", {
      class: disc.best ? "disc best" : "disc",
      cx,
      cy,
      r: (0.14 + 0.285 * (disc.size ?? 1)) * SCALE,
    });
    drawn.style.fill = disc.colour;
    over.append(drawn);
    const lines = small ? (disc.lines ?? []).slice(0, 1) : (disc.lines ?? []);
    // A word ('loss') fills the disc as it is; a number may be larger.
    write(over, cx, cy, lines, small && lines[0]?.length < 4 ? "disc-text large" : "disc-text");
  }
  for (const [cell, lines] of Object.entries(overlay.labels ?? {})) {
    if (!on(cell)) continue;
    const [x, y] = board.middle(cell);
    write(over, x, y, lines, board.view.stones[cell] ? `label on-${board.view.stones[cell]}` : "label");
  }
}

/** Up to two lines around a point. @param {Element} layer @param {number} x @param {number} y
 * @param {string[]} lines @param {string} kind */
function write(layer, x, y, lines, kind) {
  const [first, second] = lines;
  if (first && !second) layer.append(s("text", { class: kind, x, y, text: first }));
  if (!first || !second) return;
  layer.append(s("text", { class: kind, x, y: y - 0.12 * SCALE, text: first }));
  layer.append(s("text", { class: `${kind} small`, x, y: y + 0.19 * SCALE, text: second }));
}

/** @param {Board} board @param {[string, string]} ends @returns {[number, number][] | null} */
function endpoints(board, ends) {
  const sides = ends.filter((end) => SIDES.includes(end));
  const cells = ends.filter((end) => board.cells.has(end));
  if (sides.length + cells.length !== 2 || cells.length === 0) return null;
  return ends.map((end) => {
    if (!SIDES.includes(end)) return board.middle(end);
    const [x, y] = board.layout.onSide(/** @type {Side} */ (end), cells[0]);
    return [x * SCALE, y * SCALE];
  });
}

/** @param {Board} board @param {Ghost[]} ghosts */
export function drawVariation(board, ghosts) {
  board.layers.ghosts.replaceChildren();
  board.svg.classList.toggle("previewing", ghosts.length > 0);
  for (const { cell, colour, number } of ghosts) {
    if (!board.cells.has(cell)) continue;
    const drawn = stone(board, cell, colour);
    drawn.classList.add("ghost");
    const text = drawn.querySelector("text");
    if (text && number) text.textContent = String(number);
    board.layers.ghosts.append(drawn);
  }
}

/** @param {Board} board @param {View} view */
export function drawMarks(board, view) {
  const layer = board.layers.marks;
  layer.replaceChildren();
  for (const mark of view.marks ?? []) {
    if (!board.cells.has(mark.cell)) continue;
    const [x, y] = board.middle(mark.cell);
    const kind = `mark on-${view.stones[mark.cell] ?? "empty"}`;
    const r = 0.2 * SCALE;
    if (mark.kind === "circle") layer.append(s("circle", { class: kind, cx: x, cy: y, r }));
    else if (mark.kind === "square") {
      layer.append(s("rect", { class: kind, x: x - r * 0.85, y: y - r * 0.85, width: r * 1.7, height: r * 1.7 }));
    } else if (mark.kind === "triangle") {
      layer.append(s("path", { class: kind, d: `M${x} ${y - r * 1.1}l${r} ${r * 1.7}h${-2 * r}z` }));
    } else if (mark.kind === "cross") {
      const d = `M${x - r * 0.8} ${y - r * 0.8}l${r * 1.6} ${r * 1.6}m0 ${-r * 1.6}l${-r * 1.6} ${r * 1.6}`;
      layer.append(s("path", { class: kind, d }));
    } else if (mark.kind === "selected") {
      layer.append(s("circle", { class: `${kind} solid`, cx: x, cy: y, r: r * 0.6 }));
    } else layer.append(s("text", { class: `${kind} letter`, x, y, text: mark.text ?? "" }));
  }
}

/**
 * The winning chain, a line that grows from edge to edge and lights up its stones.
 * @param {Board} board @param {string[]} chain @param {boolean} moving
 */
export function drawChain(board, chain, moving) {
  const layer = board.layers.chain;
  layer.replaceChildren();
  for (const drawn of board.stones.values()) drawn.classList.remove("winning");
  if (chain.length === 0) return;
  const points = chain.map((cell) => board.middle(cell));
  const black = board.view.stones[chain[0]] === "black";
  const first = board.layout.onSide(black ? "top" : "left", chain[0]);
  const last = board.layout.onSide(black ? "bottom" : "right", chain[chain.length - 1]);
  const all = [[first[0] * SCALE, first[1] * SCALE], ...points, [last[0] * SCALE, last[1] * SCALE]];
  for (const kind of ["halo", "line"]) {
    const line = s("polyline", {
      class: `chain ${kind}`,
      points: all.map((point) => point.join(",")).join(" "),
      pathLength: 1,
    });
    if (moving) line.classList.add("grows");
    layer.append(line);
  }
  for (const cell of chain) board.stones.get(cell)?.classList.add("winning");
}
