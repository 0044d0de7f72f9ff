// The network in the page: what every neuron makes of points, from the weights that came with the picture.
// @ts-check

/** @typedef {import("./mesh.js").Mesh} Mesh */
/** @typedef {{weights: Float64Array, bias: Float64Array, nIn: number, nOut: number}} Layer */

export class Forward {
  /** The network behind a picture, if its weights came along. @param {Mesh} mesh @returns {Forward | null} */
  static of(mesh) {
    const { facts, arrays } = mesh;
    return arrays.weights ? new Forward(facts.widths, facts.activations, arrays.weights, facts.leak, facts.dimension) : null;
  }

  /**
   * @param {number[]} widths @param {string[]} activations @param {Float64Array} weights @param {number} leak
   * @param {number} dimension of the picture, on which the first layer acts
   */
  constructor(widths, activations, weights, leak, dimension) {
    this.activations = activations;
    this.leak = leak;
    /** @type {Layer[]} */
    this.layers = [];
    const sizes = [dimension, ...widths.slice(1)];
    let at = 0;
    for (let i = 0; i + 1 < sizes.length; i++) {
      const [nIn, nOut] = [sizes[i], sizes[i + 1]];
      const end = at + nIn * nOut;
      this.layers.push({ weights: weights.subarray(at, end), bias: weights.subarray(end, end + nOut), nIn, nOut });
      at = end + nOut;
    }
  }

  /**
   * What each layer is before and after its activation at points of the picture, row after row; the last is the output.
   * @param {Float64Array} points
   * @returns {{before: Float64Array[], after: Float64Array[]}}
   */
  run(points) {
    const n = points.length / this.layers[0].nIn;
    const [before, after] = [/** @type {Float64Array[]} */ ([]), /** @type {Float64Array[]} */ ([])];
    let x = points;
    this.layers.forEach((layer, k) => {
      const z = product(layer, x, n);
      before.push(z);
      x = k < this.activations.length ? this.activate(k, z) : z;
      after.push(x);
    });
    return { before, after };
  }

  /** @param {number} k the layer @param {Float64Array} z */
  activate(k, z) {
    const name = this.activations[k];
    if (name === "tanh") return z.map(Math.tanh);
    if (name === "hard-tanh") return z.map((x) => Math.min(Math.max(x, -1), 1));
    const slope = name === "abs" ? -1 : name === "leaky-relu" ? this.leak : 0;
    return z.map((x) => (x > 0 ? x : slope * x));
  }

  /** Before its activation, where a neuron changes the piece that it is on. @param {number} k the layer @returns {number[]} */
  kinks(k) {
    return { tanh: [], "hard-tanh": [-1, 1] }[this.activations[k]] ?? [0];
  }
}

/** @param {Layer} layer @param {Float64Array} x @param {number} n */
function product({ weights, bias, nIn, nOut }, x, n) {
  const out = new Float64Array(n * nOut);
  for (let p = 0; p < n; p++) {
    for (let j = 0; j < nOut; j++) {
      let sum = bias[j];
      for (let i = 0; i < nIn; i++) sum += weights[j * nIn + i] * x[p * nIn + i];
      out[p * nOut + j] = sum;
    }
  }
  return out;
}

/**
 * The points of a grid over a window, row after row from below.
 * @param {number[]} window @param {number} side @param {number} dimension
 */
export function gridPoints([a, b, c, d], side, dimension) {
  if (dimension === 1) return Float64Array.from({ length: side }, (_, i) => a + ((i + 0.5) / side) * (b - a));
  const out = new Float64Array(2 * side * side);
  for (let j = 0; j < side; j++) {
    for (let i = 0; i < side; i++) {
      out[2 * (j * side + i)] = a + ((i + 0.5) / side) * (b - a);
      out[2 * (j * side + i) + 1] = c + ((j + 0.5) / side) * (d - c);
    }
  }
  return out;
}
