// The axes beside the picture: names, ticks and numbers outside of it.
// @ts-check
import { get } from "./page.js";
import { raised } from "./words.js";

/** @typedef {import("./plane.js").Plane} Plane */

/** Digits that there is room for beside a picture. */
const MOST_DIGITS = 5;

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
  const { values, texts, title: words, isFar } = scale(low, high, name);
  const title = place.querySelector("b") ?? place.appendChild(document.createElement("b"));
  write(title, words);
  place.classList.toggle("far", isFar);
  title.style[side] = `${(100 * (isFar ? (high - low) / 2 : between(values, high - low))) / (high - low)}%`;
  const marks = /** @type {HTMLElement[]} */ ([...place.querySelectorAll("span")]);
  while (marks.length < values.length) marks.push(place.insertBefore(document.createElement("span"), title));
  for (const mark of marks.splice(values.length)) mark.remove();
  marks.forEach((mark, i) => {
    write(mark, texts[i]);
    mark.style[side] = `${(100 * values[i]) / (high - low)}%`;
  });
}

/**
 * What is written at an axis: how far from its lower end which numbers are, and its title. Numbers of more digits than there is
 * room for are counted from a round number nearby, in a power of ten; the title says so.
 * @param {number} low @param {number} high @param {string} name
 */
export function scale(low, high, name) {
  const span = high - low;
  const most = Math.max(Math.abs(low), Math.abs(high));
  const isFar = Math.max(1, Math.floor(Math.log10(most)) + 1) + decimals(span) > MOST_DIGITS;
  if (!isFar) {
    const found = ticks(low, high);
    const texts = found.map((value) => minus(trimmed(value, decimals(span))));
    return { values: found.map((value) => value - low), texts, title: name, isFar };
  }
  const power = Math.floor(Math.log10(span / 5));
  const size = Math.ceil(Math.log10(span));
  const isNearZero = most < 1000 * 10 ** power;
  const from = isNearZero ? "0" : trimmed(Math.round((low + high) / 2 / 10 ** size) * 10 ** size, Math.max(0, -size));
  const found = ticks(low - Number(from), high - Number(from));
  const shift = from === "0" ? "" : from.startsWith("-") ? ` + ${from.slice(1)}` : ` − ${from}`;
  const unit = power ? ` in 10${power === 1 ? "" : raised(power)}` : "";
  const texts = found.map((value) => minus(trimmed(value / 10 ** power, 0)));
  return { values: found.map((value) => value - (low - Number(from))), texts, title: name + shift + unit, isFar };
}

/**
 * Where a name stands among the numbers of its axis: in the gap that is nearest to the middle.
 * @param {number[]} values from the lower end @param {number} span
 */
function between(values, span) {
  const gaps = values.slice(1).map((value, i) => (value + values[i]) / 2);
  return gaps.reduce((best, gap) => (Math.abs(gap - span / 2) < Math.abs(best - span / 2) ? gap : best), gaps[0] ?? span / 2);
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

/** How many decimals tell the numbers of an axis apart. @param {number} span */
const decimals = (span) => Math.max(0, 1 - Math.floor(Math.log10(span)));

/** A number without idle zeros. @param {number} value @param {number} digits */
const trimmed = (value, digits) =>
  value
    .toFixed(digits)
    .replace(/\.0*$|(\.\d*?)0+$/, "$1")
    .replace(/^-0$/, "0");

/** @param {string} text */
const minus = (text) => text.replace("-", "−");
