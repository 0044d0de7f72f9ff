// Marks of a panel: lines, points, bars, segments and grids of colors.
// @ts-check
import { css, ink, layers, neutral, paper } from "./colors.js";

/** @typedef {import("./plot.js").Plot} Plot */
/** @typedef {import("./plot.js").Mark} Mark */

/** The color of a role. @param {string} role */
export function roleColor(role) {
  const series = layers();
  const known = { predicted: ink(), measured: series[3], reference: series[4], bound: series[6], other: series[1] };
  return known[/** @type {keyof typeof known} */ (role)] ?? series[2];
}

/** A goal is wide, so that what comes near it is seen on it: in pixels. */
export const GOAL = 7;
/** And pale: how much of it is seen. */
export const PALE = 0.3;

/** @param {Plot} plot @param {CanvasRenderingContext2D} pen @param {Mark} mark */
export function drawMark(plot, pen, mark) {
  pen.strokeStyle = pen.fillStyle = roleColor(mark.role);
  pen.lineWidth = mark.role === "measured" ? 2 : 1.6;
  pen.lineJoin = "round";
  if (mark.role === "goal") [pen.lineWidth, pen.globalAlpha] = [GOAL, PALE];
  if (mark.kind === "heat") heat(plot, pen, mark);
  else if (mark.kind === "line") line(plot, pen, mark);
  else if (mark.kind === "segments") segments(plot, pen, mark);
  else if (mark.kind === "bars") bars(plot, pen, mark);
  else dots(plot, pen, mark);
  pen.globalAlpha = 1;
}

/** @param {Plot} plot @param {CanvasRenderingContext2D} pen @param {Mark} mark */
function line(plot, pen, mark) {
  trace(plot, pen, mark);
  pen.setLineDash(mark.dashed ? [5, 4] : []);
  pen.stroke();
  pen.setLineDash([]);
}

/** A line as the current path. @param {Plot} plot @param {CanvasRenderingContext2D} pen @param {Mark} mark */
function trace(plot, pen, mark) {
  const [x, y] = [plot.arrays[mark.x], plot.arrays[mark.y]];
  pen.beginPath();
  let isOn = false;
  for (let i = 0; i < x.length; i++) {
    const isSeen = Number.isFinite(x[i]) && Number.isFinite(y[i]) && !(plot.panel.y.log && y[i] <= 0);
    if (isSeen) pen[isOn ? "lineTo" : "moveTo"](plot.px(x[i]), plot.py(y[i]));
    isOn = isSeen;
  }
}

/**
 * Paper on both sides of the lines of a panel, so that they are seen on any color.
 * @param {Plot} plot @param {CanvasRenderingContext2D} pen
 */
function rims(plot, pen) {
  pen.strokeStyle = paper();
  pen.lineWidth = 4.4;
  for (const mark of plot.panel.marks.filter(({ kind }) => kind === "line")) {
    trace(plot, pen, mark);
    pen.stroke();
  }
}

/** @param {Plot} plot @param {CanvasRenderingContext2D} pen @param {Mark} mark */
function segments(plot, pen, mark) {
  const [x, y] = [plot.arrays[mark.x], plot.arrays[mark.y]];
  pen.beginPath();
  for (let i = 0; i + 1 < x.length; i += 2) {
    pen.moveTo(plot.px(x[i]), plot.py(y[i]));
    pen.lineTo(plot.px(x[i + 1]), plot.py(y[i + 1]));
  }
  pen.stroke();
}

/** @param {Plot} plot @param {CanvasRenderingContext2D} pen @param {Mark} mark */
function bars(plot, pen, mark) {
  const [x, y] = [plot.arrays[mark.x], plot.arrays[mark.y]];
  const floor = plot.py(plot.panel.y.log ? plot.ry[0] : Math.max(0, plot.ry[0]));
  pen.globalAlpha = 0.55;
  for (let i = 0; i < x.length; i++) {
    const [a, b] = [plot.px(x[i] - mark.width / 2), plot.px(x[i] + mark.width / 2)];
    pen.fillRect(a, plot.py(y[i]), Math.max(1, b - a - (b - a > 6 ? 1.5 : 0)), floor - plot.py(y[i]));
  }
  pen.globalAlpha = 1;
}

/** From where to where the bar of a measurement goes. @param {number} value @param {number} error */
export const errorBar = (value, error) => [value - 2 * error, value + 2 * error];

/** @param {Plot} plot @param {CanvasRenderingContext2D} pen @param {Mark} mark */
function dots(plot, pen, mark) {
  const [x, y, error] = [plot.arrays[mark.x], plot.arrays[mark.y], plot.arrays[mark.error]];
  const radius = x.length > 200 ? 2 : 0.3 * plot.size;
  for (let i = 0; i < x.length; i++) {
    if (!Number.isFinite(y[i])) continue;
    const [px, py] = [plot.px(x[i]), plot.py(y[i])];
    if (error) {
      pen.lineWidth = 1.2;
      pen.beginPath();
      const [low, high] = errorBar(y[i], error[i]);
      pen.moveTo(px, plot.py(low));
      pen.lineTo(px, plot.py(high));
      pen.stroke();
    }
    pen.beginPath();
    pen.arc(px, py, radius, 0, 2 * Math.PI);
    pen.fill();
    pen.strokeStyle = paper();
    pen.lineWidth = 1;
    pen.stroke();
    pen.strokeStyle = roleColor(mark.role);
  }
}

/** @param {Plot} plot @param {CanvasRenderingContext2D} pen @param {Mark} mark */
function heat(plot, pen, mark) {
  const values = plot.arrays[mark.values];
  const [rows, columns] = mark.shape;
  const [a, b, c, d] = mark.box;
  const [x0, x1, y0, y1] = [plot.px(a), plot.px(b), plot.py(c), plot.py(d)];
  const [w, h] = [(x1 - x0) / columns, (y0 - y1) / rows];
  const span = mark.high - mark.low || 1;
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) {
      const value = values[i * columns + j];
      pen.fillStyle = Number.isFinite(value) ? css(mark.table, (value - mark.low) / span) : neutral();
      pen.fillRect(x0 + j * w, y0 - (i + 1) * h, w + 0.6, h + 0.6);
    }
  rims(plot, pen);
}
