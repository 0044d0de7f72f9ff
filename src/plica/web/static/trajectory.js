// Trajectory: a path on its way through the layers, its images and their lengths beside what is predicted.
// @ts-check
import { css, ink, layers, paper } from "./colors.js";
import { letterSize } from "./fit.js";
import { Forward } from "./forward.js";
import { fitted, flatten } from "./projection.js";
import { digits } from "./words.js";

/** @typedef {import("./mesh.js").Mesh} Mesh */
/** @typedef {import("./state.js").State} State */
/** @typedef {{points: Float64Array, name: string, length: number, predicted: number | null}} Panel */

const DOTS = 1500;

export class Trajectory {
  constructor() {
    this.words =
      "The path after each layer, from its dark to its bright end, in the two directions that show most, with its length.";
    this.request = "Draw another one in the plane.";
    /** @type {Panel[]} */
    this.panels = [];
    this.kind = "exact";
    this.marks = { colors: false, folds: false, boundary: false, points: false };
  }

  /** @param {Mesh} mesh @param {State} state */
  take(mesh, state) {
    const forward = Forward.of(mesh);
    const { lengths, dimension, window } = mesh.facts;
    this.panels = [];
    if (!forward || !lengths) return;
    this.kind = lengths.kind;
    const [a, b, c, d] = window;
    const given = state.numbers("segment");
    const ends = dimension === 1 ? [a, b] : given.length ? given : [a, c, b, d];
    const points = new Float64Array(dimension * DOTS);
    for (let i = 0; i < DOTS; i++)
      for (let k = 0; k < dimension; k++)
        points[dimension * i + k] = ends[k] + (i / (DOTS - 1)) * (ends[dimension + k] - ends[k]);
    const { after } = forward.run(points);
    const flat = (/** @type {Float64Array} */ rows, /** @type {number} */ width) => fitted(flatten(rows, width).points);
    this.panels.push({ points: flat(points, dimension), name: "the path", length: lengths.input, predicted: null });
    after.slice(0, -1).forEach((rows, k) => {
      const predicted = lengths.predicted?.[k] ?? null;
      const name = `after layer ${k}`;
      this.panels.push({ points: flat(rows, forward.layers[k].nOut), name, length: lengths.post[k], predicted });
    });
    const graph = new Float64Array(2 * DOTS);
    const outputs = after[after.length - 1];
    const n = outputs.length / DOTS;
    const most = outputs.reduce((m, y) => Math.max(m, Math.abs(y)), 1e-300);
    for (let i = 0; i < DOTS; i++) graph.set([(2 * i) / DOTS - 1, outputs[i * n] / most], 2 * i);
    this.panels.push({ points: graph, name: "the output along it", length: lengths.output, predicted: null });
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
      const [x, y] = [(i % columns) * w, Math.floor(i / columns) * h];
      const size = 0.42 * Math.min(w, h - top);
      pen.save();
      pen.translate(x + w / 2, y + (h + top) / 2);
      pen.lineJoin = pen.lineCap = "round";
      pen.strokeStyle = ink(); // a rim, as one end has nearly the color of dark paper, the other that of light paper
      pen.lineWidth = 4.4;
      pen.beginPath();
      for (let q = 0; q < DOTS; q++) pen.lineTo(size * panel.points[2 * q], -size * panel.points[2 * q + 1]);
      pen.stroke();
      pen.lineWidth = 2.6;
      for (let p = 0; p + 1 < DOTS; p += 10) {
        pen.strokeStyle = css("gradient", 0.1 + (0.8 * p) / DOTS);
        pen.beginPath();
        for (let q = p; q <= Math.min(p + 10, DOTS - 1); q++)
          pen.lineTo(size * panel.points[2 * q], -size * panel.points[2 * q + 1]);
        pen.stroke();
      }
      pen.restore();
      pen.textAlign = "center";
      pen.fillStyle = i ? layers()[(i - 1) % 7] : ink();
      pen.font = `600 ${letters}px system-ui, sans-serif`;
      pen.fillText(panel.name, x + w / 2, y + 1.5 * letters, w - letters);
      pen.fillStyle = ink();
      pen.font = `${0.9 * letters}px system-ui, sans-serif`;
      const expected = panel.predicted === null ? "" : `, expected ${digits(panel.predicted)}`;
      pen.fillText(`length ${digits(panel.length)}${expected}`, x + w / 2, y + 2.8 * letters, w - letters);
    });
    if (this.panels.length) return false;
    pen.fillStyle = ink();
    pen.fillText("The path is drawn for networks whose weights are here: at most 60,000.", 20, 40);
    return false;
  }
}
