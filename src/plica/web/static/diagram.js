// The network as a diagram: neurons with pictures of themselves, edges by weight and sign, plus and minus.
// @ts-check
import { classes, css } from "./colors.js";
import { fit } from "./fit.js";
import { Forward, gridPoints } from "./forward.js";
import { GRAINS, Thumbs } from "./thumbs.js";

/** @typedef {import("./mesh.js").Mesh} Mesh */
/**
 * @typedef {object} Hands what a hand on the diagram does
 * @property {(widths: string) => void} widths
 * @property {(unit: number[] | null) => void} point layer and number of the neuron under the pointer
 * @property {(unit: number[]) => void} pin
 */
/** @typedef {{left: number, right: number, top: number, middle: number}} Spot a neuron's place in the diagram */

const MANY_EDGES = 500;
/** Products of weights and pixels from which on pictures of neurons are drawn a few times a second only. */
const SLOW = 4e6;
const SLOW_MS = 200;
/** Of smaller networks they follow the picture at most so often. */
const PAUSE_MS = 60;

export class Diagram {
  /**
   * @param {HTMLElement} place @param {Hands} hands @param {{low: number, high: number, most: number}} range of widths and depth
   */
  constructor(place, hands, range) {
    this.place = place;
    this.hands = hands;
    this.range = range;
    this.built = "";
    /** @type {HTMLButtonElement[][]} inputs, layers, output */
    this.units = [];
    /** @type {Mesh | null} */
    this.mesh = null;
    /** @type {number[] | null} */
    this.lit = null;
    this.timer = 0;
    this.when = 0;
    this.canvas = document.createElement("canvas");
    this.thumbs = new Thumbs();
    this.size = { width: place.clientWidth, height: place.clientHeight };
    /** @type {Spot[][]} where each neuron stands, as long as the diagram is not built anew */
    this.spots = [];
    new ResizeObserver(() => {
      this.size = { width: place.clientWidth, height: place.clientHeight };
      if (this.mesh) this.show(this.mesh, this.pinned);
    }).observe(place);
    place.addEventListener("keydown", (event) => this.key(event));
  }

  /** @type {number[]} */
  pinned = [];

  /** Show the network of a picture. @param {Mesh} mesh @param {number[]} pinned layer and number of a neuron */
  show(mesh, pinned) {
    this.mesh = mesh;
    this.pinned = pinned;
    const isShown = Boolean(mesh.arrays.weights);
    const { widths, dimension, loss, n_fixed } = mesh.facts;
    const { width, height } = this.size;
    const key = [width, height, isShown, widths, dimension, loss === null, n_fixed].join();
    if (!height) {
      clearTimeout(this.timer); // what was to be painted is hidden, and its neurons are those of an earlier network
      this.timer = 0;
      return;
    }
    if (key !== this.built) {
      this.built = key;
      if (isShown) this.build();
      else this.tell();
    }
    if (!isShown) return;
    const forward = Forward.of(mesh);
    if (!forward || this.timer) return;
    const paint = () => {
      this.timer = 0;
      this.when = performance.now();
      if (this.mesh) this.paint();
    };
    const pause = forward.nWeights * GRAINS * GRAINS < SLOW ? this.when + PAUSE_MS - performance.now() : SLOW_MS;
    if (pause <= 0) paint();
    else this.timer = window.setTimeout(paint, pause);
  }

  /** In words, where there are too many weights for a diagram. */
  tell() {
    const { facts } = /** @type {Mesh} */ (this.mesh);
    const shown = facts.widths.slice(0, 40).join(" → ") + (facts.widths.length > 40 ? " …" : "");
    const words = `${facts.n_layers} folding layers: ${shown}`;
    this.units = [];
    this.place.replaceChildren(Object.assign(document.createElement("p"), { className: "quiet", textContent: words }));
  }

  build() {
    const { facts } = /** @type {Mesh} */ (this.mesh);
    const hidden = facts.widths.slice(1, -1);
    const sizes = [facts.dimension, ...hidden, facts.n_outputs];
    const isTrained = facts.loss !== null;
    const { size, isTight, perColumn } = fit(this.place.clientWidth, this.place.clientHeight - 36, sizes);
    const names = facts.dimension === 1 ? ["x"] : facts.widths[0] > 2 ? ["u", "v"] : ["x", "y"];
    this.units = sizes.map((n, k) =>
      Array.from({ length: n }, (_, i) => this.unit(k - 1, i, size, k === sizes.length - 1, names)),
    );
    const columns = sizes.map((_, k) => {
      const column = document.createElement("div");
      column.className = "layer";
      const grid = document.createElement("div");
      grid.className = "units";
      grid.style.gridTemplateRows = `repeat(${Math.ceil(sizes[k] / Math.ceil(sizes[k] / perColumn))}, ${size}px)`;
      grid.append(...this.units[k]);
      const fixed = facts.n_fixed;
      const isFeatures = k > 0 && k <= fixed;
      const isEditable = isTrained && !isTight && k <= hidden.length && !isFeatures;
      const name = k === 0 ? "inputs" : isFeatures ? "features" : k > hidden.length ? "output" : String(sizes[k]);
      column.append(
        isEditable ? this.head(k && k - fixed, hidden.slice(fixed), fixed) : caption(name),
        grid,
      );
      return column;
    });
    this.place.replaceChildren(this.canvas, ...columns);
    this.spots = [];
    this.thumbs.make(sizes.reduce((sum, n) => sum + n, 0));
    const first = this.units[Math.min(1, this.units.length - 1)][0];
    if (first) first.tabIndex = 0;
  }

  /**
   * Plus and minus: of layers over the inputs, of neurons over a layer.
   * @param {number} k @param {number[]} hidden @param {number} fixed layers in front of these
   */
  head(k, hidden, fixed) {
    const button = (/** @type {string} */ sign, /** @type {string} */ words, /** @type {number[]} */ widths) => {
      const made = Object.assign(document.createElement("button"), { type: "button", textContent: sign, title: words });
      made.setAttribute("aria-label", words);
      const { low, high, most } = this.range;
      made.disabled = !widths.length || widths.length > most || widths.some((n) => n < low || n > high);
      made.addEventListener("click", () => this.hands.widths(widths.join("-")));
      return made;
    };
    const with_ = (/** @type {number} */ change) => hidden.map((n, i) => (i === k - 1 ? n + change : n));
    const place = caption(k ? String(hidden[k - 1]) : `${hidden.length} layer${hidden.length > 1 ? "s" : ""}`);
    if (k) {
      place.prepend(button("−", `one neuron less in layer ${k - 1 + fixed}`, with_(-1)));
      place.append(button("+", `one neuron more in layer ${k - 1 + fixed}`, with_(1)));
    } else {
      place.prepend(button("−", "one layer less", hidden.slice(0, -1)));
      place.append(button("+", "one layer more", [...hidden, hidden[hidden.length - 1]]));
    }
    return place;
  }

  /**
   * @param {number} layer -1 for inputs @param {number} i @param {number} size @param {boolean} isOutput @param {string[]} names
   */
  unit(layer, i, size, isOutput, names) {
    const made = Object.assign(document.createElement("button"), { type: "button", className: "unit", tabIndex: -1 });
    made.style.width = made.style.height = `${size}px`;
    made.dataset.unit = `${layer}.${i}`;
    const name = layer < 0 ? `input ${names[i]}` : isOutput ? `output ${i}` : `layer ${layer}, neuron ${i}`;
    made.setAttribute("aria-label", name);
    made.title = name;
    if (layer < 0 || isOutput) return made;
    made.setAttribute("aria-pressed", "false");
    for (const event of ["pointerenter", "focus"]) made.addEventListener(event, () => this.point([layer, i]));
    for (const event of ["pointerleave", "blur"]) made.addEventListener(event, () => this.point(null));
    made.addEventListener("click", () => this.hands.pin([layer, i]));
    return made;
  }

  /** @param {number[] | null} unit */
  point(unit) {
    this.lit = unit;
    this.hands.point(unit);
    if (this.mesh) this.paint();
  }

  /** The edges on the fold that is lit: of the neuron under the pointer, else of the pinned one. @returns {number[]} */
  fold() {
    const [layer, i] = this.lit ?? this.pinned;
    if (layer === undefined || !this.mesh) return [];
    const widths = this.mesh.facts.widths.slice(1, -1);
    if (!(i < widths[layer])) return [];
    return this.mesh.foldOf(widths.slice(0, layer).reduce((/** @type {number} */ a, /** @type {number} */ b) => a + b, 0) + i);
  }

  paint() {
    const mesh = /** @type {Mesh} */ (this.mesh);
    const forward = Forward.of(mesh);
    if (!forward || !this.units.length) return;
    const { dimension } = mesh.facts;
    const points = gridPoints(mesh.window, GRAINS, dimension);
    const { before, after } = forward.run(points);
    const fold = this.fold();
    const { thumbs } = this;
    let which = 0;
    this.units.forEach((units, k) =>
      units.forEach((unit, i) => {
        const [z, y] = k ? [before[k - 1], after[k - 1]] : [points, points];
        const value = (/** @type {number} */ p) => y[p * units.length + i];
        const hasState = k > 0 && k + 1 < this.units.length;
        if (dimension === 1) thumbs.graph(which, value);
        else {
          thumbs.area(which, value);
          for (const level of hasState ? forward.kinks(k - 1) : []) thumbs.contour(which, (p) => z[p * units.length + i], level);
        }
        if (fold.length && dimension === 2) thumbs.edges(which, mesh, fold, classes()[1]);
        if (hasState) unit.setAttribute("aria-pressed", String(this.pinned[0] === k - 1 && this.pinned[1] === i));
        unit.classList.toggle("lit", Boolean(this.lit) && this.lit?.[0] === k - 1 && this.lit?.[1] === i);
        which++;
      }),
    );
    const pen = this.blank();
    this.paintEdges(pen, forward);
    this.spots.flat().forEach(({ left, right, top }, at) => thumbs.draw(pen, at, left + 1, top + 1, right - left - 2));
  }

  /** An empty canvas over the whole diagram, also where that is larger than its place. */
  blank() {
    const ratio = window.devicePixelRatio || 1;
    if (!this.spots.length) this.spots = this.places();
    const { canvas } = this;
    const width = Math.max(this.size.width, ...this.spots.flat().map(({ right }) => right));
    canvas.width = width * ratio;
    canvas.height = this.size.height * ratio;
    Object.assign(canvas.style, { width: `${width}px`, height: `${this.size.height}px` });
    const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    pen.scale(ratio, ratio);
    return pen;
  }

  /** Where neurons stand in the diagram. @returns {Spot[][]} */
  places() {
    const box = this.place.getBoundingClientRect();
    return this.units.map((units) =>
      units.map((unit) => {
        const { left, right, top, bottom } = unit.getBoundingClientRect();
        return { left: left - box.left, right: right - box.left, top: top - box.top, middle: (top + bottom) / 2 - box.top };
      }),
    );
  }

  /** Edges by weight and sign; of very many the heaviest. @param {CanvasRenderingContext2D} pen @param {Forward} forward */
  paintEdges(pen, forward) {
    const { spots } = this;
    forward.layers.forEach(({ weights, nIn }, k) => {
      const most = weights.reduce((m, w) => Math.max(m, Math.abs(w)), 1e-300);
      const heavy = [...weights.keys()].sort((i, j) => Math.abs(weights[j]) - Math.abs(weights[i])).slice(0, MANY_EDGES);
      for (const at of heavy.reverse()) {
        const [a, b] = [spots[k][at % nIn], spots[k + 1][Math.floor(at / nIn)]];
        const share = Math.abs(weights[at]) / most;
        const isLit =
          this.lit &&
          ((this.lit[0] === k && this.lit[1] === Math.floor(at / nIn)) || (this.lit[0] === k - 1 && this.lit[1] === at % nIn));
        pen.globalAlpha = this.lit ? (isLit ? 0.95 : 0.08) : 0.15 + 0.75 * share;
        pen.strokeStyle = css("output", weights[at] > 0 ? 1 : 0);
        pen.lineWidth = 0.4 + 3.6 * share;
        const [x0, y0, x1, y1] = [a.right, a.middle, b.left, b.middle];
        const middle = (x0 + x1) / 2;
        pen.beginPath();
        pen.moveTo(x0, y0);
        pen.bezierCurveTo(middle, y0, middle, y1, x1, y1);
        pen.stroke();
      }
    });
    pen.globalAlpha = 1;
  }

  /** Arrows go from neuron to neuron. @param {KeyboardEvent} event */
  key(event) {
    const unit = /** @type {HTMLElement} */ (event.target).closest(".unit");
    if (!unit) return;
    const k = this.units.findIndex((units) => units.includes(/** @type {HTMLButtonElement} */ (unit)));
    const i = this.units[k].indexOf(/** @type {HTMLButtonElement} */ (unit));
    const [dk, di] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key] ?? [0, 0];
    const column = this.units[k + dk];
    const next = column?.[Math.min(i + di, column.length - 1)];
    if ((!dk && !di) || !next) return;
    event.preventDefault();
    event.stopPropagation();
    for (const other of this.units.flat()) other.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }
}

/** @param {string} words */
function caption(words) {
  const made = document.createElement("div");
  made.className = "head";
  made.append(Object.assign(document.createElement("span"), { textContent: words }));
  return made;
}
