// Colors: cividis for magnitudes, blue to vermilion for signed values, Okabe-Ito for categories.
// @ts-check

/** @typedef {[number, number, number]} Rgb */

const CIVIDIS = ["#00224e", "#123570", "#3b496c", "#575d6d", "#707173", "#8a8678", "#a59c74", "#c3b369", "#e1cc55", "#fee838"];
const FILLS = {
  light: ["#94cff2", "#f0c670", "#73c9ae", "#f6ee93", "#e0b0cb", "#72acd6", "#e89a72"],
  dark: ["#2b6f99", "#8f6508", "#0a6a50", "#8f881d", "#80466a", "#0a4d7a", "#8a3f05"],
};
const LAYERS = {
  light: ["#1b1b1b", "#00694d", "#a03f78", "#004f7d", "#8a5a00", "#2c6f9c", "#8f3d00"],
  dark: ["#f2f0ea", "#49d9ae", "#f0a9d0", "#79c0ff", "#ffc24d", "#a5dcff", "#ff9a5c"],
};
const SIGNED = { light: ["#0072b2", "#f7f5f0", "#d55e00"], dark: ["#3fa0e6", "#16181c", "#f08a3c"] };
export const CLASSES = { light: ["#00507d", "#a34700"], dark: ["#8fd0ff", "#ffb27a"] };

/** @param {string} hex @returns {Rgb} */
export function rgb(hex) {
  const parts = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255);
  return /** @type {Rgb} */ (parts);
}

/** @param {string[]} stops @param {number} t @returns {Rgb} */
function along(stops, t) {
  const place = Math.min(Math.max(t, 0), 1) * (stops.length - 1);
  const i = Math.min(Math.floor(place), stops.length - 2);
  const [a, b] = [rgb(stops[i]), rgb(stops[i + 1])];
  // mixed in linear light, so that the middle is not muddy
  return /** @type {Rgb} */ (a.map((c, k) => ((1 - (place - i)) * c ** 2.2 + (place - i) * b[k] ** 2.2) ** (1 / 2.2)));
}

const system = matchMedia("(prefers-color-scheme: dark)");

export function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen === "dark" || (chosen !== "light" && system.matches);
}

/** @returns {"light" | "dark"} */
export const mode = () => (isDark() ? "dark" : "light");

/** @type {Map<string, {bytes: Uint8Array<ArrayBuffer>, css: string[]}>} */
const tables = new Map();

/** 256 colors, as bytes and as CSS: what a value in [0, 1] looks like. @param {string} color */
export function table(color) {
  const key = `${color} ${mode()}`;
  const known = tables.get(key);
  if (known) return known;
  const bytes = new Uint8Array(256 * 4);
  const names = [];
  const fills = FILLS[mode()];
  for (let i = 0; i < 256; i++) {
    const c = color === "pattern" ? rgb(fills[Math.min(Math.floor((i * 7) / 256), 6)]) : along(color === "output" ? SIGNED[mode()] : CIVIDIS, i / 255);
    const [r, g, b] = c.map((x) => Math.round(255 * x));
    bytes.set([r, g, b, 255], 4 * i);
    names.push(`rgb(${r} ${g} ${b})`);
  }
  const made = { bytes, css: names };
  tables.set(key, made);
  return made;
}

/** @param {string} color @param {number} t */
export const css = (color, t) => table(color).css[Math.round(255 * Math.min(Math.max(t, 0), 1))];

/** The colors of folds, by layer. @returns {string[]} */
export const layers = () => LAYERS[mode()];

/** The color of cells about which nothing is known. @returns {string} */
export const neutral = () => (isDark() ? "#2a2d33" : "#e4e2dc");

/** @returns {string} */
export const ink = () => (isDark() ? "#f2f0ea" : "#1b1b1b");
/** @returns {string} */
export const paper = () => (isDark() ? "#14161a" : "#ffffff");
