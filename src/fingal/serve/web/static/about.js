// @ts-check
/** What Fingal is, the rules of Hex in four sentences, and where more is to be found. */

import { thumbnail } from "./board.js";
import { h } from "./dom.js";
import { settings } from "./settings.js";

/** @typedef {import("./main.js").App} App */

/** @param {HTMLElement} container @param {App} app */
export function mount(container, app) {
  const [black, white] = [settings.colourName("black"), settings.colourName("white")];
  /** @type {Record<string, import("./types.js").Colour>} */
  const stones = {
    c1: "black",
    c2: "black",
    b3: "black",
    b4: "black",
    a5: "black",
    d2: "white",
    d3: "white",
    a3: "white",
    d4: "white",
  };
  container.append(
    h(
      "div",
      { class: "prose card" },
      h("h1", { text: "About Fingal" }),
      h("p", {
        text:
          "Fingal's Cave and the Giant's Causeway are two ends of one legend: hexagonal columns laid to join two shores. " +
          "Fingal is an open platform for the game of Hex: it plays it, proves it, learns it, measures it and shows it.",
      }),
      h("h2", { text: "The rules" }),
      h(
        "div",
        { class: "rules" },
        h(
          "div",
          {},
          h("p", {
            text:
              `Two players put down stones in turn, one at a time, on any empty cell. ${black} begins and wins by joining ` +
              `the top with the bottom; ${white} by joining left with right. Stones are never moved or taken.`,
          }),
          h("p", {
            text:
              `Beginning is an advantage. So ${white} may swap instead of the first move: ${black}'s stone is mirrored ` +
              `in the long diagonal and becomes ${white}'s.`,
          }),
          h("p", { text: "There is always exactly one winner." }),
        ),
        thumbnail(5, 5, stones),
      ),
      h("h2", { text: "On this server" }),
      h(
        "p",
        {},
        `Version ${app.about.version}. Programs may use it too: see `,
        h("a", { href: "/api/docs", text: "its interface" }),
        ".",
      ),
    ),
  );
  return () => {};
}
