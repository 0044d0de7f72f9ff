// The page: one state, one line to the server, the newest picture.
// @ts-check
import { Card, showPath } from "./card.js";
import { sparklines } from "./charts.js";
import { Claims } from "./claims.js";
import { isDark, usePalette } from "./colors.js";
import { buildControls, consequences } from "./controls.js";
import { wireKeys } from "./keys.js";
import { showLegend } from "./legend.js";
import { Mesh } from "./mesh.js";
import { announce, complain, get, hideToast } from "./page.js";
import { Plane } from "./plane.js";
import { Line } from "./socket.js";
import { State } from "./state.js";
import { tellPicture } from "./summary.js";
import { copyLink, wireExports, wireFiles } from "./takeaway.js";
import { Training } from "./training.js";
import { digits, grouped } from "./words.js";

const schema = await (await fetch("/api/schema")).json();
usePalette(schema.colors);
const state = new State(schema.fields, schema.version);
/** What the page can change without asking the server. */
const ONLY_HERE = new Set(state.of("page"));
const line = new Line((isOpen) => {
  if (!isOpen) {
    training.pause();
    complain({
      message: "the server does not answer.",
      hint: "is `plica explore` still running? The page goes on when it is back.",
    });
  } else if (mesh) hideToast();
});

let asking = false;
let asked = "";
/** @type {Mesh | null} */
let mesh = null;
let announceTimer = 0;

const plane = new Plane(get("plane"), {
  window: (window) => change({ window: window.map((x) => String(Number(x.toPrecision(9)))).join(",") }),
  segment: (segment) => {
    setDrawing(false);
    change({ segment: segment.map((x) => String(Number(x.toPrecision(6)))).join(",") });
  },
  pin: (point) => change({ pin: point.map((x) => String(Number(x.toPrecision(9)))).join(",") }),
  look: (cell, byKeyboard) => {
    if (mesh) card.show(mesh, cell, plane.pinned, byKeyboard);
  },
});
const card = new Card(line, state);
const training = new Training(state, change);
const claims = new Claims(
  line,
  (query) => {
    training.pause();
    state.take(query);
    ask();
  },
  complain,
);

/** Change some values, with what follows from them, and show the result. @param {Record<string, string>} changes */
function change(changes) {
  const all = consequences(state, changes);
  const changed = Object.keys(all).filter((name) => state.get(name) !== all[name]);
  if (!changed.length) return;
  if (changed.some((name) => name !== "step" && name !== "window" && !ONLY_HERE.has(name))) hideToast();
  state.set(all);
  if (changed.some((name) => !ONLY_HERE.has(name))) ask();
}

/** A server that has too much to do is asked again, later and not by all pages at once. @param {any} error */
async function later(error) {
  if (error.status !== 429) throw error;
  await new Promise((resolve) => setTimeout(resolve, 1000 * error.retry * (0.5 + Math.random())));
}

/** Ask for the newest state; while one answer is awaited, only the last wish is kept. */
async function ask() {
  if (asking) return;
  asking = true;
  get("plane").setAttribute("aria-busy", "true");
  const patience = setTimeout(() => (get("wait").hidden = false), 400);
  try {
    while (asked !== state.query()) {
      asked = state.query();
      const reply = await line.ask({ do: "picture", state: asked }).catch(later);
      if (!reply) {
        asked = "";
        continue;
      }
      document.documentElement.dataset.seconds = String(reply.seconds);
      show(new Mesh(reply.facts, reply.arrays));
    }
  } catch (error) {
    training.pause();
    if (/** @type {any} */ (error).status === 0)
      asked = ""; // the line broke: ask again when it is back
    else complain(error);
  } finally {
    clearTimeout(patience);
    get("wait").hidden = true;
    get("plane").removeAttribute("aria-busy");
    asking = false;
  }
  if (asked !== state.query()) ask();
}

/** @param {Mesh} next */
function show(next) {
  mesh = next;
  const { facts, arrays } = next;
  if (facts.diverged) state.set({ step: String(facts.step) });
  asked = facts.diverged ? state.query() : asked;
  plane.segment = state.numbers("segment");
  plane.show(next, state.get("color"));
  const count = facts.n_regions ?? facts.n_cells;
  get("noun").textContent = facts.dimension === 1 ? "pieces" : facts.n_regions === null && count !== null ? "cells" : "regions";
  get("count").textContent = count === null ? "none" : grouped(count);
  get("kind").textContent = facts.kind === "exact" ? "exact" : "estimated";
  get("step").textContent = grouped(facts.step);
  get("loss").textContent = facts.loss === null ? "none" : digits(facts.loss);
  training.arrived(facts, arrays);
  sparklines(get("sparklines"), training.past, facts.step, facts);
  showPath(facts, arrays);
  showLegend(next, state.get("color"));
  card.show(next, plane.hovered, plane.pinned, false);
  const cells =
    facts.n_cells === null ? "" : `${grouped(facts.n_cells)} cells of at most ${grouped(schema.limits.max_cells)}, `;
  get("budget").textContent =
    `Budget of one picture: ${cells}${digits(facts.job_seconds)} s of at most ${schema.limits.max_seconds} s.`;
  if (
    state.get("window") === "" &&
    facts.window.some((/** @type {number} */ x, /** @type {number} */ i) => x !== facts.home[i])
  ) {
    get("budget").textContent += " The whole window has more cells than that: the part around its center is shown.";
    get("legend-name").textContent += "; a part of the window that fits the budget";
  }
  if (facts.diverged) complain(facts.diverged, { words: "Go back", act: () => training.undo(facts.diverged) });
  clearTimeout(announceTimer);
  announceTimer = window.setTimeout(() => tellPicture(next, state.get("color")), training.playing ? 3000 : 600);
  document.documentElement.dataset.ready = facts.query;
}

/** @param {boolean} on */
function setDrawing(on) {
  plane.drawing = on;
  get("draw-segment").setAttribute("aria-pressed", String(on));
}

/** @param {boolean} open */
function setMore(open) {
  get("more").hidden = !open;
  get("open-more").setAttribute("aria-expanded", String(open));
  if (open) {
    claims.load().catch(complain);
    get("close-more").focus();
  } else get("open-more").focus();
}

function applyLook() {
  document.documentElement.dataset.theme = state.get("theme");
  document.body.classList.toggle("present", state.isOn("present"));
  const hidden = state.get("hide").split(",");
  const isModel = state.get("data") === "model"; // a model that was given is not trained here
  for (const part of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-part]")))
    part.toggleAttribute(
      "data-hidden",
      hidden.includes(part.dataset.part ?? "") || (isModel && ["network", "training"].includes(part.dataset.part ?? "")),
    );
  plane.depth = state.number("folds");
  plane.boundary = state.isOn("boundary");
  plane.points = state.isOn("points");
  plane.redraw();
}

state.listeners.push((changed) => {
  applyLook();
  if (changed.includes("theme")) repaint();
});

function repaint() {
  plane.repaint(state.get("color"));
  if (mesh) showLegend(mesh, state.get("color"));
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
addEventListener("hashchange", () => {
  training.pause();
  state.take(location.hash.slice(1));
  ask();
});

const COLORS = schema.fields.color.options;
const zoomBy = (/** @type {number} */ factor) => plane.zoom(factor);
buildControls(state, change, (claim) => {
  setMore(true);
  claims.open(claim).catch(complain);
});
wireExports(line, state, announce, complain);
wireFiles(change, announce, complain);
get("open-more").addEventListener("click", () => setMore(get("more").hidden));
get("close-more").addEventListener("click", () => setMore(false));
get("zoom-in").addEventListener("click", () => zoomBy(2));
get("zoom-out").addEventListener("click", () => zoomBy(0.5));
get("zoom-home").addEventListener("click", () => change({ window: "" }));
get("draw-segment").addEventListener("click", () => setDrawing(!plane.drawing));
get("drop-segment").addEventListener("click", () => change({ segment: "" }));
const help = /** @type {HTMLDialogElement} */ (get("help"));
get("open-help").addEventListener("click", () => help.showModal());
get("close-help").addEventListener("click", () => help.close());
wireKeys([
  { keys: [" "], words: "play and pause", act: () => training.toggle() },
  { keys: ["."], words: "one training step", act: () => training.step(1) },
  { keys: [","], words: "one training step back", act: () => training.step(-1) },
  { keys: ["R"], words: "rewind to the same initialization", act: () => training.rewind() },
  { keys: ["N"], words: "new seed", act: () => training.reseed() },
  ...["1", "2", "3", "4", "5", "6"].map((key) => ({
    keys: [key],
    words: `folds of the first ${key} layers`,
    act: () => change({ folds: key }),
  })),
  { keys: ["0"], words: "no folds", act: () => change({ folds: "0" }) },
  {
    keys: ["C"],
    words: "next way of coloring",
    act: () => change({ color: COLORS[(COLORS.indexOf(state.get("color")) + 1) % COLORS.length] }),
  },
  { keys: ["B"], words: "decision boundary on and off", act: () => change({ boundary: state.isOn("boundary") ? "0" : "1" }) },
  { keys: ["D"], words: "data points on and off", act: () => change({ points: state.isOn("points") ? "0" : "1" }) },
  { keys: ["+", "="], words: "zoom in", act: () => zoomBy(1.5) },
  { keys: ["-"], words: "zoom out", act: () => zoomBy(1 / 1.5) },
  { keys: ["H"], words: "the whole picture", act: () => change({ window: "" }) },
  { keys: ["G"], words: "draw a segment with the pointer (or hold Shift)", act: () => setDrawing(!plane.drawing) },
  { keys: ["P"], words: "presentation", act: () => change({ present: state.isOn("present") ? "0" : "1" }) },
  { keys: ["L"], words: "copy the link", act: () => copyLink(state, announce) },
  {
    keys: ["S"],
    words: "save as SVG",
    act: () => /** @type {HTMLButtonElement} */ (document.querySelector("[data-export=svg]")).click(),
  },
  { keys: ["Y"], words: "copy as Python", act: () => get("copy-python").click() },
  { keys: ["M"], words: "more", act: () => setMore(get("more").hidden) },
  {
    keys: ["/"],
    words: "search the claims",
    act: () => {
      setMore(true);
      get("claim-search").focus();
    },
  },
  {
    keys: ["F"],
    words: "focus the picture; then arrows walk, Tab visits neighbors, Enter pins, Escape leaves, Shift+arrows move",
    act: () => get("plane").focus(),
  },
  { keys: ["?"], words: "this map", act: () => help.showModal() },
  {
    keys: ["Escape"],
    words: "close what is open",
    act: () => {
      hideToast();
      setDrawing(false);
      if (!get("more").hidden) setMore(false);
    },
  },
]);

const link = location.hash.slice(1);
state.take(link || schema.start);
applyLook();
document.documentElement.dataset.painter = plane.painter.name;
document.documentElement.dataset.dark = String(isDark());
/** For measuring from outside: frame times, and the state as it stands. */
Object.assign(globalThis, { plica: { plane, state, training, change } });
if (link) {
  const answer = await fetch("/api/state", { method: "POST", body: link });
  if (!answer.ok) {
    state.take(schema.start);
    complain(await answer.json());
  }
}
ask();
