// @ts-check
/** Small drawings for buttons: 24 by 24, lines of the text's colour. */

import { s } from "./dom.js";

const PATHS = {
  undo: "M9 7 4 12l5 5M4 12h10a6 6 0 0 1 6 6",
  flag: "M6 21V4m0 1c4-2.5 7 2.5 12 0v9c-5 2.5-8-2.5-12 0",
  bulb: "M9.5 18h5M10 21h4M12 3a6 6 0 0 0-3.6 10.8c.7.6 1.1 1.3 1.1 2.2h5c0-.9.4-1.6 1.1-2.2A6 6 0 0 0 12 3z",
  swap: "M7 4 3.5 7.5 7 11M4 7.5h13M17 13l3.5 3.5L17 20M20 16.5H7",
  chart: "M4 20V4M4 20h16M7.5 15l3.5-4 3 2.5L19 7",
  plus: "M12 5v14M5 12h14",
  gear:
    "M12 15.2a3.2 3.2 0 1 0 0-6.4 3.2 3.2 0 0 0 0 6.4zM12 2.8v3M12 18.2v3M2.8 12h3" +
    "M18.2 12h3M5.5 5.5l2.1 2.1M16.4 16.4l2.1 2.1M18.5 5.5l-2.1 2.1M7.6 16.4l-2.1 2.1",
  close: "M6 6l12 12M18 6 6 18",
  first: "M18 5l-7 7 7 7M7 5v14",
  back: "M15 5l-7 7 7 7",
  next: "M9 5l7 7-7 7",
  last: "M6 5l7 7-7 7M17 5v14",
  flip: "M4 9a8 8 0 0 1 14-3.5L20 8M20 3v5h-5M20 15a8 8 0 0 1-14 3.5L4 16M4 21v-5h5",
  share: "M12 15V3.5M8 7l4-4 4 4M5 12v8h14v-8",
  open: "M12 3.5V15M8 11l4 4 4-4M5 16v4h14v-4",
  help: "M9 9a3 3 0 1 1 4.2 2.8c-.9.4-1.2 1-1.2 2.2M12 17.5v.1M12 21.5a9.5 9.5 0 1 0 0-19 9.5 9.5 0 0 0 0 19z",
  trash: "M5 7h14M10 7V4.5h4V7M7 7l1 13h8l1-13M10.3 11v5.5M13.7 11v5.5",
  up: "M12 19V5M6 11l6-6 6 6",
  comment: "M4 5h16v11H10l-5 4v-4H4z",
  people:
    "M8.5 11a3.2 3.2 0 1 0 0-6.4 3.2 3.2 0 0 0 0 6.4z" +
    "M2.8 19.5c0-3.2 2.5-5.3 5.7-5.3s5.7 2.1 5.7 5.3M16 11a2.7 2.7 0 1 0-1-5.2M16.4 14.3c2.8.2 4.8 2.2 4.8 5.2",
  check: "M5 12.5l4.5 4.5L19 7.5",
  split: "M4 5h16v14H4zM12 5v14",
  magic: "M5 19 16 8M14.5 3v3M13 4.5h3M19.5 9v3M18 10.5h3M8 4v2.6M6.7 5.3h2.6",
  stop: "M7 7h10v10H7z",
  more: "M5 12h.1M12 12h.1M19 12h.1",
  copy: "M8 8h11v12H8zM5 16V4h10",
};

/** @param {keyof typeof PATHS} name */
export function icon(name) {
  return s("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, s("path", { d: PATHS[name] }));
}

/** @typedef {keyof typeof PATHS} Icon */

/** The mark of Fingal: three columns of basalt, seen from above. */
export function logo() {
  const hexagon = (/** @type {number} */ x, /** @type {number} */ y) =>
    [-90, -30, 30, 90, 150, 210]
      .map((angle) => {
        const turn = (angle * Math.PI) / 180;
        return `${(x + 5.6 * Math.cos(turn)).toFixed(2)},${(y + 5.6 * Math.sin(turn)).toFixed(2)}`;
      })
      .join(" ");
  return s(
    "svg",
    { class: "logo", viewBox: "0 0 24 24", "aria-hidden": "true" },
    s("polygon", { class: "one", points: hexagon(12, 7) }),
    s("polygon", { class: "two", points: hexagon(6.6, 16.3) }),
    s("polygon", { class: "three", points: hexagon(17.4, 16.3) }),
  );
}
