// From facts about cells to a level between 0 and 1, and drawing without WebGL.
// @ts-check
import { css, layers, neutral } from "./colors.js";

/** @typedef {import("./mesh.js").Mesh} Mesh */
/** @typedef {import("./gl.js").View} View */

/** The lowest and highest value of what the colors show. @param {Mesh} mesh @param {string} color @returns {[number, number]} */
export function range(mesh, color) {
  if (color === "output") {
    const reach = Math.max(Math.abs(mesh.facts.low), Math.abs(mesh.facts.high)) || 1;
    return [-reach, reach];
  }
  const values = color === "gradient" ? mesh.arrays.gradients : color === "error" ? mesh.arrays.errors : null;
  if (!values) return [0, 1];
  let high = 0;
  for (const v of values) if (v > high) high = v;
  return [0, high || 1];
}

/** A function that gives the level of a corner of a cell, -1 where nothing is known. @param {Mesh} mesh @param {string} color @returns {(cell: number, vertex: number) => number} */
export function levels(mesh, color) {
  const { values, gradients, errors, colors } = mesh.arrays;
  const [low, high] = range(mesh, color);
  if (color === "pattern" && colors) return (cell) => ((colors[cell] % 7) + 0.5) / 7;
  if (color === "gradient" && gradients) return (cell) => gradients[cell] / high;
  if (color === "error" && errors) return (cell) => (errors[cell] < 0 ? -1 : errors[cell] / high);
  if (color === "output") return (_, vertex) => (values[vertex] - low) / (high - low);
  return () => -1;
}

/** Drawing on a plain canvas: cells once into a picture, which panning and zooming only move. */
export class FlatPainter {
  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.name = "canvas";
    this.context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    this.picture = document.createElement("canvas");
    /** @type {Mesh | null} */
    this.mesh = null;
    this.color = "output";
    this.drawn = "";
  }

  /** @param {Mesh} mesh @param {string} color */
  load(mesh, color) {
    this.mesh = mesh;
    this.paint(color);
  }

  /** @param {string} color */
  paint(color) {
    this.color = color;
    this.drawn = "";
  }

  /** @param {number} depth */
  render(depth) {
    const mesh = this.mesh;
    const key = `${this.canvas.width} ${depth}`;
    if (!mesh || this.drawn === key) return;
    this.drawn = key;
    const [w, h] = [(this.picture.width = this.canvas.width), (this.picture.height = this.canvas.height)];
    const paper = /** @type {CanvasRenderingContext2D} */ (this.picture.getContext("2d"));
    const level = levels(mesh, this.color);
    const { first, corners, edges, edge_layer, vertices } = mesh.arrays;
    for (let cell = 0; cell < mesh.n; cell++) {
      let sum = 0;
      for (let i = first[cell]; i < first[cell + 1]; i++) sum += level(cell, corners[i]);
      const t = sum / (first[cell + 1] - first[cell]);
      paper.fillStyle = t < 0 ? neutral() : css(this.color, t);
      paper.beginPath();
      for (const [x, y] of mesh.polygon(cell)) paper.lineTo(x * w, (1 - y) * h);
      paper.fill();
    }
    for (let k = 0; k < depth; k++) {
      paper.strokeStyle = layers()[k % 7];
      paper.beginPath();
      for (let i = 0; i < edge_layer.length; i++) {
        if (edge_layer[i] !== k) continue;
        const [a, b] = [2 * edges[2 * i], 2 * edges[2 * i + 1]];
        paper.moveTo(vertices[a] * w, (1 - vertices[a + 1]) * h);
        paper.lineTo(vertices[b] * w, (1 - vertices[b + 1]) * h);
      }
      paper.stroke();
    }
  }

  /** @param {View} view @param {number} depth */
  draw(view, depth) {
    this.render(depth);
    const { width, height } = this.canvas;
    this.context.fillStyle = neutral();
    this.context.fillRect(0, 0, width, height);
    this.context.drawImage(this.picture, view.x * width, (1 - view.y - view.scale) * height, view.scale * width, view.scale * height);
  }
}
