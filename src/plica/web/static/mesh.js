// The picture as geometry: cells, their neighbors, which one a point is in, and what the first layers alone would cut.
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
    /** @type {Map<number, {of: Uint32Array, count: number}>} */
    this.cuts = new Map();
    /** @type {Map<number, Uint8Array>} */
    this.fills = new Map();
  }

  /**
   * The cells that the first layers alone would cut: for each cell the number of the one it lies in. Cells on both sides of a
   * fold of a later layer are one, so the count is as exact as the folds are.
   * @param {number} depth
   */
  parts(depth) {
    const layers = Math.min(depth, this.facts.n_layers);
    const known = this.cuts.get(layers);
    if (known) return known;
    const { edge_cells, edge_layer } = this.arrays;
    const root = Uint32Array.from({ length: this.n }, (_, cell) => cell);
    const find = (/** @type {number} */ cell) => {
      while (root[cell] !== cell) cell = root[cell] = root[root[cell]];
      return cell;
    };
    for (let i = 0; i < edge_layer.length; i++) {
      const [a, b] = [edge_cells[2 * i], edge_cells[2 * i + 1]];
      if (edge_layer[i] >= layers && a >= 0 && b >= 0) root[find(a)] = find(b);
    }
    /** @type {Map<number, number>} */
    const numbers = new Map();
    const of = root.map((_, cell) => {
      const top = find(cell);
      if (!numbers.has(top)) numbers.set(top, numbers.size);
      return /** @type {number} */ (numbers.get(top));
    });
    const made = { of, count: numbers.size };
    this.cuts.set(layers, made);
    return made;
  }

  /** Colors for the cells of the first layers, other ones for neighbors. @param {number} depth @returns {Uint8Array} */
  coloring(depth) {
    const layers = Math.min(depth, this.facts.n_layers);
    const known = this.fills.get(layers);
    if (known) return known;
    const { of, count } = this.parts(layers);
    const { edge_cells } = this.arrays;
    /** @type {number[][]} */
    const around = Array.from({ length: count }, () => []);
    for (let i = 0; i < edge_cells.length; i += 2) {
      const [a, b] = [of[edge_cells[i]], of[edge_cells[i + 1]]];
      if (edge_cells[i] < 0 || edge_cells[i + 1] < 0 || a === b || around[a].includes(b)) continue;
      around[a].push(b);
      around[b].push(a);
    }
    const colors = colored(around);
    this.fills.set(layers, colors);
    return colors;
  }

  /** The output of a cell's map at a point in units of the window. @param {number} cell @param {number} u @param {number} v */
  output(cell, u, v) {
    const { maps } = this.arrays;
    const k = this.facts.dimension + 1;
    const point = this.place(u, v);
    let sum = maps[k * cell + k - 1];
    for (let i = 0; i + 1 < k; i++) sum += maps[k * cell + i] * point[i];
    return sum;
  }

  /** The edges on which a unit changes its state. @param {number} unit counted through all layers @returns {number[]} */
  foldOf(unit) {
    const { patterns, edge_cells } = this.arrays;
    if (!patterns) return [];
    const units = patterns.length / this.n;
    const out = [];
    for (let i = 0; i < edge_cells.length; i += 2) {
      const [a, b] = [edge_cells[i], edge_cells[i + 1]];
      if (a >= 0 && b >= 0 && patterns.at(a * units + unit) !== patterns.at(b * units + unit)) out.push(i / 2);
    }
    return out;
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

/**
 * Colors of a graph, the smallest that no neighbor has, those with the fewest neighbors last: at most six in a plane.
 * @param {number[][]} around @returns {Uint8Array}
 */
export function colored(around) {
  const left = around.map((list) => list.length);
  /** @type {number[][]} */
  const buckets = [];
  left.forEach((degree, i) => (buckets[degree] ??= []).push(i));
  const isGone = new Uint8Array(around.length);
  const order = [];
  for (let degree = 0; degree < buckets.length; degree++) {
    const i = buckets[degree]?.pop();
    if (i === undefined) continue;
    degree = Math.max(-1, degree - 2); // a neighbor may now have one less
    if (isGone[i]) continue;
    isGone[i] = 1;
    order.push(i);
    for (const other of around[i]) if (!isGone[other]) (buckets[--left[other]] ??= []).push(other);
  }
  const colors = new Uint8Array(around.length).fill(255);
  for (const i of order.reverse()) {
    const taken = new Set(around[i].map((other) => colors[other]));
    let color = 0;
    while (taken.has(color)) color++;
    colors[i] = color;
  }
  return colors;
}
