// Names, ticks and numbers beside a class map, and the corners of its plane.
// @ts-check
import { scale } from "./axes.js";
import { ink, paper } from "./colors.js";
import { CORNERS } from "./marks.js";

/** Room for numbers beside the map, in pixels. */
export const LEFT = 46;

/** @param {CanvasRenderingContext2D} pen @param {number} size @param {number[]} window @param {string[]} names of the axes */
export function drawMapAxes(pen, size, [a, b, c, d], names) {
  const [across, up] = [scale(a, b, names[0]), scale(c, d, names[1])];
  across.values.forEach((value, i) => {
    const x = (value / (b - a)) * size;
    pen.fillRect(x - 0.5, size, 1, 4);
    pen.fillText(across.texts[i], x, size + 17);
  });
  pen.textAlign = "right";
  up.values.forEach((value, i) => {
    const y = (1 - value / (d - c)) * size;
    pen.fillRect(-4, y - 0.5, 4, 1);
    pen.fillText(up.texts[i], -7, y + 4);
  });
  pen.textAlign = "center";
  pen.font = "italic 600 15px Georgia, serif";
  pen.fillText(across.title, size / 2, size + 34);
  pen.save();
  pen.translate(up.isFar ? 14 - LEFT : 10 - LEFT, size / 2 - (up.isFar ? 0 : 12));
  if (up.isFar) pen.rotate(-Math.PI / 2);
  pen.fillText(up.title, 0, 0);
  pen.restore();
}

/**
 * The letters of the three rows that span the plane.
 * @param {CanvasRenderingContext2D} pen @param {number} size @param {number[]} window
 */
export function drawCorners(pen, size, [a, b, c, d]) {
  const corners = /** @type {[number, number][]} */ ([
    [0, 0],
    [1, 0],
    [0, 1],
  ]);
  corners.forEach(([u, v], i) => {
    const [x, y] = [((u - a) / (b - a)) * size, (1 - (v - c) / (d - c)) * size];
    pen.lineWidth = 4;
    pen.strokeStyle = paper();
    pen.strokeText(CORNERS[i], x, y + 5);
    pen.fillStyle = ink();
    pen.fillText(CORNERS[i], x, y + 5);
  });
}
