// How large things are that fill a place: the neurons of a diagram, the letters of a view.
// @ts-check

/** In pixels where letters have 15 of them; what is larger grows with the letters. */
const [LARGEST, SMALLEST, GAP, HEAD, TIGHT, BETWEEN, LETTERS] = [44, 14, 3, 80, 30, 24, 15];

/**
 * The size of neurons that fills a place: as large as fits, in several columns if a layer is long.
 * @param {number} width @param {number} height @param {number[]} sizes @param {number} letters their size on this page
 */
export function fit(width, height, sizes, letters = LETTERS) {
  const scale = Math.max(1, letters / LETTERS);
  const head = HEAD * scale;
  for (const isTight of [false, true]) {
    for (let size = 2 * Math.round((LARGEST * scale) / 2); size >= SMALLEST; size -= 2) {
      const perColumn = Math.max(1, Math.floor(height / (size + GAP)));
      const columns = sizes.map((n) => Math.ceil(n / perColumn) * (size + GAP));
      const needed = columns.reduce((sum, column) => sum + Math.max(column, isTight ? TIGHT : head) + BETWEEN, 0);
      if (needed <= width || (isTight && size === SMALLEST)) return { size, isTight, perColumn };
    }
  }
  return { size: SMALLEST, isTight: true, perColumn: 1 };
}

/** Letters of views that write on their canvas: larger on a wall. @param {number} width @param {number} height */
export const letterSize = (width, height) => Math.max(12, Math.min(20, Math.min(width, height) / 40));
