// Drawing cells and folds without WebGL.
// @ts-check
import { N_STEPS, css, layers, neutral, paper, stepped } from "./colors.js";
import { UNKNOWN, shade } from "./shades.js";

/** @typedef {import("./mesh.js").Mesh} Mesh */
/** @typedef {import("./gl.js").View} View */

/** Corners nearer to each other, in pixels, are drawn as one: browsers fill some shapes with such corners not at all. */
const NEAR = 0.5;

/**
 * The outline of a cell as the current path.
 * @param {CanvasRenderingContext2D} pen @param {Mesh} mesh @param {number} cell @param {number} w @param {number} h
 */
function outline(pen, mesh, cell, w, h) {
  const { first, corners, vertices } = mesh.arrays;
  const last = corners[first[cell + 1] - 1];
  let [lastX, lastY] = [vertices[2 * last] * w, (1 - vertices[2 * last + 1]) * h];
  pen.beginPath();
  for (let i = first[cell]; i < first[cell + 1]; i++) {
    const [x, y] = [vertices[2 * corners[i]] * w, (1 - vertices[2 * corners[i] + 1]) * h];
    if (Math.abs(x - lastX) + Math.abs(y - lastY) < NEAR) continue;
    pen.lineTo(x, y);
    [lastX, lastY] = [x, y];
  }
  pen.closePath();
}

/** On both sides of where a scale in steps changes its color. */
const edges = () => Array.from({ length: 2 * N_STEPS }, (_, i) => (Math.floor(i / 2) + (i % 2 ? 0.02 : -0.02)) / N_STEPS);

const SLICE_MS = 12;
const SHADED = 3000;
/** Cells up to which folds have rims, and how much of them is seen. */
export const RIMMED = 3000;
export const RIM = 0.6;

/** Drawing on a plain canvas: cells once into a picture, a slice of time after the other; panning and zooming only move it. */
export class FlatPainter {
  /** @param {HTMLCanvasElement} canvas @param {() => void} again asks for another frame */
  constructor(canvas, again) {
    this.canvas = canvas;
    this.again = again;
    this.name = "canvas";
    this.context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", { alpha: false }));
    this.picture = document.createElement("canvas");
    this.next = document.createElement("canvas");
    /** @type {Mesh | null} */
    this.mesh = null;
    this.color = "output";
    this.depth = 0;
    this.drawn = "";
    /** @type {Generator<void, void> | null} */
    this.work = null;
  }

  /** @param {Mesh} mesh @param {string} color @param {number} depth how many layers cut it */
  load(mesh, color, depth) {
    this.mesh = mesh;
    this.color = color;
    this.depth = depth;
    this.drawn = "";
  }

  /** Draw for a while; the old picture stays until the new one is finished, unless it shows another window. */
  render() {
    const mesh = this.mesh;
    if (!mesh) return;
    const key = String(this.canvas.width);
    if (this.drawn !== key) {
      this.drawn = key;
      this.work = this.paint(mesh);
    }
    const end = performance.now() + SLICE_MS;
    while (this.work) {
      if (this.work.next().done) {
        this.work = null;
        [this.picture, this.next] = [this.next, this.picture];
      } else if (performance.now() > end) {
        this.again();
        return;
      }
    }
  }

  /** @param {Mesh} mesh @returns {Generator<void, void>} */
  *paint(mesh) {
    const [w, h] = [(this.next.width = this.canvas.width), (this.next.height = this.canvas.height)];
    const pen = /** @type {CanvasRenderingContext2D} */ (this.next.getContext("2d"));
    const { level, table, isFlat } = shade(mesh, this.color, this.depth);
    const { first, corners } = mesh.arrays;
    const shaded = !isFlat && mesh.n <= SHADED;
    pen.lineWidth = 0.7;
    for (let cell = 0; cell < mesh.n; cell++) {
      const [start, end] = [first[cell], first[cell + 1]];
      let sum = 0;
      for (let i = start; i < end; i++) sum += level(cell, corners[i]);
      outline(pen, mesh, cell, w, h);
      const t = sum / (end - start);
      const fill =
        (shaded && this.gradient(pen, mesh, cell, level, table, w, h)) || (t < UNKNOWN / 2 ? neutral() : css(table, t));
      pen.fillStyle = pen.strokeStyle = fill;
      pen.fill();
      pen.stroke(); // closes the hairline between neighbors
      if (cell % 64 === 63) yield;
    }
    yield* this.folds(pen, mesh, w, h);
  }

  /**
   * The colors along the gradient of a cell: exact, because the output is affine on it.
   * @param {CanvasRenderingContext2D} pen @param {Mesh} mesh @param {number} cell
   * @param {(cell: number, vertex: number) => number} level @param {string} table @param {number} w @param {number} h
   */
  gradient(pen, mesh, cell, level, table, w, h) {
    const { first, corners, vertices } = mesh.arrays;
    const points = [];
    for (let i = first[cell]; i < first[cell + 1]; i++)
      points.push([vertices[2 * corners[i]] * w, (1 - vertices[2 * corners[i] + 1]) * h, level(cell, corners[i])]);
    let [best, a, b] = [0, points[1], points[2]];
    const o = points[0];
    for (let i = 1; i + 1 < points.length; i++) {
      const area = Math.abs(
        (points[i][0] - o[0]) * (points[i + 1][1] - o[1]) - (points[i][1] - o[1]) * (points[i + 1][0] - o[0]),
      );
      if (area > best) [best, a, b] = [area, points[i], points[i + 1]];
    }
    if (best < 1) return null;
    const det = (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
    const gx = ((a[2] - o[2]) * (b[1] - o[1]) - (b[2] - o[2]) * (a[1] - o[1])) / det;
    const gy = ((b[2] - o[2]) * (a[0] - o[0]) - (a[2] - o[2]) * (b[0] - o[0])) / det;
    const values = points.map((p) => p[2]);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const norm = gx * gx + gy * gy;
    if (high - low < 0.004 || norm < 1e-12) return null;
    const at = (/** @type {number} */ t) =>
      /** @type {[number, number]} */ ([o[0] + ((t - o[2]) * gx) / norm, o[1] + ((t - o[2]) * gy) / norm]);
    const fill = pen.createLinearGradient(...at(low), ...at(high));
    const [from, to] = [Math.min(Math.max(low, 0), 1), Math.min(Math.max(high, 0), 1)]; // beyond, the color stays
    const n = Math.ceil(16 * (to - from)) + 1;
    const stops = stepped(table)
      ? [from, to, ...edges().filter((t) => t > from && t < to)]
      : Array.from({ length: n + 1 }, (_, i) => from + (i / n) * (to - from));
    if (!stepped(table) && low < 0.5 && high > 0.5) stops.push(...(table === "class" ? [0.4999, 0.5001] : [0.5]));
    for (const t of stops.sort((p, q) => p - q))
      fill.addColorStop(Math.min(Math.max((t - low) / (high - low), 0), 1), css(table, t));
    return fill;
  }

  /**
   * Folds with a rim in the color of paper, so that they are seen on any color; of very many the rims would cover the picture.
   * @param {CanvasRenderingContext2D} pen @param {Mesh} mesh @param {number} w @param {number} h
   * @returns {Generator<void, void>}
   */
  *folds(pen, mesh, w, h) {
    const { edges, edge_layer, vertices } = mesh.arrays;
    const ratio = window.devicePixelRatio || 1;
    pen.globalAlpha = Math.min(1, Math.max(0.25, 30 / Math.sqrt(mesh.n)));
    const fade = pen.globalAlpha;
    const passes = Array.from({ length: this.depth }, (_, k) => k);
    for (const k of mesh.n <= RIMMED ? [-1, ...passes] : passes) {
      pen.strokeStyle = k < 0 ? paper() : layers()[k % 7];
      pen.lineWidth = (k < 0 ? 3 : 1.2) * ratio;
      pen.globalAlpha = k < 0 ? RIM * fade : fade;
      pen.beginPath();
      for (let i = 0; i < edge_layer.length; i++) {
        if (k < 0 ? edge_layer[i] >= 0 && edge_layer[i] < this.depth : edge_layer[i] === k) {
          const [a, b] = [2 * edges[2 * i], 2 * edges[2 * i + 1]];
          pen.moveTo(vertices[a] * w, (1 - vertices[a + 1]) * h);
          pen.lineTo(vertices[b] * w, (1 - vertices[b + 1]) * h);
        }
        if (i % 512 === 511) {
          pen.stroke();
          pen.beginPath();
          yield;
        }
      }
      pen.stroke();
    }
    pen.globalAlpha = 1;
  }

  /** @param {View} view */
  draw(view) {
    this.render();
    const { width, height } = this.canvas;
    this.context.fillStyle = neutral();
    this.context.fillRect(0, 0, width, height);
    if (this.picture.width)
      this.context.drawImage(
        this.picture,
        view.x * width,
        (1 - view.y - view.scale) * height,
        view.scale * width,
        view.scale * height,
      );
  }
}
