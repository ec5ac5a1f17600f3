// @ts-check
/** Where an analysis begins: an empty board, a game from elsewhere, or one of those here. */

import { api } from "./api.js";
import { h } from "./dom.js";
import { importBox } from "./exchange.js";
import { gameList } from "./lobby.js";
import { settings } from "./settings.js";
import { complain, segmented, button } from "./ui.js";

/** @typedef {import("./main.js").App} App */

/** @param {HTMLElement} container @param {App} app */
export function mount(container, app) {
  let size = settings.get("game")?.width ?? 11;
  const begin = async () => {
    try {
      const game = await api("games", "POST", { width: size, height: size, swap: true, title: "Analysis" });
      app.go(`#/analyse/${game.id}`);
    } catch (error) {
      complain(error);
    }
  };
  container.append(
    h(
      "div",
      { class: "lobby" },
      h(
        "section",
        { class: "begin card" },
        h("h1", { text: "Analyse" }),
        h("p", {
          class: "lead",
          text: "Engines that show what they think, what is proven, and where a game was won and lost.",
        }),
        h(
          "div",
          { class: "starts" },
          h(
            "div",
            {},
            h("h2", { text: "An empty board" }),
            segmented(
              "Board",
              [5, 7, 9, 11, 13, 15, 19].map((value) => [value, String(value)]),
              size,
              (value) => (size = value),
            ),
            button("Set it up", begin, { kind: "primary" }),
          ),
          h("div", {}, h("h2", { text: "A game from elsewhere" }), importBox(app)),
        ),
      ),
      gameList(app, "analyse"),
    ),
  );
  return () => {};
}
