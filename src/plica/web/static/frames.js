// Messages with arrays in them, as the server packs them.
// @ts-check

/** @typedef {Float32Array | Float64Array | Uint8Array | Int8Array | Uint32Array | Int32Array} Numbers */
/** @typedef {Record<string, any>} Facts */

/** Truth values, eight in a byte. */
export class Bits {
  /** @param {ArrayBuffer} buffer @param {number} offset @param {number} length */
  constructor(buffer, offset, length) {
    this.bytes = new Uint8Array(buffer, offset, Math.ceil(length / 8));
    this.length = length;
  }

  /** As of other arrays. @param {number} i @returns {number} */
  at(i) {
    return (this.bytes[i >> 3] >> (i & 7)) & 1;
  }
}

/** @type {Record<string, new (buffer: ArrayBuffer, offset: number, length: number) => Numbers | Bits>} */
const TYPES = {
  float32: Float32Array,
  float64: Float64Array,
  uint8: Uint8Array,
  int8: Int8Array,
  uint32: Uint32Array,
  int32: Int32Array,
  bool: Bits,
};

/**
 * The number of a reply, its facts and its arrays.
 * @param {ArrayBuffer} buffer
 * @returns {{number: number, facts: Facts, arrays: Record<string, any>}}
 */
export function unpack(buffer) {
  const view = new DataView(buffer);
  const number = view.getUint32(0, true);
  const length = view.getUint32(8, true);
  const facts = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 12, length)));
  const start = 8 + Math.ceil((4 + length) / 8) * 8;
  /** @type {Record<string, any>} */
  const arrays = {};
  for (const { name, type, shape, offset } of facts.arrays) {
    const count = shape.reduce((/** @type {number} */ a, /** @type {number} */ b) => a * b, 1);
    arrays[name] = new TYPES[type](buffer, start + offset, count);
  }
  return { number, facts, arrays };
}
