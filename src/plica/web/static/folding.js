// Folding: the window with its cells as each layer maps and folds it, one layer after the other.
// @ts-check
import { ofOneScore } from "./classes.js";
import { css, ink, neutral, paper } from "./colors.js";
import { letterSize } from "./fit.js";
import { Forward } from "./forward.js";
import { dotSize, drawDot } from "./marks.js";
import { aligned, boxOf, fitted, flatten } from "./projection.js";
import { UNKNOWN, shade } from "./shades.js";
import { digits } from "./words.js";

/** @typedef {import("./mesh.js").Mesh} Mesh */
/** @typedef {import("./state.js").State} State */
/** @typedef {import("./projection.js").Box} Box */
/**
 * What the camera sees is its box.
 * @typedef {{points: Float64Array, box: Box, isFolded: boolean, name: string, note: string}} Stage
 */

const LINES = 13;
const DOTS = 61;
const SECONDS_EACH = 1.1;
/** The part of a step in which points move; in the rest the camera follows. */
const MOVING = 0.65;
/** What is flat would fill the picture with a line. */
const NEAREST = 6;

export class Folding {
  constructor() {
    this.words = "The window as the layers map and fold it: drag the slider or the picture; Enter plays it, arrow keys go on.";
    this.marks = { colors: true, folds: false, boundary: false, points: true };
    /** @type {Stage[]} */
    this.stages = [];
    this.at = 0;
    this.until = 0;
    this.when = 0;
    /** @type {Mesh | null} */
    this.mesh = null;
    this.color = "output";
    this.depth = 0;
    this.hasPoints = true;
  }

  /** @param {Mesh} mesh @param {State} state */
  take(mesh, state) {
    const isFirst = !this.mesh;
    this.color = ofOneScore(mesh, state.get("color"));
    this.depth = state.number("folds");
    this.hasPoints = state.isOn("points");
    if (mesh === this.mesh) return;
    this.mesh = mesh;
    this.stages = this.compute(mesh);
    this.at = Math.min(this.at, this.stages.length - 1);
    this.until = Math.min(this.until, this.stages.length - 1);
    if (isFirst) this.play();
  }

  /** From the plane to the last layer; at once where motion is not wanted. */
  play() {
    this.until = this.stages.length - 1;
    this.at = matchMedia("(prefers-reduced-motion: reduce)").matches ? this.until : 0;
    this.when = 0;
  }

  /** All points that are drawn, vertices, then grid lines, then data, at every stage. @param {Mesh} mesh @returns {Stage[]} */
  compute(mesh) {
    const forward = Forward.of(mesh);
    if (!forward || mesh.facts.dimension === 1) return [];
    const { vertices, points: data = [] } = mesh.arrays;
    const units = [...vertices, ...gridLines(), ...data];
    const points = Float64Array.from(units, (x, i) => mesh.place(x, x)[i % 2]);
    const { before, after } = forward.run(points);
    /** @type {Stage[]} */
    const out = [stage(fitted(points), false, "the input plane", "")];
    const n = points.length / 2;
    for (let k = 0; k + 1 < forward.layers.length; k++) {
      const width = forward.layers[k].nOut;
      const both = new Float64Array(before[k].length + after[k].length);
      both.set(before[k]);
      both.set(after[k], before[k].length);
      const { points: flat, share } = flatten(both, width);
      const last = out[out.length - 1].points;
      const whole = fitted(width > 2 ? aligned(flat, repeat(last, flat.length)) : flat);
      const note = width > 2 ? `two directions with ${digits(100 * share)} % of the variance` : "";
      out.push(stage(whole.slice(0, 2 * n), false, `layer ${k}, before it folds`, note));
      out.push(stage(whole.slice(2 * n), true, `layer ${k}, folded`, note));
    }
    return out;
  }

  /** Go to a stage, or between two. @param {number} at */
  go(at) {
    this.until = this.at = at;
  }

  /** @param {number} dx */
  drag(dx) {
    this.go(Math.min(Math.max(this.at + 4 * dx, 0), this.stages.length - 1));
  }

  /** @param {string} key */
  key(key) {
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowDown: -1, ArrowUp: 1 }[key];
    if (step) this.until = Math.min(Math.max(Math.round(this.until) + step, 0), this.stages.length - 1);
    else if (key === "Enter") this.play();
    else return false;
    this.when = 0;
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) this.at = this.until;
    return true;
  }

  /** Go on by the time that has passed. @returns {boolean} whether there is more to go */
  advance() {
    const now = performance.now();
    const step = this.when ? (now - this.when) / 1000 / SECONDS_EACH : 0;
    this.when = now;
    const left = this.until - this.at;
    this.at += Math.sign(left) * Math.min(Math.abs(left), step);
    return this.at !== this.until;
  }

  /** @param {CanvasRenderingContext2D} pen @param {number} width @param {number} height */
  draw(pen, width, height) {
    const mesh = this.mesh;
    pen.fillStyle = paper();
    pen.fillRect(0, 0, width, height);
    if (!mesh) return false;
    pen.fillStyle = ink();
    pen.font = "15px system-ui, sans-serif";
    if (!this.stages.length) {
      pen.fillText("Folding is shown for planes of networks whose weights are here: at most 60,000.", 20, 40);
      return false;
    }
    const goesOn = this.advance();
    const i = Math.min(Math.floor(this.at), this.stages.length - 2);
    const [{ points: a, box: from }, { points: b, box: to, isFolded }] = [this.stages[i], this.stages[i + 1]];
    const part = this.at - i;
    // what folds lies where it was before; then the camera comes near
    const t = ease(isFolded ? Math.min(part / MOVING, 1) : part);
    const u = ease(isFolded ? Math.max(part - MOVING, 0) / (1 - MOVING) : part);
    const camera = { x: mix(from.x, to.x, u), y: mix(from.y, to.y, u), scale: mix(from.scale, to.scale, u) };
    const letters = letterSize(width, height);
    const top = 3.6 * letters; // of what is written
    const size = 0.46 * Math.min(width, height - top);
    const unit = size * camera.scale;
    const x = (/** @type {number} */ p) => width / 2 + unit * (mix(a[2 * p], b[2 * p], t) - camera.x);
    const y = (/** @type {number} */ p) => (height + top) / 2 - unit * (mix(a[2 * p + 1], b[2 * p + 1], t) - camera.y);
    const { name, note } = this.stages[Math.round(this.at)];
    pen.font = `600 ${letters}px system-ui, sans-serif`;
    pen.fillText(name, 14, 1.7 * letters);
    pen.font = `${0.9 * letters}px system-ui, sans-serif`;
    pen.fillText(note, 14, 3 * letters, width - 28);
    this.cells(pen, mesh, x, y);
    this.lines(pen, mesh, x, y, dotSize(Math.min(width, height)));
    return goesOn;
  }

  /**
   * @param {CanvasRenderingContext2D} pen @param {Mesh} mesh @param {(p: number) => number} x @param {(p: number) => number} y
   */
  cells(pen, mesh, x, y) {
    const { first, corners } = mesh.arrays;
    const { level, table } = shade(mesh, this.color, this.depth);
    pen.lineWidth = 0.7;
    for (let cell = 0; cell < mesh.n; cell++) {
      let sum = 0;
      pen.beginPath();
      for (let i = first[cell]; i < first[cell + 1]; i++) {
        pen.lineTo(x(corners[i]), y(corners[i]));
        sum += level(cell, corners[i]) / (first[cell + 1] - first[cell]);
      }
      pen.closePath();
      pen.fillStyle = pen.strokeStyle = sum < UNKNOWN / 2 ? neutral() : css(table, sum);
      pen.globalAlpha = 0.55;
      pen.fill();
      pen.globalAlpha = 0.9;
      pen.stroke();
    }
    pen.globalAlpha = 1;
  }

  /**
   * @param {CanvasRenderingContext2D} pen @param {Mesh} mesh @param {(p: number) => number} x @param {(p: number) => number} y
   * @param {number} radius of the data
   */
  lines(pen, mesh, x, y, radius) {
    const start = mesh.arrays.vertices.length / 2;
    pen.strokeStyle = ink();
    pen.globalAlpha = 0.55;
    pen.lineWidth = 1;
    for (let line = 0; line < 2 * LINES; line++) {
      pen.beginPath();
      for (let i = 0; i < DOTS; i++) pen.lineTo(x(start + line * DOTS + i), y(start + line * DOTS + i));
      pen.stroke();
    }
    pen.globalAlpha = 1;
    const { labels = [] } = this.hasPoints ? mesh.arrays : {};
    const dots = start + 2 * LINES * DOTS;
    for (let i = 0; i < labels.length; i++) drawDot(pen, mesh, i, x(dots + i), y(dots + i), radius);
  }
}

/** Slow, fast, slow. @param {number} t */
const ease = (t) => t * t * (3 - 2 * t);

/** @param {number} a @param {number} b @param {number} t */
const mix = (a, b, t) => (1 - t) * a + t * b;

/** @param {Float64Array} points @param {boolean} isFolded @param {string} name @param {string} note @returns {Stage} */
function stage(points, isFolded, name, note) {
  const box = boxOf(points);
  return { points, box: { ...box, scale: Math.min(box.scale, NEAREST) }, isFolded, name, note };
}

/** Points of lines along the window, in its units. */
function gridLines() {
  const out = [];
  for (const isUpright of [false, true])
    for (let k = 0; k < LINES; k++)
      for (let i = 0; i < DOTS; i++) {
        const [at, along] = [k / (LINES - 1), i / (DOTS - 1)];
        out.push(...(isUpright ? [at, along] : [along, at]));
      }
  return out;
}

/** @param {Float64Array} points @param {number} length */
function repeat(points, length) {
  const out = new Float64Array(length);
  for (let i = 0; i < length; i++) out[i] = points[i % points.length];
  return out;
}
