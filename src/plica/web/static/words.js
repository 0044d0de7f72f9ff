// Everything said in words: numbers, maps, the region in focus, the picture as a table.
// @ts-check

/** @typedef {import("./mesh.js").Mesh} Mesh */

/** @param {number} value */
export function digits(value) {
  if (!Number.isFinite(value)) return String(value);
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(2);
  return String(Number(value.toPrecision(4)));
}

const SMALL = "⁰¹²³⁴⁵⁶⁷⁸⁹";
/** A whole number as an exponent. @param {number | string} power */
export const raised = (power) => [...String(power)].map((digit) => SMALL[Number(digit)] ?? "⁻").join("");

/** @param {number} value */
export const grouped = (value) => (value >= 1e12 ? value.toExponential(2) : Math.round(value).toLocaleString("en-US"));

/** @param {number[] | Float64Array} map slopes and then the constant @param {boolean} isSlice */
export function mapText(map, isSlice) {
  const names = isSlice ? ["u", "v"] : ["x", "y"];
  const slopes = [...map].slice(0, -1);
  const used = names.slice(0, slopes.length);
  let text = "";
  [...slopes, map[map.length - 1]].forEach((value, i) => {
    if (value === 0 && (i < slopes.length || text)) return;
    const sign = value < 0 ? "−" : text ? "+" : "";
    const lead = text ? ` ${sign} ` : sign;
    text += `${lead}${digits(Math.abs(value))}${i < slopes.length ? " " + used[i] : ""}`;
  });
  return `f(${used.join(", ")}) = ${text || "0"}`;
}

/** Neurons of a layer whose states are written out. */
const MANY_STATES = 64;

/** Facts about a cell. @param {Mesh} mesh @param {number} cell @returns {[string, string][]} */
export function cellFacts(mesh, cell) {
  const { facts, arrays } = mesh;
  const isLine = facts.dimension === 1;
  const total = isLine
    ? facts.window[1] - facts.window[0]
    : (facts.window[1] - facts.window[0]) * (facts.window[3] - facts.window[2]);
  const k = facts.dimension + 1;
  /** @type {[string, string][]} */
  const out = [];
  const exact = facts.kind === "exact";
  out.push([
    exact ? (isLine ? "piece" : "cell") : "sample",
    `${cell} of ${grouped(mesh.n)}` +
      (exact && facts.n_regions !== null ? `, region ${arrays.regions[cell]} of ${grouped(facts.n_regions)}` : ""),
  ]);
  if (arrays.maps)
    out.push([exact ? "map" : "map, estimated", mapText(arrays.maps.subarray(k * cell, k * cell + k), facts.widths[0] > 2)]);
  if (arrays.gradients) out.push(["gradient norm", digits(arrays.gradients[cell])]);
  out.push([isLine ? "length" : "area", `${digits(arrays.areas[cell])} (${digits((100 * arrays.areas[cell]) / total)} %)`]);
  if (exact) out.push(["neighbors", String(mesh.neighbors(cell).length)]);
  if (arrays.patterns)
    patternRows(mesh, cell).forEach((row, i) => {
      const active = [...row].filter((state) => state !== "0").length;
      out.push([`layer ${i}`, row.length > MANY_STATES ? `${active} of ${row.length} active` : row]);
    });
  return out;
}

/** @param {Mesh} mesh @param {number} cell @returns {string[]} */
function patternRows(mesh, cell) {
  const widths = mesh.facts.widths.slice(1, -1);
  const units = widths.reduce((/** @type {number} */ a, /** @type {number} */ b) => a + b, 0);
  let at = cell * units;
  return widths.map((/** @type {number} */ width) => {
    const states = Array.from({ length: width }, (_, i) => mesh.arrays.patterns.at(at + i));
    at += width;
    return states.join("");
  });
}

/** One sentence about a cell, for screen readers. @param {Mesh} mesh @param {number} cell */
export function cellSentence(mesh, cell) {
  if (cell < 0) return "no region in focus";
  const [u, v] = mesh.center(cell);
  const [x, y] = mesh.place(u, v);
  const facts = cellFacts(mesh, cell).filter(([name]) => !name.startsWith("layer"));
  const where = mesh.facts.dimension === 1 ? digits(x) : `${digits(x)}, ${digits(y)}`;
  return facts.map(([name, value]) => `${name} ${value}`).join("; ") + `; at ${where}`;
}

/** The picture in a few sentences. @param {Mesh} mesh @param {string} color */
export function pictureSentence(mesh, color) {
  const { facts } = mesh;
  const [a, b, c, d] = facts.window.map(digits);
  const where =
    facts.dimension === 1 ? `the interval from ${a} to ${b}` : `the rectangle x from ${a} to ${b}, y from ${c} to ${d}`;
  const net = facts.widths.length > 12 ? `${facts.n_layers} layers` : facts.widths.join("-");
  const noun = facts.dimension === 1 ? "pieces" : "regions";
  const count =
    facts.kind === "exact"
      ? facts.n_regions === null
        ? `has exactly ${grouped(facts.n_cells)} cells; they are too many to unite those with the same map`
        : `has exactly ${grouped(facts.n_regions)} ${noun} in ${grouped(facts.n_cells)} cells`
      : `is smooth and has no regions; its values are estimated from ${grouped(facts.n_samples)} samples`;
  const bound = facts.bounds[0]?.value
    ? ` No network of this shape has more than ${grouped(facts.bounds[0].value)} (${facts.bounds[0].name}).`
    : "";
  const loss = facts.loss === null ? "" : ` After ${grouped(facts.step)} training steps the loss is ${digits(facts.loss)}.`;
  const output = `Its output goes from ${digits(facts.low)} to ${digits(facts.high)}; the colors show the ${color}.`;
  return `On ${where} the network ${net} ${count}. ${output}${bound}${loss}`;
}

/** The largest cells as rows of a table. @param {Mesh} mesh @returns {string[][]} */
export function largestCells(mesh) {
  const { areas, maps } = mesh.arrays;
  const order = [...areas.keys()].sort((i, j) => areas[j] - areas[i]).slice(0, 12);
  const k = mesh.facts.dimension + 1;
  return order.map((cell) => {
    const [x, y] = mesh.place(...mesh.center(cell));
    const where = mesh.facts.dimension === 1 ? digits(x) : `(${digits(x)}, ${digits(y)})`;
    return [
      String(cell),
      where,
      digits(areas[cell]),
      maps ? mapText(maps.subarray(k * cell, k * cell + k), mesh.facts.widths[0] > 2) : "",
      String(mesh.neighbors(cell).length),
    ];
  });
}
