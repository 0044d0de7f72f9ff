// The picture as geometry: cells, their neighbors, and which one a point is in.
// @ts-check

/** @typedef {Record<string, any>} Arrays */

export class Mesh {
  /** @param {Record<string, any>} facts @param {Arrays} arrays */
  constructor(facts, arrays) {
    this.facts = facts;
    this.arrays = arrays;
    this.n = arrays.first.length - 1;
    /** @type {[number, number, number, number]} */
    this.window = facts.window;
    /** @type {Int32Array[] | null} */
    this.buckets = null;
    /** @type {Map<number, number[]> | null} */
    this.around = null;
  }

  /** The corners of a cell in units of the window. @param {number} cell @returns {[number, number][]} */
  polygon(cell) {
    const { first, corners, vertices } = this.arrays;
    const out = [];
    for (let i = first[cell]; i < first[cell + 1]; i++)
      out.push(/** @type {[number, number]} */ ([vertices[2 * corners[i]], vertices[2 * corners[i] + 1]]));
    return out;
  }

  /** @param {number} cell @returns {[number, number]} */
  center(cell) {
    const points = this.polygon(cell);
    const sum = points.reduce(([a, b], [x, y]) => [a + x, b + y], [0, 0]);
    return [sum[0] / points.length, sum[1] / points.length];
  }

  /**
   * From units of the window to the coordinates of the picture.
   * @param {number} u @param {number} v @returns {[number, number]}
   */
  place(u, v) {
    const [a, b, c, d] = this.window;
    return [a + u * (b - a), c + v * (d - c)];
  }

  /** The cell at a point in units of the window, -1 outside. @param {number} u @param {number} v */
  at(u, v) {
    if (!(u >= 0 && u <= 1 && v >= 0 && v <= 1)) return -1;
    const buckets = this.index();
    const bucket = buckets[Math.min(Math.floor(v * GRID), GRID - 1) * GRID + Math.min(Math.floor(u * GRID), GRID - 1)];
    for (const cell of bucket) if (this.holds(cell, u, v)) return cell;
    return -1;
  }

  /** @param {number} cell @param {number} u @param {number} v */
  holds(cell, u, v) {
    const { first, corners, vertices } = this.arrays;
    const [start, end] = [first[cell], first[cell + 1]];
    for (let i = start; i < end; i++) {
      const a = 2 * corners[i];
      const b = 2 * corners[i + 1 < end ? i + 1 : start];
      const turn =
        (vertices[b] - vertices[a]) * (v - vertices[a + 1]) - (vertices[b + 1] - vertices[a + 1]) * (u - vertices[a]);
      if (turn < -1e-9) return false;
    }
    return true;
  }

  /** Cells by the squares of a grid that their boxes meet. @returns {Int32Array[]} */
  index() {
    if (this.buckets) return this.buckets;
    const { first, corners, vertices } = this.arrays;
    /** @type {number[][]} */
    const lists = Array.from({ length: GRID * GRID }, () => []);
    for (let cell = 0; cell < this.n; cell++) {
      let [x0, x1, y0, y1] = [1, 0, 1, 0];
      for (let i = first[cell]; i < first[cell + 1]; i++) {
        const [x, y] = [vertices[2 * corners[i]], vertices[2 * corners[i] + 1]];
        x0 = Math.min(x0, x);
        x1 = Math.max(x1, x);
        y0 = Math.min(y0, y);
        y1 = Math.max(y1, y);
      }
      const [i0, i1, j0, j1] = [x0, x1, y0, y1].map((c) => Math.min(Math.max(Math.floor(c * GRID), 0), GRID - 1));
      for (let j = j0; j <= j1; j++) for (let i = i0; i <= i1; i++) lists[j * GRID + i].push(cell);
    }
    this.buckets = lists.map((list) => Int32Array.from(list));
    return this.buckets;
  }

  /** The cells that share a fold with a cell. @param {number} cell @returns {number[]} */
  neighbors(cell) {
    if (!this.around) {
      this.around = new Map();
      const { edge_cells } = this.arrays;
      for (let i = 0; i < edge_cells.length; i += 2) {
        const [a, b] = [edge_cells[i], edge_cells[i + 1]];
        if (a < 0 || b < 0) continue;
        this.link(a, b);
        this.link(b, a);
      }
    }
    return this.around.get(cell) ?? [];
  }

  /** @param {number} a @param {number} b */
  link(a, b) {
    const list = this.around?.get(a);
    if (!list) this.around?.set(a, [b]);
    else if (!list.includes(b)) list.push(b);
  }

  /** The neighbor whose center lies most in a direction. @param {number} cell @param {number} dx @param {number} dy */
  toward(cell, dx, dy) {
    const [x, y] = this.center(cell);
    let [best, score] = [-1, 0.05];
    for (const other of this.neighbors(cell)) {
      const [ox, oy] = this.center(other);
      const along = ((ox - x) * dx + (oy - y) * dy) / (Math.hypot(ox - x, oy - y) || 1);
      if (along > score) [best, score] = [other, along];
    }
    return best;
  }
}

const GRID = 64;
