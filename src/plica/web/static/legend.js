// What the colors of the picture say.
// @ts-check
import { css } from "./colors.js";
import { get } from "./page.js";
import { N_FILLS, range, scale } from "./paint.js";
import { digits } from "./words.js";

/** @typedef {import("./mesh.js").Mesh} Mesh */

/** @type {Record<string, string>} */
const NAMES = {
  output: "output",
  gradient: "gradient norm",
  error: "mean error in each cell, estimated",
  pattern: "neighboring patterns differ in color",
};

/** @param {Mesh} mesh @param {string} color */
export function showLegend(mesh, color) {
  const isPattern = color === "pattern";
  const [low, high] = range(mesh, color);
  get("legend-name").textContent = NAMES[color];
  get("legend-low").textContent = isPattern ? "" : digits(low);
  get("legend-high").textContent = isPattern ? "" : digits(high);
  const stops = isPattern ? patternStops(mesh) : Array.from({ length: 14 }, (_, i) => css(scale(mesh, color), i / 13));
  get("legend-bar").style.background = `linear-gradient(to right, ${stops.join(",")})`;
  get("legend").setAttribute(
    "aria-label",
    isPattern ? NAMES[color] : `colors from ${digits(low)} to ${digits(high)}: ${NAMES[color]}`,
  );
}

/** The colors that cells have, side by side with sharp edges. @param {Mesh} mesh @returns {string[]} */
function patternStops(mesh) {
  const used = [...new Set([...(mesh.arrays.colors ?? [])].map((k) => k % N_FILLS))].sort((a, b) => a - b);
  const share = 100 / Math.max(used.length, 1);
  return used.flatMap((k, i) => {
    const fill = css("pattern", (k + 0.5) / N_FILLS);
    return [`${fill} ${i * share}%`, `${fill} ${(i + 1) * share}%`];
  });
}
