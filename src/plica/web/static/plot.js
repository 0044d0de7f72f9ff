// Panels: marks over two axes with ticks outside, a legend, and what is under the pointer.
// @ts-check
import { ticks } from "./axes.js";
import { css, ink, paper } from "./colors.js";
import { writeIndexed } from "./indices.js";
import { GOAL, PALE, drawMark, errorBar, roleColor } from "./plot_marks.js";
import { digits, raised } from "./words.js";

/** @typedef {{name: string, log: boolean, low: number | null, high: number | null, names: string[]}} Axis names of 1, 2, … */
/** @typedef {Record<string, any>} Mark a kind, a name, a role, and the names of its arrays */
/** @typedef {{x: string, y: string, at: [number, number], step: [number, number]}} Handle */
/** @typedef {{title: string, x: Axis, y: Axis, marks: Mark[], handle: Handle | null, wide: boolean, square: boolean}} Panel */
/** @typedef {{x: number, y: number, w: number, h: number}} Box */

export class Plot {
  /** @param {Panel} panel @param {Record<string, any>} arrays @param {Box} box @param {number} size of letters */
  constructor(panel, arrays, box, size) {
    this.panel = panel;
    this.arrays = arrays;
    this.size = size;
    const named = panel.marks.filter((mark) => mark.name && !mark.plain);
    this.named = named;
    const rows = this.legendRows(box.w);
    this.outer = box;
    this.rx = this.range("x");
    this.ry = this.range("y");
    const longest = Math.max(...marksOf(this.ry, panel.y.log, box.h / (2.6 * size)).map((value) => short(value).length));
    this.left = Math.max(3.9, 0.52 * longest + 2) * size;
    const { left } = this;
    const top = 1.7 * size + 1.45 * size * rows;
    this.inner = { x: box.x + left, y: box.y + top, w: box.w - left - 0.9 * size, h: box.h - top - 3.1 * size };
    if (panel.square) {
      const side = Math.max(20, Math.min(this.inner.w, this.inner.h));
      this.inner = { ...this.inner, x: this.inner.x + (this.inner.w - side) / 2, w: side, h: side };
    }
  }

  /** How many rows the legend takes, and where each entry stands. @param {number} width */
  legendRows(width) {
    let [row, x] = [0, 0];
    this.entries = this.named.map((mark) => {
      const w = (3.4 + 0.56 * wordsOf(mark).length) * this.size;
      if (x && x + w > width) [row, x] = [row + 1, 0]; // the gap after its words is the margin
      const entry = { mark, x, row };
      x += w;
      return entry;
    });
    return this.named.length ? row + 1 : 0;
  }

  /** The ends of an axis: as they are given, or as far as the marks go. @param {"x" | "y"} name @returns {[number, number]} */
  range(name) {
    const axis = this.panel[name];
    let [low, high] = [Infinity, -Infinity];
    const see = (/** @type {number} */ v) => {
      if (!Number.isFinite(v) || (axis.log && v <= 0)) return;
      low = Math.min(low, v);
      high = Math.max(high, v);
    };
    for (const mark of this.panel.marks) {
      if (mark.kind === "heat") mark.box.slice(name === "x" ? 0 : 2, name === "x" ? 2 : 4).forEach(see);
      else for (const v of this.arrays[mark[name]]) see(v);
      if (mark.error && name === "y")
        for (const [i, error] of this.arrays[mark.error].entries()) errorBar(this.arrays[mark.y][i], error).forEach(see);
      if (mark.kind === "bars" && name === "x")
        for (const v of this.arrays[mark.x]) [v - mark.width / 2, v + mark.width / 2].forEach(see);
    }
    if (!(low <= high)) [low, high] = [0, 1];
    if (low === high) [low, high] = axis.log ? [low / 2, high * 2] : [low - 0.5, high + 0.5];
    const isHeat = this.panel.marks.some((mark) => mark.kind === "heat");
    const pad = isHeat || name === "x" ? (isHeat ? 0 : 0.02) : 0.06;
    if (axis.log) {
      const grow = (high / low) ** pad;
      return [axis.low ?? low / grow, axis.high ?? high * grow];
    }
    return [axis.low ?? low - pad * (high - low), axis.high ?? high + pad * (high - low)];
  }

  /** @param {number} v */
  px(v) {
    return this.inner.x + part(v, this.rx, this.panel.x.log) * this.inner.w;
  }

  /** @param {number} v */
  py(v) {
    return this.inner.y + (1 - part(v, this.ry, this.panel.y.log)) * this.inner.h;
  }

  /** The numbers at a place of the screen. @param {number} x @param {number} y @returns {[number, number]} */
  at(x, y) {
    const { inner } = this;
    const u = (x - inner.x) / inner.w;
    const v = 1 - (y - inner.y) / inner.h;
    return [whole(u, this.rx, this.panel.x.log), whole(v, this.ry, this.panel.y.log)];
  }

  /** @param {number} x @param {number} y */
  holds(x, y) {
    const { outer } = this;
    return x >= outer.x && x <= outer.x + outer.w && y >= outer.y && y <= outer.y + outer.h;
  }

  /** @param {CanvasRenderingContext2D} pen */
  draw(pen) {
    const { inner, size } = this;
    pen.save();
    pen.beginPath();
    pen.rect(inner.x, inner.y, inner.w, inner.h);
    pen.clip();
    for (const mark of this.panel.marks) drawMark(this, pen, mark);
    pen.restore();
    this.axes(pen);
    pen.textAlign = "left";
    pen.fillStyle = ink();
    pen.font = `600 ${size}px system-ui, sans-serif`;
    pen.fillText(this.panel.title, this.outer.x + 0.6 * size, this.outer.y + 1.2 * size, this.outer.w - size);
    this.legend(pen);
    this.knob(pen);
  }

  /** @param {CanvasRenderingContext2D} pen */
  axes(pen) {
    const { inner, size, panel } = this;
    pen.strokeStyle = pen.fillStyle = ink();
    pen.globalAlpha = 0.75;
    pen.lineWidth = 1;
    pen.strokeRect(inner.x + 0.5, inner.y + 0.5, inner.w - 1, inner.h - 1);
    pen.font = `${0.85 * size}px system-ui, sans-serif`;
    pen.textAlign = "center";
    const values = panel.x.names.length
      ? panel.x.names.map((_, i) => i + 1)
      : marksOf(this.rx, panel.x.log, inner.w / (5 * size));
    for (const value of values) {
      const x = this.px(value);
      pen.fillRect(x - 0.5, inner.y + inner.h, 1, 4);
      pen.fillText(panel.x.names[value - 1] ?? short(value), x, inner.y + inner.h + 1.25 * size);
    }
    pen.textAlign = "right";
    for (const value of marksOf(this.ry, panel.y.log, inner.h / (2.6 * size))) {
      const y = this.py(value);
      pen.fillRect(inner.x - 4, y - 0.5, 4, 1);
      pen.fillText(short(value), inner.x - 7, y + 0.3 * size);
    }
    pen.globalAlpha = 1;
    pen.font = `italic ${0.9 * size}px ui-serif, Georgia, serif`;
    pen.textAlign = "center";
    writeIndexed(pen, panel.x.name, inner.x + inner.w / 2, inner.y + inner.h + 2.45 * size);
    pen.save();
    pen.translate(inner.x - this.left + 0.8 * size, inner.y + inner.h / 2);
    pen.rotate(-Math.PI / 2);
    writeIndexed(pen, panel.y.name, 0, 0);
    pen.restore();
  }

  /** @param {CanvasRenderingContext2D} pen */
  legend(pen) {
    const { size, outer } = this;
    pen.font = `${0.85 * size}px system-ui, sans-serif`;
    pen.textAlign = "left";
    for (const { mark, x, row } of this.entries ?? []) {
      const [at, y] = [outer.x + 0.6 * size + x, outer.y + (2.45 + 1.4 * row) * size];
      pen.strokeStyle = pen.fillStyle = roleColor(mark.role);
      pen.lineWidth = 2.5;
      if (mark.kind === "heat") {
        const bar = pen.createLinearGradient(at, 0, at + 1.6 * size, 0);
        for (let i = 0; i < 9; i++) bar.addColorStop(i / 8, css(mark.table, i / 8));
        pen.fillStyle = bar;
        pen.fillRect(at, y - 0.75 * size, 1.6 * size, 0.9 * size);
      } else if (mark.kind === "dots" || mark.kind === "bars") {
        pen.beginPath();
        if (mark.kind === "dots") pen.arc(at + 0.8 * size, y - 0.3 * size, 0.3 * size, 0, 2 * Math.PI);
        else pen.rect(at + 0.4 * size, y - 0.75 * size, 0.9 * size, 0.9 * size);
        pen.globalAlpha = mark.kind === "bars" ? 0.55 : 1;
        pen.fill();
        pen.globalAlpha = 1;
      } else {
        pen.setLineDash(mark.dashed ? [5, 4] : []);
        if (mark.role === "goal") [pen.lineWidth, pen.globalAlpha] = [GOAL, PALE];
        pen.beginPath();
        pen.moveTo(at, y - 0.3 * size);
        pen.lineTo(at + 1.6 * size, y - 0.3 * size);
        pen.stroke();
        pen.setLineDash([]);
        pen.globalAlpha = 1;
      }
      pen.fillStyle = ink();
      pen.fillText(wordsOf(mark), at + 2 * size, y);
    }
  }

  /** The point that is dragged. @param {CanvasRenderingContext2D} pen */
  knob(pen) {
    const { handle } = this.panel;
    if (!handle) return;
    const [x, y] = [this.px(handle.at[0]), this.py(handle.at[1])];
    for (const [radius, color] of /** @type {[number, string][]} */ ([
      [0.68 * this.size, paper()],
      [0.5 * this.size, roleColor("bound")],
    ])) {
      pen.fillStyle = color;
      pen.beginPath();
      pen.arc(x, y, radius, 0, 2 * Math.PI);
      pen.fill();
    }
  }

  /** What is nearest to a place, in words. @param {number} x @param {number} y @returns {string[]} */
  tell(x, y) {
    const { panel } = this;
    const [u, v] = this.at(x, y);
    const lines = [`${panel.x.name} ${digits(u)}, ${panel.y.name} ${digits(v)}`];
    for (const mark of panel.marks) {
      if (mark.kind === "heat") {
        const values = this.arrays[mark.values];
        const [a, b, c, d] = mark.box;
        const i = Math.floor(((v - c) / (d - c)) * mark.shape[0]);
        const j = Math.floor(((u - a) / (b - a)) * mark.shape[1]);
        const isIn = i >= 0 && j >= 0 && i < mark.shape[0] && j < mark.shape[1];
        if (isIn) lines.push(`${mark.name} ${digits(values[i * mark.shape[1] + j])}`);
      } else if (mark.kind !== "segments") {
        const near = this.nearest(mark, x, y);
        if (near >= 0) lines.push(`${mark.name}: ${digits(this.arrays[mark.x][near])}, ${digits(this.arrays[mark.y][near])}`);
      }
    }
    return lines;
  }

  /** The number of the nearest point of a mark. @param {Mark} mark @param {number} x @param {number} y */
  nearest(mark, x, y) {
    const [xs, ys] = [this.arrays[mark.x], this.arrays[mark.y]];
    let [best, found] = [mark.kind === "dots" ? 28 : 40, -1];
    for (let i = 0; i < xs.length; i++) {
      const apart = mark.kind === "dots" ? Math.hypot(this.px(xs[i]) - x, this.py(ys[i]) - y) : Math.abs(this.px(xs[i]) - x);
      if (apart < best) [best, found] = [apart, i];
    }
    return found;
  }
}

/** What a mark is called; of colors, from which value to which. @param {Mark} mark */
const wordsOf = (mark) => (mark.kind === "heat" ? `${mark.name}, ${short(mark.low)} to ${short(mark.high)}` : mark.name);

/** @param {number} v @param {[number, number]} range @param {boolean} isLog */
const part = (v, [a, b], isLog) => (isLog ? Math.log(v / a) / Math.log(b / a) : (v - a) / (b - a));
/** @param {number} u @param {[number, number]} range @param {boolean} isLog */
const whole = (u, [a, b], isLog) => (isLog ? a * (b / a) ** u : a + u * (b - a));

/** @param {[number, number]} range @param {boolean} isLog @param {number} most @returns {number[]} */
function marksOf([low, high], isLog, most) {
  if (!isLog) {
    const found = ticks(low, high);
    return found.length <= Math.max(most, 2) ? found : found.filter((_, i) => i % 2 === 0);
  }
  const [from, to] = [Math.ceil(Math.log10(low) - 1e-9), Math.floor(Math.log10(high) + 1e-9)];
  if (to - from < 1) return [low, high];
  const stride = Math.max(1, Math.ceil((to - from) / Math.max(most, 2)));
  return Array.from({ length: Math.floor((to - from) / stride) + 1 }, (_, i) => 10 ** (from + i * stride));
}

/** @param {number} value */
function short(value) {
  const size = Math.abs(value);
  if (size >= 1e5 || (size > 0 && size < 1e-3)) {
    const power = Math.round(Math.log10(size));
    if (Math.abs(size / 10 ** power - 1) < 1e-9) return `${value < 0 ? "−" : ""}10${raised(power)}`;
    const [digits, exponent] = value.toExponential(1).split("e");
    return `${digits.replace("-", "−")}·10${raised(exponent.replace("+", ""))}`;
  }
  return String(Number(value.toPrecision(4))).replace("-", "−");
}
