// @ts-check
/** Games from outside and to outside: pasted, opened or dropped; written as text, link, picture or replay. */

import { api, exportAddress } from "./api.js";
import { h, isWriting } from "./dom.js";
import { pairing } from "./lobby.js";
import { settings } from "./settings.js";
import { button, complain, dialog, toast } from "./ui.js";

/** @typedef {import("./main.js").App} App */
/** @typedef {import("./game.js").Game} Game */
/** @typedef {import("./types.js").Summary} Summary */

/** The most that the server reads. */
const MOST_BYTES = 64 * 1024;

/** Moves and nothing else: a list without the size of its board. */
const BARE = /^(?:\s*(?:\d+[.)]\s*)?(?:[a-s]1?\d|swap(?:-pieces|-sides)?|resign)[\s,;]*)+$/i;
const SIZES = [5, 7, 9, 11, 13, 14, 15, 17, 19];

/** A list of moves with the smallest usual board that has all of them; any other text as it is. @param {string} text */
export function withSize(text) {
  if (!BARE.test(text)) return text;
  const moves = text.toLowerCase().match(/[a-s]1?\d\b|swap(?:-pieces|-sides)?|resign/g) ?? [];
  const far = Math.max(
    1,
    ...moves.filter((move) => /\d$/.test(move)).map((move) => Math.max(move.charCodeAt(0) - 96, Number(move.slice(1)))),
  );
  const size = SIZES.find((found) => found >= far) ?? 19;
  toast(`Read on ${size}×${size}, as no size was given.`);
  return `${size} ${moves.join(" ")}`;
}

/** Read games from a text and go to the only one, or let one be chosen. @param {App} app @param {string} text
 * @returns {Promise<boolean>} whether it could be read */
export async function importText(app, text) {
  try {
    if (!text.trim()) throw new Error("There is nothing to read.");
    if (new Blob([text]).size > MOST_BYTES) throw new Error("That is too long: 64 KiB at most are read.");
    /** @type {{games: Summary[]}} */
    const { games } = await api("import", "POST", { text: withSize(text) });
    if (games.length === 1) {
      app.go(`#/analyse/${games[0].id}`);
      return true;
    }
    const box = dialog(
      `${games.length} games`,
      h(
        "ul",
        { class: "plain" },
        ...games.map((game) =>
          h(
            "li",
            {},
            h("a", {
              href: `#/analyse/${game.id}`,
              onclick: () => box.close(),
              text: `${game.title || pairing(game.names)}, ${game.width}×${game.height}, ${game.moves} moves`,
            }),
          ),
        ),
      ),
    );
    return true;
  } catch (error) {
    complain(error);
    return false;
  }
}

/** @param {App} app @param {File} file */
export async function importFile(app, file) {
  if (file.size <= MOST_BYTES) return importText(app, await file.text());
  toast(`${file.name} is too long: 64 KiB at most are read.`, "bad");
  return false;
}

/** The box into which games are pasted, dropped or opened. @param {App} app @param {() => void} [done] */
export function importBox(app, done) {
  const text = h("textarea", {
    id: "import-text",
    rows: 6,
    spellcheck: "false",
    "aria-label": "A game as text or link",
    placeholder: "Paste an SGF, a link of HexWorld or trmph, a game of LittleGolem, or moves such as a10 d5 e6",
  });
  const file = h("input", {
    type: "file",
    class: "unseen",
    tabindex: -1,
    "aria-label": "A file with a game",
    accept: ".sgf,.hsgf,.txt,text/plain",
  });
  // What could not be read stays there to be mended.
  const read = async (/** @type {Promise<boolean>} */ work) => {
    if (await work) done?.();
  };
  file.addEventListener("change", () => file.files?.[0] && read(importFile(app, file.files[0])));
  return h(
    "div",
    { class: "import" },
    text,
    h(
      "div",
      { class: "row" },
      button("Open it", () => read(importText(app, text.value)), { kind: "primary" }),
      button("Open a file", () => file.click(), { icon: "open" }),
      file,
      h("small", { text: "or drop a file anywhere on the page" }),
    ),
  );
}

/** @param {App} app */
export function importDialog(app) {
  const box = dialog(
    "Open a game",
    importBox(app, () => box.close()),
  );
  box.querySelector("textarea")?.focus();
}

/** A file dropped on the page, or a text pasted beside all fields, is a game. @param {App} app */
export function takeDrops(app) {
  const over = (/** @type {boolean} */ on) => document.body.classList.toggle("dropping", on);
  document.addEventListener("dragover", (event) => {
    if (!event.dataTransfer?.types.some((type) => type === "Files" || type === "text/plain")) return;
    event.preventDefault();
    over(true);
  });
  document.addEventListener("dragleave", (event) => !event.relatedTarget && over(false));
  document.addEventListener("drop", (event) => {
    over(false);
    const { dataTransfer } = event;
    if (!dataTransfer) return;
    event.preventDefault();
    const file = dataTransfer.files[0];
    if (file) importFile(app, file);
    else importText(app, dataTransfer.getData("text/plain"));
  });
  document.addEventListener("paste", (event) => {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (isWriting(event.target) || !text.trim() || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    importText(app, text);
  });
}

/** @type {[string, string, string][]} format, title, suffix */
const TEXTS = [
  ["sgf", "SGF, with variations and comments", "sgf"],
  ["hexworld", "HexWorld", "txt"],
  ["trmph", "trmph", "txt"],
  ["littlegolem", "LittleGolem", "hsgf"],
  ["moves", "Moves", "txt"],
];
/** @type {[string, string, string][]} */
const PICTURES = [
  ["svg", "SVG", "svg"],
  ["png", "PNG", "png"],
  ["replay", "Animated replay", "replay.svg"],
];

/** @param {Game} game @param {number} node the one on view */
export function shareDialog(game, node) {
  const at = game.resolve(node);
  const link = `${location.origin}${location.pathname}#/analyse/${game.id}/${at}`;
  const kind = h("select", { id: "format" }, ...TEXTS.map(([value, text]) => h("option", { value, text })));
  const text = h("textarea", { rows: 5, readonly: true, "aria-label": "The game as text", spellcheck: "false" });
  const save = h("a", { class: "button", download: "game.sgf" }, h("span", { text: "Save" }));
  const show = async () => {
    const chosen = TEXTS.find(([format]) => format === kind.value) ?? TEXTS[0];
    save.href = exportAddress(game.id, chosen[0], at);
    save.download = `hex.${chosen[2]}`;
    try {
      const answer = await fetch(save.href);
      const said = await answer.text();
      if (kind.value === chosen[0]) text.value = answer.ok ? said : JSON.parse(said).message;
    } catch (error) {
      complain(error);
    }
  };
  kind.addEventListener("change", show);
  show();
  const address = h("input", { type: "text", readonly: true, value: link, "aria-label": "Link to this position" });
  dialog(
    "Share and save",
    h(
      "div",
      { class: "field tall" },
      h("span", { text: "A link to this position, on this server" }),
      h(
        "div",
        { class: "row" },
        address,
        copyButton(() => link),
      ),
    ),
    h("label", { class: "field" }, h("span", { text: "As text" }), kind),
    text,
    h(
      "div",
      { class: "row" },
      copyButton(() => text.value),
      save,
    ),
    h(
      "div",
      { class: "field tall" },
      h("span", { text: "As a picture of this position, or the game moving" }),
      h(
        "div",
        { class: "row" },
        ...PICTURES.map(([format, name, suffix]) =>
          h(
            "a",
            { class: "button", href: exportAddress(game.id, format, at) + asShown(), download: `hex.${suffix}` },
            h("span", { text: name }),
          ),
        ),
      ),
    ),
  );
}

/** Pictures have the colours and the numbers of the board on the screen. */
function asShown() {
  const theme = settings.get("colours") === "black-white" ? "black-white" : "red-blue";
  return `&theme=${theme}${settings.get("numbers") ? "&numbers=true" : ""}`;
}

/** @param {() => string} text */
function copyButton(text) {
  return button(
    "Copy",
    async () => {
      try {
        await navigator.clipboard.writeText(text());
        toast("Copied.");
      } catch {
        toast("The browser did not allow it: copy it by hand.", "bad");
      }
    },
    { icon: "copy" },
  );
}

/**
 * The game to analyse: this one, or a copy of it while an engine would answer every move. @param {Game} game
 * @returns {Promise<string>} its id
 */
export async function analysisCopy(game) {
  const { width, height, swap, black, white, clock } = game.settings;
  const people = black === "person" && white === "person";
  const over = game.status.winner || game.position(game.tip).winner;
  if ((people && !clock) || over) return game.id;
  const answer = await fetch(exportAddress(game.id, "sgf"));
  const text = await answer.text();
  if (!answer.ok) throw new Error(JSON.parse(text).message);
  const title = game.settings.title || `${pairing(game.names)}, analysis`;
  const copy = await api("games", "POST", {
    width,
    height,
    swap,
    black: "person",
    white: "person",
    clock: null,
    teaching: false,
    thinking: false,
    title: title.slice(0, 120),
    text,
  });
  return copy.id;
}
