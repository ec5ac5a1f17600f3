// @ts-check
/** The analysis board: engines, what is known of the position, the game's tree, its graph and its review. */

import { AnalysisBoards } from "./analyse-boards.js";
import { h, isForPage } from "./dom.js";
import { Engine } from "./engine.js";
import { analysisCopy, importDialog, shareDialog } from "./exchange.js";
import { follow } from "./follow.js";
import { Graph } from "./graph.js";
import { showHelp } from "./help.js";
import { Known } from "./known.js";
import { pairing } from "./lobby.js";
import { moveText, walkButtons } from "./moves.js";
import { Notes } from "./notes.js";
import { LAYERS, sentences } from "./overlays.js";
import { ReviewPanel } from "./review.js";
import { refusal } from "./rules.js";
import { settings } from "./settings.js";
import { tabs } from "./tabs.js";
import { TreeView } from "./tree.js";
import { announce, button, chip, complain, toast } from "./ui.js";

/** @typedef {import("./main.js").App} App */
/** @typedef {import("./game.js").Game} Game */

/**
 * @param {HTMLElement} container @param {App} app @param {string} id
 * @param {string} [node] @param {boolean} [review]
 */
export async function mount(container, app, id, node, review) {
  const { game, stop } = await follow(app.socket, id);
  const copy = await analysisCopy(game).catch(() => id);
  if (copy !== id) {
    stop();
    app.go(`#/analyse/${copy}`, true);
    return () => {};
  }
  const page = new AnalysePage(container, app, game, node === undefined ? game.current : Number(node));
  if (review) page.startReview();
  return () => {
    stop();
    page.destroy();
  };
}

/** The second engine where none was chosen: another than the strongest, and a quick one. */
const OTHER = "level:expert";

/**
 * What a person had switched on last.
 * @returns {{on: boolean, layers: string[], two: boolean, players: (string | null)[]}}
 */
function lastChoice() {
  const kept = settings.get("analysis");
  const first = { on: true, layers: ["candidates"], two: false, players: [null, null] };
  return kept && Array.isArray(kept.layers) && Array.isArray(kept.players) ? { ...first, ...kept } : first;
}

class AnalysePage {
  /** @param {HTMLElement} container @param {App} app @param {Game} game @param {number} node */
  constructor(container, app, game, node) {
    this.app = app;
    this.game = game;
    this.cursor = game.node(node) ? node : game.current;
    this.choice = lastChoice();
    /** @type {any} */
    this.kept = null;
    this.said = "";
    this.layers = new Set(this.choice.layers);
    this.known = new Known(game, () => this.show());
    /** Values that engines found here, by node. @type {Map<number, number>} */
    this.values = new Map();
    const toPage = {
      changed: () => this.#heard(),
      play: (/** @type {string} */ move) => this.play(move),
      preview: (/** @type {number} */ slot, /** @type {import("./types.js").Candidate | null} */ candidate) =>
        this.boards.preview(slot, candidate?.variation ?? []),
    };
    this.engines = [new Engine(app, game, 0, toPage), new Engine(app, game, 1, toPage)];
    this.boards = new AnalysisBoards(game, {
      play: (cell) => this.play(cell),
      mark: (cell) => this.notes.toggle(cell),
      hovered: () => this.#draw(),
    });
    this.graph = new Graph((to) => this.go(to));
    this.tree = new TreeView((to) => this.go(to));
    this.notes = new Notes(game, { go: (to) => this.go(to) });
    this.review = new ReviewPanel(game, {
      go: (to) => this.go(to),
      changed: () => this.show(),
      end: () => this.game.end(this.cursor),
      busy: (busy) => this.engines.forEach((engine) => engine.rest(busy)),
      preview: (moves, at) => {
        this.go(at);
        this.boards.preview(0, moves);
        this.boards.preview(1, moves);
      },
    });
    this.says = h("div", { class: "sentences", "aria-live": "polite" });
    this.tabs = tabs("About the game", [
      ["moves", "Moves", this.tree.element],
      ["review", "Review", this.review.element],
      ["notes", "Notes", this.notes.element],
    ]);
    this.status = h("p", { class: "unseen", role: "status" });
    this.compare = chip(
      "Two engines",
      this.choice.two,
      (on) => this.#two(on),
      "A second engine beside the first, on a board of its own",
    );
    const chips = h(
      "div",
      { class: "chips", role: "group", "aria-label": "Shown on the board" },
      ...LAYERS.map((layer) =>
        chip(layer.text, this.layers.has(layer.name), (on) => this.#layer(layer.name, on), layer.title),
      ),
    );
    const tools = h(
      "div",
      { class: "toolbar" },
      walkButtons((step) => this.walk(step)),
      h(
        "div",
        { class: "tools" },
        button("Turn the board", () => this.flip(), { icon: "flip", bare: true, kind: "quiet", key: "f" }),
        button("Share and save", () => shareDialog(this.game, this.cursor), {
          icon: "share",
          bare: true,
          kind: "quiet",
        }),
        button("Open a game", () => importDialog(app), { icon: "open", bare: true, kind: "quiet" }),
        button("Keys", () => showHelp(), { icon: "help", bare: true, kind: "quiet", key: "?" }),
      ),
    );
    this.title = h("h1", { class: "game-title" });
    this.table = h(
      "div",
      { class: "table analyse" },
      h("div", { class: "place" }, this.boards.element, chips, this.graph.element),
      h(
        "aside",
        { class: "side" },
        h("div", { class: "title-row" }, this.title, this.compare),
        h("div", { class: "engines" }, this.engines[0].element, this.engines[1].element),
        this.says,
        this.tabs.element,
        tools,
      ),
      this.status,
    );
    container.append(this.table);
    this.ends = [game.watch(() => this.show()), settings.watch(() => this.show())];
    this.keys = (/** @type {KeyboardEvent} */ event) => this.#key(event);
    document.addEventListener("keydown", this.keys);
    this.engines.forEach((engine, slot) => engine.take(this.choice.players[slot] ?? null));
    const { on, two } = this.choice;
    this.engines[0].turn(on);
    this.#two(two);
    this.show();
  }

  destroy() {
    for (const end of this.ends) end();
    document.removeEventListener("keydown", this.keys);
    this.boards.destroy();
    for (const engine of this.engines) engine.destroy();
    clearTimeout(this.addressTimer);
  }

  startReview() {
    this.tabs.choose("review");
    this.review.start();
  }

  /** @param {string} move */
  async play(move) {
    const why = refusal(this.game.position(this.cursor), move);
    if (why) return toast(why, "bad");
    const there = this.game.child(this.cursor, move);
    if (there !== null) return this.go(there);
    const before = this.cursor;
    const { node, done } = this.game.play(before, move);
    this.go(node);
    try {
      await done;
      this.show();
    } catch (error) {
      if (this.game.resolve(this.cursor) === this.game.resolve(node)) this.go(before);
      complain(error);
    }
  }

  /** @param {number} node */
  go(node) {
    this.cursor = this.game.resolve(node);
    this.boards.preview(0, []);
    this.boards.preview(1, []);
    this.show();
    const at = this.game.node(this.cursor);
    const position = this.game.position(this.cursor);
    announce(
      at?.move
        ? `Move ${position.moves}, ${settings.colourName(at.colour ?? "black")} ${moveText(at.move)}`
        : "The start",
    );
    clearTimeout(this.addressTimer);
    this.addressTimer = window.setTimeout(() => {
      if (this.cursor >= 0)
        history.replaceState(null, "", `#/analyse/${this.game.id}/${this.game.resolve(this.cursor)}`);
    }, 250);
  }

  /** @param {"first" | "back" | "next" | "last"} step */
  walk(step) {
    const node = this.game.node(this.cursor);
    if (!node) return;
    const to = {
      first: 0,
      back: node.parent ?? 0,
      next: node.children[0] ?? node.id,
      last: this.game.end(node.id),
    }[step];
    if (to !== node.id) this.go(to);
  }

  flip() {
    settings.put("flipped", !settings.get("flipped"));
  }

  show() {
    this.cursor = this.game.node(this.cursor) ? this.game.resolve(this.cursor) : this.game.current;
    const { game } = this;
    // A node that the server does not know yet cannot be asked about.
    if (this.cursor >= 0) {
      for (const engine of this.engines) engine.look(this.cursor);
      this.known.look(this.cursor, this.#topics());
    }
    this.title.textContent = game.settings.title || pairing(game.names);
    this.notes.show(this.cursor);
    this.tree.losses = new Map([...this.review.moves].map(([node, move]) => [node, move.loss]));
    this.tree.show(game, this.cursor);
    this.#drawGraph();
    this.#draw();
  }

  /** What has to be known for the overlays that are on. */
  #topics() {
    return LAYERS.filter((layer) => this.layers.has(layer.name) && layer.topic).map((layer) => String(layer.topic));
  }

  #draw() {
    const position = this.game.position(this.cursor);
    const known = this.known.at(this.cursor);
    this.boards.show({
      cursor: this.cursor,
      position,
      known,
      layers: this.layers,
      names: this.engines.map((engine) => engine.name),
      analyses: this.engines.map((engine) => (this.layers.has("candidates") && engine.on ? engine.analysis : null)),
    });
    const said = sentences(this.layers, known, position);
    const waits = this.known.waiting(this.cursor, this.#topics());
    const text = [
      ...said,
      ...this.known.problems(this.cursor, this.#topics()),
      ...(waits ? [`Looking for ${waits}…`] : []),
    ];
    if (text.join("\n") !== this.said) {
      this.said = text.join("\n");
      this.says.replaceChildren(...text.map((sentence) => h("p", { text: sentence })));
    }
  }

  #drawGraph() {
    const moves = this.review.moves;
    const end = this.game.end(this.cursor);
    const points = this.game.line(end).map((node) => {
      const reviewed = moves.get(node.id);
      const next = this.game.node(node.children[0] ?? -1);
      const before = next ? moves.get(next.id)?.before : undefined;
      return {
        node: node.id,
        move: node.move ?? "",
        colour: node.colour ?? /** @type {const} */ ("black"),
        value: reviewed?.after ?? before ?? this.values.get(node.id) ?? node.value ?? null,
        loss: reviewed?.loss ?? null,
      };
    });
    this.graph.show(points, this.cursor);
  }

  /** An engine has spoken, or was switched. */
  #heard() {
    const [first, second] = this.engines;
    const analysis = first.analysis ?? second.analysis;
    if (analysis) {
      const turn = this.game.position(analysis.node).turn;
      this.values.set(
        analysis.node,
        analysis.proof ? (analysis.proof > 0 === (turn === "black") ? 1 : -1) : analysis.value,
      );
    }
    this.#drawGraph();
    this.#draw();
    this.#keep();
  }

  /** Remember for the next time. */
  #keep() {
    const choice = {
      on: this.engines[0].on,
      layers: [...this.layers],
      two: this.choice.two,
      players: this.engines.map((engine) => engine.player),
    };
    if (JSON.stringify(choice) === JSON.stringify(this.kept)) return;
    this.kept = choice;
    this.choice = choice;
    // Not by way of `put`: nothing that others draw has changed.
    settings.keep("analysis", choice);
  }

  /** @param {string} name @param {boolean} on */
  #layer(name, on) {
    if (on) this.layers.add(name);
    else this.layers.delete(name);
    this.#keep();
    this.show();
  }

  /** @param {boolean} on */
  #two(on) {
    this.choice.two = on;
    this.table.classList.toggle("two", on);
    this.engines[1].element.hidden = !on;
    // The same player twice would say everything twice.
    if (on && this.engines[0].player === this.engines[1].player)
      this.engines[1].take(this.engines[0].player === OTHER ? null : OTHER);
    this.boards.two(on);
    this.engines[1].turn(on && this.engines[0].on);
    this.#keep();
    if (on) this.show();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (!isForPage(event)) return;
    if (event.target instanceof Element && event.target.getAttribute("role") === "tab" && event.key.startsWith("Arrow"))
      return;
    const best = this.engines[0].analysis?.candidates[0]?.move;
    /** @type {Record<string, () => void>} */
    const acts = {
      ArrowLeft: () => this.walk("back"),
      ArrowRight: () => this.walk("next"),
      ArrowUp: () => this.walk("first"),
      ArrowDown: () => this.walk("last"),
      Home: () => this.walk("first"),
      End: () => this.walk("last"),
      x: () => this.engines[0].turn(!this.engines[0].on),
      f: () => this.flip(),
      "?": () => showHelp(),
      r: () => this.startReview(),
      c: () => {
        this.tabs.choose("notes");
        this.notes.text.focus();
      },
      " ": () => {
        if (best) this.play(best);
      },
    };
    const act = acts[event.key];
    const pressed = event.target instanceof HTMLButtonElement || event.target instanceof HTMLInputElement;
    if (!act || (event.key === " " && pressed)) return;
    event.preventDefault();
    act();
  }
}
