// What the colors say: a level between 0 and 1 for each corner of each cell, computed in the page.
// @ts-check

import { byClass } from "./classes.js";
import { areas } from "./colors.js";

/** @typedef {import("./mesh.js").Mesh} Mesh */
/**
 * @typedef {object} Shade
 * @property {string} table which colors: "output" for signs, "steps", "class", "pattern", else magnitudes
 * @property {number} low the value at level 0
 * @property {number} high the value at level 1
 * @property {boolean} isClipped whether values beyond have the color of the end
 * @property {boolean} isFlat whether a cell has one level
 * @property {(cell: number, vertex: number) => number} level
 */

/** Colors that tell neighboring patterns apart. */
export const N_FILLS = 7;
/** The level where nothing is known. */
export const UNKNOWN = -1e9;
/** A part of the picture, by area, that may be beyond the scale, so that one steep corner does not pale the rest. */
const BEYOND = 0.1;

/** @type {WeakMap<Mesh, Map<string, Shade>>} */
const made = new WeakMap();

/**
 * The shade of a picture cut by its first layers.
 * @param {Mesh} mesh @param {string} color @param {number} depth @returns {Shade}
 */
export function shade(mesh, color, depth) {
  const known = made.get(mesh) ?? new Map();
  made.set(mesh, known);
  const key = `${color} ${Math.min(depth, mesh.facts.n_layers)}`;
  if (!known.has(key)) known.set(key, compute(mesh, color, depth));
  return known.get(key);
}

/** @param {Mesh} mesh @param {string} color @param {number} depth @returns {Shade} */
function compute(mesh, color, depth) {
  const parts = mesh.parts(depth);
  if (color === "pattern") {
    const fills = mesh.coloring(depth);
    const level = (/** @type {number} */ cell) => ((fills[parts.of[cell]] % N_FILLS) + 0.5) / N_FILLS;
    return { table: "pattern", low: 0, high: 1, isClipped: false, isFlat: true, level };
  }
  const { winners } = mesh.arrays;
  if (color === "class" && winners) {
    const n = areas().length;
    const level = (/** @type {number} */ cell) => ((winners[cell] % n) + 0.5) / n;
    return { table: "areas", low: 0, high: 1, isClipped: false, isFlat: true, level };
  }
  const isOutput = color === "output" || color === "steps";
  const isSigned = isOutput || color === "class";
  const isGraph = isSigned && mesh.facts.dimension === 1; // the graph shows it already
  const flat = isSigned ? means(mesh) : color === "error" ? errors(mesh) : mesh.arrays.gradients;
  if (!flat || isGraph) return { table: color, low: 0, high: 1, isClipped: false, isFlat: true, level: () => UNKNOWN };
  const isWhole = parts.count === mesh.n;
  const values = isWhole ? flat : united(flat, mesh.arrays.areas, parts, !isSigned);
  const [low, high, isClipped] = ends(mesh, values, isSigned, color === "class");
  const scaled = (/** @type {number} */ value) => (value - low) / (high - low);
  const { values: at } = mesh.arrays;
  const isShaded = isSigned && isWhole;
  const level = isShaded
    ? (/** @type {number} */ _, /** @type {number} */ vertex) => scaled(at[vertex])
    : (/** @type {number} */ cell) => (values[cell] < 0 && !isSigned ? UNKNOWN : scaled(values[cell]));
  const isOneSided = isOutput && low * high >= 0 && low !== -high;
  const table = isOneSided ? (color === "steps" ? "levels" : "gradient") : color;
  return { table, low, high, isClipped, isFlat: !isShaded, level };
}

/** The mean output of each cell at its corners. @param {Mesh} mesh */
function means(mesh) {
  const { first, corners, values } = mesh.arrays;
  const out = new Float64Array(mesh.n);
  for (let cell = 0; cell < mesh.n; cell++) {
    for (let i = first[cell]; i < first[cell + 1]; i++) out[cell] += values[corners[i]];
    out[cell] /= first[cell + 1] - first[cell];
  }
  return out;
}

/**
 * Means over parts, by area; of sizes, -1 stands for cells and parts that know nothing.
 * @param {any} flat @param {any} areas @param {{of: Uint32Array, count: number}} parts @param {boolean} isSize
 */
function united(flat, areas, { of, count }, isSize) {
  const [sums, sizes] = [new Float64Array(count), new Float64Array(count)];
  const isKnown = (/** @type {number} */ cell) => !isSize || flat[cell] >= 0;
  for (let cell = 0; cell < of.length; cell++) {
    if (!isKnown(cell)) continue;
    sums[of[cell]] += areas[cell] * flat[cell];
    sizes[of[cell]] += areas[cell];
  }
  return Float64Array.from(of, (part) => (sizes[part] ? sums[part] / sizes[part] : -1));
}

/**
 * The ends of the scale: symmetric for values of both signs; beyond the largest values of nearly all of the area.
 * @param {Mesh} mesh @param {any} values of cells @param {boolean} isSigned @param {boolean} isClass
 * @returns {[number, number, boolean]}
 */
function ends(mesh, values, isSigned, isClass) {
  const { areas } = mesh.arrays;
  const { low, high } = mesh.facts;
  if (isSigned && !isClass && low * high > 0 && high > low) return [low, high, false];
  const order = Array.from(values.keys()).sort((i, j) => Math.abs(values[j]) - Math.abs(values[i]));
  let total = 0;
  for (const cell of order) total += areas[cell];
  let [left, reach] = [BEYOND * total, 0];
  for (const cell of order) {
    reach = Math.abs(values[cell]);
    left -= areas[cell];
    if (left < 0) break;
  }
  const most = isSigned ? Math.max(Math.abs(low), Math.abs(high)) : Math.abs(values[order[0]] ?? 0);
  if (!(reach > 0) || most < 1.3 * reach) reach = most || 1;
  return [isSigned ? -reach : 0, reach, reach < most];
}

/**
 * The mean error of each cell, estimated: at its corners and center for a function, at its points for data, -1 without any.
 * @param {Mesh} mesh
 */
export function errors(mesh) {
  const { goals, first, corners, values } = mesh.arrays;
  if (!goals) return errorsOfPoints(mesh);
  const out = new Float64Array(mesh.n);
  const nVertices = goals.length - mesh.n;
  for (let cell = 0; cell < mesh.n; cell++) {
    const n = first[cell + 1] - first[cell];
    let [error, center] = [0, 0];
    for (let i = first[cell]; i < first[cell + 1]; i++) {
      error += Math.abs(values[corners[i]] - goals[corners[i]]) / n;
      center += values[corners[i]] / n; // the output is affine on the cell
    }
    out[cell] = (error + 2 * Math.abs(center - goals[nVertices + cell])) / 3;
  }
  return out;
}

/** @param {Mesh} mesh */
function errorsOfPoints(mesh) {
  const { points, labels, maps } = mesh.arrays;
  const out = new Float64Array(mesh.n).fill(-1);
  if (!points || !maps || mesh.facts.widths[0] > 2) return out;
  const [sums, counts] = [new Float64Array(mesh.n), new Uint32Array(mesh.n)];
  const isLine = mesh.facts.dimension === 1;
  const split = mesh.facts.is_classes && mesh.arrays.outputs ? byClass(mesh) : null;
  for (let i = 0; i < labels.length; i++) {
    const cell = mesh.at(points[2 * i], isLine ? 0.5 : points[2 * i + 1]);
    if (cell < 0) continue;
    const value = mesh.output(cell, points[2 * i], points[2 * i + 1]);
    sums[cell] += split
      ? Number(split.arrays.winners[split.at(points[2 * i], points[2 * i + 1])] !== labels[i])
      : mesh.facts.is_classes
        ? Number(value > 0 !== labels[i] > 0.5)
        : Math.abs(value - labels[i]);
    counts[cell]++;
  }
  return out.map((_, cell) => (counts[cell] ? sums[cell] / counts[cell] : -1));
}
