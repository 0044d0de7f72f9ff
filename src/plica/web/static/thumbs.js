// Small pictures of neurons: what a neuron makes of the window, with the fold where it changes its state.
// @ts-check
import { css, ink, neutral, rgb, table } from "./colors.js";

/** @typedef {import("./mesh.js").Mesh} Mesh */

export const SIDE = 30;
/** From one picture to the next, so that a line at the rim of one is not seen in its neighbor. */
const PITCH = SIDE + 4;
const PER_ROW = 32;
const ROUND = 3;

/** Pictures of many neurons on one sheet: a canvas for each would be a layer of the page, all put together in every frame. */
export class Thumbs {
  constructor() {
    this.sheet = document.createElement("canvas");
    this.pen = /** @type {CanvasRenderingContext2D} */ (this.sheet.getContext("2d", { willReadFrequently: true }));
  }

  /** Make room. @param {number} n */
  make(n) {
    [this.sheet.width, this.sheet.height] = [PER_ROW * PITCH, Math.ceil(n / PER_ROW) * PITCH];
  }

  /** Where a picture begins on the sheet. @param {number} which @returns {[number, number]} */
  corner(which) {
    return [(which % PER_ROW) * PITCH, Math.floor(which / PER_ROW) * PITCH];
  }

  /**
   * Paint the values of a neuron over the window; pixels where its state changes are ink.
   * @param {number} which @param {(i: number) => number} value @param {(i: number) => number} state
   */
  area(which, value, state) {
    const image = this.pen.createImageData(SIDE, SIDE);
    const { bytes } = table("output");
    const dark = rgb(ink()).map((c) => 255 * c);
    let most = 1e-300;
    for (let i = 0; i < SIDE * SIDE; i++) most = Math.max(most, Math.abs(value(i)));
    for (let y = 0; y < SIDE; y++) {
      for (let x = 0; x < SIDE; x++) {
        const i = y * SIDE + x;
        const at = 4 * ((SIDE - 1 - y) * SIDE + x);
        const here = state(i);
        const isFold = (x + 1 < SIDE && state(i + 1) !== here) || (y + 1 < SIDE && state(i + SIDE) !== here);
        const level = 4 * Math.round(127.5 + 127.5 * (value(i) / most));
        for (let c = 0; c < 3; c++) image.data[at + c] = isFold ? dark[c] : bytes[level + c];
        image.data[at + 3] = 255;
      }
    }
    this.pen.putImageData(image, ...this.corner(which));
  }

  /** The graph of a neuron over an interval. @param {number} which @param {(i: number) => number} value */
  graph(which, value) {
    const { pen } = this;
    const [left, top] = this.corner(which);
    const values = Array.from({ length: SIDE }, (_, i) => value(i));
    const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
    const at = (/** @type {number} */ y) => top + 2 + (SIDE - 4) * (1 - (y - low) / (high - low || 1));
    pen.fillStyle = neutral();
    pen.fillRect(left, top, SIDE, SIDE);
    pen.lineWidth = 2;
    pen.strokeStyle = css("output", high > -low ? 0.95 : 0.05);
    pen.beginPath();
    values.forEach((y, i) => pen.lineTo(left + i + 0.5, at(y)));
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
    pen.lineWidth = 1.8;
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
