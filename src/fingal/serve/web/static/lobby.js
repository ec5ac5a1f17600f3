// @ts-check
/** The first page: a new game, and the games there are. */

import { api } from "./api.js";
import { thumbnail } from "./board.js";
import { h } from "./dom.js";
import { newGameForm } from "./new-game.js";
import { settings } from "./settings.js";
import { button, complain, confirm } from "./ui.js";

/** @typedef {import("./main.js").App} App */
/** @typedef {import("./types.js").Summary} Summary */

/** @param {HTMLElement} container @param {App} app */
export function mount(container, app) {
  const [black, white] = [settings.colourName("black"), settings.colourName("white")];
  const page = h(
    "div",
    { class: "lobby" },
    h(
      "section",
      { class: "begin card", "aria-labelledby": "begin-title" },
      h("h1", { id: "begin-title", text: "Play Hex" }),
      h("p", {
        class: "lead",
        text: `${black} joins top and bottom, ${white} left and right. There are no draws.`,
      }),
      newGameForm(app),
    ),
    gameList(app, "play"),
  );
  container.append(page);
  return () => {};
}

/** The latest games, which lead to a page. @param {App} app @param {"play" | "analyse"} page */
export function gameList(app, page) {
  const list = h("div", { class: "games" });
  const section = h(
    "section",
    { class: "recent", "aria-labelledby": "recent-title", hidden: true },
    h("h2", { id: "recent-title", text: "Games" }),
    list,
  );
  fill(app, page, list, section);
  return section;
}

/** @param {App} app @param {"play" | "analyse"} page @param {HTMLElement} list @param {HTMLElement} section */
async function fill(app, page, list, section, before = 0) {
  try {
    /** @type {{games: Summary[]}} */
    const { games } = await api(`games?limit=24${before ? `&before=${before}` : ""}`);
    section.hidden = games.length === 0 && list.children.length === 0;
    for (const game of games) list.append(entry(page, game, list, section));
    section.querySelector(".older")?.remove();
    if (games.length === 24) {
      const older = button("Older games", () => fill(app, page, list, section, games[games.length - 1].changed), {
        kind: "older",
      });
      section.append(older);
    }
  } catch (error) {
    complain(error);
    if (before) return;
    const end = app.socket.on("open", () => {
      end();
      if (section.isConnected) fill(app, page, list, section);
    });
  }
}

/** @param {"play" | "analyse"} page @param {Summary} game @param {HTMLElement} list @param {HTMLElement} section */
function entry(page, game, list, section) {
  /** @type {Record<string, import("./types.js").Colour>} */
  const stones = {};
  for (const colour of /** @type {const} */ (["black", "white"]))
    for (const cell of game.stones[colour] ?? []) stones[cell] = colour;
  const title = game.title || pairing(game.names);
  const how = game.winner
    ? `${settings.colourName(game.winner)} won`
    : `${game.moves} move${game.moves === 1 ? "" : "s"}`;
  const item = h(
    "article",
    { class: "game" },
    h(
      "a",
      { href: `#/${page}/${game.id}`, class: "cover", "aria-label": `${title}, ${how}, ${ago(game.changed)}` },
      thumbnail(game.width, game.height, stones),
      h("span", { class: "title", text: title }),
      h("small", { text: `${game.width}×${game.height} · ${how} · ${ago(game.changed)}` }),
    ),
    button(
      `Delete ${title}`,
      async () => {
        if (!(await confirm("Delete this game?", "Delete"))) return;
        try {
          await api(`games/${game.id}`, "DELETE");
          item.remove();
          section.hidden = list.children.length === 0;
        } catch (error) {
          complain(error);
        }
      },
      { icon: "trash", bare: true, kind: "quiet delete" },
    ),
  );
  return item;
}

/** 'two hours ago'. @param {number} seconds since 1970 */
export function ago(seconds) {
  const words = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  const past = seconds - Date.now() / 1000;
  /** @type {[Intl.RelativeTimeFormatUnit, number][]} */
  const units = [
    ["year", 31536000],
    ["month", 2592000],
    ["week", 604800],
    ["day", 86400],
    ["hour", 3600],
    ["minute", 60],
  ];
  for (const [unit, length] of units) if (-past >= length) return words.format(Math.round(past / length), unit);
  return "just now";
}

/** 'Ann – Bob', or that two people play. @param {Record<import("./types.js").Colour, string>} names */
export function pairing(names) {
  if (names.black === "Person" && names.white === "Person") return "Two people";
  return [names.black, names.white].map((name) => (name === "Person" ? "You" : name)).join(" – ");
}
