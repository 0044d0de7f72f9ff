// The views of one state: the plane, and beside it those that are drawn on a canvas of their own.
// @ts-check
import { Folding } from "./folding.js";
import { ALL_MARKS } from "./legend.js";
import { get } from "./page.js";
import { SheetView, showTipAt } from "./sheet.js";
import { Solid } from "./solid.js";
import { Stops } from "./stops.js";
import { Surface } from "./surface.js";
import { Trajectory } from "./trajectory.js";

/** @typedef {import("./mesh.js").Mesh} Mesh */
/** @typedef {import("./state.js").State} State */
/**
 * @typedef {object} View
 * @property {string} words what is seen and how it is moved
 * @property {import("./legend.js").Drawn} [marks] of the plane that are drawn in it too; all of them if nothing is said
 * @property {(mesh: Mesh, state: State) => void} take a new picture
 * @property {(pen: CanvasRenderingContext2D, width: number, height: number) => boolean} draw whether it goes on moving
 * @property {(dx: number, dy: number) => void} [drag] by parts of the view
 * @property {string} [request] what it asks for that a server answers
 * @property {(factor: number) => void} [zoom]
 * @property {(key: string) => boolean} [key] whether it means something
 * @property {(place: {x: number, y: number}) => void} [press] the pointer goes down
 * @property {() => void} [release] and up again
 * @property {(place: {x: number, y: number}, isDown: boolean) => void} [point] it moves
 * @property {(facts: Record<string, any>, arrays: Record<string, any>) => void} [fill] what the server computed for it
 * @property {() => void} [clear] the server could not compute it
 */

export class Views {
  /**
   * @param {HTMLElement} place @param {State} state @param {(changes: Record<string, string>) => void} change
   * @param {string[]} sheets views that the server computes @param {View} map of classes
   * @param {string[]} ofNetwork views of the network beside the picture; the others have one of their own
   */
  constructor(place, state, change, sheets, map, ofNetwork) {
    this.place = place;
    this.state = state;
    this.canvas = /** @type {HTMLCanvasElement} */ (place.querySelector("canvas"));
    this.pen = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d"));
    /** @type {Record<string, View>} */
    this.all = { surface: new Surface(), fold: new Folding(), trajectory: new Trajectory(change), complex: new Solid(), map };
    for (const name of sheets) this.all[name] ??= new SheetView(change);
    this.frame = 0;
    /** @type {Mesh | null} */
    this.mesh = null;
    const { options, option_labels } = state.fields.view;
    this.buttons = options.map((/** @type {string} */ name, /** @type {number} */ i) => {
      const button = Object.assign(document.createElement("button"), { type: "button", textContent: option_labels[i] });
      button.dataset.view = name;
      button.addEventListener("click", () => change({ view: name }));
      return button;
    });
    get("views").append(...rows(this.buttons, ofNetwork));
    const { fold } = this.all;
    this.stops = new Stops(
      get("other-words"),
      () => (this.current === fold && this.mesh ? /** @type {any} */ (fold) : null),
      () => this.redraw(),
    );
    this.listen();
    new ResizeObserver(() => this.redraw()).observe(place);
  }

  /** @returns {View | undefined} */
  get current() {
    return this.all[this.state.get("view")];
  }

  /** What of the plane's marks the view shows too. */
  get marks() {
    return this.current?.marks ?? ALL_MARKS;
  }

  /** @param {Mesh | null} mesh */
  show(mesh) {
    this.mesh = mesh;
    const { current } = this;
    for (const button of this.buttons) {
      const isShown = button.dataset.view === this.state.get("view");
      const wasShown = button.getAttribute("aria-pressed") === "true";
      button.setAttribute("aria-pressed", String(isShown));
      if (isShown && !wasShown) toMiddle(button);
    }
    get("plane").hidden = Boolean(current);
    for (const axis of ["axis-x", "axis-y"]) get(axis).hidden = Boolean(current);
    this.place.hidden = get("other-words").hidden = !current;
    this.place.parentElement?.classList.toggle("whole", Boolean(current));
    showTipAt(null, { x: 0, y: 0 });
    this.stops.tell();
    if (!current || (!mesh && current !== this.all.map)) return;
    current.take(/** @type {any} */ (mesh), this.state);
    get("other-words").textContent = current.fill ? "" : [current.words, current.request].filter(Boolean).join(" ");
    this.place.setAttribute("aria-label", `${this.state.get("view")} of the network`);
    this.redraw();
  }

  redraw() {
    if (this.frame || !this.current) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      const { current, canvas, pen, mesh } = this;
      if (!current || (!mesh && !current.fill && current !== this.all.map)) return;
      const ratio = window.devicePixelRatio || 1;
      const box = this.place.getBoundingClientRect();
      canvas.width = Math.max(1, Math.round(box.width * ratio));
      canvas.height = Math.max(1, Math.round(box.height * ratio));
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      if (current.draw(pen, box.width, box.height)) this.redraw();
      this.stops.tell();
    });
  }

  listen() {
    const { place } = this;
    /** @type {PointerEvent | null} */
    let last = null;
    const inside = (/** @type {PointerEvent} */ event) => {
      const box = place.getBoundingClientRect();
      return { x: event.clientX - box.left, y: event.clientY - box.top };
    };
    /** @type {PointerEvent | null} a finger that may be about to scroll the page */
    let touch = null;
    const press = (/** @type {PointerEvent} */ event) => {
      touch = null;
      this.current?.press?.(inside(event));
      this.redraw();
    };
    place.addEventListener("pointerdown", (event) => {
      place.setPointerCapture(event.pointerId);
      last = event;
      if (event.pointerType === "touch" && getComputedStyle(place).touchAction === "pan-y") touch = event;
      else press(event);
    });
    place.addEventListener("pointerleave", () => showTipAt(null, { x: 0, y: 0 }));
    place.addEventListener("pointermove", (event) => {
      if (touch && Math.abs(event.clientX - touch.clientX) > Math.abs(event.clientY - touch.clientY)) press(touch);
      this.current?.point?.(inside(event), Boolean(last));
      if (!last || last.pointerId !== event.pointerId) return;
      const box = place.getBoundingClientRect();
      this.current?.drag?.((event.clientX - last.clientX) / box.width, (event.clientY - last.clientY) / box.height);
      last = event;
      this.redraw();
    });
    for (const end of ["pointerup", "pointercancel"])
      place.addEventListener(end, (event) => {
        if (touch && event.type === "pointerup") press(touch);
        last = touch = null;
        this.current?.release?.();
      });
    place.addEventListener(
      "wheel",
      (event) => {
        if (!this.current?.zoom) return; // the page is scrolled
        event.preventDefault();
        this.current.zoom(Math.exp(-event.deltaY * 0.0015));
        this.redraw();
      },
      { passive: false },
    );
    place.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !this.current?.key?.(event.key)) return;
      event.preventDefault();
      event.stopPropagation();
      this.redraw();
    });
  }
}

/**
 * Two rows with a name each, or one without where all are of one kind.
 * @param {HTMLButtonElement[]} buttons @param {string[]} ofNetwork
 */
function rows(buttons, ofNetwork) {
  const isOf = (/** @type {HTMLButtonElement} */ button) => ofNetwork.includes(button.dataset.view ?? "");
  const kinds = /** @type {const} */ ([
    ["network", "of this network", buttons.filter(isOf)],
    ["theory", "with networks of their own", buttons.filter((button) => !isOf(button))],
  ]).filter(([, , some]) => some.length);
  return kinds.map(([name, label, some]) => {
    const row = Object.assign(document.createElement("div"), { role: "group", ariaLabel: label });
    const title = Object.assign(document.createElement("span"), { className: "quiet", ariaHidden: "true" });
    title.textContent = kinds.length > 1 ? name : "";
    row.append(title, ...some);
    return row;
  });
}

/** Scroll the buttons, where they are too long for the screen, until one is in the middle. @param {HTMLElement} button */
function toMiddle(button) {
  const all = get("views");
  if (all.scrollWidth <= all.clientWidth) return;
  const [mine, box] = [button, all].map((element) => element.getBoundingClientRect());
  all.scrollLeft += mine.left - box.left - (box.width - mine.width) / 2;
}
