// Cells in space: facets of polyhedra that explode, are sliced and fade; turned by pointer and keys.
// @ts-check
import { css, ink, layers, neutral } from "./colors.js";
import { N_FILLS } from "./shades.js";
import { Surface } from "./surface.js";

/** @typedef {import("./state.js").State} State */

const HEIGHT = 0.9;
const SIDE = 0.7;

export class Solid extends Surface {
  constructor() {
    super();
    this.words = "";
    /** @type {Record<string, any> | null} */
    this.parts = null;
    this.explode = 0;
    this.cut = 1;
    this.fade = 0;
  }

  /** @param {any} mesh @param {State} state */
  take(mesh, state) {
    this.explode = state.number("explode");
    this.cut = state.number("cut");
    this.fade = state.number("fade");
  }

  /** What the server computed. @param {Record<string, any>} facts @param {Record<string, any>} arrays */
  fill(facts, arrays) {
    this.words = facts.sentence;
    this.parts = Object.fromEntries(Object.entries(facts.solid).map(([name, key]) => [name, arrays[key]]));
  }

  /**
   * Facets of the cells that are seen, from far to near: of which cell, number, and how far.
   * @returns {{cell: number, facet: number, far: number}[]}
   */
  facets() {
    if (!this.parts) return [];
    const { cells, offsets, corners, vertices, centers } = this.parts;
    const found = [];
    for (let facet = 0; facet + 1 < offsets.length; facet++)
      for (const cell of [cells[2 * facet], cells[2 * facet + 1]]) {
        if (cell < 0 || centers[3 * cell + 2] > this.cut) continue;
        let far = 0;
        const n = offsets[facet + 1] - offsets[facet];
        for (let i = offsets[facet]; i < offsets[facet + 1]; i++) far += this.seen(vertices, corners[i], centers, cell, 1)[2] / n;
        found.push({ cell, facet, far });
      }
    return found.sort((a, b) => b.far - a.far);
  }

  /**
   * Where a corner of a cell is seen.
   * @param {Float64Array} vertices @param {number} corner @param {Float64Array} centers @param {number} cell
   * @param {number} size
   */
  seen(vertices, corner, centers, cell, size) {
    const grown = 1 + 0.7 * this.explode;
    const [x, y, z] = [0, 1, 2].map(
      (k) => (SIDE * (vertices[3 * corner + k] + this.explode * centers[3 * cell + k])) / grown,
    );
    return this.project((x + 1) / 2, (y + 1) / 2, z / HEIGHT, size);
  }

  /** @param {CanvasRenderingContext2D} pen @param {number} width @param {number} height */
  draw(pen, width, height) {
    pen.fillStyle = neutral();
    pen.fillRect(0, 0, width, height);
    pen.translate(width / 2, height / 2);
    if (!this.parts) return false;
    const size = Math.min(width, height);
    const { offsets, corners, vertices, centers, colors, layers: levels } = this.parts;
    pen.lineJoin = "round";
    pen.lineWidth = 0.8;
    for (const { cell, facet } of this.facets()) {
      pen.beginPath();
      for (let i = offsets[facet]; i < offsets[facet + 1]; i++) {
        const [x, y] = this.seen(vertices, corners[i], centers, cell, size);
        pen.lineTo(x, y);
      }
      pen.closePath();
      pen.globalAlpha = 1 - 0.92 * this.fade;
      pen.fillStyle = css("pattern", (colors[cell] + 0.5) / N_FILLS);
      pen.fill();
      pen.globalAlpha = Math.max(0.35, 1 - this.fade);
      pen.strokeStyle = levels[facet] < 0 ? ink() : layers()[levels[facet] % 7];
      pen.stroke();
    }
    pen.globalAlpha = 1;
    return false;
  }
}
