// The class map: answers on a whole window, however many cells it has; sampled colors first, the exact boundary part by part.
// @ts-check
import { className } from "./classes.js";
import { areas, ink, paper } from "./colors.js";
import { letterSize } from "./fit.js";
import { flooded } from "./flood.js";
import { later, showHero } from "./lab.js";
import { LEFT, drawCorners, drawMapAxes } from "./map_axes.js";
import { dotSize, drawDot } from "./marks.js";
import { get } from "./page.js";
import { showTipAt } from "./sheet.js";
import { imageAt } from "./tip.js";
import { packedHex } from "./turned.js";
import { digits, grouped } from "./words.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./socket.js").Line} Line */

const PIXELS = 1024;
/** Parts that are asked for at a time; quarters of quarters that are asked for at all. */
const [AT_ONCE, DEEPEST] = [2, 6];
/** How deep parts are divided that were refused as a whole. */
const INSISTENT = 2;
/** Room for the names of classes, and over the map. */
const [LEGEND, TOP, ROW] = [104, 8, 22];
/** Where the view is narrower, classes are named below the map. */
const NARROW = 480;

/** Whether only the map of a model is to be seen, whose cells may be too many for any picture. @param {State} state */
export const isAlone = (state) => state.get("view") === "map" && state.get("data") === "model";

/** A way out where a model has too many cells. @param {State} state @param {(changes: Record<string, string>) => void} change */
export const wayToMap = (state, change) =>
  state.get("data") === "model" ? { words: "Show its class map", act: () => change({ view: "map" }) } : undefined;

export class ClassMap {
  /**
   * @param {Line} line @param {() => string} wanted what a map depends on @param {() => void} again
   * @param {(error: any) => void} fail
   */
  constructor(line, wanted, again, fail) {
    this.line = line;
    this.wanted = wanted;
    this.again = again;
    this.fail = fail;
    this.words = "";
    this.known = "";
    this.run = 0;
    /** @type {State | null} */
    this.state = null;
    /** @type {import("./mesh.js").Mesh | null} with data to be drawn */
    this.mesh = null;
    this.picture = Object.assign(document.createElement("canvas"), { width: PIXELS, height: PIXELS });
    this.forget();
  }

  /** @type {string[]} names of parts to be asked for */
  queue = [];
  /** @type {Float32Array[]} */
  boundary = [];
  /** @type {Map<number, string>} classes that were seen, and their colors */
  seen = new Map();
  /** @type {number[]} */
  window = [];
  /** @type {Record<string, any>} what it is a map of */
  facts = {};
  /** @type {Record<string, any>} */
  arrays = {};
  answers = new Int32Array(PIXELS * PIXELS);
  active = 0;
  /** Of the window, that has its exact boundary. */
  share = 0;
  segments = 0;
  samples = 0;

  forget() {
    this.queue = [""];
    this.active = this.share = this.segments = this.samples = 0;
    this.boundary = [];
    this.seen = new Map();
    this.window = [];
    this.answers.fill(-1);
  }

  /** @param {any} mesh @param {State} state */
  take(mesh, state) {
    this.state = state;
    this.mesh = state.isOn("points") && !state.get("rows") ? mesh : null;
    if (this.known !== this.wanted()) {
      this.known = this.wanted();
      this.run++;
      this.forget();
      this.pump();
    }
    this.tell();
  }

  /** Whether everything that is asked for is there. */
  get isDone() {
    return !this.active && !this.queue.length;
  }

  pump() {
    while (this.active < AT_ONCE && this.queue.length) this.ask(/** @type {string} */ (this.queue.shift()), this.run);
  }

  /** @param {string} name @param {number} run */
  async ask(name, run) {
    this.active++;
    try {
      const reply = await this.line.ask({ do: "map", part: name, state: this.state?.query() }).catch(later);
      if (run !== this.run) return;
      if (reply) this.arrived(name, reply.facts, reply.arrays);
      else this.queue.unshift(name);
    } catch (error) {
      if (run !== this.run) return;
      this.divide(name, name.length >= INSISTENT); // a part that took too long: perhaps its quarters do not
      if (this.active === 1 && !this.queue.length && !this.samples) this.fail(error);
    } finally {
      if (run === this.run) this.active--;
    }
    if (run !== this.run) return;
    this.pump();
    this.tell();
    this.again();
  }

  /** @param {string} name @param {Record<string, any>} facts @param {Record<string, any>} arrays */
  arrived(name, facts, arrays) {
    if (!name) [this.window, this.facts, this.arrays] = [facts.window, facts, arrays];
    this.samples += arrays.answers.length;
    this.paint(name, facts.side, arrays.answers, facts.is_exact ? arrays.boundary : []);
    if (facts.is_exact) {
      this.boundary.push(arrays.boundary);
      this.share += 4 ** -name.length;
      this.segments += facts.n_segments;
    } else this.divide(name, facts.is_last);
  }

  /** Ask for the quarters of a part, unless it is small enough. @param {string} name @param {boolean} isLast */
  divide(name, isLast) {
    if (!isLast && name.length < DEEPEST) this.queue.push(...[0, 1, 2, 3].map((digit) => name + digit));
  }

  /**
   * Put the answers of a part over those of the part that it is a quarter of; up to its boundary, where that is there.
   * @param {string} name @param {number} side @param {Int32Array} answers @param {ArrayLike<number>} boundary
   */
  paint(name, side, answers, boundary) {
    let [left, low, size] = [0, 0, PIXELS];
    for (const digit of name) {
      size /= 2;
      if (Number(digit) & 1) left += size;
      if (Number(digit) & 2) low += size;
    }
    const pen = /** @type {CanvasRenderingContext2D} */ (this.picture.getContext("2d"));
    const pixels = pen.createImageData(size, size);
    const top = PIXELS - low - size;
    const ends = Array.from(boundary, (t, i) => (i % 2 ? (1 - t) * PIXELS - top : t * PIXELS - left));
    const found = flooded(size, side, (column, row) => answers[(side - 1 - row) * side + column], ends);
    const colors = Uint32Array.from(areas(), (hex) => packedHex(hex));
    const bytes = new Uint32Array(pixels.data.buffer);
    for (let y = 0; y < size; y++)
      for (let x = 0; x < size; x++) {
        const k = found[y * size + x];
        bytes[y * size + x] = colors[k % colors.length];
        this.answers[(top + y) * PIXELS + left + x] = k;
      }
    for (const k of new Set(answers)) this.seen.set(k, areas()[k % areas().length]);
    pen.putImageData(pixels, left, top);
  }

  /** From units of the window to its coordinates. @param {number} u @param {number} v */
  place(u, v) {
    const [a, b, c, d] = this.window;
    return [a + u * (b - a), c + v * (d - c)];
  }

  tell() {
    const percent = digits(100 * this.share);
    const how = this.isDone ? "" : "; computing …";
    this.words = this.samples
      ? `Decision boundary exact on ${percent} % of the window; colors sampled at ${grouped(this.samples)} points${how}`
      : this.isDone
        ? "There was no time for a map."
        : "computing …";
    get("other-words").textContent = this.words;
    const isKnown = this.share > 0 || this.isDone;
    showHero({ value: this.segments, noun: "segments of the boundary", kind: "exact", where: `on ${percent} % of the window` });
    if (!isKnown) get("count").textContent = "…";
    get("plane").dataset.map = this.isDone ? "done" : "";
  }

  /** @param {number} width @param {number} height */
  side(width, height) {
    if (width >= NARROW) return Math.max(60, Math.min(height - 48, width - LEFT - LEGEND));
    const rows = Math.ceil(this.seen.size / Math.floor((width - LEFT) / LEGEND));
    return Math.max(60, Math.min(height - 52 - ROW * rows, width - LEFT - 16));
  }

  /** @param {CanvasRenderingContext2D} pen @param {number} width @param {number} height */
  draw(pen, width, height) {
    pen.fillStyle = paper();
    pen.fillRect(0, 0, width, height);
    const size = this.side(width, height);
    pen.translate(LEFT, TOP);
    if (this.samples) pen.drawImage(this.picture, 0, 0, size, size);
    pen.lineJoin = pen.lineCap = "round";
    for (const [color, thick] of /** @type {[string, number][]} */ ([
      [paper(), 3.4],
      [ink(), 1.5],
    ])) {
      pen.strokeStyle = color;
      pen.lineWidth = thick;
      pen.beginPath();
      for (const ends of this.boundary)
        for (let i = 0; i < ends.length; i += 4) {
          pen.moveTo(ends[i] * size, (1 - ends[i + 1]) * size);
          pen.lineTo(ends[i + 2] * size, (1 - ends[i + 3]) * size);
        }
      pen.stroke();
    }
    pen.lineWidth = 1;
    pen.strokeRect(0, 0, size, size);
    this.dots(pen, size);
    this.write(pen, size, width);
    return false;
  }

  /** The data. @param {CanvasRenderingContext2D} pen @param {number} size */
  dots(pen, size) {
    const { points, labels = [] } = this.mesh?.arrays ?? {};
    for (let i = 0; this.mesh && points && i < labels.length; i++) {
      const [u, v] = [points[2 * i], points[2 * i + 1]];
      if (u >= 0 && v >= 0 && u <= 1 && v <= 1) drawDot(pen, this.mesh, i, u * size, (1 - v) * size, 0.9 * dotSize(size));
    }
  }

  /** Corners, axes and classes. @param {CanvasRenderingContext2D} pen @param {number} size @param {number} width of the view */
  write(pen, size, width) {
    pen.fillStyle = ink();
    const font = `${0.9 * letterSize(size, size)}px system-ui, sans-serif`;
    pen.font = font;
    pen.textAlign = "center";
    const [a, b, c, d] = this.window;
    if (b > a) {
      drawMapAxes(pen, size, this.window, this.state?.get("data") === "model" ? ["u", "v"] : ["x", "y"]);
      pen.font = font;
      if (this.state?.get("rows")) drawCorners(pen, size, this.window);
    }
    pen.textAlign = "left";
    [...this.seen].sort(([i], [j]) => i - j).forEach(([k, color], i) => {
      const columns = Math.floor((width - LEFT) / LEGEND);
      const below = [(i % columns) * LEGEND, size + 42 + ROW * Math.floor(i / columns)];
      const [x, y] = width < NARROW ? below : [size + 14, 4 + ROW * i];
      pen.fillStyle = color;
      pen.fillRect(x, y, 14, 14);
      pen.fillStyle = ink();
      pen.fillText(className.of(this, k), x + 19, y + 12, LEGEND - 37);
    });
  }

  /** @param {{x: number, y: number}} place */
  point({ x, y }) {
    const box = get("other").getBoundingClientRect();
    const size = this.side(box.width, box.height);
    const [u, v] = [(x - LEFT) / size, (y - TOP) / size];
    const k = u >= 0 && v >= 0 && u < 1 && v < 1 ? this.answers[Math.floor(v * PIXELS) * PIXELS + Math.floor(u * PIXELS)] : -1;
    const isHere = k >= 0 && this.window.length;
    showTipAt(isHere ? [className.of(this, k)] : null, { x, y }, isHere ? imageAt(this, [u, 1 - v]) : []);
  }
}
