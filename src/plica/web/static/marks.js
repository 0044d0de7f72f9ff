// What lies over the cells: boundary, data, graph, segment, a lit fold, the region in focus.
// @ts-check
import { areas, classes, ink, layers, paper } from "./colors.js";
import { onPath } from "./path.js";

/** Points of a circle, and the radius of an end in pixels. */
const [ROUND, GRIP] = [129, 5];
/** What the corners of a plane through three rows are called. */
export const CORNERS = ["A", "B", "C"];

/** @typedef {import("./mesh.js").Mesh} Mesh */
/** @typedef {import("./gl.js").View} View */
/**
 * @typedef {object} Shown
 * @property {Mesh} mesh
 * @property {View} view
 * @property {boolean} boundary
 * @property {boolean} points
 * @property {number} hovered
 * @property {number} pinned
 * @property {number[]} lit edges of the fold that is lit
 * @property {number[]} segment in coordinates of the picture, or empty
 * @property {boolean} isCircle whether the circle around it is meant
 */

/** The pens of a fold that is lit: on paper, in the color of the pointer's ring. @returns {[string, number][]} */
const LIT = () => [
  [paper(), 8],
  [classes()[1], 4.5],
];

export class Marks {
  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  }

  /** @param {Shown} shown */
  draw(shown) {
    const { pen, canvas } = this;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, canvas.width, canvas.height);
    const { mesh, view } = shown;
    const [w, h] = [canvas.width, canvas.height];
    /** @param {number} u @param {number} v @returns {[number, number]} */
    const at = (u, v) => [(u * view.scale + view.x) * w, (1 - v * view.scale - view.y) * h];
    const { boundary, points, labels, curve, target } = mesh.arrays;
    pen.lineJoin = pen.lineCap = "round";
    if (target)
      this.line(
        target,
        at,
        [
          [paper(), 5],
          [layers()[2], 2],
        ],
        [6, 5],
      );
    if (curve)
      this.line(
        curve,
        at,
        [
          [paper(), 6],
          [ink(), 2.5],
        ],
        [],
      );
    if (shown.boundary && boundary)
      this.segments(
        boundary,
        at,
        [
          [paper(), 6],
          [ink(), 3],
        ],
        curve ? [3, 4] : [],
      );
    if (shown.lit.length) {
      const { edges, vertices } = mesh.arrays;
      const ends = shown.lit.flatMap((i) =>
        [edges[2 * i], edges[2 * i + 1]].flatMap((v) => [vertices[2 * v], vertices[2 * v + 1]]),
      );
      this.segments(Float32Array.from(ends), at, LIT(), []);
    }
    if (shown.points && points) this.dots(points, labels, at, mesh);
    if (shown.segment.length === 4) this.drawn(shown, at);
    for (const [cell, width, dash] of /** @type {[number, number, number[]][]} */ ([
      [shown.hovered, 2, [5, 4]],
      [shown.pinned, 3.5, []],
    ])) {
      if (cell < 0 || cell >= mesh.n) continue;
      pen.beginPath();
      for (const [u, v] of mesh.polygon(cell)) pen.lineTo(...at(u, v));
      pen.closePath();
      this.stroke(
        [
          [paper(), width + 3],
          [ink(), width],
        ],
        dash,
      );
    }
  }

  /** @param {[string, number][]} pens @param {number[]} dash */
  stroke(pens, dash) {
    const ratio = window.devicePixelRatio || 1;
    pens.forEach(([color, width], i) => {
      this.pen.setLineDash(i ? dash.map((d) => d * ratio) : []);
      this.pen.strokeStyle = color;
      this.pen.lineWidth = width * ratio;
      this.pen.stroke();
    });
    this.pen.setLineDash([]);
  }

  /**
   * @param {Float32Array} xy @param {(u: number, v: number) => [number, number]} at @param {[string, number][]} pens
   * @param {number[]} dash
   */
  line(xy, at, pens, dash) {
    this.pen.beginPath();
    for (let i = 0; i < xy.length; i += 2) this.pen.lineTo(...at(xy[i], xy[i + 1]));
    this.stroke(pens, dash);
  }

  /**
   * @param {Float32Array} xy @param {(u: number, v: number) => [number, number]} at @param {[string, number][]} pens
   * @param {number[]} dash
   */
  segments(xy, at, pens, dash) {
    this.pen.beginPath();
    for (let i = 0; i + 3 < xy.length; i += 4) {
      this.pen.moveTo(...at(xy[i], xy[i + 1]));
      this.pen.lineTo(...at(xy[i + 2], xy[i + 3]));
    }
    this.stroke(pens, dash);
  }

  /**
   * @param {Float32Array} xy @param {Float32Array} labels @param {(u: number, v: number) => [number, number]} at
   * @param {Mesh} mesh
   */
  dots(xy, labels, at, mesh) {
    const ratio = window.devicePixelRatio || 1;
    const radius = ratio * dotSize(this.canvas.width / ratio);
    for (let i = 0; i < labels.length; i++) {
      const [x, y] = at(xy[2 * i], xy[2 * i + 1]);
      drawDot(this.pen, mesh, i, x, y, radius);
      if (mesh.arrays.frame) this.letter(CORNERS[i], x + 7 * ratio, y - 3.5 * ratio, 14 * ratio);
    }
  }

  /** @param {string} text @param {number} x @param {number} y @param {number} size */
  letter(text, x, y, size) {
    const { pen } = this;
    pen.font = `600 ${size}px system-ui, sans-serif`;
    pen.strokeStyle = paper();
    pen.lineWidth = size / 4;
    pen.strokeText(text, x, y);
    pen.fillStyle = ink();
    pen.fillText(text, x, y);
    pen.lineWidth = size / 12;
  }

  /**
   * The drawn segment, with a tick at every breakpoint, or the circle around it, and the ends that can be dragged.
   * @param {Shown} shown @param {(u: number, v: number) => [number, number]} at
   */
  drawn({ mesh, segment, isCircle }, at) {
    const [a, b, c, d] = mesh.window;
    const unit = (/** @type {number} */ x, /** @type {number} */ y) => at((x - a) / (b - a), (y - c) / (d - c));
    const [p, q] = [unit(segment[0], segment[1]), unit(segment[2], segment[3])];
    const { pen } = this;
    const ratio = window.devicePixelRatio || 1;
    const points = onPath(segment, 2, isCircle, isCircle ? ROUND : 2);
    pen.beginPath();
    for (let i = 0; i < points.length; i += 2) pen.lineTo(...unit(points[i], points[i + 1]));
    this.stroke(
      [
        [paper(), 6],
        [ink(), 3],
      ],
      [],
    );
    for (const [x, y] of [p, q]) {
      pen.fillStyle = paper();
      pen.beginPath();
      pen.arc(x, y, GRIP * ratio, 0, 7);
      pen.fill();
      this.stroke([[ink(), 2.5]], []);
    }
    const { path_t, path_layer } = mesh.arrays;
    if (!path_t || isCircle) return;
    const length = Math.hypot(q[0] - p[0], q[1] - p[1]) || 1;
    const [nx, ny] = [(-(q[1] - p[1]) / length) * 7 * ratio, ((q[0] - p[0]) / length) * 7 * ratio];
    for (let i = 1; i + 1 < path_t.length; i++) {
      const [x, y] = [p[0] + path_t[i] * (q[0] - p[0]), p[1] + path_t[i] * (q[1] - p[1])];
      pen.beginPath();
      pen.moveTo(x - nx, y - ny);
      pen.lineTo(x + nx, y + ny);
      this.stroke(
        [
          [paper(), 4],
          [layers()[Math.max(path_layer[i], 0) % 7], 2],
        ],
        [],
      );
    }
  }
}

/** How large a point of the data is drawn: on a phone they would hide what they lie on. @param {number} side of the picture */
export const dotSize = (side) => Math.max(2.2, Math.min(4.5, side / 150));

/**
 * A point of the data: classes differ in shape as well as in color, held out ones are hollow.
 * @param {CanvasRenderingContext2D} pen @param {Mesh} mesh @param {number} i @param {number} x @param {number} y
 * @param {number} r
 */
export function drawDot(pen, { facts, arrays }, i, x, y, r) {
  const label = arrays.labels[i];
  const isMany = facts.is_classes && facts.n_outputs > 1;
  const isSecond = facts.is_classes && label > 0.5;
  const color = isMany ? areas()[label % areas().length] : facts.is_classes ? classes()[isSecond ? 1 : 0] : ink();
  const isHeld = Boolean(arrays.held?.[i]);
  pen.fillStyle = isHeld ? paper() : color;
  pen.strokeStyle = isHeld ? color : isMany ? ink() : paper();
  pen.lineWidth = 0.34 * r;
  pen.beginPath();
  if (isSecond) pen.arc(x, y, r, 0, 7);
  else pen.rect(x - r + 0.5, y - r + 0.5, 2 * r - 1, 2 * r - 1);
  pen.fill();
  pen.stroke();
}
