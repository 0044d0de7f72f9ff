// Small pictures of neurons: what a neuron makes of the window, with the fold where it changes its state.
// @ts-check
import { css, ink, paper, table } from "./colors.js";

/** @typedef {import("./mesh.js").Mesh} Mesh */

/** Samples along a side, and pixels. */
export const GRAINS = 30;
/** Samples along an interval: a sawtooth of thirty teeth that is sampled thirty times is another function. */
export const ALONG = 481;
export const SIDE = 60;
/** The corners of a square of samples, around it. */
const SQUARE = [[0, 0], [1, 0], [1, 1], [0, 1]];
/** Around the samples of a picture these are repeated, so that it is not mixed with its neighbor where it is made larger. */
const RIM = 1;
const CELL = GRAINS + 2 * RIM;
/** Pixels of a sample. */
const SCALE = SIDE / GRAINS;
/** From one picture to the next. */
const PITCH = CELL * SCALE;
const PER_ROW = 24;
const ROUND = 3;
/** Lines of graphs and of lit folds, in pixels. */
const THICK = 3.6;

/** Pictures of many neurons on one sheet: a canvas for each would be a layer of the page, all put together in every frame. */
export class Thumbs {
  constructor() {
    this.sheet = document.createElement("canvas");
    this.pen = /** @type {CanvasRenderingContext2D} */ (this.sheet.getContext("2d", { willReadFrequently: true }));
    this.small = /** @type {CanvasRenderingContext2D} */ (
      document.createElement("canvas").getContext("2d", { willReadFrequently: true })
    );
    this.grains = new ImageData(CELL, CELL);
    this.pixels32 = new Uint32Array(this.grains.data.buffer);
    this.above = new Float64Array(GRAINS * GRAINS);
  }

  /** Make room. @param {number} n */
  make(n) {
    const [width, height] = [PER_ROW * CELL, Math.ceil(n / PER_ROW) * CELL];
    [this.sheet.width, this.sheet.height] = [width * SCALE, height * SCALE];
    [this.small.canvas.width, this.small.canvas.height] = [width, height];
    this.grains = new ImageData(width, height);
    this.pixels32 = new Uint32Array(this.grains.data.buffer);
  }

  /** Where a picture begins on the sheet. @param {number} which @returns {[number, number]} */
  corner(which) {
    return [(which % PER_ROW) * PITCH + RIM * SCALE, Math.floor(which / PER_ROW) * PITCH + RIM * SCALE];
  }

  /**
   * Color the samples of a neuron over the window; they are seen once all are spread.
   * @param {number} which @param {Float64Array} values of all neurons of a layer at all samples
   * @param {number} n how many neurons that are @param {number} k which of them
   */
  area(which, values, n, k) {
    const { pixels32, grains } = this;
    const colors = new Uint32Array(table("output").bytes.buffer);
    const corner = Math.floor(which / PER_ROW) * CELL * grains.width + (which % PER_ROW) * CELL;
    let most = 1e-300;
    for (let at = k; at < GRAINS * GRAINS * n; at += n) most = Math.max(most, Math.abs(values[at]));
    for (let row = 0; row < CELL; row++) {
      const y = Math.min(Math.max(GRAINS - 1 + RIM - row, 0), GRAINS - 1);
      for (let column = 0; column < CELL; column++) {
        const x = Math.min(Math.max(column - RIM, 0), GRAINS - 1);
        const value = values[(y * GRAINS + x) * n + k];
        pixels32[corner + row * grains.width + column] = colors[Math.round(127.5 + 127.5 * (value / most))];
      }
    }
  }

  /** Put the colors of all neurons on the sheet, at once: a hundred small drawings would take ten times as long. */
  spread() {
    this.small.putImageData(this.grains, 0, 0);
    this.pen.drawImage(this.small.canvas, 0, 0, this.sheet.width, this.sheet.height);
  }

  /**
   * A line where a function on the grid has a value, straight between its samples.
   * @param {number} which @param {Float64Array} values @param {number} n @param {number} k as of areas @param {number} level
   */
  contour(which, values, n, k, level) {
    const { pen } = this;
    const [left, top] = this.corner(which);
    pen.strokeStyle = ink();
    pen.lineWidth = 2.4;
    pen.lineCap = "round";
    pen.beginPath();
    const { above } = this;
    for (let i = 0; i < above.length; i++) above[i] = values[i * n + k] - level;
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
          const across = left + (x + 0.5 + i + t * (p - i)) * SCALE;
          const down = top + SIDE - (y + 0.5 + j + t * (q - j)) * SCALE;
          pen[ends++ % 2 ? "lineTo" : "moveTo"](across, down);
        }
      }
    pen.stroke();
  }

  /**
   * The graph of a neuron over an interval.
   * @param {number} which @param {Float64Array} all @param {number} n @param {number} k as of areas
   */
  graph(which, all, n, k) {
    const { pen } = this;
    const [left, top] = this.corner(which);
    const values = Array.from({ length: ALONG }, (_, i) => all[i * n + k]);
    const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
    const at = (/** @type {number} */ y) => top + 4 + (SIDE - 8) * (1 - (y - low) / (high - low || 1));
    pen.fillStyle = paper();
    pen.fillRect(left, top, SIDE, SIDE);
    const turns = values.filter((y, i) => (y - values[i - 1]) * (values[i + 1] - y) < 0).length;
    pen.lineWidth = THICK / (1 + turns / 12);
    pen.strokeStyle = css("output", high > -low ? 0.95 : 0.05);
    pen.beginPath();
    values.forEach((y, i) => pen.lineTo(left + ((i + 0.5) / ALONG) * SIDE, at(y)));
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
   * Show the pictures in boxes with round corners.
   * @param {CanvasRenderingContext2D} pen @param {{left: number, top: number, size: number}[]} boxes
   */
  draw(pen, boxes) {
    pen.save();
    pen.beginPath();
    for (const { left, top, size } of boxes) pen.roundRect(left, top, size, size, ROUND);
    pen.clip();
    boxes.forEach(({ left, top, size }, which) =>
      pen.drawImage(this.sheet, ...this.corner(which), SIDE, SIDE, left, top, size, size),
    );
    pen.restore();
  }

  /** The pixels of a picture, for measuring. @param {number} which */
  pixels(which) {
    return this.pen.getImageData(...this.corner(which), SIDE, SIDE).data;
  }
}
