// The graph of the network in three dimensions: one facet for each cell, the decision boundary and the data on it.
// @ts-check
import { className, ofOneScore } from "./classes.js";
import { ink, layers, mode, neutral, paper, rgb, table } from "./colors.js";
import { packed } from "./facets.js";
import { dotSize, drawDot } from "./marks.js";
import { UNKNOWN, shade } from "./shades.js";
import { Turned, packedHex } from "./turned.js";
import { digits } from "./words.js";

/** @typedef {import("./mesh.js").Mesh} Mesh */
/** @typedef {import("./state.js").State} State */
/** @typedef {import("./facets.js").Facets} Facets */
/** @typedef {import("./facets.js").Line} Line */

const HANDS = "Turn it by dragging or the arrow keys, or let it turn: Enter; wheel, plus and minus come nearer.";
/** Half of the box's height; half of its sides is 1. */
const HEIGHT = 0.75;
/** Facets up to which folds are drawn. */
const EDGED = 4000;
/** The middle of the picture, in parts of its height from above. */
const MIDDLE = 0.47;
/** By how much the first look is from the side. */
const ASIDE = 0.4;
const CORNERS = [-1, -1, 1, -1, 1, 1, -1, 1];
const SIDES = [0, 2, 4, 6].map((i) => CORNERS.slice(i, i + 2));
/** Where the names of the sides stand. */
const OUTSIDE = 1.14;

export class Surface extends Turned {
  constructor() {
    super();
    this.words = "";
    /** @type {Mesh | null} */
    this.mesh = null;
    this.color = "output";
    this.depth = 0;
    this.hasBoundary = this.hasPoints = true;
    this.isTurned = false;
    /** @type {{key: string, mesh: Mesh, facets: Facets, dots: Float32Array} | null} */
    this.made = null;
  }

  /** @param {Mesh} mesh @param {State} state */
  take(mesh, state) {
    this.mesh = mesh;
    this.color = ofOneScore(mesh, state.get("color"));
    const what = mesh.arrays.outputs
      ? `The graph of the score of ${className.of(mesh, mesh.facts.shown_output)}, with the boundary of all classes.`
      : "The graph of the output, height and color; where it crosses height 0 it decides.";
    this.words = `${what} ${HANDS}`;
    this.depth = state.number("folds");
    this.hasBoundary = state.isOn("boundary");
    this.hasPoints = state.isOn("points");
    this.moved = performance.now();
    if (!this.isTurned && mesh.facts.dimension === 2) this.face(mesh);
    this.isTurned = true;
  }

  /** Begin with the high side in the back, so that it hides nothing. @param {Mesh} mesh */
  face({ arrays: { vertices, values }, facts }) {
    const mean = (facts.low + facts.high) / 2;
    let [x, y] = [0, 0];
    for (let i = 0; i < values.length; i++) {
      x += (vertices[2 * i] - 0.5) * (values[i] - mean);
      y += (vertices[2 * i + 1] - 0.5) * (values[i] - mean);
    }
    if (x || y) this.turn = Math.atan2(x, y) - ASIDE;
  }

  /** Where an output lies in the box: from its floor to its top. @param {Mesh} mesh @returns {(value: number) => number} */
  height({ facts: { low, high } }) {
    return high > low ? (value) => HEIGHT * ((2 * (value - low)) / (high - low) - 1) : () => 0;
  }

  /** The facets, and where the data lie on them. */
  graph() {
    const { mesh } = this;
    if (!mesh) return null;
    const key = [this.color, this.depth, this.hasBoundary, mode()].join();
    if (this.made?.mesh !== mesh || this.made.key !== key)
      this.made = { mesh, key, facets: this.facets(mesh), dots: this.dots(mesh) };
    return this.made;
  }

  /** @param {Mesh} mesh @returns {Facets} */
  facets(mesh) {
    const { vertices, values, corners, first, boundary, edges, edge_layer } = mesh.arrays;
    const height = this.height(mesh);
    const hasZero = mesh.facts.low < 0 && mesh.facts.high > 0;
    const isDrawn = this.hasBoundary && boundary;
    const nLine = isDrawn ? boundary.length / 2 : 0;
    const n = values.length;
    const places = new Float32Array(3 * (n + nLine + 8));
    for (let i = 0; i < n; i++)
      places.set([2 * vertices[2 * i] - 1, 2 * vertices[2 * i + 1] - 1, height(values[i])], 3 * i);
    for (let i = 0; i < nLine; i++) {
      const [u, v] = [boundary[2 * i], boundary[2 * i + 1]];
      const cell = mesh.arrays.outputs && mesh.arrays.maps ? mesh.at(u, v) : -1;
      places.set([2 * u - 1, 2 * v - 1, height(cell < 0 ? 0 : mesh.output(cell, u, v))], 3 * (n + i));
    }
    for (let i = 0; i < 8; i++)
      places.set([CORNERS[2 * (i % 4)], CORNERS[2 * (i % 4) + 1], i < 4 ? -HEIGHT : height(0)], 3 * (n + nLine + i));
    const square = (/** @type {number} */ from) => [0, 1, 1, 2, 2, 3, 3, 0].map((i) => n + nLine + from + i);
    /** @type {Line[]} */
    const lines = [
      { ends: square(0), color: packedHex(ink()), width: 1, alpha: 0.6 },
    ];
    if (hasZero) lines.push({ ends: square(4), color: packedHex(ink()), width: 1, alpha: 0.35 });
    if (mesh.n <= EDGED)
      for (let layer = 0; layer < this.depth; layer++) {
        const ends = [];
        for (let i = 0; i < edge_layer.length; i++) if (edge_layer[i] === layer) ends.push(edges[2 * i], edges[2 * i + 1]);
        lines.push({ ends, color: packedHex(layers()[layer % 7]), width: 0.9, alpha: 0.9 });
      }
    const pairs = Array.from({ length: nLine }, (_, i) => n + i);
    lines.push({ ends: pairs, color: packedHex(paper()), width: 5, alpha: 0.9 });
    lines.push({ ends: pairs, color: packedHex(ink()), width: 2.5, alpha: 1 });
    return { places, first, corners, fills: this.fills(mesh), isClosed: false, lines };
  }

  /** The color of each facet: its mean level, in the light that its slope leaves it. @param {Mesh} mesh */
  fills(mesh) {
    const { corners, first } = mesh.arrays;
    const { level, table: name } = shade(mesh, this.color, this.depth);
    const { bytes } = table(name);
    const unknown = rgb(neutral()).map((c) => 255 * c);
    return Uint32Array.from({ length: mesh.n }, (_, cell) => {
      let sum = 0;
      for (let i = first[cell]; i < first[cell + 1]; i++) sum += level(cell, corners[i]) / (first[cell + 1] - first[cell]);
      const at = 4 * Math.round(255 * Math.min(Math.max(sum, 0), 1));
      const [r, g, b] = sum < UNKNOWN / 2 ? unknown : bytes.subarray(at, at + 3);
      const light = this.light(mesh, cell);
      return packed(light * r, light * g, light * b);
    });
  }

  /** How much light a facet has, from the map of its cell: steep ones have less. @param {Mesh} mesh @param {number} cell */
  light(mesh, cell) {
    const { gradients } = mesh.arrays;
    const { low, high } = mesh.facts;
    const slope = ((gradients?.[cell] ?? 0) * (mesh.window[1] - mesh.window[0])) / (high - low || 1);
    return 0.72 + 0.28 / Math.hypot(1, HEIGHT * slope);
  }

  /** Data at the height of the output; nothing where it is outside or the network has other inputs. @param {Mesh} mesh */
  dots(mesh) {
    const { points, maps } = mesh.arrays;
    if (!points || !maps || mesh.facts.dimension !== 2 || mesh.facts.widths[0] > 2) return new Float32Array(0);
    const height = this.height(mesh);
    const out = new Float32Array((3 * points.length) / 2);
    for (let i = 0; i < points.length / 2; i++) {
      const [u, v] = [points[2 * i], points[2 * i + 1]];
      const cell = mesh.at(u, v);
      out.set([2 * u - 1, 2 * v - 1, cell < 0 ? NaN : height(mesh.output(cell, u, v))], 3 * i);
    }
    return out;
  }

  /** @param {CanvasRenderingContext2D} pen @param {number} width @param {number} height */
  draw(pen, width, height) {
    const graph = this.graph();
    if (!graph) return false;
    const isMoving = this.paint(pen, graph.facets, width, height, MIDDLE * height);
    if (this.hasPoints) this.drawDots(pen, graph, width, height);
    this.label(pen, graph.mesh, width, height);
    return isMoving;
  }

  /**
   * Data that nothing hides, in the shapes and colors of the plane.
   * @param {CanvasRenderingContext2D} pen @param {{mesh: Mesh, dots: Float32Array}} graph @param {number} width
   * @param {number} height
   */
  drawDots(pen, { mesh, dots }, width, height) {
    const seen = this.project(dots, Math.min(width, height), width / 2, MIDDLE * height);
    const scale = (this.pixels?.width ?? width) / width;
    for (let i = 0; i < dots.length / 3; i++) {
      const [x, y, near] = seen.subarray(3 * i, 3 * i + 3);
      if (this.pixels?.shows(x * scale, y * scale, near)) drawDot(pen, mesh, i, x, y, 0.9 * dotSize(Math.min(width, height)));
    }
  }

  /**
   * The heights of the box and the names of its sides.
   * @param {CanvasRenderingContext2D} pen @param {Mesh} mesh @param {number} width @param {number} height
   */
  label(pen, mesh, width, height) {
    const { low, high } = mesh.facts;
    const up = this.height(mesh);
    const at = (/** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ z) =>
      this.project([x, y, z], Math.min(width, height), width / 2, MIDDLE * height);
    const seen = (/** @type {Float32Array} */ place) => /** @type {[number, number]} */ ([place[0], place[1]]);
    const isLeft = (/** @type {number[]} */ a, /** @type {number[]} */ b) => at(a[0], a[1], 0)[0] - at(b[0], b[1], 0)[0];
    const [side] = SIDES.toSorted(isLeft);
    pen.fillStyle = ink();
    const size = Math.max(13, Math.min(width, height) / 44);
    pen.font = `${size}px system-ui, sans-serif`;
    pen.textAlign = "right";
    const gap = (high - low) / 12;
    pen.strokeStyle = ink();
    pen.lineWidth = 1;
    pen.globalAlpha = 0.6;
    pen.beginPath();
    for (const z of [-HEIGHT, HEIGHT]) pen.lineTo(...seen(at(side[0], side[1], z)));
    pen.stroke();
    pen.globalAlpha = 1;
    for (const value of low < -gap && high > gap ? [low, 0, high] : [low, high]) {
      const [x, y] = at(side[0], side[1], up(value));
      const words = (value ? digits(value) : "f = 0").replace("-", "−");
      pen.fillRect(x - 5, y - 0.5, 5, 1);
      pen.fillText(words, Math.max(x - 8, pen.measureText(words).width + 6), y + 4);
    }
    pen.textAlign = "center";
    pen.font = `italic 600 ${1.2 * size}px Georgia, serif`;
    const names = mesh.facts.dimension === 1 ? ["x"] : mesh.facts.widths[0] > 2 ? ["u", "v"] : ["x", "y"];
    names.forEach((name, k) => {
      const sides = [-OUTSIDE, OUTSIDE].map((far) => at(k ? far : 0, k ? 0 : far, -HEIGHT));
      const [left, top] = sides[0][2] > sides[1][2] ? sides[0] : sides[1]; // the nearer side
      pen.fillText(name, left, top + 4);
    });
    pen.textAlign = "left";
  }
}
