// How large the neurons of a diagram are.
// @ts-check

const [LARGEST, SMALLEST, GAP, HEAD, TIGHT, BETWEEN] = [44, 14, 3, 80, 30, 24];

/**
 * The size of neurons that fills a place: as large as fits, in several columns if a layer is long.
 * @param {number} width @param {number} height @param {number[]} sizes
 */
export function fit(width, height, sizes) {
  for (const isTight of [false, true]) {
    for (let size = LARGEST; size >= SMALLEST; size -= 2) {
      const perColumn = Math.max(1, Math.floor(height / (size + GAP)));
      const columns = sizes.map((n) => Math.ceil(n / perColumn) * (size + GAP));
      const needed = columns.reduce((sum, column) => sum + Math.max(column, isTight ? TIGHT : HEAD) + BETWEEN, 0);
      if (needed <= width || (isTight && size === SMALLEST)) return { size, isTight, perColumn };
    }
  }
  return { size: SMALLEST, isTight: true, perColumn: 1 };
}
