// Small charts as SVG: what happened over training, the graph along a segment.
// @ts-check
import { digits, grouped } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";

/** @param {string} name @param {Record<string, string | number>} attributes @returns {SVGElement} */
function element(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}

/**
 * A line through points, with a dashed limit, a dot at the present, and another line on the same axes; and where these end.
 * @param {[number, number][]} points @param {string} label
 * @param {{limit?: number, now?: number, log?: boolean, other?: [number, number][]}} [options]
 */
export function line(points, label, { limit, now, log, other = [] } = {}) {
  const svg = element("svg", { viewBox: "0 0 100 40", preserveAspectRatio: "none", role: "img", "aria-label": label });
  if (!points.length) return { svg, ends: [0, 0] };
  const up = (/** @type {number} */ y) => (log ? Math.log10(Math.max(y, 1e-12)) : y);
  const ys = points.map(([, y]) => up(y));
  const all = [...ys, ...other.map(([, y]) => up(y))];
  let [low, high] = [Math.min(...all), Math.max(...all)];
  const seen = [...points, ...other].map(([, y]) => y);
  svg.append(element("path", { class: "base", d: "M2 38.5 H98" }));
  const nearLimit = limit !== undefined && up(limit) < high + 2 * (high - low || 1);
  if (limit !== undefined && nearLimit) high = Math.max(high, up(limit));
  if (high - low < 1e-12) [low, high] = [low - 1, high + 1];
  const [x0, x1] = [points[0][0], points[points.length - 1][0]];
  const at = (/** @type {number} */ x, /** @type {number} */ y) =>
    `${((x - x0) / (x1 - x0 || 1)) * 96 + 2} ${37 - ((y - low) / (high - low)) * 34}`;
  if (limit !== undefined && nearLimit)
    svg.append(element("path", { class: "limit", d: `M${at(x0, up(limit))} L${at(x1 === x0 ? x0 + 1 : x1, up(limit))}` }));
  svg.append(element("path", { class: "stroke", d: "M" + points.map(([x], i) => at(x, ys[i])).join("L") }));
  if (other.length) svg.append(element("path", { class: "second", d: "M" + other.map(([x, y]) => at(x, up(y))).join("L") }));
  const index = now === undefined ? -1 : points.findIndex(([x]) => x >= now);
  if (index >= 0) {
    svg.append(element("path", { class: "now", d: `M${at(points[index][0], ys[index])}h0` })); // round at any size
  }
  return { svg, ends: [Math.min(...seen), Math.max(...seen, limit !== undefined && nearLimit ? limit : -Infinity)] };
}

/** @typedef {{step: number, loss: number | null, held: number | null, regions: number | null, length: number | null}} Past */

/**
 * Loss, regions, their bound and the length of the path's image over training.
 * @param {HTMLElement} place @param {Past[]} past @param {number} step @param {Record<string, any>} facts
 */
export function sparklines(place, past, step, facts) {
  const bound = facts.bounds[0];
  const noun = facts.dimension === 1 ? "pieces" : "regions";
  const series = (/** @type {keyof Past} */ key) =>
    /** @type {[number, number][]} */ (past.filter((p) => p[key] !== null).map((p) => [p.step, p[key]]));
  const path = facts.lengths?.path ?? "path";
  /** @type {[string, keyof Past, (v: number) => string, {limit?: number, log?: boolean, other?: [number, number][]}][]} */
  const rows = [
    [facts.held_loss === null ? "loss" : "loss, – held out", "loss", digits, { log: true, other: series("held") }],
    [`${noun} (exact)`, "regions", grouped, bound?.value ? { limit: bound.value } : {}],
    [`length of the ${path}'s image (${facts.lengths?.kind ?? "exact"})`, "length", digits, {}],
  ];
  place.replaceChildren();
  for (const [name, key, show, options] of rows) {
    const points = series(key);
    if (!points.length) continue;
    const row = document.createElement("div");
    row.className = "spark";
    const now = points.find(([s]) => s === step) ?? points[points.length - 1];
    const value = document.createElement("output");
    value.textContent = show(now[1]);
    const [first, last] = [points[0], points[points.length - 1]];
    if (last[0] === first[0]) {
      row.classList.add("still");
      row.append(Object.assign(document.createElement("span"), { textContent: name }), value);
      place.append(row);
      continue;
    }
    const words = `${name} from step ${first[0]} to ${last[0]}: ${show(first[1])} to ${show(last[1])}`;
    const { svg, ends } = line(points, words, { ...options, now: step });
    row.append(Object.assign(document.createElement("span"), { textContent: name }), svg, value);
    if (ends[1] > ends[0]) svg.before(range(ends.map(show)));
    const steps = Object.assign(document.createElement("div"), { className: "ends" });
    steps.append(...[first, last].map(([s]) => Object.assign(document.createElement("span"), { textContent: `step ${s}` })));
    row.append(steps);
    place.append(row);
  }
  if (bound?.value) {
    const note = document.createElement("p");
    note.className = "quiet";
    note.textContent = `at most ${grouped(bound.value)} ${noun} for these widths (${bound.name})`;
    place.append(note);
  }
}

/** The axis of values: the highest above the lowest. @param {string[]} ends */
function range([low, high]) {
  const made = Object.assign(document.createElement("div"), { className: "range" });
  made.append(...[high, low].map((text) => Object.assign(document.createElement("span"), { textContent: text })));
  return made;
}

/** The output along the drawn segment. @param {HTMLElement} place @param {Record<string, any>} arrays */
export function pathGraph(place, { path_t, path_y }) {
  place.replaceChildren();
  if (!path_t) return;
  const points = /** @type {[number, number][]} */ ([...path_t].map((t, i) => [t, path_y[i]]));
  place.append(line(points, `output along the segment, ${points.length - 1} pieces`).svg);
}
