// A sheet: the panels that the server made for a view, points to drag, and what is under the pointer.
// @ts-check
import { ink, paper } from "./colors.js";
import { get } from "./page.js";
import { Plot } from "./plot.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./plot.js").Panel} Panel */

/** A place of the screen in parts of the view. @typedef {{x: number, y: number}} Place */

/** By how much rows with a square panel are higher than others. */
const SQUARE = 1.5;

export class SheetView {
  /** @param {(changes: Record<string, string>) => void} change */
  constructor(change) {
    this.change = change;
    this.words = "";
    /** @type {Panel[]} */
    this.panels = [];
    /** @type {Record<string, any>} */
    this.arrays = {};
    /** @type {Plot[]} */
    this.plots = [];
    /** @type {Plot | null} */
    this.held = null;
    this.size = 13;
    /** @type {State | null} */
    this.state = null;
  }

  /** @param {any} mesh @param {State} state */
  take(mesh, state) {
    this.state = state;
  }

  /** What the server answered. @param {Record<string, any>} facts @param {Record<string, any>} arrays */
  fill(facts, arrays) {
    this.words = facts.sentence;
    this.panels = facts.panels;
    this.arrays = arrays;
  }

  /** Nothing of this state came. */
  clear() {
    this.panels = [];
  }

  /** @param {CanvasRenderingContext2D} pen @param {number} width @param {number} height */
  draw(pen, width, height) {
    pen.fillStyle = paper();
    pen.fillRect(0, 0, width, height);
    this.size = Math.max(11, Math.min(20, Math.min(width, height) / 46));
    this.plots = this.places(width, height).map(({ panel, ...box }) => new Plot(panel, this.arrays, box, this.size));
    for (const plot of this.plots) plot.draw(pen);
    if (!this.panels.length) {
      pen.fillStyle = ink();
      pen.font = `${this.size}px system-ui, sans-serif`;
      pen.fillText(get("other").hasAttribute("aria-busy") ? "computing …" : "There is no picture of this state.", 20, 32);
    }
    return false;
  }

  /** Panels in rows; a wide one takes a whole row, squares have higher ones. @param {number} width @param {number} height */
  places(width, height) {
    const columns = width < 420 || this.panels.length === 1 ? 1 : this.hasThree(width) ? 3 : 2;
    /** @type {Panel[][]} */
    const rows = [];
    for (const panel of this.panels) {
      const last = rows[rows.length - 1];
      if (!last || panel.wide || last.length >= columns || last[0].wide) rows.push([panel]);
      else last.push(panel);
    }
    const shares = rows.map((row) => (row.some((panel) => panel.square) ? SQUARE : 1));
    const unit = height / shares.reduce((sum, share) => sum + share, 0);
    let y = 0;
    return rows.flatMap((row, i) => {
      const [top, h] = [y, shares[i] * unit];
      y += h;
      return row.map((panel, j) => ({ panel, x: (j * width) / row.length, y: top, w: width / row.length, h }));
    });
  }

  /** Whether three are side by side: where there is room, and none would be left over alone. @param {number} width */
  hasThree(width) {
    const n = this.panels.filter((panel) => !panel.wide).length;
    return this.panels.length > 4 && width > 900 && n % 3 !== 1;
  }

  /** @param {Place} place @returns {Plot | null} */
  over({ x, y }) {
    return this.plots.find((plot) => plot.holds(x, y)) ?? null;
  }

  /** The pointer goes down: the nearest point that can be dragged follows it. @param {Place} place */
  press(place) {
    const plot = this.over(place);
    this.held = plot?.panel.handle ? plot : null;
    if (this.held) this.move(this.held, place);
  }

  release() {
    this.held = null;
  }

  /** @param {Place} place @param {boolean} isDown */
  point(place, isDown) {
    const plot = this.over(place);
    if (isDown && this.held) this.move(this.held, place);
    showTipAt(plot && plot.tell(place.x, place.y), place);
  }

  /** @param {Plot} plot @param {Place} place */
  move(plot, { x, y }) {
    const handle = plot.panel.handle;
    if (!handle) return;
    const at = plot.at(x, y);
    this.put(handle, at);
  }

  /** @param {import("./plot.js").Handle} handle @param {number[]} at */
  put(handle, at) {
    const { state } = this;
    if (!state) return;
    /** @type {Record<string, string>} */
    const changes = {};
    [handle.x, handle.y].forEach((name, k) => {
      if (!name) return;
      if (name.endsWith("]")) {
        const [field, index] = name.slice(0, -1).split("[");
        const known = changes[field] ?? state.get(field);
        const parts = known ? known.split(",").map(Number) : [...handle.at];
        parts[Number(index)] = Number(at[k].toPrecision(4));
        changes[field] = parts.map((v) => Number(v.toPrecision(4))).join(",");
        handle.at[k] = parts[Number(index)];
        return;
      }
      const { low, high, kind } = state.fields[name];
      const value = Math.min(Math.max(at[k], low), high);
      changes[name] = String(kind === "integer" ? Math.round(value) : Number(value.toPrecision(3)));
      handle.at[k] = Number(changes[name]);
    });
    this.change(changes);
  }

  /** @param {string} key */
  key(key) {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[key];
    const plot = this.plots.find((one) => one.panel.handle);
    if (!step || !plot?.panel.handle) return false;
    const { handle } = plot.panel;
    this.put(handle, [handle.at[0] + step[0] * handle.step[0], handle.at[1] + step[1] * handle.step[1]]);
    return true;
  }
}

/** @param {string[] | null} lines @param {Place} place @param {HTMLElement[]} [more] */
export function showTipAt(lines, { x, y }, more = []) {
  const tip = get("other-tip");
  tip.hidden = !lines;
  if (!lines) return;
  tip.replaceChildren(...lines.map((text) => Object.assign(document.createElement("div"), { textContent: text })), ...more);
  const box = get("other").getBoundingClientRect();
  const left = x + 14 + tip.offsetWidth > box.width ? x - 14 - tip.offsetWidth : x + 14;
  const top = y + 14 + tip.offsetHeight > box.height ? y - 14 - tip.offsetHeight : y + 14;
  tip.style.left = `${Math.max(left, 2 - box.left)}px`;
  tip.style.top = `${Math.max(top, -box.top)}px`;
}
