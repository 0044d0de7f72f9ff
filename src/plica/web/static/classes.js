// The class map of a model with many outputs: cells in which the largest output changes are divided where it does.
// @ts-check
import { Mesh } from "./mesh.js";

/** @type {WeakMap<Mesh, Mesh>} */
const made = new WeakMap();

/** What a class is called: as the user says, as the table says, or by its number. */
export const className = {
  /** @type {string[]} */
  given: [],
  /** @param {{facts: Record<string, any>}} mesh @param {number | string} k */
  of(mesh, k) {
    return this.given[Number(k)] || mesh.facts.class_names?.[Number(k)] || `class ${k}`;
  },
};

/** How the graph of one score is colored where the plane shows classes of many. @param {Mesh} mesh @param {string} color */
export const ofOneScore = (mesh, color) => (color === "class" && mesh.arrays.outputs ? "output" : color);

/** A picture whose cells have one class each, in `winners`. @param {Mesh} mesh @returns {Mesh} */
export function byClass(mesh) {
  const known = made.get(mesh);
  if (known) return known;
  const { first, corners, vertices, outputs } = mesh.arrays;
  const k = mesh.facts.n_outputs;
  const [points, outs] = [Array.from(vertices), Array.from(outputs)];
  const [ends, ids, winners] = [[0], /** @type {number[]} */ ([]), /** @type {number[]} */ ([])];
  const keep = (/** @type {number[]} */ polygon, /** @type {number} */ winner) => {
    ids.push(...polygon);
    ends.push(ids.length);
    winners.push(winner);
  };
  const best = (/** @type {number} */ vertex) => {
    let at = 0;
    for (let j = 1; j < k; j++) if (outs[k * vertex + j] > outs[k * vertex + at]) at = j;
    return at;
  };
  for (let cell = 0; cell < mesh.n; cell++) {
    const polygon = Array.from(corners.subarray(first[cell], first[cell + 1]));
    const kinds = new Set(polygon.map(best));
    if (kinds.size === 1) {
      keep(polygon, best(polygon[0]));
      continue;
    }
    // outputs are affine on the cell, so each class holds a convex part of it; it may hold no corner
    for (let winner = 0; winner < k; winner++) {
      let part = polygon;
      for (let other = 0; other < k && part.length > 2; other++) {
        if (other !== winner) part = clipped(part, points, outs, k, winner, other);
      }
      if (part.length > 2) keep(part, winner);
    }
  }
  const arrays = {
    ...mesh.arrays,
    vertices: Float32Array.from(points),
    values: Float32Array.from({ length: points.length / 2 }, (_, i) => outs[k * i]),
    first: Uint32Array.from(ends),
    corners: Uint32Array.from(ids),
    winners: Uint8Array.from(winners),
  };
  const split = new Mesh(mesh.facts, arrays);
  made.set(mesh, split);
  return split;
}

/**
 * The part of a polygon where one output is at least another; new corners are added to the points.
 * @param {number[]} polygon @param {number[]} points @param {number[]} outs @param {number} k outputs of each point
 * @param {number} winner @param {number} other
 * @returns {number[]}
 */
function clipped(polygon, points, outs, k, winner, other) {
  const lead = (/** @type {number} */ v) => outs[k * v + winner] - outs[k * v + other];
  if (polygon.every((v) => lead(v) >= 0)) return polygon;
  /** @type {number[]} */
  const out = [];
  polygon.forEach((a, i) => {
    const b = polygon[(i + 1) % polygon.length];
    const [fa, fb] = [lead(a), lead(b)];
    if (fa >= 0) out.push(a);
    if (fa >= 0 === fb >= 0) return;
    const t = fa / (fa - fb);
    const mix = (/** @type {number[]} */ list, /** @type {number} */ n, /** @type {number} */ j) =>
      (1 - t) * list[n * a + j] + t * list[n * b + j];
    out.push(points.length / 2);
    points.push(mix(points, 2, 0), mix(points, 2, 1));
    for (let j = 0; j < k; j++) outs.push(mix(outs, k, j));
  });
  return out;
}
