// Something in space that is turned by pointer and keys: coarse while it moves, smooth when it rests.
// @ts-check
import { neutral, rgb } from "./colors.js";
import { Pixels, packed } from "./facets.js";

/** @typedef {import("./facets.js").Facets} Facets */

const FAR = 4;
/** Milliseconds after which what was moved rests. */
const REST_MS = 180;
/** Milliseconds that a picture may take while it moves. */
const QUICK_MS = 16;
/** Radians in a second, when it turns by itself. */
const SPIN = 0.35;
/** Pixels for each of the page when it rests, whose means have smooth outlines; and the coarser ones of pictures that move. */
const SCALES = [2, 1, 0.7, 0.5, 0.35];
/** What is nearer to the eye than this, or behind it, is not seen. */
const NEAREST = 0.05;

/** A color of the palette as the bytes of a pixel. @param {string} hex @param {number} [light] */
export const packedHex = (hex, light = 1) => {
  const [r, g, b] = rgb(hex).map((c) => 255 * light * c);
  return packed(r, g, b);
};

export class Turned {
  constructor() {
    this.turn = -0.6;
    this.tilt = 0.55;
    this.near = 1;
    this.moved = -Infinity;
    /** Which of the scales a picture has that moves: as fine as its time allows. */
    this.coarse = 0;
    /** When it last turned by itself; 0 if it does not. */
    this.spinning = 0;
    this.sheet = document.createElement("canvas");
    /** @type {Pixels | null} */
    this.pixels = null;
  }

  /** @param {number} dx @param {number} dy */
  drag(dx, dy) {
    this.turn += 3 * dx;
    this.tilt = Math.min(Math.max(this.tilt + 2 * dy, 0), Math.PI / 2);
    this.moved = performance.now();
  }

  /** @param {number} factor */
  zoom(factor) {
    this.near = Math.min(Math.max(this.near * factor, 0.4), 4);
    this.moved = performance.now();
  }

  /** @param {string} key */
  key(key) {
    const turn = { ArrowLeft: [-0.05, 0], ArrowRight: [0.05, 0], ArrowUp: [0, 0.05], ArrowDown: [0, -0.05] }[key];
    if (turn) this.drag(turn[0], turn[1]);
    else if (key === "+" || key === "-") this.zoom(key === "+" ? 1.1 : 1 / 1.1);
    else if (key === "Enter") this.spinning = this.spinning ? 0 : performance.now();
    else return false;
    return true;
  }

  /** A hand on it stops it. */
  press() {
    this.spinning = 0;
  }

  /** As far as it has turned by itself since the last picture. */
  spin() {
    if (!this.spinning) return;
    const now = performance.now();
    this.turn += (SPIN * (now - this.spinning)) / 1000;
    this.spinning = this.moved = now;
  }

  /**
   * Where points are seen: across and down from the middle, and how near, which is linear on the screen; NaN behind the eye.
   * @param {Float32Array | Float64Array | number[]} places @param {number} size of the screen @param {number} x @param {number} y
   */
  project(places, size, x = 0, y = 0) {
    const [c, s, ct, st] = [Math.cos(this.turn), Math.sin(this.turn), Math.cos(this.tilt), Math.sin(this.tilt)];
    const unit = 0.28 * size * this.near * FAR;
    const seen = new Float32Array(places.length);
    for (let i = 0; i < places.length; i += 3) {
      const [across, away] = [c * places[i] - s * places[i + 1], s * places[i] + c * places[i + 1]];
      const far = FAR + ct * away - st * places[i + 2];
      const nearness = far > NEAREST ? 1 / far : NaN;
      seen[i] = x + across * unit * nearness;
      seen[i + 1] = y - (ct * places[i + 2] + st * away) * unit * nearness;
      seen[i + 2] = nearness;
    }
    return seen;
  }

  /**
   * Paint facets around a place of the page; whether it moves and will be painted again.
   * @param {CanvasRenderingContext2D} pen @param {Facets} facets @param {number} width @param {number} height
   * @param {number} middle @param {number} [alpha]
   */
  paint(pen, facets, width, height, middle, alpha = 1) {
    this.spin();
    const began = performance.now();
    const isMoving = began - this.moved < REST_MS;
    const scale = isMoving ? SCALES[this.coarse] : Math.max(SCALES[0], window.devicePixelRatio || 1);
    const [w, h] = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))];
    if (this.pixels?.width !== w || this.pixels.height !== h) {
      this.pixels = new Pixels(w, h);
      [this.sheet.width, this.sheet.height] = [w, h];
    }
    const seen = this.project(facets.places, scale * Math.min(width, height), w / 2, scale * middle);
    this.pixels.paint(facets, seen, alpha, packedHex(neutral()), scale);
    /** @type {CanvasRenderingContext2D} */ (this.sheet.getContext("2d")).putImageData(this.pixels.image, 0, 0);
    pen.drawImage(this.sheet, 0, 0, width, height);
    if (isMoving) this.adapt(performance.now() - began);
    return isMoving;
  }

  /** Choose how fine the next picture is that moves: its time grows with its pixels. @param {number} ms that the last took */
  adapt(ms) {
    const finer = this.coarse > 0 ? ms * (SCALES[this.coarse - 1] / SCALES[this.coarse]) ** 2 : Infinity;
    if (ms > QUICK_MS) this.coarse = Math.min(this.coarse + 1, SCALES.length - 1);
    else if (finer < QUICK_MS) this.coarse--;
  }
}
