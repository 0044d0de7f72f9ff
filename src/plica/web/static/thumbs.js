// Small pictures of neurons: what a neuron makes of the window, with the fold where it changes its state.
// @ts-check
import { css, ink, neutral, rgb, table } from "./colors.js";

/** @typedef {import("./mesh.js").Mesh} Mesh */

export const SIDE = 30;

/**
 * Paint the values of a neuron over the window; pixels where its state changes are ink.
 * @param {HTMLCanvasElement} canvas @param {(i: number) => number} value @param {(i: number) => number} state
 */
export function paintArea(canvas, value, state) {
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const image = pen.createImageData(SIDE, SIDE);
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
  pen.putImageData(image, 0, 0);
}

/** The graph of a neuron over an interval. @param {HTMLCanvasElement} canvas @param {(i: number) => number} value */
export function paintGraph(canvas, value) {
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const values = Array.from({ length: SIDE }, (_, i) => value(i));
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  const at = (/** @type {number} */ y) => 2 + (SIDE - 4) * (1 - (y - low) / (high - low || 1));
  pen.fillStyle = neutral();
  pen.fillRect(0, 0, SIDE, SIDE);
  pen.lineWidth = 2;
  pen.strokeStyle = css("output", high > -low ? 0.95 : 0.05);
  pen.beginPath();
  values.forEach((y, i) => pen.lineTo(i + 0.5, at(y)));
  pen.stroke();
}

/**
 * Some edges of the picture over a small one.
 * @param {HTMLCanvasElement} canvas @param {Mesh} mesh @param {number[]} edges @param {string} color
 */
export function strokeEdges(canvas, mesh, edges, color) {
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const { edges: ends, vertices } = mesh.arrays;
  pen.strokeStyle = color;
  pen.lineWidth = 1.8;
  pen.beginPath();
  for (const i of edges) {
    const [a, b] = [2 * ends[2 * i], 2 * ends[2 * i + 1]];
    pen.moveTo(vertices[a] * SIDE, (1 - vertices[a + 1]) * SIDE);
    pen.lineTo(vertices[b] * SIDE, (1 - vertices[b + 1]) * SIDE);
  }
  pen.stroke();
}
