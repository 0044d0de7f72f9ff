// The page: one state, one line to the server, the newest picture.
// @ts-check
import { pathGraph, sparklines } from "./charts.js";
import { Claims } from "./claims.js";
import { css, isDark } from "./colors.js";
import { buildControls, consequences } from "./controls.js";
import { wireKeys } from "./keys.js";
import { Mesh } from "./mesh.js";
import { range, scale } from "./paint.js";
import { Plane } from "./plane.js";
import { Line } from "./socket.js";
import { State } from "./state.js";
import { copyLink, wireExports, wireFiles } from "./takeaway.js";
import { Training } from "./training.js";
import { cellFacts, cellSentence, digits, grouped, largestCells, mapText, pictureSentence } from "./words.js";

/** What the page can change without asking the server. */
const ONLY_HERE = new Set(["folds", "boundary", "points", "theme", "hide", "present", "speed"]);

/** @param {string} id @returns {HTMLElement} */
const get = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

const schema = await (await fetch("/api/schema")).json();
const state = new State(schema.fields, schema.version);
const line = new Line((isOpen) => {
  if (!isOpen) {
    training.pause();
    complain({ message: "the server does not answer.", hint: "is `plica explore` still running? The page goes on when it is back." });
  } else if (mesh) hideToast();
});

let asking = false;
let asked = "";
/** @type {Mesh | null} */
let mesh = null;
let announceTimer = 0;
let lookTimer = 0;

const plane = new Plane(get("plane"), {
  window: (window) => change({ window: window.map((x) => String(Number(x.toPrecision(9)))).join(",") }),
  segment: (segment) => { setDrawing(false); change({ segment: segment.map((x) => String(Number(x.toPrecision(6)))).join(",") }); },
  pin: (point) => change({ pin: point.map((x) => String(Number(x.toPrecision(9)))).join(",") }),
  look: showCell,
});
const training = new Training(state, change);
const claims = new Claims(line, (query) => { training.pause(); state.take(query); ask(); }, complain);

/** Change some values, with what follows from them, and show the result. @param {Record<string, string>} changes */
function change(changes) {
  const all = consequences(state, changes);
  const changed = Object.keys(all).filter((name) => state.get(name) !== all[name]);
  if (!changed.length) return;
  if (changed.some((name) => name !== "step" && name !== "window" && !ONLY_HERE.has(name))) hideToast();
  state.set(all);
  if (changed.some((name) => !ONLY_HERE.has(name))) ask();
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
      const { facts, arrays, seconds } = await line.ask({ do: "picture", state: asked });
      document.documentElement.dataset.seconds = String(seconds);
      show(new Mesh(facts, arrays));
    }
  } catch (error) {
    training.pause();
    if (/** @type {any} */ (error).status === 0) asked = ""; // the line broke: ask again when it is back
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
  showLegend(next);
  showCell(plane.hovered, false);
  const cells = facts.n_cells === null ? "" : `${grouped(facts.n_cells)} cells of at most ${grouped(schema.limits.max_cells)}, `;
  get("budget").textContent = `Budget of one picture: ${cells}${digits(facts.job_seconds)} s of at most ${schema.limits.max_seconds} s.`;
  if (state.get("window") === "" && facts.window.some((/** @type {number} */ x, /** @type {number} */ i) => x !== facts.home[i])) {
    get("budget").textContent += " The whole window has more cells than that: the part around its center is shown.";
    get("legend-name").textContent += "; a part of the window that fits the budget";
  }
  if (facts.diverged) complain(facts.diverged, { words: "Go back", act: () => training.undo(facts.diverged) });
  clearTimeout(announceTimer);
  announceTimer = window.setTimeout(tellPicture, training.playing ? 3000 : 600);
  document.documentElement.dataset.ready = facts.query;
}

/** The text alternative, and a word to screen readers, once things are calm. */
function tellPicture() {
  if (!mesh) return;
  const sentence = pictureSentence(mesh, state.get("color"));
  get("plane-words").textContent = sentence;
  get("words-text").textContent = sentence;
  const { facts } = mesh;
  get("announce").textContent = facts.kind === "exact" ? `${get("count").textContent} ${get("noun").textContent} at step ${facts.step}` : `step ${facts.step}, estimated`;
  const table = get("words-table");
  table.replaceChildren();
  const caption = document.createElement("caption");
  caption.textContent = `The largest ${facts.dimension === 1 ? "pieces" : "cells"}`;
  const head = document.createElement("tr");
  for (const name of ["cell", "center", facts.dimension === 1 ? "length" : "area", "map", "neighbors"]) head.append(Object.assign(document.createElement("th"), { textContent: name, scope: "col" }));
  table.append(caption, head);
  for (const row of largestCells(mesh)) {
    const line = document.createElement("tr");
    line.append(...row.map((text) => Object.assign(document.createElement("td"), { textContent: text })));
    table.append(line);
  }
}

/** @param {Record<string, any>} facts @param {Record<string, any>} arrays */
function showPath(facts, arrays) {
  const lengths = facts.lengths;
  get("path").hidden = !lengths || !(lengths.drawn || facts.dimension === 1);
  if (!lengths) return;
  get("path-title").textContent = facts.dimension === 1 ? "The interval, layer by layer" : "Segment";
  pathGraph(get("path-graph"), arrays);
  /** @type {[string, string][]} */
  const rows = facts.pieces ? [["pieces (exact)", grouped(facts.pieces.n_regions)]] : [];
  rows.push(["length", digits(lengths.input)]);
  lengths.post.forEach((/** @type {number} */ length, /** @type {number} */ i) => rows.push([`after layer ${i}`, digits(length)]));
  rows.push(["at the output", `${digits(lengths.output)} (${lengths.kind})`]);
  facts_list("path-facts", rows);
}

/** @param {string} id @param {[string, string][]} rows */
function facts_list(id, rows) {
  get(id).replaceChildren(...rows.flatMap(([name, value]) => {
    const dd = Object.assign(document.createElement("dd"), { textContent: value });
    if (name.startsWith("layer ")) dd.className = "bits";
    return [Object.assign(document.createElement("dt"), { textContent: name }), dd];
  }));
}

/** The card shows the region in focus, else the pinned one. @param {number} cell @param {boolean} byKeyboard */
function showCell(cell, byKeyboard) {
  if (!mesh) return;
  const shown = cell >= 0 ? cell : plane.pinned;
  get("card-empty").hidden = shown >= 0;
  get("card-facts").hidden = shown < 0;
  if (byKeyboard) get("announce-cell").textContent = cellSentence(mesh, cell);
  if (shown < 0) return;
  facts_list("card-facts", cellFacts(mesh, shown));
  if (!mesh.arrays.maps && mesh.facts.kind === "exact") askCell(mesh, shown);
}

/** The map of one cell of a large network, once the pointer rests. @param {Mesh} current @param {number} cell */
function askCell(current, cell) {
  clearTimeout(lookTimer);
  lookTimer = window.setTimeout(async () => {
    try {
      const { facts } = await line.ask({ do: "cell", state: state.query(), cell });
      if (mesh !== current || (plane.hovered !== cell && plane.pinned !== cell)) return;
      const rows = cellFacts(current, cell);
      rows.push(["map", mapText([...facts.slopes, facts.constant], current.facts.widths[0] > 2)]);
      if (facts.input_gradient !== undefined) rows.push(["gradient norm in the input space", digits(facts.input_gradient)]);
      rows.push(["active units", facts.active.map((/** @type {number} */ n, /** @type {number} */ i) => `${n} of ${facts.units[i]}`).join(", ")]);
      facts_list("card-facts", rows);
    } catch (error) {
      if (/** @type {any} */ (error).status !== 499) complain(error);
    }
  }, 250);
}

/** @param {Mesh} current */
function showLegend(current) {
  const color = state.get("color");
  const [low, high] = range(current, color);
  const names = { output: "output", gradient: "gradient norm", error: "mean error in each cell, estimated", pattern: "neighboring patterns differ in color" };
  const name = names[/** @type {keyof typeof names} */ (color)];
  get("legend-name").textContent = name;
  get("legend-low").textContent = color === "pattern" ? "" : digits(low);
  get("legend-high").textContent = color === "pattern" ? "" : digits(high);
  const stops = Array.from({ length: 14 }, (_, i) => css(scale(current, color), color === "pattern" ? (Math.floor(i / 2) + 0.5) / 7 : i / 13));
  get("legend-bar").style.background = color === "pattern"
    ? `linear-gradient(to right, ${stops.map((c, i) => `${c} ${(100 * Math.floor((i + 1) / 2)) / 7}%`).join(",")})`
    : `linear-gradient(to right, ${stops.join(",")})`;
  get("legend").setAttribute("aria-label", color === "pattern" ? name : `colors from ${digits(low)} to ${digits(high)}: ${name}`);
}

/** Say what went wrong, with a way out. @param {any} error @param {{words: string, act: () => void}} [way] */
function complain(error, way) {
  if (error.status === 499) return;
  const toast = get("toast");
  const say = (/** @type {string} */ text, className = "") => Object.assign(document.createElement("p"), { textContent: text, className });
  const row = document.createElement("div");
  row.className = "row";
  for (const { words, act } of [...(way ? [way] : []), { words: "Dismiss", act: () => {} }]) {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: words });
    button.addEventListener("click", () => { hideToast(); act(); });
    row.append(button);
  }
  toast.replaceChildren(say(error.message), ...(error.hint ? [say(error.hint, "hint")] : []), row);
  toast.hidden = false;
}

function hideToast() {
  get("toast").hidden = true;
}

/** @param {string} text */
function say(text) {
  get("announce").textContent = text;
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
  for (const part of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-part]"))) part.toggleAttribute("data-hidden", hidden.includes(part.dataset.part ?? "") || (isModel && ["network", "training"].includes(part.dataset.part ?? "")));
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
  if (mesh) showLegend(mesh);
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
addEventListener("hashchange", () => { training.pause(); state.take(location.hash.slice(1)); ask(); });

const COLORS = schema.fields.color.options;
const zoomBy = (/** @type {number} */ factor) => plane.zoom(factor);
buildControls(state, change, (claim) => { setMore(true); claims.open(claim).catch(complain); });
wireExports(line, state, say, complain);
wireFiles(change, say, complain);
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
  ...["1", "2", "3", "4", "5", "6"].map((key) => ({ keys: [key], words: `folds of the first ${key} layers`, act: () => change({ folds: key }) })),
  { keys: ["0"], words: "no folds", act: () => change({ folds: "0" }) },
  { keys: ["C"], words: "next way of coloring", act: () => change({ color: COLORS[(COLORS.indexOf(state.get("color")) + 1) % COLORS.length] }) },
  { keys: ["B"], words: "decision boundary on and off", act: () => change({ boundary: state.isOn("boundary") ? "0" : "1" }) },
  { keys: ["D"], words: "data points on and off", act: () => change({ points: state.isOn("points") ? "0" : "1" }) },
  { keys: ["+", "="], words: "zoom in", act: () => zoomBy(1.5) },
  { keys: ["-"], words: "zoom out", act: () => zoomBy(1 / 1.5) },
  { keys: ["H"], words: "the whole picture", act: () => change({ window: "" }) },
  { keys: ["G"], words: "draw a segment with the pointer (or hold Shift)", act: () => setDrawing(!plane.drawing) },
  { keys: ["P"], words: "presentation", act: () => change({ present: state.isOn("present") ? "0" : "1" }) },
  { keys: ["L"], words: "copy the link", act: () => copyLink(state, say) },
  { keys: ["S"], words: "save as SVG", act: () => /** @type {HTMLButtonElement} */ (document.querySelector("[data-export=svg]")).click() },
  { keys: ["Y"], words: "copy as Python", act: () => get("copy-python").click() },
  { keys: ["M"], words: "more", act: () => setMore(get("more").hidden) },
  { keys: ["/"], words: "search the claims", act: () => { setMore(true); get("claim-search").focus(); } },
  { keys: ["F"], words: "focus the picture; then arrows walk, Tab visits neighbors, Enter pins, Escape leaves, Shift+arrows move", act: () => get("plane").focus() },
  { keys: ["?"], words: "this map", act: () => help.showModal() },
  { keys: ["Escape"], words: "close what is open", act: () => { hideToast(); setDrawing(false); if (!get("more").hidden) setMore(false); } },
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
