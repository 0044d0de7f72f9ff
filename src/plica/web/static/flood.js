// Colors up to the exact boundary: squares around samples become areas between lines.
// @ts-check

/** A pixel on a line, and one that was not reached. */
const [LINE, OPEN] = [-2, -1];

/**
 * What each pixel of a square answers: what the samples in its area between the lines answer, where these are one; the nearest
 * sample elsewhere. Rows go down.
 * @param {number} size pixels of a side @param {number} side samples of a side
 * @param {(column: number, row: number) => number} sample rows from above
 * @param {ArrayLike<number>} ends of lines, in pixels: four numbers each
 * @returns {Int32Array}
 */
export function flooded(size, side, sample, ends) {
  const nearest = (/** @type {number} */ at) =>
    sample(Math.floor(((at % size) * side) / size), Math.floor((Math.floor(at / size) * side) / size));
  const area = new Int32Array(size * size).fill(OPEN);
  for (let i = 0; i < ends.length; i += 4) trace(area, size, ends[i], ends[i + 1], ends[i + 2], ends[i + 3]);
  const answers = mark(area, size, side, sample);
  const out = new Int32Array(size * size);
  for (let at = 0; at < out.length; at++) {
    const here = area[at] >= 0 ? answers[area[at]] : beside(area, answers, at, size);
    out[at] = here >= 0 ? here : nearest(at);
  }
  const around = size >= 2 * side ? [-1, 0] : [0]; // pixels that touch the place of a sample
  for (let row = 0; row < side; row++)
    for (let column = 0; column < side; column++)
      for (const up of around)
        for (const back of around)
          out[(middle(row, size, side) + up) * size + middle(column, size, side) + back] = sample(column, row);
  return out;
}

/** The pixel at the middle of a sample's square. @param {number} i @param {number} size @param {number} side */
const middle = (i, size, side) => Math.floor(((i + 0.5) * size) / side);

/**
 * Number the areas, and say what the samples in each answer; OPEN where they disagree or where there is none.
 * @param {Int32Array} area @param {number} size @param {number} side @param {(column: number, row: number) => number} sample
 */
function mark(area, size, side, sample) {
  /** @type {number[]} */
  const answers = [];
  const todo = new Int32Array(size * size);
  for (let row = 0; row < side; row++)
    for (let column = 0; column < side; column++) {
      const start = middle(row, size, side) * size + middle(column, size, side);
      const answer = sample(column, row);
      if (area[start] === LINE) continue;
      if (area[start] >= 0) {
        if (answers[area[start]] !== answer) answers[area[start]] = OPEN;
        continue;
      }
      const name = answers.push(answer) - 1;
      let n = 0;
      area[(todo[n++] = start)] = name;
      while (n) {
        const at = todo[--n];
        const x = at % size;
        if (x > 0 && area[at - 1] === OPEN) area[(todo[n++] = at - 1)] = name;
        if (x + 1 < size && area[at + 1] === OPEN) area[(todo[n++] = at + 1)] = name;
        if (at >= size && area[at - size] === OPEN) area[(todo[n++] = at - size)] = name;
        if (at + size < area.length && area[at + size] === OPEN) area[(todo[n++] = at + size)] = name;
      }
    }
  return answers;
}

/**
 * What an area next to a line answers.
 * @param {Int32Array} area @param {number[]} answers @param {number} at @param {number} size
 */
function beside(area, answers, at, size) {
  for (const step of [-1, 1, -size, size]) if (area[at + step] >= 0) return answers[area[at + step]];
  return OPEN;
}

/**
 * Every pixel that a line goes through.
 * @param {Int32Array} area @param {number} size @param {number} x0 @param {number} y0 @param {number} x1 @param {number} y1
 */
function trace(area, size, x0, y0, x1, y1) {
  const steps = 3 * Math.ceil(Math.max(Math.abs(x1 - x0), Math.abs(y1 - y0), 1));
  let [lastX, lastY] = [NaN, NaN];
  for (let i = 0; i <= steps; i++) {
    const [x, y] = [Math.floor(x0 + ((x1 - x0) * i) / steps), Math.floor(y0 + ((y1 - y0) * i) / steps)];
    if (x !== lastX && y !== lastY && i) put(area, size, lastX, y); // no way through between two that touch at a corner
    put(area, size, x, y);
    [lastX, lastY] = [x, y];
  }
}

/** @param {Int32Array} area @param {number} size @param {number} x @param {number} y */
function put(area, size, x, y) {
  if (x >= 0 && y >= 0 && x < size && y < size) area[y * size + x] = LINE;
}
