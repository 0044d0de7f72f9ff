// The axes beside the picture: names, ticks and numbers outside of it.
// @ts-check
import { get } from "./page.js";

/** @typedef {import("./plane.js").Plane} Plane */

/** @type {string} */
let drawn = "";

/** Put numbers beside what is seen now. @param {Plane} plane */
export function drawAxes(plane) {
  const { mesh } = plane;
  if (!mesh) return;
  const [a, b, c, d] = plane.visible();
  const names = mesh.facts.dimension === 1 ? ["x", "f(x)"] : mesh.facts.widths[0] > 2 ? ["u", "v"] : ["x", "y"];
  const key = [a, b, c, d, ...names].join();
  if (key === drawn) return;
  drawn = key;
  fill(get("axis-x"), a, b, names[0], "left");
  fill(get("axis-y"), c, d, names[1], "bottom");
}

/**
 * Marks that stand are moved, not made anew: while a picture moves they change in every frame.
 * @param {HTMLElement} place @param {number} low @param {number} high @param {string} name @param {"left" | "bottom"} side
 */
function fill(place, low, high, name, side) {
  const values = ticks(low, high);
  const title = place.querySelector("b") ?? place.appendChild(document.createElement("b"));
  write(title, name);
  title.style[side] = `${(100 * (between(values, low, high) - low)) / (high - low)}%`;
  const marks = /** @type {HTMLElement[]} */ ([...place.querySelectorAll("span")]);
  while (marks.length < values.length) marks.push(place.insertBefore(document.createElement("span"), title));
  for (const mark of marks.splice(values.length)) mark.remove();
  marks.forEach((mark, i) => {
    write(mark, shortNumber(values[i], high - low).replace("-", "−"));
    mark.style[side] = `${(100 * (values[i] - low)) / (high - low)}%`;
  });
}

/**
 * Where a name stands among the numbers of its axis: in the gap that is nearest to the middle.
 * @param {number[]} values @param {number} low @param {number} high
 */
function between(values, low, high) {
  const middle = (low + high) / 2;
  const gaps = values.slice(1).map((value, i) => (value + values[i]) / 2);
  return gaps.reduce((best, gap) => (Math.abs(gap - middle) < Math.abs(best - middle) ? gap : best), gaps[0] ?? middle);
}

/** @param {HTMLElement} place @param {string} text */
function write(place, text) {
  if (place.textContent !== text) place.textContent = text;
}

/** A few round numbers between two others. @param {number} low @param {number} high @returns {number[]} */
export function ticks(low, high) {
  const rough = (high - low) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough) ?? rough;
  const out = [];
  for (let k = Math.ceil(low / step); k * step <= high && out.length < 12; k++) out.push(k * step);
  return out;
}

/** @param {number} value @param {number} span */
export function shortNumber(value, span) {
  const digits = Math.max(0, Math.min(12, 1 - Math.floor(Math.log10(span))));
  return Math.abs(value) >= 1e5
    ? value.toExponential(2)
    : value
        .toFixed(digits)
        .replace(/\.0*$|(\.\d*?)0+$/, "$1")
        .replace(/^-0$/, "0");
}
