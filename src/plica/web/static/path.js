// The path that goes through the layers: a segment, or the circle around it.
// @ts-check

/** @typedef {import("./state.js").State} State */

/**
 * Its ends, those of the diameter for a circle; without a drawn one across the window, as the server takes it.
 * @param {State} state @param {number[]} window @returns {number[]}
 */
export function pathEnds(state, [a, b, c, d]) {
  const given = state.numbers("segment");
  if (given.length) return given;
  if (state.get("path") !== "circle") return [a, c, b, d];
  const [x, y, radius] = [(a + b) / 2, (c + d) / 2, Math.min(b - a, d - c) / 2];
  return [x - radius, y, x + radius, y];
}

/**
 * Points on it, from its first to its last; a circle begins and ends at the last end.
 * @param {number[]} ends @param {number} dimension @param {boolean} isCircle @param {number} n
 */
export function onPath([ax, ay, bx, by], dimension, isCircle, n) {
  const out = new Float64Array(dimension * n);
  const [x, y, u, v] = [(ax + bx) / 2, (ay + by) / 2, (bx - ax) / 2, (by - ay) / 2];
  for (let i = 0; i < n; i++) {
    const t = i / (n - 1);
    const [cos, sin] = isCircle && dimension === 2 ? [Math.cos(2 * Math.PI * t), Math.sin(2 * Math.PI * t)] : [2 * t - 1, 0];
    out[dimension * i] = x + cos * u - sin * v;
    if (dimension === 2) out[2 * i + 1] = y + cos * v + sin * u;
  }
  return out;
}
