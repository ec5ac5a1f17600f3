// Replays games on the boards of the page: buttons, a slider, and the arrow keys while the board has the focus.
"use strict";

const SVG = "http://www.w3.org/2000/svg";
const COLOURS = { B: ["#1f2024", "#141518"], W: ["#fcfbf7", "#a4a3a1"] };
const PAUSE = 700; // Milliseconds between moves that play by themselves.

for (const box of document.querySelectorAll(".replay")) {
  const games = JSON.parse(box.querySelector("script").textContent);
  const stage = box.querySelector("svg");
  const select = box.querySelector("select");
  const slider = box.querySelector("input");
  const said = box.querySelector(".said");
  const cells = new Map(
    [...stage.querySelectorAll("polygon.cell")].map((cell) => [cell.dataset.cell, cell])
  );
  const layer = stage.appendChild(document.createElementNS(SVG, "g"));
  let at = 0;
  let timer = 0;

  const middle = (cell) => {
    const points = [...cell.points];
    const mean = (key) => points.reduce((sum, point) => sum + point[key], 0) / points.length;
    return [mean("x"), mean("y")];
  };

  const circle = (name, radius, attributes) => {
    const [x, y] = middle(cells.get(name));
    const drawn = document.createElementNS(SVG, "circle");
    const all = { cx: x, cy: y, r: radius, ...attributes };
    for (const [key, value] of Object.entries(all)) drawn.setAttribute(key, value);
    layer.appendChild(drawn);
  };

  // The whole position is drawn anew at every step: it is at most a few hundred circles.
  const show = () => {
    const { steps, chain, won } = games[select.value];
    at = Math.max(0, Math.min(steps.length, at));
    slider.max = steps.length;
    slider.value = at;
    layer.replaceChildren();
    const stones = new Map();
    for (const step of steps.slice(0, at)) {
      if (step.off) stones.delete(step.off);
      if (step.put) stones.set(step.put, step.side);
    }
    const over = at === steps.length;
    for (const [name, cell] of cells) {
      cell.style.fill = over && chain.includes(name) ? "#f3a83b" : "";
    }
    for (const [name, side] of stones) {
      const [fill, stroke] = COLOURS[side];
      circle(name, 14.4, { class: "stone", fill, stroke, "stroke-width": 1.4 });
    }
    const last = at > 0 ? steps[at - 1] : null;
    if (last && last.put) circle(last.put, 14.4, { fill: "none", stroke: "#e5442c", "stroke-width": 2.6 });
    const words = last ? `${at}. ${last.say}` : "The board is empty.";
    said.textContent = over && won ? `${words}. ${won}.` : words;
  };

  const stop = () => {
    clearInterval(timer);
    timer = 0;
  };

  const go = {
    first: () => (at = 0),
    back: () => (at -= 1),
    on: () => (at += 1),
    last: () => (at = games[select.value].steps.length),
    play: () => {
      if (at === games[select.value].steps.length) at = 0;
      timer = setInterval(() => {
        at += 1;
        if (at >= games[select.value].steps.length) stop();
        show();
      }, PAUSE);
    },
  };

  const act = (name) => {
    const playing = timer !== 0;
    stop();
    if (!(playing && name === "play")) go[name]();
    show();
  };

  for (const button of box.querySelectorAll("button")) {
    button.addEventListener("click", () => act(button.dataset.go));
  }
  slider.addEventListener("input", () => {
    stop();
    at = Number(slider.value);
    show();
  });
  select.addEventListener("change", () => {
    stop();
    at = games[select.value].steps.length;
    show();
  });
  box.addEventListener("keydown", (event) => {
    const keys = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last" };
    // The list and the slider have arrows of their own.
    if (event.target === select || event.target === slider || !(event.key in keys)) return;
    event.preventDefault();
    act(keys[event.key]);
  });
  at = games[select.value].steps.length;
  show();
}
