// The edges of the diagram: by weight and sign.
// @ts-check
import { css } from "./colors.js";

/** @typedef {{left: number, right: number, top: number, middle: number}} Spot a neuron's place in the diagram */

/** Edges between two layers that are drawn, of more the heaviest. */
const MANY = 500;

/**
 * @param {CanvasRenderingContext2D} pen @param {import("./forward.js").Forward} forward @param {Spot[][]} spots
 * @param {number[] | null} lit layer and number of the neuron in focus, whose edges stand out
 */
export function drawEdges(pen, forward, spots, lit) {
  forward.layers.forEach(({ weights, nIn }, k) => {
    const sizes = weights.map(Math.abs);
    const sorted = sizes.slice().sort();
    const [least, most] = [sorted[Math.max(0, sorted.length - MANY)], sorted[sorted.length - 1] || 1];
    const heavy = [...sizes.keys()].filter((at) => sizes[at] >= least).slice(0, MANY);
    for (const at of heavy.sort((i, j) => sizes[i] - sizes[j])) {
      const [from, to] = [at % nIn, Math.floor(at / nIn)];
      const [a, b] = [spots[k][from], spots[k + 1][to]];
      const share = sizes[at] / most;
      const isLit = lit && ((lit[0] === k && lit[1] === to) || (lit[0] === k - 1 && lit[1] === from));
      pen.globalAlpha = lit ? (isLit ? 0.95 : 0.08) : 0.15 + 0.75 * share;
      pen.strokeStyle = css("output", weights[at] > 0 ? 1 : 0);
      pen.lineWidth = 0.4 + 3.6 * share;
      const middle = (a.right + b.left) / 2;
      pen.beginPath();
      pen.moveTo(a.right, a.middle);
      pen.bezierCurveTo(middle, a.middle, middle, b.middle, b.left, b.middle);
      pen.stroke();
    }
  });
  pen.globalAlpha = 1;
}
