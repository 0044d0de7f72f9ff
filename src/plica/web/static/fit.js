// How large things are that fill a place: the neurons of a diagram, the letters of a view.
// @ts-check

/** In pixels where letters have 15 of them; what is larger grows with the letters. */
const [LARGEST, SMALLEST, TIGHT, LETTERS] = [44, 14, 30, 15];
/** What stands over inputs, layers and outputs with plus and minus, and the least that is between. */
const [INPUTS, LAYER, OUTPUTS, APART] = [104, 74, 44, 6];
/** The least size, and what is between neurons and between layers: as it should be, and where there are too many for that. */
const [WIDE, DENSE] = [
  { least: SMALLEST, gap: 3, between: 24 },
  { least: 4, gap: 1, between: 10 },
];

/**
 * The size of neurons that fills a place: as large as fits, in several columns if a layer is long.
 * @param {number} width @param {number} height @param {number[]} sizes @param {number} letters their size on this page
 */
export function fit(width, height, sizes, letters = LETTERS) {
  const scale = Math.max(1, letters / LETTERS);
  const heads = sizes.map((_, k) => scale * (k === 0 ? INPUTS : k + 1 < sizes.length ? LAYER : OUTPUTS));
  let found = { size: SMALLEST, isTight: true, perColumn: 1, gap: WIDE.gap };
  for (const [isTight, { least, gap, between }] of /** @type {const} */ ([[false, WIDE], [true, WIDE], [true, DENSE]])) {
    for (let size = least < SMALLEST ? SMALLEST : 2 * Math.round((LARGEST * scale) / 2); size >= least; size -= 2) {
      const perColumn = Math.max(1, Math.floor(height / (size + gap)));
      const columns = sizes.map((n) => Math.ceil(n / perColumn) * (size + gap));
      const wide = columns.map((column, k) =>
        isTight ? Math.max(column, TIGHT) + between : Math.max(column + between, heads[k] + APART),
      );
      const needed = wide.reduce((sum, column) => sum + column, 0);
      found = { size, isTight, perColumn, gap };
      if (needed <= width) return found;
    }
  }
  return found;
}

/** Letters of views that write on their canvas: larger on a wall. @param {number} width @param {number} height */
export const letterSize = (width, height) => Math.max(12, Math.min(20, Math.min(width, height) / 40));
