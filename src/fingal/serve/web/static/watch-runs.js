// @ts-check
/** The runs folder, live: a list of runs, and a chart for each of their figures; several runs side by side. */

import { Chart, HUES, swatch } from "./charts.js";
import { api } from "./api.js";
import { h } from "./dom.js";
import { sayAddress } from "./learn-parts.js";
import { ago } from "./lobby.js";
import { complain, toggle } from "./ui.js";
import { Replay } from "./watch-games.js";
import { Curves } from "./watch-rows.js";

/** @typedef {import("./main.js").App} App */
/** @typedef {{name: string, algorithm: string, changed: number, share: number | null, figures: Record<string, number>}} Run */

/** So often what is new is asked for, in milliseconds. */
const EVERY = 2000;

/** A run that wrote within so many seconds is alive. */
const ALIVE = 120;

/** Figures that say how the work went, not what was learned: they can be unfolded. */
const WORK = new Set(["games", "positions", "judgements", "replay", "learning_rate", "gradient", "wrong_resignations", "moves",
  "transitions", "updates", "steps", "episodes", "epoch", "epochs", "generation", "pairs", "play_s", "learn_s", "members"]);

/** @param {HTMLElement} container @param {App} app @param {string[]} rest */
export function mountRuns(container, app, rest) {
  const page = new RunsPage(container, rest.join("/"));
  return () => page.destroy();
}

/** What people call figures whose names say too little. @type {Record<string, string>} */
const TITLES = {
  keeps_win: "exam: wins kept", sign: "exam: right about the winner", against_older: "against older self",
  policy: "policy loss", owner: "owner loss", reply: "reply loss",
  first_vs_random: "first against random", second_vs_random: "second against random", first_vs_best: "first against the best",
  held_out_loss: "loss on other games", held_out_policy: "policy loss on other games", held_out_value: "value loss on other games",
  first_wins: "won by the first player", length: "length of a game",
};

/** What a figure is called. @param {string} name */
export function title(name) {
  return TITLES[name] ?? name.replace(/_per_s$/, "/s").replaceAll("_", " ");
}

class RunsPage {
  /** @param {HTMLElement} container @param {string} asked a run's name, or '' */
  constructor(container, asked) {
    this.asked = asked;
    /** @type {Run[]} */
    this.runs = [];
    this.late = 0;
    /** Those on view, with their hue. @type {Map<string, {curves: Curves, hue: number}>} */
    this.chosen = new Map();
    /** @type {Map<string, Chart>} */
    this.charts = new Map();
    this.comparing = false;
    this.gone = false;
    this.timer = 0;
    /** What the list was drawn for. */
    this.listed = "";
    this.list = h("ul", { class: "runs", "aria-label": "Runs" });
    this.learned = h("div", { class: "charts" });
    this.work = h("div", { class: "charts" });
    this.folded = h("details", { class: "work", hidden: true }, h("summary", { text: "How the work went" }), this.work);
    this.note = h("p", { class: "note", role: "status" });
    this.empty = h("div", { class: "nothing", hidden: true },
      h("p", { text: "There are no runs here yet." }),
      h("p", {}, "Start one with ", h("code", { text: "fingal train alphazero" }), ", or show another folder with ",
        h("code", { text: "fingal serve --runs FOLDER" }), "."));
    this.replay = new Replay();
    this.compare = toggle("Compare runs", false, (on) => {
      this.comparing = on;
      if (!on) for (const name of [...this.chosen.keys()].slice(0, -1)) this.chosen.delete(name);
      this.#show();
    });
    this.main = h("div", { class: "run-main" }, this.note, this.learned, this.folded, this.replay.element);
    this.side = h("aside", { class: "run-side" }, h("h2", { class: "unseen", text: "Runs" }), this.compare, this.list);
    this.root = h("div", { class: "watch-runs" }, this.side, this.main);
    container.append(this.root, this.empty);
    this.wake = () => {
      if (!document.hidden) this.#tick();
    };
    document.addEventListener("visibilitychange", this.wake);
    this.#tick();
  }

  destroy() {
    this.gone = true;
    clearTimeout(this.timer);
    document.removeEventListener("visibilitychange", this.wake);
    this.replay.destroy();
  }

  /** Ask for what is new, and again in a while; nobody asks for a page that nobody sees. */
  async #tick() {
    clearTimeout(this.timer);
    try {
      await this.#look();
    } catch (error) {
      if (!this.runs.length) complain(error);
      this.note.textContent = "There is no connection to the server at the moment.";
    }
    clearTimeout(this.timer);
    if (!this.gone && !document.hidden) this.timer = window.setTimeout(() => this.#tick(), EVERY);
  }

  async #look() {
    const { runs, now } = await api("runs");
    if (this.gone) return;
    this.runs = runs;
    this.late = Date.now() / 1000 - now;
    this.root.hidden = runs.length === 0;
    this.empty.hidden = runs.length > 0;
    for (const name of this.chosen.keys()) if (!runs.some((/** @type {Run} */ run) => run.name === name)) this.chosen.delete(name);
    if (!this.chosen.size && runs.length) this.#choose(runs.some((/** @type {Run} */ run) => run.name === this.asked) ? this.asked : runs[0].name);
    this.#showList();
    await this.#read();
  }

  async #read() {
    let news = this.stale;
    for (const { curves } of [...this.chosen.values()]) {
      const wanted = () => !this.gone && this.chosen.get(curves.name)?.curves === curves;
      news = (await curves.read(wanted, () => this.#progress(curves))) || news;
    }
    if (this.gone) return;
    this.stale = false;
    if (news) this.#showCharts();
    await this.replay.follow([...this.chosen.keys()].at(-1) ?? "");
  }

  /** A long run is drawn while the rest of it is still being read. @param {Curves} curves */
  #progress(curves) {
    if (!this.gone && this.chosen.has(curves.name)) requestAnimationFrame(() => !this.gone && this.#showCharts());
  }

  /** Put a run on view. @param {string} name */
  #choose(name) {
    if (!this.comparing) this.chosen.clear();
    else if (this.chosen.has(name) && this.chosen.size > 1) return void this.chosen.delete(name);
    if (this.chosen.has(name) || this.chosen.size >= HUES) return;
    const taken = new Set([...this.chosen.values()].map((each) => each.hue));
    const hue = Array.from({ length: HUES }, (_, number) => number).find((number) => !taken.has(number)) ?? 0;
    this.chosen.set(name, { curves: new Curves(name), hue });
  }

  /** @param {string} name */
  async #pick(name) {
    this.#choose(name);
    const first = [...this.chosen.keys()][0];
    if (this.chosen.size === 1 && first) sayAddress("watch", "runs", ...first.split("/"));
    this.#show();
    try {
      await this.#read();
    } catch (error) {
      complain(error);
    }
  }

  #show() {
    this.stale = true;
    this.#showList();
    this.#showCharts();
  }

  #showList() {
    const rows = this.runs.map((run) => {
      const alive = Date.now() / 1000 - this.late - run.changed < ALIVE && (run.share ?? 0) < 1;
      const about = [run.algorithm, run.share === null ? "" : `${Math.floor(100 * run.share)}%`,
        alive ? "learning now" : ago(run.changed + this.late)].filter(Boolean).join(" · ");
      const { name, share } = run;
      const hue = this.chosen.get(name)?.hue ?? null;
      return { name, share, alive, about, hue, swatch: hue !== null && this.chosen.size > 1 };
    });
    const listed = JSON.stringify(rows);
    // A button that is made anew while it is held down would lose the press.
    if (listed === this.listed) return;
    this.listed = listed;
    const focused = /** @type {HTMLElement | null} */ (document.activeElement)?.dataset?.run;
    this.compare.hidden = rows.length < 2;
    this.list.replaceChildren(...rows.map(({ name, share, alive, about, hue, swatch: marked }) => {
      const made = h("button", { type: "button", class: `run${alive ? " alive" : ""}`, "aria-pressed": String(hue !== null), "data-run": name },
        h("span", { class: "name" }, marked ? swatch(hue ?? 0) : null, h("b", { text: name === "~" ? "this folder" : name })),
        h("small", { text: about }),
        share === null ? null : h("progress", { max: 1, value: share, "aria-hidden": "true" }));
      made.addEventListener("click", () => this.#pick(name));
      return h("li", {}, made);
    }));
    if (focused) this.list.querySelector(/** @type {any} */ (`[data-run="${CSS.escape(focused)}"]`))?.focus();
  }

  #showCharts() {
    const shown = [...this.chosen.values()];
    const names = [...new Set(shown.flatMap(({ curves }) => [...curves.figures.keys()]))];
    for (const name of names) {
      if (this.charts.has(name)) continue;
      const chart = new Chart(title(name));
      this.charts.set(name, chart);
      chart.element.classList.toggle("speed", name.endsWith("_per_s"));
      (WORK.has(name) ? this.work : this.learned).append(chart.element);
    }
    for (const [name, chart] of this.charts) {
      chart.show(shown.filter(({ curves }) => curves.figures.has(name))
        .map(({ curves, hue }) => ({ name: curves.name, hue, points: curves.figures.get(name) ?? [] })));
    }
    this.folded.hidden = !names.some((name) => WORK.has(name));
    const broken = shown.reduce((sum, { curves }) => sum + curves.broken, 0);
    this.note.textContent = broken ? `${broken} line${broken === 1 ? "" : "s"} could not be read.`
      : shown.length && !names.length ? "This run has not written any figures yet." : "";
  }
}
