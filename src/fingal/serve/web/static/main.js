// @ts-check
/**
 * The app: one page, addresses after the hash.
 *
 *     #/                 a new game, and the games there are (lobby.js)
 *     #/play/ID          a game (play.js)
 *     #/analyse          open or begin an analysis (analyse-start.js)
 *     #/analyse/ID/NODE  the analysis board (analyse.js)
 *     #/learn/...        learn.js        #/watch/...   watch.js        #/about   about.js
 *
 * A page's module exports `mount(container, app)`, which fills the container and may return (a promise of) a function
 * that is called when the page is left. learn.js and watch.js are loaded, with learn.css and watch.css, when they are
 * first asked for; `app.route` holds the parts of the address, and they hear of changes below their name by
 * `app.onRoute(listener)`.
 */

import { api } from "./api.js";
import { takeDrops } from "./exchange.js";
import { h } from "./dom.js";
import { showHelp } from "./help.js";
import { icon, logo } from "./icons.js";
import { settings } from "./settings.js";
import { showSettings } from "./settings-dialog.js";
import { Socket } from "./socket.js";
import { announce, button, complain, dropComplaints, sentence, toast } from "./ui.js";

/** @typedef {import("./types.js").About} About */

const PAGES = /** @type {const} */ ([
  ["play", "Play", "#/"],
  ["analyse", "Analyse", "#/analyse"],
  ["learn", "Learn", "#/learn"],
  ["watch", "Watch", "#/watch"],
]);

/** Take the token of the server's link out of the address bar and the history: a cookie holds it by now. */
function hideToken() {
  const address = new URL(location.href);
  if (!address.searchParams.has("token")) return;
  address.searchParams.delete("token");
  history.replaceState(null, "", address);
}

export class App {
  constructor() {
    hideToken();
    this.socket = new Socket();
    this.settings = settings;
    this.api = api;
    this.toast = toast;
    this.announce = announce;
    this.complain = complain;
    /** @type {About} */
    this.about = { version: "", protocol: 1, levels: [], kinds: [], sizes: [3, 19], htp: false, runs: false };
    /** What stands in the address, split at the slashes: ["learn", "puzzles", "3"]. @type {string[]} */
    this.route = [];
    /** What stands behind a question mark in it. */
    this.query = new URLSearchParams();
    /** @type {Set<(route: string[]) => void>} */
    this.routeListeners = new Set();
    /** @type {() => void} */
    this.leave = () => {};
    this.visit = 0;
    this.main = /** @type {HTMLElement} */ (document.getElementById("main"));
    this.#frame();
    takeDrops(this);
    window.addEventListener("hashchange", () => this.#show());
    this.socket.on("error", (message) => this.#problem(message));
    this.socket.on("connection", () => this.#connection());
    this.#begin();
  }

  /** Go to an address after the hash; in place of this one, where it is not worth to come back to.
   * @param {string} address @param {boolean} [instead] */
  go(address, instead = false) {
    if (instead) {
      history.replaceState(null, "", address);
      this.#show();
    } else if (location.hash === address) this.#show();
    else location.hash = address;
  }

  /** Hear of a new address below the page that is shown; ends when the page is left.
   * @param {(route: string[]) => void} listener */
  onRoute(listener) {
    this.routeListeners.add(listener);
  }

  async #begin() {
    try {
      this.about = await api("about");
    } catch (error) {
      complain(error);
    }
    this.#show();
  }

  #frame() {
    document.getElementById("logo")?.append(logo());
    document
      .getElementById("nav")
      ?.append(...PAGES.map(([name, text, href]) => h("a", { href, "data-page": name, text })));
    document.getElementById("tools")?.append(
      button("Keys", () => showHelp(), { icon: "help", bare: true, kind: "quiet only-wide" }),
      button("Settings", () => showSettings(), { icon: "gear", bare: true, kind: "quiet" }),
    );
    document.querySelector(".skip")?.addEventListener("click", (event) => {
      // Not by its address: that after the hash says which page is shown.
      event.preventDefault();
      const board = /** @type {HTMLElement | null} */ (this.main.querySelector(".board [tabindex='0']"));
      (board ?? this.main).focus();
    });
    document.addEventListener("keydown", (event) => {
      const busy = event.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
      if (event.key === "?" && !busy && !event.defaultPrevented && !document.querySelector("dialog[open]")) showHelp();
    });
  }

  async #show() {
    const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
    const route = path.split("/").filter(Boolean).map(plain);
    const page = route[0] ?? "play";
    const before = this.route;
    this.route = route;
    this.query = new URLSearchParams(query ?? "");
    // What was said of the page before is no news here.
    announce("");
    dropComplaints();
    if ((page === "learn" || page === "watch") && before[0] === page && this.routeListeners.size) {
      for (const listener of this.routeListeners) listener(route);
      return;
    }
    for (const link of document.querySelectorAll("#nav a")) {
      if (link.getAttribute("data-page") === page) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    const visit = ++this.visit;
    const first = visit === 1;
    this.leave();
    this.leave = () => {};
    this.routeListeners.clear();
    for (const box of document.querySelectorAll("dialog[open]")) /** @type {HTMLDialogElement} */ (box).close();
    const container = h("div", { class: `page page-${page}` });
    this.main.replaceChildren(container);
    // Most pages are there at once; of the others one can see that they come.
    const waiting = h("p", { class: "soft loading", text: "Loading…" });
    const late = setTimeout(() => visit === this.visit && this.main.append(waiting), 400);
    document.title =
      { play: "Fingal", analyse: "Analyse · Fingal", learn: "Learn · Fingal", watch: "Watch · Fingal" }[page] ??
      "Fingal";
    try {
      const leave = await this.#mount(container, page, route);
      // A page that was left while it was still loading is put away at once.
      if (visit !== this.visit) return leave?.();
      this.leave = leave ?? (() => {});
      if (!first) this.#arrive();
    } catch (error) {
      if (visit !== this.visit) return;
      const lost = this.socket.connection.state !== "open";
      // A module that could not be fetched is not fetched a second time: the page begins anew when the server is back.
      if (lost) this.socket.on("open", () => visit === this.visit && location.reload());
      const words = lost
        ? "There is no connection to the server. The page opens when it is back."
        : error instanceof Error
          ? error.message
          : String(error);
      container.replaceChildren(
        h(
          "div",
          { class: "notice lonely" },
          h("h1", { text: "That did not work" }),
          h("p", { text: sentence(words) }),
          h("a", { class: "button", href: "#/" }, h("span", { text: "To the first page" })),
        ),
      );
    } finally {
      clearTimeout(late);
      waiting.remove();
    }
    if (first) whenIdle(() => this.#fetchAll());
  }

  /** Have the other pages' modules before they are asked for: they open at once, also without a connection. */
  #fetchAll() {
    for (const load of [
      () => import("./play.js"),
      () => import("./analyse.js"),
      () => import("./analyse-start.js"),
      () => import("./lobby.js"),
    ]) {
      load().catch(() => {});
    }
  }

  /** A new page is read from its top, by the eye and by the keyboard, whose focus has gone with what was left. */
  #arrive() {
    window.scrollTo(0, 0);
    if (document.activeElement === document.body || document.activeElement === null)
      this.main.focus({ preventScroll: true });
  }

  /** @param {HTMLElement} container @param {string} page @param {string[]} route
   * @returns {Promise<(() => void) | undefined | void>} */
  async #mount(container, page, route) {
    if (page === "play" && route[1]) return (await import("./play.js")).mount(container, this, route[1]);
    if (page === "analyse" && route[1]) {
      return (await import("./analyse.js")).mount(container, this, route[1], route[2], this.query.has("review"));
    }
    if (page === "analyse") return (await import("./analyse-start.js")).mount(container, this);
    if (page === "learn") return (await dressed("learn.css", import("./learn.js"))).mount(container, this);
    if (page === "watch") return (await dressed("watch.css", import("./watch.js"))).mount(container, this);
    if (page === "about") return (await import("./about.js")).mount(container, this);
    return (await import("./lobby.js")).mount(container, this);
  }

  /** @param {{code: string, message: string}} message */
  #problem(message) {
    if (message.code === "version") {
      toast("Fingal has become newer: the page loads itself again.");
      setTimeout(() => location.reload(), 1500);
    } else toast(message.message, "bad");
  }

  #connection() {
    clearInterval(this.ticking);
    const bar = document.getElementById("connection");
    if (!bar) return;
    const { state, again } = this.socket.connection;
    // The very first attempt is no news.
    if (state === "open" || (state === "opening" && !this.wasLost)) {
      bar.hidden = true;
      this.wasLost = false;
      return;
    }
    this.wasLost = true;
    bar.hidden = false;
    if (!bar.childElementCount) {
      bar.append(
        icon("flip"),
        h("span"),
        button("Try now", () => this.socket.retry(), { kind: "quiet" }),
      );
    }
    const words = bar.querySelector("span");
    const say = () => {
      const left = Math.max(0, Math.ceil((again - Date.now()) / 1000));
      if (words)
        words.textContent =
          state === "opening" || !left ? "Connecting…" : `No connection to the server. Next attempt in ${left} s.`;
    };
    say();
    this.ticking = window.setInterval(say, 500);
  }
}

/**
 * A module once its style sheet is there too: what is seldom looked at does not slow down the first page.
 * @template T @param {string} sheet @param {Promise<T>} module @returns {Promise<T>}
 */
async function dressed(sheet, module) {
  if (!document.querySelector(`link[href="./${sheet}"]`)) {
    await new Promise((done) => {
      document.head.append(h("link", { rel: "stylesheet", href: `./${sheet}`, onload: done, onerror: done }));
    });
  }
  return module;
}

/** Do something that is not urgent. @param {() => void} work */
function whenIdle(work) {
  if ("requestIdleCallback" in window) window.requestIdleCallback(work);
  else setTimeout(work, 500);
}

/** What a part of an address says, or the part itself where it is no proper one. @param {string} part */
function plain(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

new App();
