// The picture that can be pointed at, walked through, moved and zoomed.
// @ts-check
import { byClass } from "./classes.js";
import { GlPainter } from "./gl.js";
import { Marks } from "./marks.js";
import { FlatPainter } from "./paint.js";
import { Walk } from "./walk.js";

/** @typedef {import("./mesh.js").Mesh} Mesh */
/**
 * @typedef {object} Wishes what the plane asks for
 * @property {(window: number[]) => void} window
 * @property {(segment: number[]) => void} segment
 * @property {(point: number[]) => void} pin
 * @property {(cell: number, byKeyboard: boolean, at?: [number, number]) => void} look
 * @property {() => void} [drawn] a frame was drawn
 */

const SETTLE_MS = 160;
/** How near a pointer and a finger take an end of the segment, in pixels. */
const [NEAR, FINGER] = [10, 22];
/** What is painted: for classes of many outputs, cells of one class each. @param {Mesh} mesh @param {string} color */
const painted = (mesh, color) => (color === "class" && mesh.arrays.outputs ? byClass(mesh) : mesh);

export class Plane {
  /** @param {HTMLElement} element @param {Wishes} wishes */
  constructor(element, wishes) {
    this.element = element;
    this.wishes = wishes;
    const canvases = () => /** @type {HTMLCanvasElement[]} */ ([...element.querySelectorAll("canvas")]);
    const wanted = sessionStorage.getItem("plica-painter");
    const again = () => this.redraw();
    const gone = () => {
      this.canvases[0].replaceWith(this.canvases[0].cloneNode()); // one that had a context can have no other
      this.canvases = canvases();
      this.painter = new FlatPainter(this.canvases[0], again);
      document.documentElement.dataset.painter = this.painter.name;
      this.repaint(this.color);
    };
    const painter = wanted === "canvas" ? null : GlPainter.make(canvases()[0], wanted === "webgl", again, gone);
    /** @type {GlPainter | FlatPainter} */
    this.painter = painter ?? new FlatPainter(canvases()[0], again); // a failed WebGL leaves a new canvas behind
    this.canvases = canvases();
    this.marks = new Marks(this.canvases[1]);
    /** @type {Mesh | null} */
    this.mesh = null;
    this.view = { x: 0, y: 0, scale: 1 };
    this.depth = 6;
    this.color = "output";
    this.boundary = this.points = true;
    this.hovered = this.pinned = -1;
    this.lit = /** @type {number[]} the edges of the fold that is lit */ ([]);
    /** @type {number[]} */
    this.segment = [];
    this.isCircle = false; // whether the circle around the segment is the path
    this.drawing = false;
    this.settling = 0;
    this.frame = 0;
    this.frameTimes = /** @type {number[]} milliseconds of the last frames, for measuring */ ([]);
    /** @type {Map<number, [number, number]>} */
    this.pointers = new Map();
    this.moved = 0;
    this.listen();
    new Walk(this);
    new ResizeObserver(() => this.resize()).observe(element);
    this.resize();
  }

  resize() {
    const ratio = window.devicePixelRatio || 1;
    const box = this.element.getBoundingClientRect();
    for (const canvas of this.canvases) {
      canvas.width = Math.max(1, Math.round(box.width * ratio));
      canvas.height = Math.max(1, Math.round(box.height * ratio));
    }
    this.redraw();
  }

  /** Show a new picture; what was looked at stays in focus. @param {Mesh} mesh @param {string} color */
  show(mesh, color) {
    const kept =
      this.mesh && this.hovered >= 0 && this.hovered < this.mesh.n ? this.mesh.place(...this.mesh.center(this.hovered)) : null;
    const seen = this.settling ? this.visible() : null;
    this.mesh = mesh;
    this.color = color;
    this.painter.load(painted(mesh, color), color, this.depth);
    this.view = { x: 0, y: 0, scale: 1 };
    if (seen) this.lookAt(seen);
    const [a, b, c, d] = mesh.window;
    this.hovered = kept ? mesh.at((kept[0] - a) / (b - a), (kept[1] - c) / (d - c)) : -1;
    this.pinned = mesh.facts.cell_pin ?? -1;
    this.wishes.look(this.hovered, false);
    this.redraw();
  }

  /** The colors, the depth or the theme changed. @param {string} color @param {number} [depth] */
  repaint(color, depth = this.depth) {
    this.color = color;
    this.depth = depth;
    if (this.mesh) this.painter.load(painted(this.mesh, color), color, depth);
    this.redraw();
  }

  redraw() {
    if (!this.frame) this.frame = requestAnimationFrame(() => this.draw());
  }

  /** Draw now what would be drawn in the next frame: it is seen in that frame, instead of after it. */
  hurry() {
    if (!this.frame) return;
    cancelAnimationFrame(this.frame);
    this.draw();
  }

  draw() {
    this.frame = 0;
    const { mesh, view, boundary, points, hovered, pinned, segment, isCircle, lit } = this;
    if (!mesh) return;
    const began = performance.now();
    this.painter.draw(view);
    this.marks.draw({ mesh, view, boundary, points, hovered, pinned, segment, isCircle, lit });
    this.wishes.drawn?.();
    this.frameTimes.push(performance.now() - began);
    if (this.frameTimes.length > 600) this.frameTimes.shift();
  }

  /** The visible part in coordinates of the picture. @returns {number[]} */
  visible() {
    if (!this.mesh) return [];
    const { x, y, scale } = this.view;
    const [a, b, c, d] = this.mesh.window;
    const [u0, u1, v0, v1] = [-x / scale, (1 - x) / scale, -y / scale, (1 - y) / scale];
    return [a + u0 * (b - a), a + u1 * (b - a), c + v0 * (d - c), c + v1 * (d - c)];
  }

  /** @param {number[]} window */
  lookAt([a, b, c, d]) {
    if (!this.mesh) return;
    const [ma, mb, mc] = this.mesh.window;
    const scale = (mb - ma) / (b - a);
    this.view = { scale, x: (ma - a) / (b - a), y: (mc - c) / (d - c) };
  }

  /**
   * Zoom by a factor around a point of the screen, (0, 0) lower left.
   * @param {number} factor @param {number} [u] @param {number} [v]
   */
  zoom(factor, u = 0.5, v = 0.5) {
    const { x, y, scale } = this.view;
    const next = Math.min(Math.max(scale * factor, 0.05), 1e5);
    const f = next / scale;
    this.view = { scale: next, x: u + (x - u) * f, y: v + (y - v) * f };
    this.settle();
  }

  /** @param {number} du @param {number} dv in parts of the screen */
  pan(du, dv) {
    this.view = { ...this.view, x: this.view.x + du, y: this.view.y + dv };
    this.settle();
  }

  /** When the movement has ended, ask for the exact picture of what is seen. */
  settle() {
    this.redraw();
    clearTimeout(this.settling);
    this.settling = window.setTimeout(() => {
      this.settling = 0;
      this.wishes.window(this.visible());
    }, SETTLE_MS);
  }

  /** @param {PointerEvent | MouseEvent} event @returns {[number, number]} parts of the screen, (0, 0) lower left */
  screen(event) {
    const box = this.element.getBoundingClientRect();
    return [(event.clientX - box.left) / box.width, 1 - (event.clientY - box.top) / box.height];
  }

  /** @param {[number, number]} point @returns {[number, number]} units of the window */
  unit([u, v]) {
    return [(u - this.view.x) / this.view.scale, (v - this.view.y) / this.view.scale];
  }

  /** The end of the segment near a point of the screen, -1 if none is. @param {[number, number]} point @param {number} near */
  endAt([u, v], near) {
    if (!this.mesh || this.segment.length !== 4 || this.mesh.facts.dimension !== 2) return -1;
    const [a, b, c, d] = this.visible();
    const { width, height } = this.element.getBoundingClientRect();
    const away = [0, 2].map((k) =>
      Math.hypot(
        ((this.segment[k] - a) / (b - a) - u) * width,
        ((this.segment[k + 1] - c) / (d - c) - v) * height,
      ),
    );
    const nearest = away[1] <= away[0] ? 1 : 0;
    return away[nearest] < near ? nearest : -1;
  }

  /** @param {number} cell @param {boolean} [byKeyboard] @param {[number, number]} [at] the pointer, in parts of the screen */
  look(cell, byKeyboard = false, at) {
    const isNew = cell !== this.hovered;
    this.hovered = cell;
    if (isNew || byKeyboard || at) this.wishes.look(cell, byKeyboard, at);
    if (isNew) this.redraw();
  }

  listen() {
    const e = this.element;
    e.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        this.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), ...this.screen(event));
      },
      { passive: false },
    );
    e.addEventListener("dblclick", (event) => this.zoom(2, ...this.screen(event)));
    e.addEventListener("pointerdown", (event) => {
      e.setPointerCapture(event.pointerId);
      this.pointers.set(event.pointerId, this.screen(event));
      this.moved = 0;
      const end = this.endAt(this.screen(event), event.pointerType === "touch" ? FINGER : NEAR);
      if (end >= 0) [this.drawn, this.end] = [this.segment.slice(end ? 0 : 2, end ? 2 : 4), end];
      else if ((this.drawing || event.shiftKey) && this.mesh && this.mesh.facts.dimension === 2) {
        [this.drawn, this.end] = [this.mesh.place(...this.unit(this.screen(event))), -1];
      }
    });
    e.addEventListener("pointermove", (event) => this.drag(event));
    const end = (/** @type {PointerEvent} */ event) => this.release(event);
    e.addEventListener("pointerup", end);
    e.addEventListener("pointercancel", end);
    e.addEventListener("pointerleave", () => {
      if (!this.pointers.size && document.activeElement !== e) this.look(-1);
    });
  }

  /** @param {PointerEvent} event */
  drag(event) {
    const now = this.screen(event);
    const before = this.pointers.get(event.pointerId);
    if (!before) {
      this.element.style.cursor = this.endAt(now, NEAR) < 0 ? "" : "move";
      if (this.mesh) this.look(this.mesh.at(...this.unit(now)), false, now);
      return;
    }
    this.moved += Math.hypot(now[0] - before[0], now[1] - before[1]);
    if (this.drawn && this.mesh) {
      const point = this.mesh.place(...this.unit(now));
      this.segment = this.end === 0 ? [...point, ...this.drawn] : [...this.drawn, ...point];
      if (this.end >= 0 && this.moved > 0.004) this.wish();
      this.redraw();
    } else if (this.pointers.size === 2) {
      const other = [...this.pointers].find(([id]) => id !== event.pointerId)?.[1] ?? now;
      const [far, was] = [now, before].map(([x, y]) => Math.hypot(x - other[0], y - other[1]));
      if (was > 0.01) this.zoom(far / was, other[0], other[1]);
    } else if (this.moved > 0.004) {
      this.pan(now[0] - before[0], now[1] - before[1]);
    }
    this.pointers.set(event.pointerId, now);
  }

  /** @param {PointerEvent} event */
  release(event) {
    const wasDown = this.pointers.delete(event.pointerId);
    if (this.drawn) {
      this.drawn = undefined;
      if (this.moved > 0.004) this.wish();
    } else if (wasDown && this.moved <= 0.004 && this.mesh) {
      const now = this.screen(event);
      this.look(this.mesh.at(...this.unit(now)), false, now);
      this.pin();
    }
  }

  /** Ask for the segment, if its ends are two. */
  wish() {
    const [a, b, c, d] = this.segment;
    if (a !== c || b !== d) this.wishes.segment(this.segment);
  }

  /** Pin the region in focus, or release it. */
  pin() {
    if (!this.mesh || this.hovered < 0) return;
    if (this.pinned === this.hovered) this.wishes.pin([]);
    else {
      const point = this.mesh.place(...this.mesh.center(this.hovered));
      this.wishes.pin(this.mesh.facts.dimension === 1 ? point.slice(0, 1) : point);
    }
  }

  /** @type {number[] | undefined} the end of the segment that stays */ drawn;
  /** Which end follows the pointer; -1 for that of a new segment. */
  end = -1;
}
