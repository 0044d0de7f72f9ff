// From many dimensions to the two that show most: the first principal directions, turned so that a movie of them is calm.
// @ts-check

/** @typedef {{points: Float64Array, share: number}} Flat two numbers for each point, and their part of the variance */

/** @param {Float64Array} rows @param {number} width numbers in each row @returns {Flat} */
export function flatten(rows, width) {
  const n = rows.length / width;
  const points = new Float64Array(2 * n);
  if (width <= 2) {
    for (let i = 0; i < n; i++) for (let k = 0; k < width; k++) points[2 * i + k] = rows[i * width + k];
    return { points, share: 1 };
  }
  const mean = new Float64Array(width);
  for (let i = 0; i < rows.length; i++) mean[i % width] += rows[i] / n;
  const matrix = new Float64Array(width * width);
  for (let p = 0; p < n; p++)
    for (let i = 0; i < width; i++)
      for (let j = i; j < width; j++)
        matrix[i * width + j] += (rows[p * width + i] - mean[i]) * (rows[p * width + j] - mean[j]);
  let total = 0;
  for (let i = 0; i < width; i++) {
    total += matrix[i * width + i];
    for (let j = 0; j < i; j++) matrix[i * width + j] = matrix[j * width + i];
  }
  const [a, b] = leading(matrix, width);
  for (let p = 0; p < n; p++) {
    for (let i = 0; i < width; i++) {
      points[2 * p] += (rows[p * width + i] - mean[i]) * a.vector[i];
      points[2 * p + 1] += (rows[p * width + i] - mean[i]) * b.vector[i];
    }
  }
  return { points, share: total > 0 ? (a.value + b.value) / total : 1 };
}

/** The two largest eigenvalues of a symmetric matrix, by iteration. @param {Float64Array} matrix @param {number} n */
function leading(matrix, n) {
  const found = [];
  for (let k = 0; k < 2; k++) {
    let vector = Float64Array.from({ length: n }, (_, i) => Math.cos(1 + 7 * i + k));
    let value = 0;
    for (let round = 0; round < 60; round++) {
      for (const { vector: other } of found) {
        const along = vector.reduce((sum, x, i) => sum + x * other[i], 0);
        vector = vector.map((x, i) => x - along * other[i]);
      }
      const next = new Float64Array(n);
      for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) next[i] += matrix[i * n + j] * vector[j];
      value = Math.hypot(...next);
      if (!(value > 0)) break;
      vector = next.map((x) => x / value);
    }
    found.push({ vector, value });
  }
  return found;
}

/** Turn or mirror points so that they lie nearest to others. @param {Float64Array} points @param {Float64Array} others */
export function aligned(points, others) {
  let [xx, xy, yx, yy] = [0, 0, 0, 0];
  for (let i = 0; i < points.length; i += 2) {
    xx += points[i] * others[i];
    xy += points[i] * others[i + 1];
    yx += points[i + 1] * others[i];
    yy += points[i + 1] * others[i + 1];
  }
  const [turn, flip] = [Math.hypot(xx + yy, xy - yx), Math.hypot(xx - yy, xy + yx)];
  const angle = turn >= flip ? Math.atan2(xy - yx, xx + yy) : Math.atan2(xy + yx, xx - yy);
  const [c, s, m] = [Math.cos(angle), Math.sin(angle), turn >= flip ? 1 : -1];
  const out = new Float64Array(points.length);
  for (let i = 0; i < points.length; i += 2) {
    out[i] = c * points[i] - m * s * points[i + 1];
    out[i + 1] = s * points[i] + m * c * points[i + 1];
  }
  return out;
}

/**
 * The middle of points, and by what they grow to fill the square from -1 to 1.
 * @typedef {{x: number, y: number, scale: number}} Box
 */

/** @param {Float64Array} points @returns {Box} */
export function boxOf(points) {
  let [x0, x1, y0, y1] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let i = 0; i < points.length; i += 2) {
    x0 = Math.min(x0, points[i]);
    x1 = Math.max(x1, points[i]);
    y0 = Math.min(y0, points[i + 1]);
    y1 = Math.max(y1, points[i + 1]);
  }
  return { x: (x0 + x1) / 2, y: (y0 + y1) / 2, scale: 2 / (Math.max(x1 - x0, y1 - y0) || 1) };
}

/** Move and scale points into the square from -1 to 1. @param {Float64Array} points */
export function fitted(points) {
  const { x: left, y: low, scale } = boxOf(points);
  return points.map((x, i) => (x - (i % 2 ? low : left)) * scale);
}
