// The picture in words: its count, what it cost, a sentence, and a table of its largest cells.
// @ts-check
import { layerNames } from "./legend.js";
import { announce, get } from "./page.js";
import { digits, grouped, largestCells, pictureSentence } from "./words.js";

/** @typedef {import("./mesh.js").Mesh} Mesh */
/** @typedef {import("./state.js").State} State */

/**
 * Whether a picture is of other data than the state: another model, or other rows of its data.
 * @param {Mesh | null} mesh @param {State} state
 */
export function isOfOtherData(mesh, state) {
  const query = new URLSearchParams(mesh?.facts.query);
  const isOther = (/** @type {string} */ name) => state.get(name) !== (query.get(name) ?? state.fields[name].default);
  return Boolean(mesh) && ["data", ...state.of("model")].some(isOther);
}

/** Of training: the step and its losses. @param {Record<string, any>} facts */
export function tellStep(facts) {
  get("step").textContent = grouped(facts.step);
  get("loss").textContent = facts.loss === null ? "none" : digits(facts.loss);
  get("held").hidden = facts.held_loss === null;
  get("held-loss").textContent = facts.held_loss === null ? "" : digits(facts.held_loss);
}

/** The text alternative, and a word to screen readers. @param {Mesh} mesh @param {string} color */
export function tellPicture(mesh, color) {
  const { facts } = mesh;
  const sentence = pictureSentence(mesh, color);
  get("plane-words").textContent = sentence;
  get("words-text").textContent = sentence;
  const count = `${get("count").textContent} ${get("noun").textContent} at step ${facts.step}`;
  announce(facts.kind === "exact" ? count : `step ${facts.step}, estimated`);
  const isLine = facts.dimension === 1;
  const caption = document.createElement("caption");
  caption.textContent = `The largest ${isLine ? "pieces" : "cells"}`;
  const axes = isLine ? "x" : facts.widths[0] > 2 ? "(u, v)" : "(x, y)";
  const names = ["cell", `center ${axes}`, isLine ? "length" : "area", "map", "neighbors"];
  get("words-table").replaceChildren(caption, row("th", names), ...largestCells(mesh).map((texts) => row("td", texts)));
}

/** @param {"th" | "td"} kind @param {string[]} texts */
function row(kind, texts) {
  const made = document.createElement("tr");
  for (const text of texts) {
    const cell = Object.assign(document.createElement(kind), { textContent: text });
    if (kind === "th") cell.scope = "col";
    made.append(cell);
  }
  return made;
}

/** How many regions there are, of how many layers, and where. @param {Mesh} mesh @param {State} state @param {number} depth */
export function showCount(mesh, state, depth) {
  const { facts } = mesh;
  const isCut = facts.kind === "exact" && depth < facts.n_layers;
  const whole = facts.n_regions ?? facts.n_cells;
  const count = isCut ? mesh.parts(depth).count : whole;
  const one = facts.dimension === 1 ? "piece" : facts.n_regions === null || isCut ? "cell" : "region";
  const noun = count === 1 ? one : `${one}s`;
  get("kind").textContent = get("kind").dataset.kind = facts.kind;
  get("count").textContent = count === null ? "none" : grouped(count);
  get("noun").textContent = isCut ? `${noun} of ${layerNames(depth)}` : noun;
  const isPart = state.get("window") === "" && facts.window.join() !== facts.home.join();
  get("where").textContent = isPart ? "in the part of the window that fits the budget" : "in this window";
}

/**
 * What is seen, to those who come for the first time; sheets have a sentence of their own.
 * @param {Record<string, any>} facts @param {string} view
 */
export function tellLead({ dimension }, view) {
  const [one, map] = dimension === 1 ? ["piece", "one straight line"] : ["region", "one affine map"];
  get("lead").textContent =
    view === "map"
      ? "Every point has the color of the class with the largest score; the line between classes is exact."
      : view === "fold"
        ? "Each layer maps the plane, then folds it along the lines where its units switch."
        : view === "trajectory"
          ? "A path of inputs, bent by every layer that it goes through."
          : `Inside each ${one} the network is ${map}; where a unit switches, it bends.`;
}

/** What the picture cost, and what it might. @param {Record<string, any>} facts @param {Record<string, number>} limits */
export function showBudget(facts, limits) {
  const cells = facts.n_cells === null ? "" : `${grouped(facts.n_cells)} cells of at most ${grouped(limits.max_cells)}, `;
  get("budget").textContent = `Budget of one picture: ${cells}${digits(facts.job_seconds)} s of at most ${limits.max_seconds} s.`;
}
