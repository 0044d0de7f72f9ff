// The tooltip at the pointer: which region this is, what the network is there, and the image at this place of a plane of images.
// @ts-check
import { byClass, className } from "./classes.js";
import { painted } from "./images.js";
import { get } from "./page.js";
import { digits, grouped, mapText } from "./words.js";

/** @typedef {import("./mesh.js").Mesh} Mesh */

const AWAY = 14;

/**
 * Show it beside a place of the screen, in parts of the picture from its lower left; without a cell, hide it.
 * @param {Mesh} mesh @param {number} cell @param {[number, number]} at
 * @param {[number, number]} unit the place in units of the window
 */
export function showTip(mesh, cell, at, unit) {
  const tip = get("tip");
  tip.hidden = cell < 0;
  if (cell < 0) return;
  tip.replaceChildren(...lines(mesh, cell, unit).map(([text, className]) => part(text, className)), ...imageAt(mesh, unit));
  const box = get("plane").getBoundingClientRect();
  const [x, y] = [at[0] * box.width, (1 - at[1]) * box.height];
  const { offsetWidth, offsetHeight } = tip;
  const left = x + AWAY + offsetWidth > box.width ? Math.max(x - AWAY - offsetWidth, 2 - box.left) : x + AWAY;
  const top = y + AWAY + offsetHeight > box.height ? y - AWAY - offsetHeight : y + AWAY;
  tip.style.left = `${left}px`;
  tip.style.top = `${Math.max(top, -box.top)}px`;
}

export function hideTip() {
  get("tip").hidden = true;
}

/** The class at a place. @param {Mesh} mesh @param {[number, number]} unit */
function winner(mesh, unit) {
  const split = byClass(mesh);
  const found = split.at(...unit);
  return found < 0 ? "?" : split.arrays.winners[found];
}

/**
 * The input at this place, if inputs are images.
 * @param {Pick<Mesh, "facts" | "arrays"> & {place: (u: number, v: number) => number[]}} mesh @param {[number, number]} unit
 * @returns {HTMLElement[]}
 */
export function imageAt(mesh, unit) {
  const { frame } = mesh.arrays;
  if (!frame) return [];
  const [channels, height, width] = mesh.facts.image;
  const n = channels * height * width;
  const [u, v] = mesh.place(...unit);
  const [low, high] = mesh.facts.image_range;
  const value = (/** @type {number} */ at) => frame[at] + u * frame[n + at] + v * frame[2 * n + at];
  return [painted(mesh.facts.image, (at) => (255 * (value(at) - low)) / (high - low))];
}

/** @param {string} text @param {string} className */
function part(text, className) {
  return Object.assign(document.createElement("div"), { textContent: text, className });
}

/** @param {Mesh} mesh @param {number} cell @param {[number, number]} unit @returns {[string, string][]} */
function lines(mesh, cell, unit) {
  const { facts, arrays } = mesh;
  const isLine = facts.dimension === 1;
  const noun = facts.kind !== "exact" ? "sample" : isLine ? "piece" : "region";
  const number = facts.n_regions === null ? cell : arrays.regions[cell];
  const count = facts.n_regions ?? mesh.n;
  const k = facts.dimension + 1;
  const point = mesh.place(...unit);
  /** @type {[string, string][]} */
  const out = [[`${noun} ${number} of ${grouped(count)}`, "title"]];
  if (arrays.maps) {
    const where = (isLine ? point.slice(0, 1) : point).map(digits).join(", ");
    if (arrays.outputs) out.push([`score of ${className.of(mesh, facts.shown_output)}:`, ""]);
    out.push([mapText(arrays.maps.subarray(k * cell, k * cell + k), facts.widths[0] > 2), "map"]);
    out.push([`f(${where}) = ${digits(mesh.output(cell, ...unit))}`, ""]);
  }
  if (arrays.outputs) out.push([className.of(mesh, winner(mesh, unit)), "title"]);
  if (!isLine) out.push([`area ${digits(arrays.areas[cell])}, slope ${digits(arrays.gradients?.[cell] ?? NaN)}`, ""]);
  return out;
}
