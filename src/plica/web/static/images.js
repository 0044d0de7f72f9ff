// Rows of your data as images: a click on one puts a corner of the plane there.
// @ts-check
import { className } from "./classes.js";
import { CORNERS } from "./marks.js";
import { get } from "./page.js";
import { grouped } from "./words.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./socket.js").Line} Line */

/**
 * An image on a canvas of its own size.
 * @param {number[]} shape channels, height, width @param {(at: number) => number} value from 0 to 255
 * @returns {HTMLCanvasElement}
 */
export function painted([channels, height, width], value) {
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const pixels = pen.createImageData(width, height);
  for (let i = 0; i < height * width; i++) {
    for (let c = 0; c < 3; c++) pixels.data[4 * i + c] = value((channels === 3 ? c : 0) * height * width + i);
    pixels.data[4 * i + 3] = 255;
  }
  pen.putImageData(pixels, 0, 0);
  return canvas;
}

export class Images {
  /** @param {State} state @param {Line} line @param {(changes: Record<string, string>) => void} change */
  constructor(state, line, change) {
    this.state = state;
    this.line = line;
    this.change = change;
    this.first = 0;
    this.few = 1;
    this.shown = "";
    /** @type {HTMLButtonElement[]} */
    this.buttons = [];
    state.listeners.push((changed) => {
      if (changed.includes("through")) this.mark();
      if (changed.includes("rows") || changed.includes("model")) this.load();
    });
    get("images-back").addEventListener("click", () => this.turn(-this.few));
    get("images-on").addEventListener("click", () => this.turn(this.few));
  }

  /** @param {number} by */
  turn(by) {
    this.first = Math.max(0, this.first + by);
    this.shown = "";
    return this.load();
  }

  /** Ask for the images, if there are some and others than those shown. */
  async load() {
    const { state } = this;
    const key = `${state.get("model")} ${state.get("rows")}`;
    const hasRows = state.get("data") === "model" && state.get("rows") !== "";
    get("images-part").hidden = !hasRows || !this.buttons.length;
    if (!hasRows || this.shown === key) return;
    this.shown = key;
    try {
      const { facts, arrays } = await this.line.ask({ do: "images", first: this.first, state: state.query() });
      this.fill(facts, arrays.images);
    } catch {
      this.buttons = []; // rows that are no images are chosen by number
    }
    get("images-part").hidden = !this.buttons.length;
  }

  /** @param {Record<string, any>} facts @param {Uint8Array} images */
  fill({ image, first, few, n_rows, classes }, images) {
    this.first = first;
    this.few = few;
    const size = image[0] * image[1] * image[2];
    this.buttons = classes.map((/** @type {number} */ found, /** @type {number} */ i) => {
      const canvas = painted(image, (at) => images[i * size + at]);
      const words = `row ${first + i}, ${className.of({ facts: {} }, found)}`;
      const button = Object.assign(document.createElement("button"), { type: "button", className: "image", title: words });
      button.setAttribute("aria-label", words);
      button.dataset.row = String(first + i);
      button.append(canvas, document.createElement("span"));
      button.addEventListener("click", () => this.choose(first + i));
      return button;
    });
    get("images").replaceChildren(...this.buttons);
    get("images-where").textContent = `rows ${grouped(first)} to ${grouped(first + classes.length - 1)} of ${grouped(n_rows)}`;
    /** @type {HTMLButtonElement} */ (get("images-back")).disabled = first === 0;
    /** @type {HTMLButtonElement} */ (get("images-on")).disabled = first + few >= n_rows;
    this.mark();
  }

  /** The row becomes the last corner, the oldest one goes. @param {number} row */
  choose(row) {
    const rows = this.state.numbers("through");
    if (!rows.includes(row)) this.change({ through: [...rows.slice(1), row].join(",") });
  }

  mark() {
    const rows = this.state.numbers("through");
    for (const button of this.buttons) {
      const corner = rows.indexOf(Number(button.dataset.row));
      button.setAttribute("aria-pressed", String(corner >= 0));
      /** @type {HTMLElement} */ (button.lastChild).textContent = CORNERS[corner] ?? "";
    }
  }
}
