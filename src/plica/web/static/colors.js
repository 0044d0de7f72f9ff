// Colors: cividis for magnitudes, blue to vermilion for signed values, Okabe-Ito for categories.
// @ts-check

/** @typedef {[number, number, number]} Rgb */

/**
 * @typedef {object} Scheme what is drawn with, on one kind of paper
 * @property {string[]} fills of neighboring patterns
 * @property {string[]} areas of many classes
 * @property {string[]} layers of folds
 * @property {string[]} signed from low over the middle to high
 * @property {string[]} classes of data points
 * @property {string} neutral of cells about which nothing is known
 * @property {string} ink
 * @property {string} paper
 */

/** @type {{magnitudes: string[], light: Scheme, dark: Scheme}} */
let colors;

/** Take the palette that the server sent. @param {typeof colors} sent */
export function usePalette(sent) {
  colors = sent;
}

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
/** What the system prefers, kept: to ask it lays out the whole page, and every line that is drawn has a color. */
let prefersDark = system.matches;
system.addEventListener("change", () => (prefersDark = system.matches));

/** Whether the page around what is drawn is dark: what was chosen in it, else what the system prefers. */
let asked = () => {
  const chosen = document.documentElement.dataset.theme;
  return chosen === "dark" || (chosen !== "light" && prefersDark);
};

/** Let somebody else's page say whether it is dark. @param {() => boolean} ask */
export function useDarkness(ask) {
  asked = ask;
}

export const isDark = () => asked();

/** @returns {"light" | "dark"} */
export const mode = () => (isDark() ? "dark" : "light");

/** @type {Map<string, {bytes: Uint8Array<ArrayBuffer>, css: string[]}>} */
const tables = new Map();

/** Colors of a scale in steps. */
const N_STEPS = 10;
const step = (/** @type {number} */ i) => (Math.min(Math.floor((i * N_STEPS) / 255), N_STEPS - 1) + 0.5) / N_STEPS;

/** Whether a table has steps: of signed values, or of magnitudes. @param {string} color */
const stepped = (color) => color === "steps" || color === "levels";

/** 256 colors, as bytes and as CSS: what a value in [0, 1] looks like. @param {string} color */
export function table(color) {
  const key = `${color} ${mode()}`;
  const known = tables.get(key);
  if (known) return known;
  const bytes = new Uint8Array(256 * 4);
  const names = [];
  const { signed } = scheme();
  const fills = color === "areas" ? scheme().areas : scheme().fills;
  for (let i = 0; i < 256; i++) {
    const c =
      color === "pattern" || color === "areas"
        ? rgb(fills[Math.min(Math.floor((i * fills.length) / 256), fills.length - 1)])
        : color === "class"
          ? along(signed, i < 128 ? 0.2 : 0.8)
          : along(color === "output" || color === "steps" ? signed : colors.magnitudes, stepped(color) ? step(i) : i / 255);
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

/** The colors of what is drawn beside cells: folds, points, letters, paper. */
export const scheme = () => colors[mode()];

/** The colors of folds, by layer. @returns {string[]} */
export const layers = () => scheme().layers;
/** The color of cells about which nothing is known. @returns {string} */
export const neutral = () => scheme().neutral;
/** What is behind cells, and in those about which nothing is known: of a graph, paper. @param {number} [dimension] */
export const ground = (dimension) => (dimension === 1 ? paper() : neutral());
/** @returns {string} */
export const ink = () => scheme().ink;
/** @returns {string} */
export const paper = () => scheme().paper;
/** The colors of the two classes of points. @returns {string[]} */
export const classes = () => scheme().classes;
/** The colors of many classes next to each other. @returns {string[]} */
export const areas = () => scheme().areas;
