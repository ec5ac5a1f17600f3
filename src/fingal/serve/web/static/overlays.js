// @ts-check
/** What an analysis and the knowledge of a position look like on a board. */

import { isCell, other } from "./rules.js";
import { settings } from "./settings.js";
import { short, winRate } from "./ui.js";

/** @typedef {import("./board.js").Overlay} Overlay */
/** @typedef {import("./rules.js").Position} Position */
/** @typedef {import("./types.js").Analysis} Analysis */
/** @typedef {import("./types.js").Candidate} Candidate */
/** @typedef {import("./types.js").Knowledge} Knowledge */
/** @typedef {import("./types.js").Colour} Colour */

/** Losses, of 2, up to which a move has the first colour, the second and so on. */
const STEPS = [0.03, 0.12, 0.3, 0.6];

/** The colour of a loss from 0 to 2. @param {number} loss */
export function lossLevel(loss) {
  const level = STEPS.findIndex((step) => loss <= step);
  return level < 0 ? STEPS.length : level;
}

/** @param {number} loss */
export const lossColour = (loss) => `var(--loss-${lossLevel(loss)})`;

/** How a candidate is written: its win rate for the side to move, or that it is proven.
 * @param {Candidate} candidate @param {Colour} turn */
export function candidateRate(candidate, turn) {
  if (candidate.proof) return candidate.proof > 0 ? "win" : "loss";
  return String(winRate(candidate.value, turn));
}

/**
 * Candidate moves as discs, coloured by what they lose; those that were hardly looked at are dots.
 * @param {Analysis} analysis @param {Position} position @returns {Overlay}
 */
export function candidateDiscs(analysis, position) {
  /** @type {NonNullable<Overlay["discs"]>} */
  const discs = {};
  /** @type {Record<string, string>} */
  const notes = {};
  const most = Math.max(1, ...analysis.candidates.map((candidate) => candidate.visits));
  analysis.candidates.forEach((candidate, index) => {
    if (!isCell(candidate.move) || position.stones[candidate.move]) return;
    const share = candidate.visits / most;
    // Moves that are proven to lose are many, and of no more interest than others that nobody looked at.
    const large = index === 0 || candidate.proof > 0 || share >= 0.02;
    const rate = candidateRate(candidate, position.turn);
    discs[candidate.move] = {
      colour: lossColour(candidate.loss),
      best: index === 0,
      size: large ? 0.86 + 0.14 * Math.sqrt(share) : 0.12,
      lines: large ? [rate, short(candidate.visits)] : [],
    };
    if (large)
      notes[candidate.move] =
        `${index === 0 ? "best move, " : ""}win rate ${rate}${candidate.proof ? "" : " percent"}, ` +
        `${candidate.visits} visits`;
  });
  return { discs, notes };
}

/** The overlays one can switch on, each with what has to be asked for. */
export const LAYERS = /** @type {const} */ ([
  { name: "candidates", text: "Candidates", topic: null, title: "What the engine thinks of each move" },
  { name: "policy", text: "Policy", topic: "policy", title: "The net's first idea, without search" },
  { name: "ownership", text: "Ownership", topic: "ownership", title: "Whose each cell is in the end, by the net" },
  { name: "must", text: "Must-play", topic: "connections", title: "The only cells that can save the side to move" },
  {
    name: "connections",
    text: "Connections",
    topic: "connections",
    title: "Stones that cannot be parted, and what that needs: point at a stone",
  },
  {
    name: "inferior",
    text: "Inferior",
    topic: "inferior",
    title: "Cells that are decided, and moves that need not be tried",
  },
  {
    name: "resistance",
    text: "Resistance",
    topic: "resistance",
    title: "Where the current flows when the board is a circuit",
  },
  { name: "solver", text: "Solver", topic: "solver", title: "Proven wins and losses" },
]);

/** Lay one overlay over another. @param {Overlay} under @param {Overlay} over @returns {Overlay} */
export function merged(under, over) {
  const notes = { ...under.notes };
  for (const [cell, note] of Object.entries(over.notes ?? {}))
    notes[cell] = notes[cell] ? `${notes[cell]}; ${note}` : note;
  return {
    tints: { ...under.tints, ...over.tints },
    discs: { ...under.discs, ...over.discs },
    labels: { ...under.labels, ...over.labels },
    links: [...(under.links ?? []), ...(over.links ?? [])],
    carriers: [...(under.carriers ?? []), ...(over.carriers ?? [])],
    owners: { ...under.owners, ...over.owners },
    crosses: [...(under.crosses ?? []), ...(over.crosses ?? [])],
    fills: { ...under.fills, ...over.fills },
    outlined: [...(under.outlined ?? []), ...(over.outlined ?? [])],
    notes,
  };
}

/**
 * What is known, as an overlay of one layer.
 * @param {string} layer @param {Knowledge} known @param {Position} position @param {string | null} hovered
 * @returns {Overlay}
 */
export function knowledgeOverlay(layer, known, position, hovered) {
  const draw = DRAW[layer];
  return draw ? draw(known, position, hovered) : {};
}

/** @type {Record<string, (known: Knowledge, position: Position, hovered: string | null) => Overlay>} */
const DRAW = {
  policy({ policy }) {
    const most = Math.max(1e-9, ...Object.values(policy ?? {}));
    return heat(
      policy ?? {},
      "var(--cool)",
      (share) => 0.85 * Math.sqrt(share / most),
      (share) => percent(share),
      0.02,
    );
  },
  ownership({ ownership }, position) {
    /** @type {Overlay} */
    const overlay = { owners: {}, notes: {} };
    for (const [cell, share] of Object.entries(ownership ?? {})) {
      if (position.stones[cell]) continue;
      const colour = share >= 0.5 ? "black" : "white";
      const sure = Math.abs(2 * share - 1);
      if (overlay.owners) overlay.owners[cell] = { colour, strength: sure };
      if (overlay.notes) overlay.notes[cell] = `${settings.colourName(colour)}'s at ${percent(0.5 + sure / 2)}`;
    }
    return overlay;
  },
  must({ must_play }, position) {
    const cells = must_play ?? [];
    // Where every cell may be played there is nothing to point out.
    if (cells.length >= position.width * position.height - Object.keys(position.stones).length) return {};
    return { outlined: cells, notes: Object.fromEntries(cells.map((cell) => [cell, "must-play"])) };
  },
  connections({ connections }, position, hovered) {
    /** @type {Overlay} */
    const overlay = { links: [], carriers: [] };
    for (const colour of /** @type {Colour[]} */ (["black", "white"])) {
      const of = connections?.[colour];
      if (!of) continue;
      for (const link of of.links) {
        const pointed = !!hovered && link.ends.includes(hovered);
        overlay.links?.push({ ends: link.ends, colour, strong: pointed });
        if (pointed) overlay.carriers?.push({ cells: link.carrier, colour });
      }
      // Pointing at a stone shows what its links need; otherwise what a won game needs.
      if (of.winning_carrier && !(hovered && position.stones[hovered])) {
        overlay.carriers?.push({ cells: of.winning_carrier, colour });
      }
    }
    return overlay;
  },
  inferior({ inferior }) {
    if (!inferior) return {};
    /** @type {Overlay} */
    const overlay = { fills: {}, crosses: Object.keys(inferior.pruned), notes: { ...inferior.pruned } };
    for (const colour of /** @type {Colour[]} */ (["black", "white"])) {
      for (const cell of inferior.fill[colour] ?? []) {
        if (overlay.fills) overlay.fills[cell] = colour;
        if (overlay.notes)
          overlay.notes[cell] = inferior.dead.includes(cell) ? "dead" : `captured by ${settings.colourName(colour)}`;
      }
    }
    return overlay;
  },
  resistance({ resistance }) {
    const energy = resistance?.energy ?? {};
    const most = Math.max(1e-9, ...Object.values(energy));
    // Nearly as the current itself: with its root, as for the policy, all of the board would glow.
    return heat(
      energy,
      "var(--warm)",
      (share) => 0.85 * (share / most) ** 0.8,
      (share) => percent(share),
      0.02,
    );
  },
  solver({ solver }, position) {
    if (!solver) return {};
    /** @type {Overlay} */
    const overlay = { tints: {}, notes: {} };
    for (const [cells, colour, words] of /** @type {[string[], string, string][]} */ ([
      [solver.winning, "var(--loss-0)", "proven to win"],
      [solver.losing, "var(--loss-4)", "proven to lose"],
    ])) {
      for (const cell of cells) {
        if (position.stones[cell]) continue;
        if (overlay.tints) overlay.tints[cell] = { colour, strength: 0.8 };
        if (overlay.notes) overlay.notes[cell] = words;
      }
    }
    return overlay;
  },
};

/** @param {Record<string, number>} shares @param {string} colour @param {(share: number) => number} strength
 * @param {(share: number) => string} text @param {number} least below which nothing is written @returns {Overlay} */
function heat(shares, colour, strength, text, least) {
  /** @type {Overlay} */
  const overlay = { tints: {}, labels: {}, notes: {} };
  for (const [cell, share] of Object.entries(shares)) {
    if (overlay.tints) overlay.tints[cell] = { colour, strength: strength(share) };
    if (share < least) continue;
    if (overlay.labels) overlay.labels[cell] = [text(share)];
    if (overlay.notes) overlay.notes[cell] = `${text(share)}`;
  }
  return overlay;
}

/** @param {number} share */
const percent = (share) => `${Math.round(100 * share)}%`;

/**
 * A variation as numbered stones, from a position on.
 * @param {string[]} moves @param {Position} position
 */
export function ghosts(moves, position) {
  /** @type {import("./board.js").Ghost[]} */
  const found = [];
  let turn = position.turn;
  moves.forEach((move, index) => {
    if (isCell(move) && !position.stones[move]) found.push({ cell: move, colour: turn, number: index + 1 });
    turn = other(turn);
  });
  return found;
}

/** What the verdict, the circuit and the connections say in words. @param {Set<string>} layers @param {Knowledge} known
 * @param {Position} position @returns {string[]} */
export function sentences(layers, known, position) {
  const found = [];
  if (layers.has("solver") && known.solver) found.push(settings.speak(known.solver.text));
  if (layers.has("must") && known.must_play) {
    const turn = settings.colourName(position.turn);
    const count = known.must_play.length;
    if (count === 0) found.push(`${turn} has lost: nothing breaks the opponent's connection.`);
    else if (count < position.width * position.height - Object.keys(position.stones).length) {
      found.push(`${turn} must play in one of ${count} cell${count === 1 ? "" : "s"}.`);
    } else found.push("The opponent has no winning connection yet: every cell may be played.");
  }
  if (layers.has("resistance") && known.resistance) {
    const ohms = (/** @type {number | null} */ value) => (value === null ? "cut off" : value.toFixed(2));
    found.push(
      `Resistance: ${settings.colourName("black")} ${ohms(known.resistance.black)}, ` +
        `${settings.colourName("white")} ${ohms(known.resistance.white)}.`,
    );
  }
  if (layers.has("inferior") && known.inferior) {
    const pruned = Object.keys(known.inferior.pruned).length;
    found.push(`${pruned} move${pruned === 1 ? " need" : "s need"} not be tried.`);
  }
  return found;
}
