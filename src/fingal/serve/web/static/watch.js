// @ts-check
/** The page to watch: the runs as they are learning, the league, the reports. */

import { mountParts } from "./learn-parts.js";
import { mountLeague } from "./watch-league.js";
import { mountReports } from "./watch-reports.js";
import { mountRuns } from "./watch-runs.js";

/** @typedef {import("./main.js").App} App */

const PARTS = /** @type {const} */ ([
  ["runs", "Runs"],
  ["league", "League"],
  ["reports", "Reports"],
]);

/** @param {HTMLElement} container @param {App} app */
export function mount(container, app) {
  return mountParts(container, app, "watch", "Watch", PARTS, (name, place, rest) => {
    if (name === "league") return mountLeague(place);
    if (name === "reports") return mountReports(place);
    return mountRuns(place, app, rest);
  });
}
