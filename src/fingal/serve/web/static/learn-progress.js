// @ts-check
/** What a person has learned so far, kept in this browser: puzzles that were solved or missed, streaks, swap scores. */

const KEY = "fingal-learn";

/**
 * @typedef {object} Kept
 * @property {Record<string, "solved" | "missed">} puzzles by name, how the last first try went
 * @property {number} streak puzzles solved at the first try, in a row
 * @property {number} best the longest streak
 * @property {Record<string, {best: number, streak: number}>} swaps by size: the best score of a round, the longest streak
 * @property {number[]} grades those to be asked; none: all
 * @property {number} size of puzzles' boards; 0: any
 * @property {number} swapSize
 */

/** @returns {Kept} */
function fresh() {
  return { puzzles: {}, streak: 0, best: 0, swaps: {}, grades: [], size: 0, swapSize: 6 };
}

/** @returns {Kept} */
function read() {
  const first = fresh();
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    // What an older page kept, or somebody wrote by hand, counts only where it is of the right kind.
    for (const name of /** @type {(keyof Kept)[]} */ (Object.keys(first))) {
      const like = first[name];
      const right = typeof kept[name] === typeof like && kept[name] !== null && Array.isArray(kept[name]) === Array.isArray(like);
      if (right) /** @type {any} */ (first)[name] = kept[name];
    }
  } catch {
    return fresh();
  }
  return first;
}

class Progress {
  constructor() {
    this.kept = read();
  }

  /** @template {keyof Kept} K @param {K} name @param {Kept[K]} value */
  put(name, value) {
    this.kept[name] = value;
    this.#write();
  }

  /** How the first try of a puzzle went. @param {string} id @param {boolean} right */
  puzzle(id, right) {
    const { kept } = this;
    kept.puzzles[id] = right ? "solved" : "missed";
    kept.streak = right ? kept.streak + 1 : 0;
    kept.best = Math.max(kept.best, kept.streak);
    this.#write();
  }

  /** How a round of swaps went. @param {number} size @param {number} score @param {number} streak */
  swap(size, score, streak) {
    const before = this.kept.swaps[size] ?? { best: 0, streak: 0 };
    this.kept.swaps[size] = { best: Math.max(before.best, score), streak: Math.max(before.streak, streak) };
    this.#write();
  }

  #write() {
    try {
      localStorage.setItem(KEY, JSON.stringify(this.kept));
    } catch {
      // A browser that keeps nothing still teaches.
    }
  }
}

export const progress = new Progress();
