// A plane of a network in a notebook: the explorer's mesh and painter, windows asked of the kernel.
// @ts-check
import { ink, isDark, paper, useDarkness, usePalette } from "./colors.js";
import { isDarkAround, whenThemeChanges } from "./darkness.js";
import { Mesh } from "./mesh.js";
import { FlatPainter } from "./paint.js";
import { digits, grouped } from "./words.js";

const TYPES = { float32: Float32Array, uint32: Uint32Array, int32: Int32Array };
const SETTLE_MS = 120;
const COLORS = [["output", "output"], ["pattern", "cells"], ["gradient", "steepness"]];

/** @param {string} name @param {Record<string, any>} [settings] */
function element(name, settings = {}) {
  return Object.assign(document.createElement(name), settings);
}

/** The mesh that the kernel sent. @param {any} model */
function meshOf(model) {
  const arrays = Object.fromEntries(
    Object.entries(model.get("arrays")).map(([name, { type, bytes }]) => [
      name,
      new TYPES[type](bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)),
    ]),
  );
  return new Mesh(model.get("facts"), arrays);
}

/** @param {{model: any, el: HTMLElement}} given */
function render({ model, el }) {
  usePalette(model.get("palette"));
  const size = model.get("size");
  const ratio = window.devicePixelRatio || 1;
  const canvas = /** @type {HTMLCanvasElement} */ (element("canvas", { width: size * ratio, height: size * ratio, tabIndex: 0 }));
  canvas.style.cssText = `width:${size}px;height:${size}px;max-width:100%;touch-action:none;cursor:crosshair`;
  canvas.setAttribute("role", "img");
  const bar = element("div");
  bar.style.cssText = "display:flex;gap:.5em;align-items:center;flex-wrap:wrap;margin:.25em 0";
  const colors = element("select", { ariaLabel: "color" });
  for (const [value, text] of COLORS) colors.append(element("option", { value, textContent: text }));
  const count = element("output", { className: "plica-count" });
  const told = element("div", { className: "plica-told", ariaLive: "polite" });
  told.style.minHeight = "1.4em";
  const buttons = [["+", 0.5, "zoom in"], ["−", 2, "zoom out"]].map(([text, factor, label]) => {
    const button = element("button", { textContent: text, title: label, ariaLabel: label });
    button.onclick = () => zoom(0.5, 0.5, /** @type {number} */ (factor));
    return button;
  });
  const home = element("button", { textContent: "⌂", title: "first window", ariaLabel: "first window" });
  bar.append(colors, ...buttons, home, count);
  el.replaceChildren(bar, canvas, told);
  el.classList.add("plica-explorer");

  const first = model.get("window");
  home.onclick = () => ask(first);
  /** @type {Mesh} */
  let mesh;
  let view = { x: 0, y: 0, scale: 1 };
  let frame = 0;
  let timer = 0;
  /** @type {boolean | undefined} */
  let worn;
  const painter = new FlatPainter(canvas, again);

  function again() {
    if (!frame)
      frame = requestAnimationFrame(() => {
        frame = 0;
        painter.draw(/** @type {any} */ (view));
      });
  }

  function load() {
    mesh = meshOf(model);
    view = { x: 0, y: 0, scale: 1 };
    paint();
    const { n_cells, n_regions, window: w, seconds } = mesh.facts;
    count.textContent = `${grouped(n_cells)} cells, ${grouped(n_regions)} regions, exact`;
    canvas.setAttribute("aria-label", `${n_cells} cells on [${w[0]}, ${w[1]}] × [${w[2]}, ${w[3]}]`);
    canvas.title = `computed in ${digits(1000 * seconds)} ms`;
    el.dataset.cells = String(n_cells);
  }

  function paint() {
    colors.value = model.get("color");
    painter.load(mesh, model.get("color"), Math.min(model.get("depth"), mesh.facts.n_layers));
    again();
  }

  /** Text and controls on the paper of the page, light or dark. */
  function dress() {
    const dark = isDarkAround(el);
    if (dark === worn) return;
    worn = dark;
    useDarkness(() => dark);
    Object.assign(el.style, { color: ink(), colorScheme: isDark() ? "dark" : "light" });
    for (const control of [colors, home, ...buttons])
      Object.assign(control.style, { color: ink(), background: paper(), border: `1px solid ${ink()}`, borderRadius: "3px" });
    paint();
  }

  /** Ask the kernel for a window, once it settles. @param {number[]} next */
  function ask(next) {
    clearTimeout(timer);
    timer = setTimeout(() => {
      model.set("window", next);
      model.save_changes();
    }, SETTLE_MS);
  }

  /** The window that the present view shows. */
  function seen() {
    const [a, b, c, d] = model.get("window");
    const [u, v] = [-view.x / view.scale, -view.y / view.scale];
    const share = 1 / view.scale;
    return [a + u * (b - a), a + (u + share) * (b - a), c + v * (d - c), c + (v + share) * (d - c)];
  }

  /** @param {number} u @param {number} v what stays where it is @param {number} factor */
  function zoom(u, v, factor) {
    view = { x: u - (u - view.x) / factor, y: v - (v - view.y) / factor, scale: view.scale / factor };
    again();
    ask(seen());
  }

  /** @param {MouseEvent} event @returns {[number, number]} */
  function place(event) {
    const box = canvas.getBoundingClientRect();
    return [(event.clientX - box.left) / box.width, 1 - (event.clientY - box.top) / box.height];
  }

  /** @param {MouseEvent} event */
  function tell(event) {
    const [u, v] = place(event);
    const [s, t] = [(u - view.x) / view.scale, (v - view.y) / view.scale];
    const cell = mesh.at(s, t);
    if (cell < 0) return;
    const [x, y] = mesh.place(s, t);
    const { maps } = mesh.arrays;
    const f = `${digits(maps[3 * cell])} x + ${digits(maps[3 * cell + 1])} y + ${digits(maps[3 * cell + 2])}`;
    const here = `cell ${cell} at (${digits(x)}, ${digits(y)}): f = ${digits(mesh.output(cell, s, t))}, on the cell ${f}`;
    told.textContent = here.replaceAll("+ -", "− ").replaceAll("-", "−");
  }

  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    event.stopPropagation();
    zoom(...place(event), event.deltaY > 0 ? 1.25 : 0.8);
  }, { passive: false });
  /** @type {{at: [number, number], view: typeof view} | null} */
  let held = null;
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    held = { at: place(event), view };
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!held) return tell(event);
    const [u, v] = place(event);
    view = { ...held.view, x: held.view.x + u - held.at[0], y: held.view.y + v - held.at[1] };
    again();
  });
  canvas.addEventListener("pointerup", () => {
    const moved = held && (held.view.x !== view.x || held.view.y !== view.y);
    held = null;
    if (moved) ask(seen());
  });
  canvas.addEventListener("click", tell);
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [0.2, 0], ArrowRight: [-0.2, 0], ArrowUp: [0, -0.2], ArrowDown: [0, 0.2] }[event.key];
    if (event.key === "+" || event.key === "-") zoom(0.5, 0.5, event.key === "+" ? 0.5 : 2);
    else if (step) {
      view = { ...view, x: view.x + step[0], y: view.y + step[1] };
      again();
      ask(seen());
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  colors.onchange = () => {
    model.set("color", colors.value);
    model.save_changes();
  };
  model.on("change:arrays", load);
  model.on("change:color", paint);
  model.on("change:depth", paint);
  model.on("change:problem", () => {
    if (model.get("problem")) told.textContent = model.get("problem");
  });
  load();
  dress();
  const leave = whenThemeChanges(dress);
  const placed = new ResizeObserver(dress); // before it stands in the page there is no paper behind it
  placed.observe(el);
  return () => {
    leave();
    placed.disconnect();
  };
}

export default { render };
