// Drawing cells and folds without WebGL.
// @ts-check
import { css, ground, layers, paper } from "./colors.js";
import { rasterize } from "./raster.js";
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

const SLICE_MS = 12;
/** Folds in one stroke: browsers take longer for one that has them all. */
const STROKED = 64;
/** Cells up to which those of one color have smooth outlines. */
const SMOOTH = 3000;
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
    /** @type {Mesh | null} what the finished picture shows */
    this.shown = null;
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

  /** Draw for a while; until the new picture is finished the old one stays, where its window is, unless it is of other data. */
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
        this.shown = mesh;
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
    const shaded = shade(mesh, this.color, this.depth);
    if (shaded.isFlat && mesh.n <= SMOOTH) yield* this.flat(pen, mesh, shaded, w, h);
    else {
      const image = pen.createImageData(w, h);
      yield* rasterize(image, mesh, shaded);
      pen.putImageData(image, 0, 0);
    }
    yield* this.folds(pen, mesh, w, h);
  }

  /**
   * Few cells of one color each, with smooth outlines.
   * @param {CanvasRenderingContext2D} pen @param {Mesh} mesh @param {import("./shades.js").Shade} shaded
   * @param {number} w @param {number} h @returns {Generator<void, void>}
   */
  *flat(pen, mesh, { level, table }, w, h) {
    pen.lineWidth = 0.7;
    for (let cell = 0; cell < mesh.n; cell++) {
      outline(pen, mesh, cell, w, h);
      const t = level(cell, 0);
      pen.fillStyle = pen.strokeStyle = t < UNKNOWN / 2 ? ground(mesh.facts.dimension) : css(table, t);
      pen.fill();
      pen.stroke(); // closes the hairline between neighbors
      if (cell % 64 === 63) yield;
    }
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
        if (i % STROKED === STROKED - 1) {
          pen.stroke();
          pen.beginPath();
        }
        if (i % 512 === 511) yield;
      }
      pen.stroke();
    }
    pen.globalAlpha = 1;
  }

  /** @param {View} view */
  draw(view) {
    this.render();
    const { width, height } = this.canvas;
    this.context.fillStyle = ground(this.mesh?.facts.dimension);
    this.context.fillRect(0, 0, width, height);
    if (!this.shown || !this.mesh || this.shown.facts.home.join() !== this.mesh.facts.home.join()) return;
    const [a, b, c, d] = this.mesh.window;
    const [left, right, low, high] = this.shown.window.map((at, i) =>
      i < 2 ? view.x + (view.scale * (at - a)) / (b - a) : view.y + (view.scale * (at - c)) / (d - c),
    );
    this.context.drawImage(this.picture, left * width, (1 - high) * height, (right - left) * width, (high - low) * height);
  }
}
