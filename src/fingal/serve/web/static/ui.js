// @ts-check
/** Parts that every page is made of: buttons, switches, choices, dialogs, short messages. */

import { h } from "./dom.js";
import { icon } from "./icons.js";
import { settings } from "./settings.js";

/** @typedef {import("./icons.js").Icon} Icon */

/**
 * @param {string} text @param {() => void} act
 * @param {{icon?: Icon, kind?: string, title?: string, bare?: boolean, key?: string}} [look] bare: only read out
 */
export function button(text, act, look = {}) {
  const made = h("button", { type: "button", class: `button ${look.kind ?? ""}`, onclick: act, title: look.title });
  if (look.icon) made.append(icon(look.icon));
  if (look.bare) {
    made.setAttribute("aria-label", text);
    made.title = look.title ?? (look.key ? `${text} (${look.key})` : text);
    made.classList.add("bare");
  } else made.append(h("span", { text }));
  return made;
}

/**
 * A switch with its label.
 * @param {string} text @param {boolean} on @param {(on: boolean) => void} act @param {string} [note]
 */
export function toggle(text, on, act, note) {
  const box = h("input", { type: "checkbox", role: "switch", checked: on });
  box.addEventListener("change", () => act(box.checked));
  return h(
    "label",
    { class: "toggle" },
    h("span", { class: "words" }, h("span", { text }), note ? h("small", { text: note }) : null),
    box,
  );
}

/**
 * A button that stays pressed.
 * @param {string} text @param {boolean} on @param {(on: boolean) => void} act @param {string} [title]
 */
export function chip(text, on, act, title) {
  const made = h("button", { type: "button", class: "chip", "aria-pressed": String(on), title, text });
  made.addEventListener("click", () => {
    const pressed = made.getAttribute("aria-pressed") !== "true";
    made.setAttribute("aria-pressed", String(pressed));
    act(pressed);
  });
  return made;
}

let groups = 0;

/**
 * One of a few, side by side.
 * @template T
 * @param {string} label @param {[T, string][]} choices @param {T} chosen @param {(value: T) => void} act
 */
export function segmented(label, choices, chosen, act) {
  const name = `choice-${groups++}`;
  return h(
    "fieldset",
    { class: "segmented" },
    h("legend", { text: label }),
    h(
      "div",
      { class: "segments" },
      ...choices.map(([value, text]) => {
        const radio = h("input", { type: "radio", name, checked: value === chosen });
        radio.addEventListener("change", () => act(value));
        return h("label", {}, radio, h("span", { text }));
      }),
    ),
  );
}

/**
 * A dialog in the middle of the page; closes with Escape, the cross, or a click beside it.
 * @param {string} title @param {...(Node | null)} content
 * @returns {HTMLDialogElement}
 */
export function dialog(title, ...content) {
  const box = h("dialog", { class: "dialog", "aria-label": title });
  const close = button("Close", () => box.close(), { icon: "close", bare: true, kind: "quiet" });
  box.append(h("header", {}, h("h2", { text: title }), close), h("div", { class: "body" }, ...content));
  box.addEventListener("close", () => {
    // What is being said outlives the dialog.
    const said = box.querySelector(".toasts");
    if (said) document.body.append(said);
    box.remove();
  });
  box.addEventListener("pointerdown", (event) => {
    const { left, right, top, bottom } = box.getBoundingClientRect();
    const outside = event.clientX < left || event.clientX > right || event.clientY < top || event.clientY > bottom;
    if (event.target === box && outside) box.close();
  });
  document.body.append(box);
  box.showModal();
  return box;
}

/**
 * Ask before something that cannot be undone.
 * @param {string} question @param {string} yes @returns {Promise<boolean>}
 */
export function confirm(question, yes) {
  return new Promise((answer) => {
    const box = dialog(
      question,
      h(
        "div",
        { class: "row end" },
        button("Cancel", () => box.close()),
        button(
          yes,
          () => {
            answer(true);
            box.close();
          },
          { kind: "danger" },
        ),
      ),
    );
    box.addEventListener("close", () => answer(false));
  });
}

/** A sentence that goes away by itself. @param {string} text @param {"plain" | "bad"} [kind] */
export function toast(text, kind = "plain") {
  const stack = document.querySelector(".toasts");
  if (!stack) return;
  // An open dialog lies over everything else, for the eye and for screen readers.
  const place = document.querySelector("dialog[open]") ?? document.body;
  if (stack.parentElement !== place) place.append(stack);
  const made = h("div", { class: `toast ${kind}`, text: sentence(text) });
  stack.append(made);
  while (stack.children.length > 3) stack.firstElementChild?.remove();
  setTimeout(() => made.remove(), Math.min(3000 + 60 * text.length, 6000));
}

/** Leave no complaint behind on another page. */
export function dropComplaints() {
  for (const made of document.querySelectorAll(".toast.bad")) made.remove();
}

/** What the server says, with a capital letter and the colours on the screen. @param {string} text */
export function sentence(text) {
  const said = settings.speak(text);
  return said.slice(0, 1).toUpperCase() + said.slice(1);
}

/** Tell screen readers what has happened. @param {string} text */
export function announce(text) {
  const place = document.getElementById("announcer");
  // The same words are only read out again where something in them has changed.
  if (place) place.textContent = text && text === place.textContent ? `${text}\u00a0` : text;
}

/** Say why something failed. @param {any} error */
export function complain(error) {
  toast(error?.message ?? String(error), "bad");
}

/** 0.32 for Black as a win rate of 66% for a colour. @param {number} value @param {"black" | "white"} [colour] */
export function winRate(value, colour = "black") {
  return Math.round(50 + 50 * (colour === "black" ? value : -value));
}

/** 1234 as 1.2k. @param {number} count */
export function short(count) {
  if (count < 1000) return String(count);
  if (count < 1e6) return `${(count / 1000).toFixed(count < 9950 ? 1 : 0)}k`;
  return `${(count / 1e6).toFixed(1)}M`;
}
