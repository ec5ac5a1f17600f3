// @ts-check
/** What is agreed on before a game: opponent, size, colour, swap, and below that everything else. */

import { api } from "./api.js";
import { thumbnail } from "./board.js";
import { h } from "./dom.js";
import { icon } from "./icons.js";
import { settings } from "./settings.js";
import { complain, dialog, segmented, toggle } from "./ui.js";

/** @typedef {import("./main.js").App} App */
/** @typedef {import("./types.js").Level} Level */
/** @typedef {import("./types.js").GameSettings} GameSettings */

const SIZES = [5, 7, 9, 11, 13, 15, 19];
/** @type {[number, number, string][]} seconds, increment, words */
const CLOCKS = [
  [0, 0, "No clock"],
  [180, 2, "3 min + 2 s"],
  [300, 5, "5 min + 5 s"],
  [600, 10, "10 min + 10 s"],
  [1800, 20, "30 min + 20 s"],
];

/**
 * @typedef {object} Wish
 * @property {string} opponent a level's name, "people" or "other"
 * @property {string} player of "other": any player's text
 * @property {string} mine a player's text that plays in the person's place; empty: the person
 * @property {"black" | "white" | "random"} colour
 * @property {number} width
 * @property {number} height
 * @property {boolean} swap
 * @property {number} clock index into CLOCKS
 * @property {boolean} teaching
 * @property {boolean} thinking
 */

/** What was chosen last, as far as it still makes sense. @param {App} app @returns {Wish} */
function lastWish(app) {
  const { levels } = app.about;
  /** @type {Wish} */
  const first = {
    opponent: levels[Math.min(1, levels.length - 1)]?.name ?? "people",
    player: "",
    mine: "",
    colour: "black",
    width: 11,
    height: 11,
    swap: true,
    clock: 0,
    teaching: false,
    thinking: false,
  };
  const kept = settings.get("game");
  const wish = { ...first, ...(kept && typeof kept === "object" ? kept : {}) };
  const known = ["people", "other", ...levels.map((level) => level.name)];
  return known.includes(wish.opponent) && CLOCKS[wish.clock] ? wish : first;
}

/** @param {Wish} wish @returns {GameSettings} */
export function settled(wish) {
  const opponent =
    wish.opponent === "people" ? "person" : wish.opponent === "other" ? wish.player.trim() : `level:${wish.opponent}`;
  const first =
    wish.colour === "black" || (wish.colour === "random" && Math.random() < 0.5) || wish.opponent === "people";
  const [seconds, increment] = CLOCKS[wish.clock];
  const mine = wish.mine.trim() || "person";
  return {
    width: wish.width,
    height: wish.height,
    swap: wish.swap && wish.width === wish.height,
    black: first ? mine : opponent,
    white: first ? opponent : mine,
    clock: seconds ? { seconds, increment } : null,
    teaching: wish.teaching,
    thinking: wish.thinking,
    title: "",
  };
}

/**
 * The form. @param {App} app @param {() => void} [begun] called when a game has been made
 * @returns {HTMLElement}
 */
export function newGameForm(app, begun) {
  const wish = lastWish(app);
  const form = h("form", { class: "new-game" });
  const preview = h("div", { class: "preview" });
  const cards = h("div", { class: "levels" });
  const words = h("p", { class: "soft about-level", "aria-live": "polite" });
  const sizes = h("div", { class: "sizes" });
  const swapRow = h("div");
  const colourRow = h("div");
  const other = h("input", {
    type: "text",
    id: "player-text",
    list: "player-kinds",
    maxlength: 200,
    placeholder: "puct:net=fingal-small,sims=2000",
    spellcheck: "false",
    autocomplete: "off",
  });
  other.value = wish.player;
  // Every kind of player there is, to begin from; what may follow the colon is on the page about players.
  const kinds = h(
    "datalist",
    { id: "player-kinds" },
    ...app.about.kinds.map((kind) =>
      h("option", { value: kind.usage.replace("NET", "fingal-small"), label: kind.doc }),
    ),
  );
  const mine = h("input", {
    type: "text",
    list: "player-kinds",
    maxlength: 200,
    placeholder: "nobody: you play yourself",
    spellcheck: "false",
    autocomplete: "off",
  });
  mine.value = wish.mine;
  mine.addEventListener("input", () => (wish.mine = mine.value));
  other.addEventListener("input", () => (wish.player = other.value));
  const start = h("button", { type: "submit", class: "button primary large" }, h("span", { text: "Start the game" }));

  const drawCards = () => {
    const { levels } = app.about;
    cards.replaceChildren(
      ...levels.map((level, index) => card(level.name, level.title, elo(level, wish), strength(index, levels.length))),
      card("people", "Two people", "", icon("people")),
    );
    describe();
  };
  /** @param {string} value @param {string} title @param {string} note @param {Node} sign */
  const card = (value, title, note, sign) => {
    const radio = h("input", { type: "radio", name: "opponent", value, checked: wish.opponent === value });
    radio.addEventListener("change", () => {
      wish.opponent = value;
      describe();
      drawColours();
    });
    return h(
      "label",
      { class: `level ${value}` },
      radio,
      sign,
      h("span", { class: "title", text: title }),
      note ? h("small", { text: note }) : null,
    );
  };
  const describe = () => {
    const level = app.about.levels.find((found) => found.name === wish.opponent);
    words.textContent = wish.opponent === "people" ? "Two people at one board, in turn." : (level?.text ?? "");
  };
  const drawColours = () => {
    colourRow.replaceChildren(
      wish.opponent === "people"
        ? ""
        : segmented(
            "You play",
            [
              ["black", `${settings.colourName("black")} (first)`],
              ["white", settings.colourName("white")],
              ["random", "Either"],
            ],
            wish.colour,
            (value) => (wish.colour = /** @type {any} */ (value)),
          ),
    );
  };
  /** @param {number} width @param {number} height */
  const resize = (width, height) => {
    Object.assign(wish, { width, height });
    across.value = String(width);
    down.value = String(height);
    drawSize();
    drawCards();
  };
  const drawSize = () => {
    const square = wish.width === wish.height;
    preview.replaceChildren(thumbnail(wish.width, wish.height, {}));
    const focus = document.activeElement instanceof HTMLInputElement && sizes.contains(document.activeElement);
    sizes.replaceChildren(
      segmented(
        "Board",
        SIZES.map((size) => [size, String(size)]),
        square ? wish.width : 0,
        (size) => resize(size, size),
      ),
    );
    if (focus) /** @type {HTMLElement | null} */ (sizes.querySelector(":checked"))?.focus();
    swapRow.replaceChildren(
      toggle(
        "Swap",
        wish.swap && square,
        (on) => (wish.swap = on),
        square ? "The second player may take over the first stone" : "Only on square boards",
      ),
    );
    const box = swapRow.querySelector("input");
    if (box) box.disabled = !square;
  };
  const [least, most] = app.about.sizes ?? [3, 19];
  const number = (/** @type {number} */ value) =>
    h("input", { type: "number", min: least, max: most, value, inputmode: "numeric" });
  const [across, down] = [number(wish.width), number(wish.height)];
  for (const field of [across, down]) {
    field.addEventListener("change", () => {
      const [width, height] = [across, down].map((f) =>
        Math.min(most, Math.max(least, Math.round(Number(f.value)) || 11)),
      );
      resize(width, height);
    });
  }
  const clock = h("select", { id: "clock" }, ...CLOCKS.map(([, , text], index) => h("option", { value: index, text })));
  clock.value = String(wish.clock);
  clock.addEventListener("change", () => (wish.clock = Number(clock.value)));
  const otherLabel = h("label", { class: "field tall" }, h("span", { text: "Any other player, by its text" }), other);
  other.addEventListener("input", () => {
    wish.opponent = other.value.trim() ? "other" : (app.about.levels[0]?.name ?? "people");
    for (const radio of cards.querySelectorAll("input")) radio.checked = radio.value === wish.opponent;
    describe();
    drawColours();
  });
  drawCards();
  drawSize();
  drawColours();
  form.append(
    h("fieldset", { class: "opponents" }, h("legend", { text: "Opponent" }), cards, words),
    h("div", { class: "size-row" }, h("div", { class: "size-choices" }, sizes, colourRow, swapRow), preview),
    h(
      "details",
      { open: wish.opponent === "other" || !!wish.mine || wish.clock > 0 || wish.teaching || wish.thinking },
      h("summary", { text: "More" }),
      h(
        "div",
        { class: "more" },
        toggle(
          "Teaching",
          wish.teaching,
          (on) => (wish.teaching = on),
          "Points out losing moves, which you may take back",
        ),
        toggle("Show the engine's thinking", wish.thinking, (on) => (wish.thinking = on)),
        h("label", { class: "field" }, h("span", { text: "Clock" }), clock),
        h(
          "div",
          { class: "field" },
          h("span", { text: "Width and height" }),
          h("span", { class: "pair" }, named(across, "Width"), "×", named(down, "Height")),
        ),
        otherLabel,
        kinds,
        h("label", { class: "field tall" }, h("span", { text: "A player in your place, to watch the two" }), mine),
      ),
    ),
    h("div", { class: "submit" }, start),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    start.disabled = true;
    settings.put("game", wish);
    try {
      const game = await api("games", "POST", settled(wish));
      begun?.();
      app.go(`#/play/${game.id}`);
    } catch (error) {
      complain(error);
    } finally {
      start.disabled = false;
    }
  });
  return form;
}

/** @template {HTMLElement} T @param {T} field @param {string} name @returns {T} */
function named(field, name) {
  field.setAttribute("aria-label", name);
  return field;
}

/** 'Elo 1450' on the board chosen, or on the nearest that the league has. @param {Level} level @param {Wish} wish */
function elo(level, wish) {
  const size = Math.max(wish.width, wish.height);
  const known = Object.keys(level.elo ?? {})
    .map(Number)
    .sort((a, b) => Math.abs(a - size) - Math.abs(b - size));
  if (!known.length) return "";
  const [rating] = level.elo[String(known[0])];
  return `Elo ${Math.round(rating)}${known[0] === size ? "" : ` on ${known[0]}×${known[0]}`}`;
}

/** Columns that grow with the level. @param {number} index @param {number} count */
function strength(index, count) {
  const columns = h("span", { class: "columns", "aria-hidden": "true" });
  for (let column = 0; column < count; column++) {
    const made = h("i", { class: column <= index ? "on" : "" });
    made.style.height = `${25 + (75 * column) / Math.max(1, count - 1)}%`;
    columns.append(made);
  }
  return columns;
}

/** @param {App} app */
export function newGameDialog(app) {
  const box = dialog(
    "New game",
    newGameForm(app, () => box.close()),
  );
  box.classList.add("wide");
}

/** A new game with the same players, colours exchanged. @param {App} app @param {GameSettings} was */
export async function rematch(app, was) {
  try {
    const game = await api("games", "POST", { ...was, black: was.white, white: was.black });
    app.go(`#/play/${game.id}`);
  } catch (error) {
    complain(error);
  }
}
