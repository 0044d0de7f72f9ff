// The graph of the network in three dimensions: one facet for each cell, to be turned by pointer and keys.
// @ts-check
import { css, ink, layers, neutral, rgb } from "./colors.js";
import { UNKNOWN, shade } from "./shades.js";
import { digits } from "./words.js";

/** @typedef {import("./mesh.js").Mesh} Mesh */
/** @typedef {import("./state.js").State} State */

const FAR = 4;
const HEIGHT = 0.9;
/** Facets up to which edges are drawn. */
const EDGED = 4000;

export class Surface {
  constructor() {
    this.words = "The graph of the output: drag or use the arrow keys to turn it, the wheel or plus and minus to come nearer.";
    this.turn = -0.6;
    this.tilt = 0.55;
    this.near = 1;
    /** @type {Mesh | null} */
    this.mesh = null;
    this.color = "output";
    this.depth = 0;
  }

  /** @param {Mesh} mesh @param {State} state */
  take(mesh, state) {
    this.mesh = mesh;
    this.color = state.get("color");
    this.depth = state.number("folds");
  }

  /** @param {number} dx @param {number} dy */
  drag(dx, dy) {
    this.turn += 3 * dx;
    this.tilt = Math.min(Math.max(this.tilt + 2 * dy, 0), Math.PI / 2);
  }

  /** @param {number} factor */
  zoom(factor) {
    this.near = Math.min(Math.max(this.near * factor, 0.4), 4);
  }

  /** @param {string} key */
  key(key) {
    const turn = { ArrowLeft: [-0.05, 0], ArrowRight: [0.05, 0], ArrowUp: [0, 0.05], ArrowDown: [0, -0.05] }[key];
    if (turn) this.drag(turn[0], turn[1]);
    else if (key === "+" || key === "-") this.zoom(key === "+" ? 1.1 : 1 / 1.1);
    return Boolean(turn) || key === "+" || key === "-";
  }

  /**
   * A point of the unit square with a height, seen from the present side: place on the screen and distance.
   * @param {number} u @param {number} v @param {number} height in [-1, 1] @param {number} size of the screen
   */
  project(u, v, height, size) {
    const [x, y, z] = [2 * u - 1, 2 * v - 1, HEIGHT * height];
    const [c, s] = [Math.cos(this.turn), Math.sin(this.turn)];
    const [across, away] = [c * x - s * y, s * x + c * y];
    const [ct, st] = [Math.cos(this.tilt), Math.sin(this.tilt)];
    const [up, depth] = [ct * z + st * away, ct * away - st * z];
    const scale = (0.28 * size * this.near * FAR) / (FAR + depth);
    return [across * scale, -up * scale, depth];
  }

  /** @param {CanvasRenderingContext2D} pen @param {number} width @param {number} height */
  draw(pen, width, height) {
    const mesh = this.mesh;
    if (!mesh) return false;
    pen.fillStyle = neutral();
    pen.fillRect(0, 0, width, height);
    pen.translate(width / 2, 0.44 * height);
    const { facts, arrays } = mesh;
    const size = Math.min(width, height);
    const reach = Math.max(Math.abs(facts.low), Math.abs(facts.high)) || 1;
    const { vertices, values, corners, first } = arrays;
    const places = new Float64Array(3 * values.length);
    for (let i = 0; i < values.length; i++)
      places.set(this.project(vertices[2 * i], vertices[2 * i + 1], values[i] / reach, size), 3 * i);
    this.box(pen, size, reach, width);
    const far = new Float64Array(mesh.n);
    for (let cell = 0; cell < mesh.n; cell++) {
      for (let i = first[cell]; i < first[cell + 1]; i++) far[cell] += places[3 * corners[i] + 2];
      far[cell] /= first[cell + 1] - first[cell];
    }
    const { level, table } = shade(mesh, this.color, this.depth);
    const order = [...far.keys()].sort((i, j) => far[j] - far[i]);
    pen.lineJoin = "round";
    for (const cell of order) {
      let sum = 0;
      pen.beginPath();
      for (let i = first[cell]; i < first[cell + 1]; i++) {
        pen.lineTo(places[3 * corners[i]], places[3 * corners[i] + 1]);
        sum += level(cell, corners[i]) / (first[cell + 1] - first[cell]);
      }
      pen.closePath();
      pen.fillStyle = this.lit(sum < UNKNOWN / 2 ? neutral() : css(table, sum), this.light(mesh, cell));
      pen.strokeStyle = mesh.n <= EDGED && this.depth ? layers()[0] : pen.fillStyle;
      pen.lineWidth = mesh.n <= EDGED ? 0.6 : 0.4;
      pen.fill();
      pen.stroke();
    }
    return false;
  }

  /** How much light a facet has, from the map of its cell: steep ones have less. @param {Mesh} mesh @param {number} cell */
  light(mesh, cell) {
    const { gradients } = mesh.arrays;
    const { window, facts } = mesh;
    const reach = Math.max(Math.abs(facts.low), Math.abs(facts.high)) || 1;
    const slope = ((gradients?.[cell] ?? 0) * (window[1] - window[0])) / (2 * reach);
    return 0.72 + 0.28 / Math.hypot(1, HEIGHT * slope);
  }

  /** @param {string} color @param {number} light */
  lit(color, light) {
    const parts = color.startsWith("#") ? rgb(color).map((c) => 255 * c) : (color.match(/\d+/g) ?? []).map(Number);
    return `rgb(${parts.map((c) => Math.round(c * light)).join(" ")})`;
  }

  /**
   * The floor, and how high the box is.
   * @param {CanvasRenderingContext2D} pen @param {number} size @param {number} reach @param {number} width
   */
  box(pen, size, reach, width) {
    pen.strokeStyle = pen.fillStyle = ink();
    pen.lineWidth = 1;
    pen.globalAlpha = 0.6;
    for (const height of [-1, 0]) {
      pen.setLineDash(height ? [] : [4, 4]);
      pen.beginPath();
      for (const [u, v] of [
        [0, 0],
        [1, 0],
        [1, 1],
        [0, 1],
      ]) {
        const [x, y] = this.project(u, v, height, size);
        pen.lineTo(x, y);
      }
      pen.closePath();
      pen.stroke();
    }
    pen.setLineDash([]);
    pen.globalAlpha = 1;
    pen.font = "13px system-ui, sans-serif";
    for (const [height, text] of /** @type {[number, string][]} */ ([
      [-1, digits(-reach)],
      [0, "0"],
      [1, digits(reach)],
    ])) {
      const [x, y] = this.project(0, 0, height, size);
      pen.textAlign = "right";
      const words = text.replace("-", "−");
      pen.fillText(words, Math.max(x - 6, pen.measureText(words).width + 6 - width / 2), y);
    }
    const names = this.mesh?.facts.widths[0] > 2 ? ["u", "v"] : ["x", "y"];
    for (const [u, v, text] of /** @type {[number, number, string][]} */ ([
      [0.5, -0.06, names[0]],
      [-0.06, 0.5, names[1]],
    ])) {
      const [x, y] = this.project(u, v, -1, size);
      pen.fillText(text, x, y + 4);
    }
  }
}
