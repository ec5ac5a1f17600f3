// @ts-check
/**
 * The rules of Hex on the page, so that a click is answered at once: legality, the winner and the winning chain.
 *
 * A cell is named as everywhere: `a1` is the top-left one, the letter is the column. Black joins top and bottom, White
 * left and right. Swap is swap-pieces: the first stone is mirrored in the long diagonal and becomes White's.
 */

/** @typedef {import("./types.js").Colour} Colour */
/** @typedef {import("./types.js").NodeMessage} NodeMessage */

/**
 * A position on the way through a game.
 * @typedef {object} Position
 * @property {number} width
 * @property {number} height
 * @property {Record<string, Colour>} stones
 * @property {Colour} turn
 * @property {Record<string, number>} numbers which move put a stone there
 * @property {string | null} last the cell of the last move; after a swap, where the stone went
 * @property {number} moves how many have been made
 * @property {boolean} canSwap
 * @property {Colour | null} winner by connection or by resignation
 * @property {"" | "connection" | "resign"} how
 * @property {string[]} chain the winner's shortest
 */

/** The six neighbours of a cell, as steps of column and row. @type {[number, number][]} */
export const STEPS = [
  [1, 0],
  [0, 1],
  [-1, 1],
  [-1, 0],
  [0, -1],
  [1, -1],
];

/** @param {number} column @param {number} row */
export const cellName = (column, row) => String.fromCharCode(97 + column) + (row + 1);

/** Column and row of a cell's name. @param {string} cell @returns {[number, number]} */
export const cellPlace = (cell) => [cell.charCodeAt(0) - 97, Number(cell.slice(1)) - 1];

/** Whether a move is a cell, and not a swap or a resignation. @param {string | null | undefined} move */
export const isCell = (move) => !!move && /^[a-z][0-9]{1,2}$/.test(move);

/** @param {Colour} colour @returns {Colour} */
export const other = (colour) => (colour === "black" ? "white" : "black");

/** The cell across the long diagonal. @param {string} cell */
export function mirror(cell) {
  const [column, row] = cellPlace(cell);
  return cellName(row, column);
}

/** @param {string} cell @param {number} width @param {number} height @returns {string[]} */
export function neighbours(cell, width, height) {
  const [column, row] = cellPlace(cell);
  return STEPS.map(([x, y]) => [column + x, row + y])
    .filter(([x, y]) => x >= 0 && y >= 0 && x < width && y < height)
    .map(([x, y]) => cellName(x, y));
}

/**
 * The shortest chain of a colour's stones from edge to edge, or nothing.
 * @param {Record<string, Colour>} stones @param {number} width @param {number} height @param {Colour} colour
 * @returns {string[]}
 */
export function chain(stones, width, height, colour) {
  const along = colour === "black" ? 1 : 0;
  const far = (colour === "black" ? height : width) - 1;
  /** @type {Map<string, string | null>} */
  const from = new Map();
  const waiting = Object.keys(stones).filter((cell) => stones[cell] === colour && cellPlace(cell)[along] === 0);
  for (const cell of waiting) from.set(cell, null);
  for (const cell of waiting) {
    if (cellPlace(cell)[along] === far) {
      const found = [];
      for (let at = /** @type {string | null | undefined} */ (cell); at; at = from.get(at)) found.push(at);
      return found.reverse();
    }
    for (const next of neighbours(cell, width, height)) {
      if (stones[next] !== colour || from.has(next)) continue;
      from.set(next, cell);
      waiting.push(next);
    }
  }
  return [];
}

/**
 * The position before anything has happened.
 * @param {number} width @param {number} height @returns {Position}
 */
export function empty(width, height) {
  return {
    width,
    height,
    stones: {},
    turn: "black",
    numbers: {},
    last: null,
    moves: 0,
    canSwap: false,
    winner: null,
    how: "",
    chain: [],
  };
}

/**
 * The position at a node, made from its parent's. Moves are not checked here: see `refusal`.
 * @param {Position} before @param {NodeMessage} node @param {boolean} swap whether the game has the swap rule
 * @returns {Position}
 */
export function follow(before, node, swap) {
  const { width, height } = before;
  const after = { ...before, stones: { ...before.stones }, numbers: { ...before.numbers }, canSwap: false };
  for (const [cell, stone] of Object.entries(node.setup ?? {})) {
    if (stone) after.stones[cell] = stone;
    else delete after.stones[cell];
    delete after.numbers[cell];
  }
  const set = Object.keys(node.setup ?? {}).length > 0;
  const move = node.move;
  if (move && node.colour) {
    after.moves += 1;
    after.turn = other(node.colour);
    if (isCell(move)) {
      after.stones[move] = node.colour;
      after.numbers[move] = after.moves;
      after.last = move;
      after.canSwap =
        swap &&
        width === height &&
        after.moves === 1 &&
        node.colour === "black" &&
        Object.keys(after.stones).length === 1;
    } else if (move === "swap-pieces") {
      const first = Object.keys(after.stones)[0];
      if (first) {
        delete after.stones[first];
        delete after.numbers[first];
        after.stones[mirror(first)] = "white";
        after.numbers[mirror(first)] = after.moves;
        after.last = mirror(first);
      }
    } else if (move === "swap-sides") {
      after.turn = node.colour;
    } else if (move === "resign") {
      after.winner = other(node.colour);
      after.how = "resign";
    }
  } else if (set && node.parent !== null) {
    after.turn = "black";
  }
  if (node.turn) after.turn = node.turn;
  if (!after.winner && (set || isCell(move) || move === "swap-pieces")) {
    for (const colour of /** @type {Colour[]} */ (["black", "white"])) {
      const found = chain(after.stones, width, height, colour);
      if (found.length) Object.assign(after, { winner: colour, how: "connection", chain: found });
    }
  }
  return after;
}

/**
 * Why a move cannot be made, in one sentence; null where it can.
 * @param {Position} position @param {string} move @returns {string | null}
 */
export function refusal(position, move) {
  if (position.winner) return "The game is over.";
  if (move === "resign") return null;
  if (move === "swap-pieces") return position.canSwap ? null : "Only the first stone can be swapped.";
  if (!isCell(move)) return `${move} is not a cell.`;
  const [column, row] = cellPlace(move);
  if (column >= position.width || row < 0 || row >= position.height) return `${move} is not on this board.`;
  return position.stones[move] ? `${move} is taken.` : null;
}
