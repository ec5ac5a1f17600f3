// @ts-check
/** The league: a ladder for every size of board, each player's Elo with its interval. */

import { api } from "./api.js";
import { figure, ticks } from "./charts.js";
import { h } from "./dom.js";
import { segmented } from "./ui.js";

/**
 * @typedef {object} Placed
 * @property {string} player
 * @property {number} elo
 * @property {number} low
 * @property {number} high
 * @property {number | null} won
 * @property {number | null} games
 */
/** @typedef {Record<string, Placed[]>} Ladders by size */

/** @param {HTMLElement} container */
export function mountLeague(container) {
  const place = h("div", { class: "league" });
  container.append(place);
  let gone = false;
  api("league").then((said) => !gone && show(place, said), (error) => {
    if (!gone) place.append(h("div", { class: "nothing" }, h("p", { text: error?.message ?? String(error) })));
  });
  return () => {
    gone = true;
  };
}

/**
 * The ladders of a league's file by the boards' sides, the best player first; whatever is no player's place is left out.
 * @param {any} said @returns {Ladders}
 */
export function ladders(said) {
  /** @type {Ladders} */
  const found = {};
  for (const [size, board] of Object.entries(said?.sizes ?? {})) {
    /** @type {any[]} */
    const rows = Array.isArray(/** @type {any} */ (board)?.ladder) ? /** @type {any} */ (board).ladder : [];
    const placed = rows.filter((row) => typeof row?.player === "string" && Number.isFinite(row.elo)).map((row) => {
      const [low, high] = Array.isArray(row.interval) ? row.interval : [];
      return { player: row.player, elo: row.elo, low: low ?? row.elo, high: high ?? row.elo, won: row.wins ?? null, games: row.games ?? null };
    });
    if (placed.length) found[size] = placed.sort((a, b) => b.elo - a.elo);
  }
  return found;
}

/** @param {HTMLElement} place @param {any} said */
function show(place, said) {
  const found = ladders(said);
  const sizes = Object.keys(found);
  if (!sizes.length) return void place.append(h("div", { class: "nothing" }, h("p", { text: "No league has been played yet." }),
    h("p", {}, h("code", { text: "make league" }), " plays it.")));
  const table = h("div", { class: "ladder-place" });
  const choose = (/** @type {string} */ size) => table.replaceChildren(ladder(size, found[size]));
  const first = sizes[sizes.length - 1];
  place.append(
    h("p", { class: "note", text: "Every player that comes with Fingal against every other one. Elo is 0 for random moves; the line is its 95% interval." }),
    segmented("Board", sizes.map((size) => /** @type {[string, string]} */ ([size, `${size}×${size}`])), first, choose),
    table);
  choose(first);
}

/** @param {string} size @param {Placed[]} placed */
function ladder(size, placed) {
  const low = Math.min(0, ...placed.map((each) => each.low));
  const high = Math.max(1, ...placed.map((each) => each.high));
  const share = (/** @type {number} */ elo) => `${(2 + (96 * (elo - low)) / (high - low)).toFixed(2)}%`;
  const at = (/** @type {HTMLElement} */ element, /** @type {number} */ elo) => {
    element.style.left = share(elo);
    return element;
  };
  const rules = ticks(low, high, 4);
  const head = h("div", { class: "whiskers", "aria-hidden": "true" }, ...rules.map((tick) => at(h("span", { text: figure(tick) }), tick)));
  const rows = placed.map((each, index) => {
    const whisker = at(h("i", { class: "whisker" }), each.low);
    whisker.style.right = `calc(100% - ${share(each.high)})`;
    return h("tr", {},
      h("td", { class: "rank", text: String(index + 1) }),
      h("th", { scope: "row" }, h("code", { text: each.player })),
      h("td", { class: "elo", text: signed(each.elo) }),
      h("td", { class: "interval" }, h("span", { class: "unseen", text: `${signed(each.low)} to ${signed(each.high)}` }),
        h("div", { class: "whiskers", "aria-hidden": "true" }, ...rules.map((tick) => at(h("i", { class: "rule" }), tick)), whisker, at(h("i", { class: "middle" }), each.elo))),
      h("td", { class: "won", text: each.won !== null && each.games ? `${each.won}/${each.games}` : "" }));
  });
  return h("table", { class: "ladder" }, h("caption", { class: "unseen", text: `League on ${size} by ${size}` }),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, h("span", { class: "unseen", text: "Rank" })), h("th", { scope: "col", text: "Player" }), h("th", { scope: "col", class: "elo", text: "Elo" }),
      h("th", { scope: "col", class: "interval" }, h("span", { class: "unseen", text: "95% interval" }), head), h("th", { scope: "col", class: "won", text: "Won" }))),
    h("tbody", {}, ...rows));
}

/** @param {number} elo */
function signed(elo) {
  const whole = Math.round(elo);
  return whole > 0 ? `+${whole}` : String(whole).replace("-", "−");
}
