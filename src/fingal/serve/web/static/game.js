// @ts-check
/**
 * A game on the page: the tree of moves, where it stands, and what may be done to it.
 *
 * A move is in the tree at once, under a number below zero, and the server is told. When the server has spoken the node
 * gets its real number, or is gone again and the promise fails with the server's sentence. `resolve` knows the real
 * number of a node that was shown under another one.
 */

import * as rules from "./rules.js";

/** @typedef {import("./types.js").Colour} Colour */
/** @typedef {import("./types.js").GameMessage} GameMessage */
/** @typedef {import("./types.js").ChangeMessage} ChangeMessage */
/** @typedef {import("./types.js").NodeMessage & {children: number[]}} TreeNode */
/** @typedef {import("./socket.js").Socket} Socket */

export class Game {
  /** @type {Map<number, TreeNode>} */
  nodes = new Map();
  /** @type {Map<number, rules.Position>} */
  #positions = new Map();
  /** @type {Map<number, number>} */
  #real = new Map();
  /** @type {Map<number, Promise<number>>} */
  #pending = new Map();
  /** @type {Set<() => void>} */
  #listeners = new Set();
  #made = -1;

  /** @param {Socket} socket @param {GameMessage} message */
  constructor(socket, message) {
    this.socket = socket;
    this.id = message.id;
    this.settings = message.settings;
    this.names = message.names;
    this.status = message.status;
    this.current = message.current;
    this.revision = message.revision;
    this.created = message.created;
    this.heard = performance.now();
    this.whole(message);
  }

  /** Take the whole game as the server has it. @param {GameMessage} message */
  whole(message) {
    this.settings = message.settings;
    this.names = message.names;
    this.status = message.status;
    this.current = message.current;
    this.revision = message.revision;
    this.heard = performance.now();
    this.nodes.clear();
    this.#positions.clear();
    for (const node of message.nodes) this.#put(node);
    this.#tell();
  }

  /** Take what has changed. @param {ChangeMessage} message */
  change(message) {
    for (const node of message.nodes ?? []) this.#put(node);
    for (const id of message.removed ?? []) this.#drop(id);
    if (message.first !== null && message.first !== undefined) {
      const parent = this.nodes.get(this.nodes.get(message.first)?.parent ?? -1);
      if (parent) parent.children = [message.first, ...parent.children.filter((id) => id !== message.first)];
    }
    if (message.settings) this.settings = message.settings;
    if (message.names) this.names = message.names;
    this.status = message.status;
    this.current = message.current;
    this.revision = message.revision;
    this.heard = performance.now();
    this.#tell();
  }

  /** Hear of changes. @param {() => void} listener */
  watch(listener) {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Where the game stands, with a move of ours that the server has not confirmed yet. */
  get tip() {
    for (const id of this.#pending.keys()) {
      if (this.nodes.get(id)?.parent === this.current) return id;
    }
    return this.current;
  }

  /** The number a node has now. @param {number} id */
  resolve(id) {
    return this.#real.get(id) ?? id;
  }

  /** @param {number} id */
  node(id) {
    return this.nodes.get(this.resolve(id)) ?? null;
  }

  /** From the root to a node, both included. @param {number} id @returns {TreeNode[]} */
  line(id) {
    const found = [];
    for (let node = this.node(id); node; node = node.parent === null ? null : this.node(node.parent)) found.push(node);
    return found.reverse();
  }

  /** The last node of the main line below a node. @param {number} [id] */
  end(id = 0) {
    let node = this.node(id);
    while (node?.children.length) node = this.node(node.children[0]);
    return node?.id ?? 0;
  }

  /** @param {number} id @returns {rules.Position} */
  position(id) {
    const known = this.#positions.get(this.resolve(id));
    if (known) return known;
    let position = rules.empty(this.settings.width, this.settings.height);
    for (const node of this.line(id)) {
      const kept = this.#positions.get(node.id);
      position = kept ?? rules.follow(position, node, this.settings.swap);
      this.#positions.set(node.id, position);
    }
    return position;
  }

  /** The child that a move of the side to move leads to. @param {number} parent @param {string} move */
  child(parent, move) {
    const { turn } = this.position(parent);
    const same = (/** @type {number} */ id) => {
      const node = this.nodes.get(id);
      return node?.move === move && node.colour === turn;
    };
    return this.node(parent)?.children.find(same) ?? null;
  }

  /**
   * Make a move after a node: at once here, then on the server.
   * @param {number} parent @param {string} move @returns {{node: number, done: Promise<number>}}
   */
  play(parent, move) {
    const before = this.position(parent);
    const id = this.child(parent, move) ?? this.#made--;
    if (id < 0 && !this.nodes.has(id)) this.#put({ id, parent: this.resolve(parent), colour: before.turn, move });
    const waiting = this.#pending.get(parent) ?? Promise.resolve(this.resolve(parent));
    const done = waiting
      .then((real) => this.socket.ask("play", { game: this.id, parent: real, move }))
      .then((answer) => {
        this.#pending.delete(id);
        if (answer.node !== null && answer.node !== undefined) this.#rename(id, answer.node);
        this.#tell();
        return this.resolve(id);
      })
      .catch((error) => {
        this.#pending.delete(id);
        if (id < 0 && this.nodes.has(id)) this.#drop(id);
        this.#tell();
        throw error;
      });
    if (id < 0 || parent === this.current) this.#pending.set(id, done);
    this.#tell();
    return { node: id, done };
  }

  /** Anything else that is asked about this game. @param {string} type @param {Record<string, any>} [body]
   * @param {(message: any) => void} [part] */
  ask(type, body = {}, part) {
    return this.socket.ask(type, { game: this.id, ...body }, part);
  }

  /** @param {import("./types.js").NodeMessage} message */
  #put(message) {
    const parent = message.parent === null ? null : this.nodes.get(message.parent);
    const known = this.nodes.get(message.id);
    if (!known && message.id >= 0) {
      // The server's word on a move that was made here.
      const made = parent?.children.find((id) => id < 0 && this.nodes.get(id)?.move === message.move);
      if (made !== undefined) this.#rename(made, message.id);
    }
    const children = this.nodes.get(message.id)?.children ?? [];
    this.nodes.set(message.id, { ...message, children });
    if (parent && !parent.children.includes(message.id)) parent.children.push(message.id);
  }

  /** @param {number} from @param {number} to */
  #rename(from, to) {
    if (from === to || from >= 0) return;
    this.#real.set(from, to);
    const node = this.nodes.get(from);
    if (!node) return;
    this.nodes.delete(from);
    const kept = this.nodes.get(to);
    this.nodes.set(to, {
      ...node,
      ...kept,
      id: to,
      children: [...new Set([...(kept?.children ?? []), ...node.children])],
    });
    for (const id of node.children) {
      const child = this.nodes.get(id);
      if (child) child.parent = to;
    }
    const parent = node.parent === null ? null : this.nodes.get(node.parent);
    if (parent) parent.children = [...new Set(parent.children.map((id) => (id === from ? to : id)))];
    const position = this.#positions.get(from);
    this.#positions.delete(from);
    if (position) this.#positions.set(to, position);
  }

  /** @param {number} id */
  #drop(id) {
    const node = this.nodes.get(id);
    if (!node) return;
    for (const child of [...node.children]) this.#drop(child);
    const parent = node.parent === null ? null : this.nodes.get(node.parent);
    if (parent) parent.children = parent.children.filter((child) => child !== id);
    this.nodes.delete(id);
    this.#positions.delete(id);
    this.#real.set(id, node.parent ?? 0);
  }

  #tell() {
    for (const listener of [...this.#listeners]) listener();
  }
}
