// Trajectory: a path on its way through the layers, its images and their lengths beside what is predicted.
// @ts-check
import { css, ink, layers, paper } from "./colors.js";
import { letterSize } from "./fit.js";
import { Forward } from "./forward.js";
import { onPath, pathEnds } from "./path.js";
import { fitted, flatten } from "./projection.js";
import { digits } from "./words.js";

/** @typedef {import("./mesh.js").Mesh} Mesh */
/** @typedef {import("./state.js").State} State */
/** @typedef {{x: number, y: number}} Place of the screen, in pixels */
/**
 * Points in a square from -1 to 1, and where that is on the screen.
 * @typedef {object} Panel
 * @property {"path" | "image" | "graph"} kind
 * @property {Float64Array} points
 * @property {string} name
 * @property {number} length
 * @property {number | null} predicted
 * @property {Place} [at]
 * @property {number} [size]
 */

const DOTS = 1500;
/** How near the pointer takes an end, in pixels. */
const NEAR = 24;
/** By how much an arrow key moves an end, as a part of the window. */
const STEP = 1 / 40;

export class Trajectory {
  /** @param {(changes: Record<string, string>) => void} change */
  constructor(change) {
    this.change = change;
    this.words =
      "The path after each layer, from its dark to its bright end, in the two directions that show most, with its length.";
    this.request = "Drag its ends, or move the bright one with the arrow keys; Enter makes it a circle and back.";
    /** @type {Panel[]} */
    this.panels = [];
    this.range = ["", ""];
    this.marks = { colors: false, folds: false, boundary: false, points: false };
    /** @type {number[]} the ends of the segment, or of the circle's diameter */
    this.ends = [];
    /** @type {number[]} */
    this.window = [];
    this.held = -1;
    this.isCircle = false;
    this.isPlane = false;
  }

  /** @param {Mesh} mesh @param {State} state */
  take(mesh, state) {
    const forward = Forward.of(mesh);
    const { lengths, dimension, window } = mesh.facts;
    this.panels = [];
    if (!forward || !lengths) return;
    this.window = window;
    this.isPlane = dimension === 2;
    this.isCircle = state.get("path") === "circle";
    if (this.held < 0) this.ends = pathEnds(state, window);
    const points = onPath(pathEnds(state, window), dimension, this.isCircle, DOTS);
    const { after } = forward.run(points);
    const flat = (/** @type {Float64Array} */ rows, /** @type {number} */ width) => fitted(flatten(rows, width).points);
    const given = this.isPlane ? points.map((v, i) => this.unit(v, i % 2)) : flat(points, 1);
    this.panels.push({ kind: "path", points: given, name: "the path", length: lengths.input, predicted: null });
    after.slice(0, -1).forEach((rows, k) => {
      const seen = flat(rows, forward.layers[k].nOut);
      const [length, predicted] = [lengths.post[k], lengths.predicted?.[k] ?? null];
      this.panels.push({ kind: "image", points: seen, name: `after layer ${k}`, length, predicted });
    });
    this.panels.push(this.graph(after[after.length - 1], lengths.output));
  }

  /** The output over the path. @param {Float64Array} outputs @param {number} length @returns {Panel} */
  graph(outputs, length) {
    const n = outputs.length / DOTS;
    const heights = Array.from({ length: DOTS }, (_, i) => outputs[i * n]);
    const [low, high] = [Math.min(...heights), Math.max(...heights)];
    this.range = [low, high].map((y) => digits(y).replace("-", "−"));
    const points = new Float64Array(2 * DOTS);
    heights.forEach((y, i) => points.set([(2 * i) / (DOTS - 1) - 1, (2 * (y - low)) / (high - low || 1) - 1], 2 * i));
    return { kind: "graph", points, name: "the output along it", length, predicted: null };
  }

  /** A coordinate in the window, from -1 to 1. @param {number} value @param {number} k which one */
  unit(value, k) {
    const [low, high] = this.window.slice(2 * k, 2 * k + 2);
    return (2 * (value - low)) / (high - low) - 1;
  }

  /** @param {CanvasRenderingContext2D} pen @param {number} width @param {number} height */
  draw(pen, width, height) {
    pen.fillStyle = paper();
    pen.fillRect(0, 0, width, height);
    const columns = Math.ceil(Math.sqrt(this.panels.length));
    const rows = Math.ceil(this.panels.length / columns);
    const [w, h] = [width / columns, height / rows];
    const letters = letterSize(width, height);
    const top = 3.6 * letters; // of what is written over each
    this.panels.forEach((panel, i) => {
      const [column, y] = [i % columns, Math.floor(i / columns) * h];
      const isLast = i + 1 === this.panels.length;
      const wide = isLast ? (columns - column) * w : w; // the last one takes what is left of its row
      const middle = column * w + wide / 2;
      panel.size = 0.44 * Math.min(w, h - top - (isLast ? letters : 0));
      panel.at = { x: middle, y: y + (h + top) / 2 };
      this.paint(pen, panel, isLast ? 0.44 * (wide - 4 * letters) : panel.size, letters);
      pen.textAlign = "center";
      pen.fillStyle = panel.kind === "image" ? layers()[(i - 1) % 7] : ink();
      pen.font = `600 ${letters}px system-ui, sans-serif`;
      pen.fillText(panel.name, middle, y + 1.5 * letters, wide - letters);
      pen.fillStyle = ink();
      pen.font = `${0.9 * letters}px system-ui, sans-serif`;
      const expected = panel.predicted === null ? "" : `, expected ${digits(panel.predicted)}`;
      pen.fillText(`length ${digits(panel.length)}${expected}`, middle, y + 2.8 * letters, wide - letters);
    });
    if (this.panels.length) return false;
    pen.fillStyle = ink();
    pen.fillText("The path is drawn for networks whose weights are here: at most 60,000.", 20, 40);
    return false;
  }

  /**
   * @param {CanvasRenderingContext2D} pen @param {Panel} panel @param {number} across half of its width
   * @param {number} letters their size
   */
  paint(pen, { kind, points, at = { x: 0, y: 0 }, size = 0 }, across, letters) {
    pen.save();
    pen.translate(at.x, at.y);
    if (kind === "graph" || (kind === "path" && this.isPlane)) {
      pen.strokeStyle = ink();
      pen.globalAlpha = 0.3;
      pen.strokeRect(-across, -size, 2 * across, 2 * size);
      pen.globalAlpha = 1;
    }
    if (kind === "graph") this.numbers(pen, across, size, letters);
    if (kind === "path" && this.isPlane) {
      pen.beginPath();
      pen.rect(-across, -size, 2 * across, 2 * size);
      pen.clip();
    }
    curve(pen, points, across, size);
    if (kind === "path" && this.isPlane)
      for (let k = 0; k < 4; k += 2) {
        pen.fillStyle = css("gradient", k ? 0.9 : 0.1);
        pen.strokeStyle = ink();
        pen.lineWidth = 2;
        pen.beginPath();
        pen.arc(this.unit(this.ends[k], 0) * across, -this.unit(this.ends[k + 1], 1) * size, 0.55 * letters, 0, 7);
        pen.fill();
        pen.stroke();
      }
    pen.restore();
  }

  /**
   * The ends of the axis of the outputs.
   * @param {CanvasRenderingContext2D} pen @param {number} across @param {number} size @param {number} letters as above
   */
  numbers(pen, across, size, letters) {
    pen.fillStyle = ink();
    pen.font = `${0.8 * letters}px system-ui, sans-serif`;
    pen.textAlign = "right";
    pen.fillText(this.range[0], -across - 0.4 * letters, size);
    pen.fillText(this.range[1], -across - 0.4 * letters, -size + 0.7 * letters);
  }

  /** Where a place of the screen is in the window. @param {Place} place @returns {number[]} */
  inWindow({ x, y }) {
    const { at = { x: 0, y: 0 }, size = 1 } = this.panels[0];
    const [a, b, c, d] = this.window;
    const part = (/** @type {number} */ t) => Math.min(Math.max((t + 1) / 2, 0), 1);
    return [a + part((x - at.x) / size) * (b - a), c + part((at.y - y) / size) * (d - c)];
  }

  /** The pointer goes down: the nearest end follows it. @param {Place} place */
  press(place) {
    const { at, size = 1 } = this.panels[0] ?? {};
    if (!at || !this.isPlane) return;
    const away = [0, 2].map((k) =>
      Math.hypot(at.x + size * this.unit(this.ends[k], 0) - place.x, at.y - size * this.unit(this.ends[k + 1], 1) - place.y),
    );
    const k = away[1] <= away[0] ? 1 : 0;
    this.held = away[k] < NEAR ? 2 * k : -1;
  }

  /** @param {Place} place @param {boolean} isDown */
  point(place, isDown) {
    if (isDown && this.held >= 0) this.move(this.held, this.inWindow(place));
  }

  release() {
    this.held = -1;
  }

  /** @param {number} k the first coordinate of an end @param {number[]} point */
  move(k, point) {
    const ends = [...this.ends];
    ends.splice(k, 2, ...point.map((v) => Number(v.toPrecision(4))));
    if (ends[0] === ends[2] && ends[1] === ends[3]) return;
    this.ends = ends;
    this.change({ segment: ends.map(String).join(",") });
  }

  /** @param {string} key */
  key(key) {
    if (!this.isPlane || !this.panels.length) return false;
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[key];
    const [a, b, c, d] = this.window;
    if (step) this.move(2, [this.ends[2] + step[0] * STEP * (b - a), this.ends[3] + step[1] * STEP * (d - c)]);
    else if (key === "Enter") this.change({ path: this.isCircle ? "segment" : "circle" });
    else return false;
    return true;
  }
}

/**
 * A curve from dark to bright, with a rim: one end has nearly the color of dark paper, the other that of light paper.
 * @param {CanvasRenderingContext2D} pen @param {Float64Array} points @param {number} across @param {number} up
 */
function curve(pen, points, across, up) {
  const n = points.length / 2;
  const to = (/** @type {number} */ q) => pen.lineTo(across * points[2 * q], -up * points[2 * q + 1]);
  pen.lineJoin = pen.lineCap = "round";
  pen.strokeStyle = ink();
  pen.lineWidth = 4.4;
  pen.beginPath();
  for (let q = 0; q < n; q++) to(q);
  pen.stroke();
  pen.lineWidth = 2.6;
  for (let p = 0; p + 1 < n; p += 10) {
    pen.strokeStyle = css("gradient", 0.1 + (0.8 * p) / n);
    pen.beginPath();
    for (let q = p; q <= Math.min(p + 10, n - 1); q++) to(q);
    pen.stroke();
  }
}
