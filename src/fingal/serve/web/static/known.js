// @ts-check
/** What is known of the positions that were looked at: asked for once, topic by topic, and kept. */

/** @typedef {import("./game.js").Game} Game */
/** @typedef {import("./types.js").Knowledge} Knowledge */

/** Positions that are only passed through are not asked about. */
const PAUSE = 120;
/** Of what could not be asked for at the moment. */
const AGAIN = 3000;

export class Known {
  /** @type {Map<number, Knowledge>} */
  #kept = new Map();
  /** @type {Set<string>} */
  #asked = new Set();
  /** @type {Map<number, Set<string>>} */
  #waits = new Map();
  /** What could not be found out, and why, by node and topic. @type {Map<string, string>} */
  #problems = new Map();
  #timer = 0;

  /** @param {Game} game @param {() => void} changed */
  constructor(game, changed) {
    this.game = game;
    this.changed = changed;
  }

  /** @param {number} node @returns {Knowledge} */
  at(node) {
    return this.#kept.get(this.game.resolve(node)) ?? { type: "knowledge", request: 0, game: this.game.id, node };
  }

  /** Which of the topics are being looked for at a node, in words. @param {number} node @param {string[]} topics */
  waiting(node, topics) {
    return [...(this.#waits.get(this.game.resolve(node)) ?? [])].filter((topic) => topics.includes(topic)).join(", ");
  }

  /**
   * Why some of the topics are not known at a node.
   * @param {number} node @param {string[]} topics @returns {string[]}
   */
  problems(node, topics) {
    const at = this.game.resolve(node);
    return [...new Set(topics)].map((topic) => this.#problems.get(`${at} ${topic}`) ?? "").filter(Boolean);
  }

  /** @param {number} node @param {string[]} topics */
  look(node, topics) {
    clearTimeout(this.#timer);
    const open = [...new Set(topics)].filter((topic) => !this.#asked.has(`${node} ${topic}`));
    if (open.length) this.#timer = window.setTimeout(() => open.forEach((topic) => this.#ask(node, topic)), PAUSE);
  }

  /** @param {number} node @param {string} topic */
  async #ask(node, topic) {
    const key = `${node} ${topic}`;
    if (this.#asked.has(key)) return;
    this.#asked.add(key);
    const waits = this.#waits.get(node) ?? new Set();
    this.#waits.set(node, waits.add(topic));
    this.changed();
    try {
      const answer = await this.game.ask("ask", { node, topics: [topic] });
      const kept = { .../** @type {Knowledge} */ (this.at(node)) };
      for (const [name, value] of Object.entries(answer)) {
        if (value !== null && value !== undefined) /** @type {any} */ (kept)[name] = value;
      }
      this.#kept.set(node, kept);
    } catch (error) {
      const failed = /** @type {any} */ (error);
      // These go by: it is asked again, not at once, while somebody looks.
      if (failed.code === "lost" || failed.code === "busy")
        setTimeout(() => {
          this.#asked.delete(key);
          this.changed();
        }, AGAIN);
      else this.#problems.set(key, `No ${topic}: ${failed.message}`);
    }
    waits.delete(topic);
    this.changed();
  }
}
