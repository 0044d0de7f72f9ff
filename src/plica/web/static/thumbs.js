// Small pictures of neurons: what a neuron makes of the window, with the fold where it changes its state.
// @ts-check
import { css, ink, neutral, table } from "./colors.js";

/** @typedef {import("./mesh.js").Mesh} Mesh */

/** Samples along a side, and pixels. */
export const GRAINS = 30;
export const SIDE = 60;
/** The corners of a square of samples, around it. */
const SQUARE = [[0, 0], [1, 0], [1, 1], [0, 1]];
/** From one picture to the next, so that a line at the rim of one is not seen in its neighbor. */
const PITCH = SIDE + 4;
const PER_ROW = 24;
const ROUND = 3;
/** Lines of graphs and of lit folds, in pixels. */
const THICK = 3.6;

/** Pictures of many neurons on one sheet: a canvas for each would be a layer of the page, all put together in every frame. */
export class Thumbs {
  constructor() {
    this.sheet = document.createElement("canvas");
    this.pen = /** @type {CanvasRenderingContext2D} */ (this.sheet.getContext("2d", { willReadFrequently: true }));
    const small = Object.assign(document.createElement("canvas"), { width: GRAINS, height: GRAINS });
    this.small = /** @type {CanvasRenderingContext2D} */ (small.getContext("2d", { willReadFrequently: true }));
    this.grains = new ImageData(GRAINS, GRAINS);
    this.above = new Float64Array(GRAINS * GRAINS);
  }

  /** Make room. @param {number} n */
  make(n) {
    [this.sheet.width, this.sheet.height] = [PER_ROW * PITCH, Math.ceil(n / PER_ROW) * PITCH];
  }

  /** Where a picture begins on the sheet. @param {number} which @returns {[number, number]} */
  corner(which) {
    return [(which % PER_ROW) * PITCH, Math.floor(which / PER_ROW) * PITCH];
  }

  /** Paint the values of a neuron over the window. @param {number} which @param {(i: number) => number} value */
  area(which, value) {
    const { bytes } = table("output");
    const { data } = this.grains;
    let most = 1e-300;
    for (let i = 0; i < GRAINS * GRAINS; i++) most = Math.max(most, Math.abs(value(i)));
    for (let y = 0; y < GRAINS; y++) {
      for (let x = 0; x < GRAINS; x++) {
        const at = 4 * ((GRAINS - 1 - y) * GRAINS + x);
        const level = 4 * Math.round(127.5 + 127.5 * (value(y * GRAINS + x) / most));
        for (let c = 0; c < 3; c++) data[at + c] = bytes[level + c];
        data[at + 3] = 255;
      }
    }
    this.small.putImageData(this.grains, 0, 0);
    this.pen.drawImage(this.small.canvas, ...this.corner(which), SIDE, SIDE);
  }

  /**
   * A line where a function on the grid has a value, straight between its samples.
   * @param {number} which @param {(i: number) => number} value @param {number} level
   */
  contour(which, value, level) {
    const { pen } = this;
    const [left, top] = this.corner(which);
    pen.strokeStyle = ink();
    pen.lineWidth = 2.4;
    pen.lineCap = "round";
    pen.beginPath();
    const { above } = this;
    for (let i = 0; i < above.length; i++) above[i] = value(i) - level;
    for (let y = 0; y + 1 < GRAINS; y++)
      for (let x = 0; x + 1 < GRAINS; x++) {
        const at = y * GRAINS + x;
        const isUp = above[at] > 0;
        if (above[at + 1] > 0 === isUp && above[at + GRAINS] > 0 === isUp && above[at + GRAINS + 1] > 0 === isUp) continue;
        const here = [above[at], above[at + 1], above[at + GRAINS + 1], above[at + GRAINS]];
        let ends = 0;
        for (let k = 0; k < 4; k++) {
          const [a, b] = [here[k], here[(k + 1) % 4]];
          if (a > 0 === b > 0) continue;
          const [[i, j], [p, q]] = [SQUARE[k], SQUARE[(k + 1) % 4]];
          const t = a / (a - b);
          const across = left + (x + 0.5 + i + t * (p - i)) * (SIDE / GRAINS);
          const down = top + SIDE - (y + 0.5 + j + t * (q - j)) * (SIDE / GRAINS);
          pen[ends++ % 2 ? "lineTo" : "moveTo"](across, down);
        }
      }
    pen.stroke();
  }

  /** The graph of a neuron over an interval. @param {number} which @param {(i: number) => number} value */
  graph(which, value) {
    const { pen } = this;
    const [left, top] = this.corner(which);
    const values = Array.from({ length: GRAINS }, (_, i) => value(i));
    const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
    const at = (/** @type {number} */ y) => top + 4 + (SIDE - 8) * (1 - (y - low) / (high - low || 1));
    pen.fillStyle = neutral();
    pen.fillRect(left, top, SIDE, SIDE);
    pen.lineWidth = THICK;
    pen.strokeStyle = css("output", high > -low ? 0.95 : 0.05);
    pen.beginPath();
    values.forEach((y, i) => pen.lineTo(left + (i + 0.5) * (SIDE / GRAINS), at(y)));
    pen.stroke();
  }

  /**
   * Some edges of the picture over a small one.
   * @param {number} which @param {Mesh} mesh @param {number[]} edges @param {string} color
   */
  edges(which, mesh, edges, color) {
    const { pen } = this;
    const [left, top] = this.corner(which);
    const { edges: ends, vertices } = mesh.arrays;
    pen.strokeStyle = color;
    pen.lineWidth = THICK;
    pen.beginPath();
    for (const i of edges) {
      const [a, b] = [2 * ends[2 * i], 2 * ends[2 * i + 1]];
      pen.moveTo(left + vertices[a] * SIDE, top + (1 - vertices[a + 1]) * SIDE);
      pen.lineTo(left + vertices[b] * SIDE, top + (1 - vertices[b + 1]) * SIDE);
    }
    pen.stroke();
  }

  /**
   * Show a picture in a box with round corners.
   * @param {CanvasRenderingContext2D} pen @param {number} which @param {number} left @param {number} top @param {number} size
   */
  draw(pen, which, left, top, size) {
    pen.save();
    pen.beginPath();
    pen.roundRect(left, top, size, size, ROUND);
    pen.clip();
    pen.drawImage(this.sheet, ...this.corner(which), SIDE, SIDE, left, top, size, size);
    pen.restore();
  }

  /** The pixels of a picture, for measuring. @param {number} which */
  pixels(which) {
    return this.pen.getImageData(...this.corner(which), SIDE, SIDE).data;
  }
}
