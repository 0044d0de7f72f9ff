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
  const name =
    isCut && !isPattern
      ? `mean ${words} on cells of ${layerNames(depth)}`
      : words + (color === "class" ? (isMap ? ": the largest score" : ": sign of the output") : (NOTES[color] ?? ""));
  const isSign = color === "class" && !isMap;
  const [from, to] = isSign
    ? ["negative", "positive"]
    : [`${isClipped && low < 0 ? "≤ " : ""}${minus(low)}`, `${isClipped ? "≥ " : ""}${minus(high)}`];
  get("legend-scale").hidden = !drawn.colors || isGraph;
  get("legend-name").textContent = name;
  get("legend-low").textContent = from;
  get("legend-high").textContent = to;
  get("legend-low").hidden = get("legend-high").hidden = isPattern;
  const stops = isMap
    ? ["transparent", "transparent"]
    : isPattern
      ? patternStops(mesh, depth)
      : Array.from({ length: 28 }, (_, i) => css(table, i / 27));
  get("legend-bar").style.background = `linear-gradient(to right, ${stops.join(",")})`;
  get("legend-scale").setAttribute("aria-label", isPattern ? name : `colors from ${from} to ${to}: ${name}`);
  get("legend-bar").hidden = isMap;
  get("legend-lines").replaceChildren(...(isMap ? classEntries(mesh) : []), ...lines(mesh, depth, drawn));
}

/** Which of several outputs is meant. @param {string} words @param {Record<string, any>} facts @param {string} k */
export const ofOutput = (words, { n_outputs: n }, k) => (n > 1 ? words.replace("output", `output ${k} of ${n}`) : words);

/** Of cells in space: their colors and those of their edges. @param {Int32Array} levels of facets, less than 0 on the skin */
export function showSolidLegend(levels) {
  get("legend-scale").hidden = true;
  const found = [...new Set(levels)].filter((k) => k >= 0).sort((a, b) => a - b);
  const fill = (/** @type {number} */ k) => css("pattern", (k + 0.5) / N_FILLS);
  const fills = [0, 1, 2].map((k) => `<rect x="${8 * k}" y="0" width="8" height="12" fill="${fill(k)}"/>`);
  get("legend-lines").replaceChildren(
    entry("cells: neighbors differ in color", fills.join("")),
    ...found.slice(0, 8).map((k) => entry(`folds of layer ${k}`, stroke(layers()[k % 7], 2))),
    entry("sides of the cube", stroke(ink(), 2)),
  );
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
  if (arrays.curve && drawn.colors) out.push(entry("output", stroke(paper(), 6) + stroke(ink(), 2.5)));
  const dash = arrays.curve ? "0 5" : ""; // as it is drawn beside the graph, which has the same color
  if (drawn.boundary && arrays.boundary?.length) out.push(entry(zeroName(mesh), stroke(paper(), 6) + stroke(ink(), 3, dash)));
  if (arrays.target && drawn.folds) out.push(entry("target", stroke(layers()[2], 2, "4 3")));
  if (drawn.points && arrays.points && facts.is_classes && facts.n_outputs === 1) {
    const [first, second] = classes();
    out.push(entry(className.of(mesh, 0), `<rect x="8" y="2" width="8" height="8" fill="${first}"/>`));
    out.push(entry(className.of(mesh, 1), `<circle cx="12" cy="6" r="4.5" fill="${second}"/>`));
  }
  if (drawn.points && arrays.points?.length && !arrays.frame && !facts.is_classes)
    out.push(entry("data", `<rect x="8" y="2" width="8" height="8" fill="${ink()}"/>`));
  if (drawn.points && arrays.held?.includes(1))
    out.push(entry("held out", `<circle cx="12" cy="6" r="4" fill="${paper()}" stroke="${ink()}" stroke-width="1.5"/>`));
  return out;
}

/** @param {string} color @param {number} width @param {string} [dash] */
const stroke = (color, width, dash = "") =>
  `<path d="M0 6H24" stroke="${color}" stroke-width="${width}" stroke-linecap="round" stroke-dasharray="${dash}"/>`;

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
