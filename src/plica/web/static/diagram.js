// The network as a diagram: neurons with pictures of themselves, edges by weight and sign, plus and minus.
// @ts-check
import { classes } from "./colors.js";
import { drawEdges } from "./diagram_edges.js";
import { fit } from "./fit.js";
import { Forward, gridPoints } from "./forward.js";
import { ALONG, GRAINS, Thumbs } from "./thumbs.js";

/** @typedef {import("./mesh.js").Mesh} Mesh */
/**
 * @typedef {object} Hands what a hand on the diagram does
 * @property {(widths: string) => void} widths
 * @property {(unit: number[] | null) => void} point layer and number of the neuron under the pointer
 * @property {(unit: number[]) => void} pin
 */
/** @typedef {import("./diagram_edges.js").Spot} Spot */

/** Pictures of neurons follow the picture at most so often, and take at most a part of the time. */
const PAUSE_MS = 40;
const PART = 1 / 4;

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
    this.isDue = false; // whether the last network is not painted yet
    this.turn = 0;
    this.when = this.took = 0;
    this.canvas = document.createElement("canvas");
    this.thumbs = new Thumbs();
    this.size = { width: place.clientWidth, height: place.clientHeight };
    /** @type {Spot[][]} where each neuron stands, as long as the diagram is not built anew */
    this.spots = [];
    new ResizeObserver(() => this.measure()).observe(place);
    place.addEventListener("keydown", (event) => this.key(event));
  }

  /** @type {number[]} */
  pinned = [];

  /** Its place is shown, or has another size. */
  measure() {
    this.size = { width: this.place.clientWidth, height: this.place.clientHeight };
    if (this.mesh) this.show(this.mesh, this.pinned);
  }

  /** Show the network of a picture. @param {Mesh} mesh @param {number[]} pinned layer and number of a neuron */
  show(mesh, pinned) {
    this.mesh = mesh;
    this.pinned = pinned;
    const isShown = Boolean(mesh.arrays.weights);
    const { widths, dimension, loss, n_fixed } = mesh.facts;
    const { width, height } = this.size;
    const key = [width, height, isShown, widths, dimension, loss === null, n_fixed].join();
    if (!height) {
      this.turn++; // what was to be painted is hidden, and its neurons are those of an earlier network
      this.isDue = false;
      return;
    }
    if (key !== this.built) {
      this.built = key;
      if (isShown) this.build();
      else this.tell();
    }
    if (!isShown) return;
    if (!this.isDue) this.paintLater();
  }

  /** The picture comes first, in the next frame; then this one. */
  paintLater() {
    this.isDue = true;
    const turn = ++this.turn;
    const paint = () => {
      if (turn !== this.turn) return;
      this.isDue = false;
      const began = performance.now();
      this.paint();
      this.when = performance.now();
      this.took = this.when - began;
    };
    const pause = this.when + Math.max(PAUSE_MS, this.took / PART) - performance.now();
    requestAnimationFrame(() => window.setTimeout(paint, pause));
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
    const letters = parseFloat(getComputedStyle(document.documentElement).fontSize);
    const { size, isTight, perColumn, gap } = fit(this.place.clientWidth, this.place.clientHeight - 36, sizes, letters);
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
      grid.style.gap = `${gap}px`;
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
    const points = gridPoints(mesh.window, dimension === 1 ? ALONG : GRAINS, dimension);
    const { before, after } = forward.run(points);
    const fold = this.fold();
    const { thumbs } = this;
    let which = 0;
    this.units.forEach((units, k) =>
      units.forEach((_, i) =>
        thumbs[dimension === 1 ? "graph" : "area"](which++, k ? after[k - 1] : points, units.length, i),
      ),
    );
    if (dimension === 2) thumbs.spread();
    which = 0;
    this.units.forEach((units, k) =>
      units.forEach((unit, i) => {
        const hasState = k > 0 && k + 1 < this.units.length;
        for (const level of hasState && dimension === 2 ? forward.kinks(k - 1) : [])
          thumbs.contour(which, before[k - 1], units.length, i, level);
        if (fold.length && dimension === 2) thumbs.edges(which, mesh, fold, classes()[1]);
        if (hasState) unit.setAttribute("aria-pressed", String(this.pinned[0] === k - 1 && this.pinned[1] === i));
        unit.classList.toggle("lit", Boolean(this.lit) && this.lit?.[0] === k - 1 && this.lit?.[1] === i);
        which++;
      }),
    );
    const pen = this.blank();
    drawEdges(pen, forward, this.spots, this.lit);
    thumbs.draw(
      pen,
      this.spots.flat().map(({ left, right, top }) => ({ left: left + 1, top: top + 1, size: right - left - 2 })),
    );
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
