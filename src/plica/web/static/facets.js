// Facets in space as pixels: what is hidden by a depth for every pixel, or from far to near where facets are transparent.
// @ts-check

/**
 * @typedef {object} Facets
 * @property {Float32Array | Float64Array} places three numbers for each point
 * @property {ArrayLike<number>} first where the corners of each facet begin in `corners`, and where the last ends
 * @property {ArrayLike<number>} corners points around each facet
 * @property {Uint32Array} fills the color of each facet, as `packed`
 * @property {Uint32Array} [rims] the color of each facet's outline, 0 for none
 * @property {boolean} isClosed whether they bound cells and go counterclockwise seen from outside: an opaque one shows no inside
 * @property {Line[]} lines that lie in the facets or beside them
 */
/** @typedef {{ends: ArrayLike<number>, color: number, width: number, alpha: number}} Line pairs of points, in one color */

/** How much nearer a line counts than it is, so that it is seen on the facet in which it lies. */
const LIFT = 1.004;
/** The width of outlines. */
export const RIM = 0.8;
/** How finely nearness tells facets apart that are painted from far to near. */
const FINE = 2 ** 30;

/** A color as the bytes of a pixel. @param {number} r @param {number} g @param {number} b each up to 255 */
export const packed = (r, g, b) => ((255 << 24) | (Math.round(b) << 16) | (Math.round(g) << 8) | Math.round(r)) >>> 0;

/** A picture of facets: colors, and how near what is seen in each pixel is. */
export class Pixels {
  /** @param {number} width @param {number} height */
  constructor(width, height) {
    this.width = width;
    this.height = height;
    this.image = new ImageData(width, height);
    this.colors = new Uint32Array(this.image.data.buffer);
    this.nearness = new Float32Array(width * height);
    this.left = new Float32Array(height);
    this.right = new Float32Array(height);
  }

  /**
   * @param {Facets} facets @param {Float32Array} seen where each point is seen: across, down, nearness @param {number} alpha
   * @param {number} background @param {number} scale pixels for each of the page
   */
  paint(facets, seen, alpha, background, scale) {
    this.colors.fill(background);
    this.nearness.fill(0);
    const n = facets.fills.length;
    const isOpaque = alpha >= 1;
    const areas = Float32Array.from(facets.fills, (_, i) => area(facets, seen, i));
    const isSeen = (/** @type {number} */ i) => areas[i] < 0 || (areas[i] >= 0 && !(facets.isClosed && isOpaque));
    const rim = (/** @type {number} */ i) =>
      facets.rims?.[i] && this.outline(facets, seen, i, facets.rims[i], RIM * scale, isOpaque ? 1 : Math.max(0.35, alpha));
    if (isOpaque) {
      for (let i = 0; i < n; i++) if (isSeen(i)) this.fill(facets, seen, i);
      for (let i = 0; i < n; i++) if (isSeen(i)) rim(i);
    } else
      for (const i of farFirst(facets, seen)) {
        if (!isSeen(i)) continue;
        this.veil(facets, seen, i, alpha);
        rim(i);
      }
    for (const { ends, color, width, alpha: cover } of facets.lines)
      for (let i = 0; i < ends.length; i += 2) this.line(seen, ends[i], ends[i + 1], color, width * scale, cover);
  }

  /** An opaque facet, where nothing is nearer. @param {Facets} facets @param {Float32Array} seen @param {number} i */
  fill(facets, seen, i) {
    const { width, colors, nearness, left, right } = this;
    const [top, bottom] = this.rows(facets, seen, i);
    if (top >= bottom) return;
    const { near, across, down, least, most } = slopes(facets, seen, i);
    const color = facets.fills[i];
    for (let y = top; y < bottom; y++) {
      const from = y * width + Math.max(0, Math.ceil(left[y] - 0.5));
      const to = y * width + Math.min(width - 1, Math.floor(right[y] - 0.5));
      let here = near + across * (from - y * width + 0.5) + down * (y + 0.5);
      for (let at = from; at <= to; at++) {
        const held = here < least ? least : here > most ? most : here; // on slivers slopes are steep beyond their corners
        if (held > nearness[at]) {
          nearness[at] = held;
          colors[at] = color;
        }
        here += across;
      }
    }
  }

  /**
   * A transparent one, over what is there.
   * @param {Facets} facets @param {Float32Array} seen @param {number} i @param {number} alpha
   */
  veil(facets, seen, i, alpha) {
    const { width, colors, left, right } = this;
    const [top, bottom] = this.rows(facets, seen, i);
    const cover = Math.round(256 * alpha);
    const rest = 256 - cover;
    const redBlue = Math.imul(facets.fills[i] & 0xff00ff, cover);
    const green = ((facets.fills[i] >>> 8) & 255) * cover;
    for (let y = top; y < bottom; y++) {
      const to = y * width + Math.min(width - 1, Math.floor(right[y] - 0.5));
      for (let at = y * width + Math.max(0, Math.ceil(left[y] - 0.5)); at <= to; at++) {
        const below = colors[at];
        colors[at] =
          0xff000000 |
          (((Math.imul(below & 0xff00ff, rest) + redBlue) >>> 8) & 0xff00ff) |
          ((((below >>> 8) & 255) * rest + green) & 0xff00);
      }
    }
  }

  /** Where a facet begins and ends in each row. @param {Facets} facets @param {Float32Array} seen @param {number} i */
  rows({ first, corners }, seen, i) {
    const { height, left, right } = this;
    const [start, end] = [first[i], first[i + 1]];
    let [low, high] = [Infinity, -Infinity];
    for (let k = start; k < end; k++) {
      const y = seen[3 * corners[k] + 1];
      if (y < low) low = y;
      if (y > high) high = y;
    }
    const top = Math.max(0, Math.ceil(low - 0.5));
    const bottom = Math.min(height, Math.floor(high - 0.5) + 1);
    for (let y = top; y < bottom; y++) [left[y], right[y]] = [Infinity, -Infinity];
    for (let k = start; k < end; k++) {
      let a = 3 * corners[k];
      let b = 3 * corners[k + 1 < end ? k + 1 : start];
      if (seen[a + 1] > seen[b + 1]) [a, b] = [b, a];
      const slope = (seen[b] - seen[a]) / (seen[b + 1] - seen[a + 1]);
      const last = Math.min(bottom - 1, Math.floor(seen[b + 1] - 0.5));
      for (let y = Math.max(top, Math.ceil(seen[a + 1] - 0.5)); y <= last; y++) {
        const x = seen[a] + (y + 0.5 - seen[a + 1]) * slope;
        if (x < left[y]) left[y] = x;
        if (x > right[y]) right[y] = x;
      }
    }
    return [top, bottom];
  }

  /**
   * @param {Facets} facets @param {Float32Array} seen @param {number} i @param {number} color @param {number} width
   * @param {number} cover
   */
  outline({ first, corners }, seen, i, color, width, cover) {
    const [start, end] = [first[i], first[i + 1]];
    for (let k = start; k < end; k++) this.line(seen, corners[k], corners[k + 1 < end ? k + 1 : start], color, width, cover);
  }

  /**
   * A line with smooth sides, where nothing is nearer.
   * @param {Float32Array} seen @param {number} p @param {number} q two points @param {number} color @param {number} width
   * @param {number} cover
   */
  line(seen, p, q, color, width, cover) {
    const [across, down] = [Math.abs(seen[3 * q] - seen[3 * p]), Math.abs(seen[3 * q + 1] - seen[3 * p + 1])];
    const along = down > across ? 1 : 0;
    const [a, b] = seen[3 * p + along] <= seen[3 * q + along] ? [3 * p, 3 * q] : [3 * q, 3 * p];
    const length = seen[b + along] - seen[a + along];
    if (!(length > 0)) return;
    const [slope, nearer] = [(seen[b + 1 - along] - seen[a + 1 - along]) / length, (seen[b + 2] - seen[a + 2]) / length];
    const half = 0.5 * width * Math.sqrt(1 + slope * slope);
    const [most, others] = along ? [this.height, this.width] : [this.width, this.height];
    const [step, stride] = along ? [this.width, 1] : [1, this.width];
    const last = Math.min(most - 1, Math.floor(seen[b + along] - 0.5));
    for (let m = Math.max(0, Math.ceil(seen[a + along] - 0.5)); m <= last; m++) {
      const gone = m + 0.5 - seen[a + along];
      const middle = seen[a + 1 - along] + slope * gone;
      const here = LIFT * (seen[a + 2] + nearer * gone);
      const to = Math.min(others - 1, Math.floor(middle + half));
      for (let k = Math.max(0, Math.floor(middle - half)); k <= to; k++) {
        const at = m * step + k * stride;
        if (here < this.nearness[at]) continue;
        const part = Math.min(k + 1, middle + half) - Math.max(k, middle - half);
        this.colors[at] = mixed(this.colors[at], color, Math.round(256 * part * cover));
      }
    }
  }

  /** Whether a place is in front of all facets. @param {number} x @param {number} y @param {number} near */
  shows(x, y, near) {
    const [i, j] = [Math.floor(x), Math.floor(y)];
    return i >= 0 && j >= 0 && i < this.width && j < this.height && LIFT * near >= this.nearness[j * this.width + i];
  }
}

/** One color over another. @param {number} below @param {number} above @param {number} cover up to 256 */
function mixed(below, above, cover) {
  const rest = 256 - cover;
  const redBlue = (((below & 0xff00ff) * rest + (above & 0xff00ff) * cover) >>> 8) & 0xff00ff;
  const green = ((((below >>> 8) & 255) * rest + ((above >>> 8) & 255) * cover) >>> 8) & 255;
  return (0xff000000 | (green << 8) | redBlue) >>> 0;
}

/**
 * Twice the area of a facet on the screen; below zero if it is seen from outside, no number if a corner is behind the eye.
 * @param {Facets} facets @param {Float32Array} seen @param {number} i
 */
function area({ first, corners }, seen, i) {
  const [start, end] = [first[i], first[i + 1]];
  let sum = 0;
  for (let k = start; k < end; k++) {
    const [a, b] = [3 * corners[k], 3 * corners[k + 1 < end ? k + 1 : start]];
    sum += seen[a] * seen[b + 1] - seen[b] * seen[a + 1];
  }
  return sum;
}

/** Facets by their middles. @param {Facets} facets @param {Float32Array} seen @returns {Uint32Array} */
function farFirst({ first, corners, fills }, seen) {
  const n = fills.length;
  const keys = Float64Array.from(fills, (_, i) => {
    let sum = 0;
    for (let k = first[i]; k < first[i + 1]; k++) sum += seen[3 * corners[k] + 2];
    return n * Math.round(FINE * (sum / (first[i + 1] - first[i]))) + i; // sorted as numbers, which is fast
  });
  return Uint32Array.from(keys.sort(), (key) => key % n);
}

/**
 * Nearness on a facet as a function of pixels, from its largest triangle, and its range over the corners.
 * @param {Facets} facets @param {Float32Array} seen @param {number} i
 */
function slopes({ first, corners }, seen, i) {
  const o = 3 * corners[first[i]];
  let [best, across, down] = [0, 0, 0];
  let [least, most] = [seen[o + 2], seen[o + 2]];
  for (let k = first[i] + 1; k < first[i + 1]; k++) {
    const a = 3 * corners[k];
    if (seen[a + 2] < least) least = seen[a + 2];
    if (seen[a + 2] > most) most = seen[a + 2];
    if (k + 1 === first[i + 1]) break;
    const b = 3 * corners[k + 1];
    const [ax, ay, az] = [seen[a] - seen[o], seen[a + 1] - seen[o + 1], seen[a + 2] - seen[o + 2]];
    const [bx, by, bz] = [seen[b] - seen[o], seen[b + 1] - seen[o + 1], seen[b + 2] - seen[o + 2]];
    const det = ax * by - ay * bx;
    if (Math.abs(det) <= best) continue;
    best = Math.abs(det);
    [across, down] = [(az * by - bz * ay) / det, (bz * ax - az * bx) / det];
  }
  return { near: seen[o + 2] - across * seen[o] - down * seen[o + 1], across, down, least, most };
}
