// Cells as pixels: every pixel in the middle of which a cell lies has the exact level of its affine map there.
// @ts-check
import { ground, rgb, table } from "./colors.js";
import { UNKNOWN } from "./shades.js";

/** @typedef {import("./mesh.js").Mesh} Mesh */
/** @typedef {import("./shades.js").Shade} Shade */

/** Cells that are painted between two looks at the clock. */
const AT_ONCE = 512;
/** By so much of a pixel neighbors overlap, so that rounding leaves no gap between them. */
const OVERLAP = 1e-3;

/**
 * Paint the cells of a picture, a few hundred at a time.
 * @param {ImageData} image @param {Mesh} mesh @param {Shade} shade
 * @returns {Generator<void, void>}
 */
export function* rasterize(image, mesh, { level, table: name }) {
  const { width, height, data } = image;
  const pixels = new Uint32Array(data.buffer);
  const colors = new Uint32Array(table(name).bytes.buffer);
  const blank = packed(ground(mesh.facts.dimension));
  pixels.fill(blank);
  const [left, right] = [new Float64Array(height), new Float64Array(height)];
  const { first, corners, vertices } = mesh.arrays;
  for (let cell = 0; cell < mesh.n; cell++) {
    const [start, end] = [first[cell], first[cell + 1]];
    const [top, bottom] = rows(vertices, corners, start, end, width, height, left, right);
    const [level0, across, down] = slopes(cell, level, vertices, corners, start, end, width, height);
    const isBlank = level0 < UNKNOWN / 2;
    for (let y = top; y < bottom; y++) {
      const from = Math.max(0, Math.ceil(left[y] - 0.5 - OVERLAP));
      const to = Math.min(width - 1, Math.floor(right[y] - 0.5 + OVERLAP));
      let value = 255 * (level0 + across * (from + 0.5) + down * (y + 0.5)) + 0.5;
      for (let at = y * width + from; at <= y * width + to; at++) {
        pixels[at] = isBlank ? blank : colors[value > 255 ? 255 : value < 0 ? 0 : value | 0];
        value += 255 * across;
      }
    }
    if (cell % AT_ONCE === AT_ONCE - 1) yield;
  }
}

/**
 * Where a cell begins and ends in each row of pixels; the same edge of two cells is computed in the same way.
 * @param {any} vertices @param {any} corners @param {number} start @param {number} end
 * @param {number} width @param {number} height @param {Float64Array} left @param {Float64Array} right
 * @returns {[number, number]} the first row, and the one after the last
 */
function rows(vertices, corners, start, end, width, height, left, right) {
  let [top, bottom] = [height, 0];
  for (let i = start; i < end; i++) {
    const y = (1 - vertices[2 * corners[i] + 1]) * height;
    top = Math.min(top, Math.ceil(y - 0.5 - OVERLAP));
    bottom = Math.max(bottom, Math.floor(y - 0.5 + OVERLAP) + 1);
  }
  [top, bottom] = [Math.max(top, 0), Math.min(bottom, height)];
  left.fill(Infinity, top, bottom);
  right.fill(-Infinity, top, bottom);
  for (let i = start; i < end; i++) {
    let [a, b] = [corners[i], corners[i + 1 < end ? i + 1 : start]];
    if (vertices[2 * a + 1] < vertices[2 * b + 1]) [a, b] = [b, a];
    const [x0, y0] = [vertices[2 * a] * width, (1 - vertices[2 * a + 1]) * height];
    const [x1, y1] = [vertices[2 * b] * width, (1 - vertices[2 * b + 1]) * height];
    const slope = y1 > y0 ? (x1 - x0) / (y1 - y0) : 0;
    const [from, to] = [Math.max(top, Math.ceil(y0 - 0.5 - OVERLAP)), Math.min(bottom - 1, Math.floor(y1 - 0.5 + OVERLAP))];
    for (let y = from; y <= to; y++) {
      const x = x0 + Math.min(Math.max(y + 0.5 - y0, 0), y1 - y0) * slope;
      if (x < left[y]) left[y] = x;
      if (x > right[y]) right[y] = x;
    }
  }
  return [top, bottom];
}

/**
 * The level of a cell as a function of pixels, from its largest triangle: a constant and two slopes.
 * @param {number} cell @param {(cell: number, vertex: number) => number} level @param {any} vertices @param {any} corners
 * @param {number} start @param {number} end @param {number} width @param {number} height @returns {[number, number, number]}
 */
function slopes(cell, level, vertices, corners, start, end, width, height) {
  const o = corners[start];
  const [ox, oy, oz] = [vertices[2 * o] * width, (1 - vertices[2 * o + 1]) * height, level(cell, o)];
  let [best, across, down, sum] = [0, 0, 0, oz];
  for (let i = start + 1; i < end; i++) {
    const [a, b] = [corners[i], corners[i + 1 < end ? i + 1 : start]];
    const [ax, ay, az] = [vertices[2 * a] * width - ox, (1 - vertices[2 * a + 1]) * height - oy, level(cell, a)];
    const [bx, by] = [vertices[2 * b] * width - ox, (1 - vertices[2 * b + 1]) * height - oy];
    const det = ax * by - ay * bx;
    sum += az;
    if (Math.abs(det) <= best) continue;
    best = Math.abs(det);
    const bz = level(cell, b);
    [across, down] = [((az - oz) * by - (bz - oz) * ay) / det, ((bz - oz) * ax - (az - oz) * bx) / det];
  }
  if (best < 1) return [sum / (end - start), 0, 0];
  return [oz - across * ox - down * oy, across, down];
}

/** A color as the bytes of a pixel. @param {string} hex */
function packed(hex) {
  const bytes = new Uint8Array([...rgb(hex).map((c) => Math.round(255 * c)), 255]);
  return new Uint32Array(bytes.buffer)[0];
}
