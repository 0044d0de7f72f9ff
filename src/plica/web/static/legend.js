// What colors, lines and points of the picture say.
// @ts-check
import { byClass, className } from "./classes.js";
import { areas, classes, css, ink, layers, paper } from "./colors.js";
import { get } from "./page.js";
import { N_FILLS, shade } from "./shades.js";
import { digits } from "./words.js";

/** @typedef {import("./mesh.js").Mesh} Mesh */
/** @typedef {{colors: boolean, folds: boolean, boundary: boolean, points: boolean}} Drawn what is seen in this view */

/** What is to be known about some ways of coloring. @type {Record<string, string>} */
const NOTES = { error: ", mean in each cell, estimated", pattern: ": neighbors differ in color" };
/** @type {Drawn} */
export const ALL_MARKS = { colors: true, folds: true, boundary: true, points: true };
const SVG = "http://www.w3.org/2000/svg";

/**
 * @param {Mesh} mesh @param {string} color @param {string} words what this way of coloring is called @param {number} depth
 * @param {Drawn} drawn
 */
export function showLegend(mesh, color, words, depth, drawn) {
  const isMap = color === "class" && Boolean(mesh.arrays.outputs);
  const isPattern = color === "pattern" || isMap;
  const { low, high, table, isClipped } = shade(mesh, color, depth);
  const isCut = depth < mesh.facts.n_layers && mesh.facts.kind === "exact";
  const isGraph = mesh.facts.dimension === 1 && ["output", "steps", "class"].includes(color);
  const name = isGraph
    ? "the graph is the output"
    : isCut && !isPattern
      ? `mean ${words} on cells of ${layerNames(depth)}`
      : words + (color === "class" ? (isMap ? ": the largest score" : ": sign of the output") : (NOTES[color] ?? ""));
  const [from, to] = [`${isClipped && low < 0 ? "≤ " : ""}${minus(low)}`, `${isClipped ? "≥ " : ""}${minus(high)}`];
  get("legend-scale").hidden = !drawn.colors;
  get("legend-name").textContent = name;
  get("legend-low").textContent = from;
  get("legend-high").textContent = to;
  get("legend-low").hidden = get("legend-high").hidden = isGraph || isPattern;
  const stops = isMap
    ? ["transparent", "transparent"]
    : isPattern
      ? patternStops(mesh, depth)
      : Array.from({ length: 28 }, (_, i) => css(table, i / 27));
  get("legend-bar").style.background = `linear-gradient(to right, ${stops.join(",")})`;
  get("legend-scale").setAttribute("aria-label", isPattern ? name : `colors from ${from} to ${to}: ${name}`);
  get("legend-bar").hidden = isGraph || isMap;
  get("legend-lines").replaceChildren(...(isMap ? classEntries(mesh) : []), ...lines(mesh, depth, drawn));
}

/** @param {number} value */
const minus = (value) => digits(value).replace("-", "−");

/** @param {number} depth */
export const layerNames = (depth) => (depth < 2 ? (depth ? "layer 0" : "no layer") : `layers 0 to ${depth - 1}`);

/** The colors that cells have, side by side with sharp edges. @param {Mesh} mesh @param {number} depth @returns {string[]} */
function patternStops(mesh, depth) {
  const used = [...new Set([...mesh.coloring(depth)].map((k) => k % N_FILLS))].sort((a, b) => a - b);
  const share = 100 / Math.max(used.length, 1);
  return used.flatMap((k, i) => {
    const fill = css("pattern", (k + 0.5) / N_FILLS);
    return [`${fill} ${i * share}%`, `${fill} ${(i + 1) * share}%`];
  });
}

/** The classes that appear. @param {Mesh} mesh @returns {HTMLElement[]} */
function classEntries(mesh) {
  const seen = [...new Set(/** @type {Uint8Array} */ (byClass(mesh).arrays.winners))].sort((a, b) => a - b);
  const colors = areas();
  const box = (/** @type {string} */ fill) => `<rect x="4" y="0" width="16" height="12" fill="${fill}"/>`;
  return seen.map((k) => entry(className.of(mesh, k), box(colors[k % colors.length])));
}

/** Where the output changes its sign: only classes are decided by it. @param {Mesh} mesh */
const zeroName = ({ facts }) => (facts.is_classes || facts.n_outputs > 1 ? "decision boundary" : "where the output is 0");

/** @param {Mesh} mesh @param {number} depth @param {Drawn} drawn @returns {HTMLElement[]} */
function lines(mesh, depth, drawn) {
  const { facts, arrays } = mesh;
  const out = [];
  const seen = [...new Set(/** @type {Int8Array} */ (arrays.edge_layer))]
    .filter((k) => k >= 0 && k < depth)
    .sort((a, b) => a - b);
  for (const k of drawn.folds ? seen.slice(0, 8) : []) out.push(entry(`folds of layer ${k}`, stroke(layers()[k % 7], 2)));
  if (drawn.boundary && arrays.boundary?.length) out.push(entry(zeroName(mesh), stroke(paper(), 6) + stroke(ink(), 3)));
  if (arrays.target && drawn.folds) out.push(entry("target", stroke(layers()[2], 2, "4 3")));
  if (drawn.points && arrays.points && facts.is_classes && facts.n_outputs === 1) {
    const [first, second] = classes();
    out.push(entry(className.of(mesh, 0), `<rect x="8" y="2" width="8" height="8" fill="${first}"/>`));
    out.push(entry(className.of(mesh, 1), `<circle cx="12" cy="6" r="4.5" fill="${second}"/>`));
  }
  if (drawn.points && arrays.held?.includes(1))
    out.push(entry("held out", `<circle cx="12" cy="6" r="4" fill="${paper()}" stroke="${ink()}" stroke-width="1.5"/>`));
  return out;
}

/** @param {string} color @param {number} width @param {string} [dash] */
const stroke = (color, width, dash = "") =>
  `<line x1="0" y1="6" x2="24" y2="6" stroke="${color}" stroke-width="${width}" stroke-dasharray="${dash}"/>`;

/** @param {string} words @param {string} shapes */
function entry(words, shapes) {
  const made = document.createElement("li");
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 12");
  svg.setAttribute("aria-hidden", "true");
  svg.innerHTML = shapes;
  made.append(svg, words);
  return made;
}
