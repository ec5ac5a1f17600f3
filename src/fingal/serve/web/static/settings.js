// @ts-check
/**
 * What a person has chosen, kept in this browser: the look of the board and the page, how taps are taken.
 *
 * `settings.get(name)`, `settings.put(name, value)`, `settings.watch(listener)`. The choices are also attributes of the
 * page's root (data-colours, data-light), where the style sheets read them.
 */

/** @typedef {import("./types.js").Colour} Colour */

/**
 * @typedef {object} Choices
 * @property {"auto" | "light" | "dark"} light
 * @property {"black-white" | "red-blue" | "safe"} colours
 * @property {"discs" | "hexagons"} stones
 * @property {"auto" | number} turn degrees
 * @property {boolean} flipped
 * @property {boolean} coordinates
 * @property {boolean} numbers
 * @property {boolean} animation
 * @property {"small" | "always" | "never"} confirm taps
 * @property {string} level the last one chosen
 * @property {any} game what the last new game was
 * @property {any} analysis which overlays and players are on
 */

const KEY = "fingal";

/** @type {Choices} */
const FIRST = {
  light: "auto",
  colours: "black-white",
  stones: "discs",
  turn: "auto",
  flipped: false,
  coordinates: true,
  numbers: false,
  animation: true,
  confirm: "small",
  level: "",
  game: null,
  analysis: null,
};

/** What people call the two players. @type {Record<string, Record<Colour, string>>} */
const NAMES = {
  "black-white": { black: "Black", white: "White" },
  "red-blue": { black: "Red", white: "Blue" },
  safe: { black: "Orange", white: "Blue" },
};

class Settings {
  /** @type {Set<() => void>} */
  #listeners = new Set();

  constructor() {
    /** @type {Choices} */
    this.chosen = { ...FIRST };
    this.#read();
    this.#mark();
    // Another tab's choice is this one's too.
    window.addEventListener("storage", (event) => {
      if (event.key !== KEY) return;
      this.#read();
      this.#tell();
    });
    this.still = window.matchMedia("(prefers-reduced-motion: reduce)");
  }

  /** @template {keyof Choices} K @param {K} name @returns {Choices[K]} */
  get(name) {
    return this.chosen[name];
  }

  /** @template {keyof Choices} K @param {K} name @param {Choices[K]} value */
  put(name, value) {
    this.keep(name, value);
    this.#tell();
  }

  /**
   * Keep a choice that nothing is drawn by: nobody is told.
   * @template {keyof Choices} K @param {K} name @param {Choices[K]} value
   */
  keep(name, value) {
    this.chosen[name] = value;
    try {
      localStorage.setItem(KEY, JSON.stringify(this.chosen));
    } catch {
      // A browser that keeps nothing still plays.
    }
  }

  /** Hear of changes; call what is returned to hear no more. @param {() => void} listener */
  watch(listener) {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Degrees of the board, or "auto". @returns {number | "auto"} */
  turn() {
    const { turn, flipped } = this.chosen;
    return turn === "auto" ? "auto" : (turn + (flipped ? 180 : 0)) % 360;
  }

  /** Whether things may move. */
  moves() {
    return this.chosen.animation && !this.still.matches;
  }

  /** 'Black', or 'Red' where the stones are red. @param {Colour} colour */
  colourName(colour) {
    return (NAMES[this.chosen.colours] ?? NAMES["black-white"])[colour];
  }

  /** A sentence of the server's, which speaks of Black and White, in the colours on the screen. @param {string} text */
  speak(text) {
    if (this.chosen.colours === "black-white") return text;
    return text.replace(/\b(black|white)\b/gi, (word) => {
      const name = this.colourName(word.toLowerCase() === "black" ? "black" : "white");
      return word[0] === word[0].toUpperCase() ? name : name.toLowerCase();
    });
  }

  #read() {
    try {
      const kept = JSON.parse(localStorage.getItem(KEY) ?? "{}");
      for (const name of /** @type {(keyof Choices)[]} */ (Object.keys(FIRST))) {
        // What an older page kept, or somebody wrote by hand, counts only where it is of the right type.
        const right = FIRST[name] === null || name === "turn" || typeof kept[name] === typeof FIRST[name];
        if (kept[name] !== undefined && right) /** @type {any} */ (this.chosen)[name] = kept[name];
      }
      if (this.chosen.turn !== "auto" && !Number.isFinite(this.chosen.turn)) this.chosen.turn = "auto";
    } catch {
      this.chosen = { ...FIRST };
    }
  }

  #mark() {
    const root = document.documentElement;
    root.dataset.colours = this.chosen.colours;
    root.dataset.light = this.chosen.light;
    root.dataset.motion = this.chosen.animation ? "on" : "off";
  }

  #tell() {
    this.#mark();
    for (const listener of [...this.#listeners]) listener();
  }
}

export const settings = new Settings();
