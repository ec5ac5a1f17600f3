// @ts-check
/** The dialog with a person's choices; each counts at once. */

import { thumbnail } from "./board.js";
import { h } from "./dom.js";
import { settings } from "./settings.js";
import { dialog, segmented, toggle } from "./ui.js";

/** @type {Record<string, import("./types.js").Colour>} */
const SAMPLE = { b1: "black", b2: "black", c2: "white", a3: "black", b3: "white", d1: "white" };

export function showSettings() {
  const sample = h("div", { class: "sample" });
  const draw = () => {
    const turn = settings.turn();
    sample.replaceChildren(thumbnail(4, 3, SAMPLE, turn === "auto" ? 0 : turn));
  };
  draw();
  /** @type {[number | "auto", string][]} */
  const turns = [
    ["auto", "Fits the screen"],
    [0, "Flat"],
    [330, "Diamond, lying"],
    [60, "Diamond, standing"],
    [30, "Upright"],
  ];
  for (const degrees of [90, 120, 150, 180, 210, 240, 270, 300]) turns.push([degrees, `Turned by ${degrees}°`]);
  const turn = h("select", { id: "turn" }, ...turns.map(([value, text]) => h("option", { value, text })));
  turn.value = String(settings.get("turn"));
  turn.addEventListener("change", () => settings.put("turn", turn.value === "auto" ? "auto" : Number(turn.value)));
  const box = dialog(
    "Settings",
    sample,
    segmented(
      "Colours",
      [
        ["black-white", "Black, white"],
        ["red-blue", "Red, blue"],
        ["safe", "Colour-blind safe"],
      ],
      settings.get("colours"),
      (value) => settings.put("colours", /** @type {any} */ (value)),
    ),
    segmented(
      "Light",
      [
        ["auto", "As the system"],
        ["light", "Light"],
        ["dark", "Dark"],
      ],
      settings.get("light"),
      (value) => settings.put("light", /** @type {any} */ (value)),
    ),
    segmented(
      "Stones",
      [
        ["discs", "Discs"],
        ["hexagons", "Whole cells"],
      ],
      settings.get("stones"),
      (value) => settings.put("stones", /** @type {any} */ (value)),
    ),
    h("label", { class: "field" }, h("span", { text: "How the board lies" }), turn),
    toggle("Coordinates", settings.get("coordinates"), (on) => settings.put("coordinates", on)),
    toggle("Move numbers", settings.get("numbers"), (on) => settings.put("numbers", on)),
    toggle(
      "Animation",
      settings.get("animation"),
      (on) => settings.put("animation", on),
      "Stones arrive, the winning chain is drawn",
    ),
    segmented(
      "A tap has to be confirmed",
      [
        ["small", "On small cells"],
        ["always", "Always"],
        ["never", "Never"],
      ],
      settings.get("confirm"),
      (value) => settings.put("confirm", /** @type {any} */ (value)),
    ),
  );
  const forget = settings.watch(draw);
  box.addEventListener("close", forget);
}
