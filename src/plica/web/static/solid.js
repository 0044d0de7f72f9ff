// Cells in space: facets of polyhedra that explode, are sliced and fade; turned by pointer and keys.
// @ts-check
import { ink, layers, mode, table } from "./colors.js";
import { RIM, packed } from "./facets.js";
import { showSolidLegend } from "./legend.js";
import { N_FILLS } from "./shades.js";
import { Turned, packedHex } from "./turned.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./facets.js").Facets} Facets */

const SIDE = 0.7;
/** From where light falls, and how much of it is everywhere. */
const SUN = [-0.36, -0.48, 0.8];
const SHADOW = 0.72;

export class Solid extends Turned {
  constructor() {
    super();
    this.words = "";
    this.near = 1.3;
    /** @type {Record<string, any> | null} */
    this.parts = null;
    this.explode = 0;
    this.cut = 1;
    this.fade = 0;
    /** @type {{key: string, facets: Facets} | null} */
    this.made = null;
  }

  /** @param {any} mesh @param {State} state */
  take(mesh, state) {
    this.explode = state.number("explode");
    this.cut = state.number("cut");
    this.fade = state.number("fade");
    if (this.parts) showSolidLegend(this.parts.layers);
    this.moved = performance.now();
  }

  /** What the server computed. @param {Record<string, any>} facts @param {Record<string, any>} arrays */
  fill(facts, arrays) {
    this.words = facts.sentence;
    this.parts = Object.fromEntries(Object.entries(facts.solid).map(([name, key]) => [name, arrays[key]]));
    this.made = null;
  }

  clear() {
    this.parts = this.made = null;
  }

  /** Facets of the cells that are seen, each as often as it bounds one; only the skin where nothing behind it is seen. */
  facets() {
    if (!this.parts) return null;
    const isSkin = this.explode === 0 && this.fade === 0;
    const key = [this.explode, this.cut, isSkin, mode()].join();
    if (this.made?.key !== key) this.made = { key, facets: exploded(this.parts, this.explode, this.cut, isSkin) };
    return this.made.facets;
  }

  /** @param {CanvasRenderingContext2D} pen @param {number} width @param {number} height */
  draw(pen, width, height) {
    const facets = this.facets();
    if (!facets) return false;
    const isMoving = this.paint(pen, facets, width, height, height / 2, 1 - 0.92 * this.fade);
    this.axes(pen, height);
    return isMoving;
  }

  /** How the three inputs lie, in a corner. @param {CanvasRenderingContext2D} pen @param {number} height */
  axes(pen, height) {
    const [x, y] = [46, height - 46];
    pen.lineWidth = 1.5;
    pen.strokeStyle = pen.fillStyle = ink();
    pen.font = "italic 15px Georgia, serif";
    pen.textAlign = "center";
    const size = 100 / this.near;
    ["x₁", "x₂", "x₃"].forEach((name, k) => {
      const [dx, dy] = this.project([0, 1, 2].map((i) => Number(i === k)), size);
      pen.beginPath();
      pen.moveTo(x, y);
      pen.lineTo(x + dx, y + dy);
      pen.stroke();
      pen.fillText(name, x + 1.4 * dx, y + 1.4 * dy + 5);
    });
    pen.textAlign = "left";
  }
}

/**
 * Cells moved away from the middle, their facets counterclockwise seen from outside and lit.
 * @param {Record<string, any>} parts @param {number} explode @param {number} cut @param {boolean} isSkin whether facets between
 * two cells are left out, and only the lines stay in which they meet the skin
 * @returns {Facets}
 */
function exploded({ cells, offsets, corners, vertices, centers, colors, layers: levels }, explode, cut, isSkin) {
  /** @type {number[][]} */
  const [places, first, fills, rims] = [[], [0], [], []];
  const shades = new Uint8Array(table("pattern").bytes);
  const inks = [packedHex(ink()), ...layers().map((hex) => packedHex(hex))];
  const inkOf = (/** @type {number} */ facet) => inks[levels[facet] < 0 ? 0 : 1 + (levels[facet] % 7)];
  const grown = 1 + 0.7 * explode;
  const isShown = (/** @type {number} */ cell) => cell >= 0 && centers[3 * cell + 2] <= cut;
  /** @type {Map<number, [number, number]>} the sides of the skin's facets, and where their ends are among the places */
  const sides = new Map();
  const inner = [];
  const n = vertices.length / 3;
  for (let facet = 0; facet + 1 < offsets.length; facet++) {
    const around = [cells[2 * facet], cells[2 * facet + 1]].filter(isShown);
    if (isSkin && around.length === 2) {
      inner.push(facet);
      continue;
    }
    for (const [turn, cell] of around.entries()) {
      const points = Array.from(corners.subarray(offsets[facet], offsets[facet + 1]));
      const out = normal(vertices, points);
      const away = [0, 1, 2].reduce((sum, k) => sum + out[k] * (vertices[3 * points[0] + k] - centers[3 * cell + k]), 0);
      if (away < 0) points.reverse();
      const start = first[first.length - 1];
      points.forEach((point, i) => {
        const next = (i + 1) % points.length;
        if (isSkin) sides.set(side(point, points[next], n), [start + i, start + next]);
        for (let k = 0; k < 3; k++)
          places.push((SIDE * (vertices[3 * point + k] + explode * centers[3 * cell + k])) / grown);
      });
      first.push(start + points.length);
      const sun = Math.sign(away) * [0, 1, 2].reduce((sum, k) => sum + out[k] * SUN[k], 0);
      const light = SHADOW + (1 - SHADOW) * (0.5 + 0.5 * sun);
      const at = 4 * Math.round((255 * (colors[cell] + 0.5)) / N_FILLS);
      fills.push(packed(light * shades[at], light * shades[at + 1], light * shades[at + 2]));
      rims.push(turn > 0 && !explode ? 0 : inkOf(facet)); // two in one place have one outline
    }
  }
  return {
    places: Float32Array.from(places),
    first: Uint32Array.from(first),
    corners: Uint32Array.from({ length: places.length / 3 }, (_, i) => i),
    fills: Uint32Array.from(fills),
    rims: Uint32Array.from(rims),
    isClosed: true,
    lines: inner.map((facet) => ({
      ends: met(Array.from(corners.subarray(offsets[facet], offsets[facet + 1])), sides, n),
      color: inkOf(facet),
      width: RIM,
      alpha: 1,
    })),
  };
}

/** A side by its two ends, in whatever order. @param {number} p @param {number} q @param {number} n points in all */
const side = (p, q, n) => Math.min(p, q) * n + Math.max(p, q);

/**
 * The sides of a facet that are sides of others too, as pairs of places.
 * @param {number[]} points @param {Map<number, [number, number]>} sides @param {number} n
 */
const met = (points, sides, n) => points.flatMap((p, i) => sides.get(side(p, points[(i + 1) % points.length], n)) ?? []);

/** The direction across a facet (Newell's). @param {any} vertices @param {number[]} points @returns {number[]} */
function normal(vertices, points) {
  const sum = [0, 0, 0];
  points.forEach((p, i) => {
    const q = points[(i + 1) % points.length];
    for (let k = 0; k < 3; k++) {
      const [a, b] = [(k + 1) % 3, (k + 2) % 3];
      sum[k] += (vertices[3 * p + a] - vertices[3 * q + a]) * (vertices[3 * p + b] + vertices[3 * q + b]);
    }
  });
  const length = Math.hypot(...sum) || 1;
  return sum.map((x) => x / length);
}
