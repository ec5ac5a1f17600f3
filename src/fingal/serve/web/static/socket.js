// @ts-check
/**
 * The socket to the server: requests with numbers and answers, and what the server tells by itself.
 *
 * A lost connection is made again, after pauses that grow from half a second to fifteen; `state` says how it stands.
 */

/** Of the protocol: messages.VERSION. */
const VERSION = 1;
const PAUSES = [500, 1000, 2000, 4000, 8000, 15000];

/** A request that the server refused, with its sentence. */
export class Refused extends Error {
  /** @param {string} code @param {string} message */
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/**
 * `again`: when it is tried, in milliseconds since 1970.
 * @typedef {{state: "opening" | "open" | "lost", again: number}} Connection
 */
/**
 * Somebody who waits for an answer; of several, `part` gets all.
 * @typedef {{done: (message: any) => void, fail: (error: Error) => void, part?: (message: any) => void}} Waiting
 */

export class Socket {
  /** @type {WebSocket | null} */
  #socket = null;
  #next = 1;
  #attempts = 0;
  #timer = 0;
  /** @type {Map<number, Waiting>} */
  #waiting = new Map();
  /** @type {Map<string, Set<(message: any) => void>>} */
  #listeners = new Map();

  /** @param {string} [address] */
  constructor(address = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`) {
    this.address = address;
    /** @type {Connection} */
    this.connection = { state: "opening", again: 0 };
    this.#open();
    // A laptop that wakes up, or a network that comes back, need not wait for the pause to end.
    window.addEventListener("online", () => this.retry());
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && this.retry());
  }

  /**
   * Ask something. The answer is the first message with the request's number, or of a review the last one, while
   * `part` gets them all. Throws `Refused` with the server's sentence.
   * @param {string} type @param {Record<string, any>} body @param {(message: any) => void} [part]
   * @returns {Promise<any>}
   */
  ask(type, body, part) {
    const socket = this.#socket;
    if (!socket || socket.readyState !== WebSocket.OPEN) {
      return Promise.reject(new Refused("lost", "There is no connection to the server at the moment."));
    }
    const request = this.#next++;
    return new Promise((done, fail) => {
      this.#waiting.set(request, { done, fail, part });
      socket.send(JSON.stringify({ type, request, ...body }));
    });
  }

  /**
   * Hear of messages of a type, of "connection", or of "open" (also when the connection is made again). Returns what
   * ends it. @param {string} type @param {(message: any) => void} listener
   */
  on(type, listener) {
    const all = this.#listeners.get(type) ?? new Set();
    this.#listeners.set(type, all.add(listener));
    return () => void all.delete(listener);
  }

  /** Try now. */
  retry() {
    if (this.connection.state !== "lost") return;
    clearTimeout(this.#timer);
    this.#open();
  }

  #open() {
    this.#say({ state: "opening", again: 0 });
    const socket = new WebSocket(this.address);
    this.#socket = socket;
    socket.addEventListener("open", () => {
      this.ask("hello", { version: VERSION }).then(
        () => {
          this.#attempts = 0;
          this.#say({ state: "open", again: 0 });
          this.#tell("open", {});
        },
        (error) => this.#tell("error", { code: error.code, message: error.message }),
      );
    });
    socket.addEventListener("message", (event) => this.#hear(event.data));
    socket.addEventListener("close", () => {
      if (this.#socket === socket) this.#lost();
    });
  }

  #lost() {
    this.#socket = null;
    const pause = PAUSES[Math.min(this.#attempts++, PAUSES.length - 1)];
    for (const { fail } of this.#waiting.values()) fail(new Refused("lost", "The connection to the server was lost."));
    this.#waiting.clear();
    this.#timer = window.setTimeout(() => this.#open(), pause);
    this.#say({ state: "lost", again: Date.now() + pause });
  }

  /** @param {string} text */
  #hear(text) {
    /** @type {any} */
    let message;
    try {
      message = JSON.parse(text);
    } catch {
      return;
    }
    const waiting = this.#waiting.get(message.request);
    if (!waiting) return this.#tell(message.type, message);
    if (message.type === "error") {
      this.#waiting.delete(message.request);
      return waiting.fail(new Refused(message.code, message.message));
    }
    waiting.part?.(message);
    if (message.type === "review" && !message.done) return;
    this.#waiting.delete(message.request);
    waiting.done(message);
  }

  /** @param {Connection} connection */
  #say(connection) {
    this.connection = connection;
    this.#tell("connection", connection);
  }

  /** @param {string} type @param {any} message */
  #tell(type, message) {
    for (const listener of [...(this.#listeners.get(type) ?? [])]) listener(message);
  }
}
