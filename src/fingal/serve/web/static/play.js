// @ts-check
/** The page of a game that is played: the board, the two players, what one may do, and what the teacher says. */

import { Board } from "./board.js";
import { ConfirmBar } from "./confirm-bar.js";
import { candidateDiscs } from "./overlays.js";
import { analysisCopy } from "./exchange.js";
import { follow } from "./follow.js";
import { h, isForPage } from "./dom.js";
import { MoveList, moveText, walkButtons } from "./moves.js";
import { GameButtons, hintCard, waitCard, warningCard } from "./play-panel.js";
import { Strip } from "./players.js";
import { isCell, other, refusal } from "./rules.js";
import { settings } from "./settings.js";
import { announce, chip, complain, confirm, toast } from "./ui.js";

/** @typedef {import("./main.js").App} App */
/** @typedef {import("./game.js").Game} Game */
/** @typedef {import("./types.js").Colour} Colour */

/** @param {HTMLElement} container @param {App} app @param {string} id */
export async function mount(container, app, id) {
  const { game, stop } = await follow(app.socket, id);
  const page = new PlayPage(container, app, game);
  return () => {
    stop();
    page.destroy();
  };
}

export class PlayPage {
  /** @param {HTMLElement} container @param {App} app @param {Game} game */
  constructor(container, app, game) {
    this.app = app;
    this.game = game;
    /** The node on view while somebody leafs through the game; null: where it stands. @type {number | null} */
    this.looking = null;
    /** @type {import("./types.js").Advice | null} */
    this.hint = null;
    /** @type {import("./types.js").Warned | null} */
    this.warning = null;
    /** @type {import("./types.js").Analysis | null} */
    this.thought = null;
    this.announced = "";
    // What the card and the buttons were drawn for: they are drawn anew only for something else.
    this.said = "";
    /** Whether a hint is being looked for. */
    this.asking = false;
    /** What the window is called. */
    this.title = "";
    this.helped = "";
    this.strips = { black: new Strip("black"), white: new Strip("white") };
    this.field = h("div", { class: "field-of-play" });
    this.says = h("div", { class: "says", "aria-live": "polite" });
    // Read out by `announce`, together with the move: a live region here would say it twice.
    this.status = h("p", { class: "status" });
    this.moves = new MoveList((node) => this.look(node));
    this.helps = h("div", { class: "row helps", role: "group", "aria-label": "Help in this game" });
    this.buttons = new GameButtons(this);
    this.confirmBar = new ConfirmBar();
    const side = h(
      "aside",
      { class: "side" },
      this.status,
      this.says,
      h(
        "div",
        { class: "record" },
        this.moves.element,
        walkButtons((step) => this.walk(step)),
      ),
      this.helps,
      this.buttons.element,
    );
    this.table = h(
      "div",
      { class: "table play" },
      this.strips.white.element,
      h("div", { class: "place" }, this.field),
      this.strips.black.element,
      side,
      this.confirmBar.element,
    );
    container.append(h("h1", { class: "unseen", text: "Game" }), this.table);
    const { width, height } = game.settings;
    this.board = new Board(this.field, {
      width,
      height,
      label: `Hex board, ${width} by ${height}`,
      onMove: (cell) => this.play(cell),
      onPreview: (cell) => this.confirmBar.show(this.board, cell),
    });
    this.ends = [
      game.watch(() => this.show()),
      settings.watch(() => this.show()),
      app.socket.on("warning", (message) => this.#warn(message)),
      app.socket.on("thought", (message) => this.#think(message.analysis)),
    ];
    this.keys = (/** @type {KeyboardEvent} */ event) => this.#key(event);
    document.addEventListener("keydown", this.keys);
    this.show();
  }

  destroy() {
    for (const end of this.ends) end();
    document.removeEventListener("keydown", this.keys);
    this.board.destroy();
    for (const strip of Object.values(this.strips)) strip.destroy();
  }

  /** The node on view. */
  get cursor() {
    return this.looking ?? this.game.tip;
  }

  /** Who plays each colour. */
  get seats() {
    const { black, white } = this.game.settings;
    return { black, white };
  }

  /** @param {Colour} colour */
  #person(colour) {
    return this.game.settings[colour] === "person";
  }

  /** Whether a person may move now, at what is on view. */
  #mayPlay() {
    if (this.looking !== null && this.game.resolve(this.looking) !== this.game.tip) return false;
    const position = this.game.position(this.game.tip);
    return !position.winner && !this.game.status.winner && this.#person(position.turn);
  }

  /** @param {string} move */
  async play(move) {
    const position = this.game.position(this.game.tip);
    const why = refusal(position, move);
    if (why) return toast(why, "bad");
    this.hint = this.warning = this.thought = null;
    this.looking = null;
    try {
      await this.game.play(this.game.tip, move).done;
    } catch (error) {
      complain(error);
    }
  }

  /** @param {number} node */
  look(node) {
    this.looking = this.game.resolve(node) === this.game.tip ? null : node;
    this.show();
  }

  /** @param {"first" | "back" | "next" | "last"} step */
  walk(step) {
    const line = this.game.line(this.game.tip);
    const at = line.findIndex((node) => node.id === this.game.resolve(this.cursor));
    const to = { first: 0, back: at - 1, next: at + 1, last: line.length - 1 }[step];
    if (line[to]) this.look(line[to].id);
  }

  async takeBack() {
    if (this.game.tip === 0 || !Object.values(this.seats).includes("person")) return;
    this.hint = this.warning = null;
    this.looking = null;
    try {
      await this.game.ask("take_back");
    } catch (error) {
      complain(error);
    }
  }

  swap() {
    if (this.#mayPlay() && this.game.position(this.game.tip).canSwap) this.play("swap-pieces");
  }

  async resign() {
    if (!this.#mayPlay() || !(await confirm("Resign this game?", "Resign"))) return;
    await this.play("resign");
  }

  async askHint() {
    if (!this.#mayPlay() || this.asking) return;
    this.asking = true;
    this.show();
    try {
      const advice = await this.game.ask("hint");
      this.hint = advice.node === this.game.tip ? advice : null;
    } catch (error) {
      complain(error);
    }
    this.asking = false;
    this.show();
  }

  async analyse() {
    try {
      this.app.go(`#/analyse/${await analysisCopy(this.game)}`);
    } catch (error) {
      complain(error);
    }
  }

  show() {
    const { game } = this;
    if (this.looking !== null && !game.node(this.looking)) this.looking = null;
    const position = game.position(this.cursor);
    const now = game.position(game.tip);
    const atTip = game.resolve(this.cursor) === game.tip;
    const winner = now.winner ?? game.status.winner ?? null;
    const free = this.#mayPlay();
    if (this.hint && this.hint.node !== game.tip) this.hint = null;
    const warned = this.warning?.node;
    if (!game.line(game.tip).some((node) => node.id === warned)) this.warning = null;
    if (this.thought && this.thought.node !== game.tip) this.thought = null;
    this.board.show({
      stones: position.stones,
      last: position.last,
      numbers: position.numbers,
      chain: position.chain,
      turn: free ? position.turn : null,
      overlay: atTip ? this.#overlay() : {},
      marks: game.node(this.cursor)?.marks ?? [],
    });
    for (const colour of /** @type {Colour[]} */ (["black", "white"])) {
      const toMove = !winner && now.turn === colour;
      const thinks = toMove && !this.#person(colour);
      const note = winner === colour ? "won" : thinks ? "thinking…" : "";
      this.strips[colour].show(game, toMove, note);
    }
    this.#arrange();
    this.#sayStatus(now, winner, atTip);
    this.#sayMore();
    this.moves.show(game, game.tip, this.cursor);
    this.buttons.show(free, !!winner, now.canSwap);
    this.#help();
  }

  /** Teaching and thinking can be switched in the middle of a game. */
  #help() {
    const { teaching, thinking, black, white } = this.game.settings;
    const engine = black !== "person" || white !== "person";
    const person = black === "person" || white === "person";
    const key = JSON.stringify([teaching, thinking, engine, person]);
    if (key === this.helped) return;
    this.helped = key;
    const change = (/** @type {Record<string, boolean>} */ to) => this.game.ask("change", to).catch(complain);
    this.helps.replaceChildren(
      ...(person
        ? [
            chip(
              "Teaching",
              teaching,
              (on) => change({ teaching: on }),
              "Losing moves are pointed out and may be taken back",
            ),
          ]
        : []),
      ...(engine
        ? [
            chip(
              "Engine's thinking",
              thinking,
              (on) => {
                if (!on) this.thought = null;
                change({ thinking: on });
              },
              "Show what the engine thinks at its move",
            ),
          ]
        : []),
    );
  }

  /** The person sits below; two people find White above, as the board shows it. */
  #arrange() {
    const below = this.#person("black") || !this.#person("white") ? "black" : "white";
    if (this.table.firstElementChild === this.strips[other(below)].element) return;
    this.table.prepend(this.strips[other(below)].element);
    this.field.parentElement?.after(this.strips[below].element);
  }

  #overlay() {
    /** @type {import("./board.js").Overlay} */
    const overlay = {};
    if (this.thought) Object.assign(overlay, candidateDiscs(this.thought, this.game.position(this.game.tip)));
    if (this.hint && isCell(this.hint.move)) {
      overlay.outlined = [this.hint.move];
      overlay.notes = { [this.hint.move]: "the hint" };
    }
    if (this.warning) {
      const mover = this.game.node(this.warning.node)?.colour ?? "black";
      overlay.carriers = [{ cells: this.warning.carrier ?? [], colour: other(mover) }];
      if (isCell(this.warning.better)) overlay.outlined = [this.warning.better];
    }
    return overlay;
  }

  /** @param {import("./rules.js").Position} now @param {Colour | null} winner @param {boolean} atTip */
  #sayStatus(now, winner, atTip) {
    const { status } = this.game;
    const loser = winner ? settings.colourName(other(winner)) : "";
    const both = this.#person("black") && this.#person("white");
    let text;
    if (winner) {
      const how = now.how || status.how;
      const ending = how === "resign" ? `${loser} has resigned.` : how === "time" ? `${loser} is out of time.` : "";
      text = `${settings.colourName(winner)} wins. ${ending}`.trim();
    } else if (!this.#person(now.turn)) text = `${this.game.names[now.turn]} is thinking`;
    else if (both) text = `${settings.colourName(now.turn)} to move`;
    else text = now.canSwap ? "Your move, or swap" : "Your move";
    if (!atTip) text += " · looking back";
    this.status.textContent = text;
    this.status.classList.toggle("over", !!winner);
    if (this.title !== text) document.title = `${(this.title = text)} · Fingal`;
    const shown = this.game.node(this.cursor);
    const where =
      shown?.move === "swap-pieces" ? `swap, ${this.game.position(this.cursor).last}` : moveText(shown?.move);
    const move = where ? `${settings.colourName(shown?.colour ?? "black")}: ${where}. ` : atTip ? "" : "The start. ";
    const said = `${move}${text.replace(/\.$/, "")}.`;
    if (said !== this.announced) announce((this.announced = said));
  }

  /** The cards below the status: the teacher's warning, the hint. */
  #sayMore() {
    const key = JSON.stringify([this.warning?.node, this.hint?.node, this.asking, settings.get("colours")]);
    if (key === this.said) return;
    this.said = key;
    const keep = () => {
      this.warning = null;
      this.show();
    };
    const close = () => {
      this.hint = null;
      this.show();
    };
    this.says.replaceChildren(
      ...(this.warning ? [warningCard(this.warning, () => this.takeBack(), keep)] : []),
      ...(this.hint ? [hintCard(this.hint, this.game.position(this.hint.node).turn, close)] : []),
      ...(this.asking ? [waitCard()] : []),
    );
  }

  /** @param {import("./types.js").Warned} message */
  #warn(message) {
    if (message.game !== this.game.id) return;
    this.warning = message;
    this.show();
  }

  /** @param {import("./types.js").Analysis} analysis */
  #think(analysis) {
    if (analysis.game !== this.game.id || !this.game.settings.thinking) return;
    this.thought = analysis;
    this.show();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (!isForPage(event)) return;
    /** @type {Record<string, () => void>} */
    const acts = {
      ArrowLeft: () => this.walk("back"),
      ArrowRight: () => this.walk("next"),
      Home: () => this.walk("first"),
      ArrowUp: () => this.walk("first"),
      ArrowDown: () => this.walk("last"),
      End: () => this.walk("last"),
      f: () => settings.put("flipped", !settings.get("flipped")),
      u: () => this.takeBack(),
      h: () => this.askHint(),
      s: () => this.swap(),
    };
    const act = acts[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }
}
