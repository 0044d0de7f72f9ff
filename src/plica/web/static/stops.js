// The stages of a view that moves: a button that plays them, a slider through them, and the name of the one that is seen.
// @ts-check

/**
 * @typedef {object} Staged a view with stages
 * @property {{name: string}[]} stages
 * @property {number} at where it is, between two of them
 * @property {() => void} play
 * @property {(at: number) => void} go
 */

/** How fine the slider is, in parts of a stage. */
const FINE = 0.01;

export class Stops {
  /** @param {HTMLElement} before it stands behind this @param {() => Staged | null} shown @param {() => void} redraw */
  constructor(before, shown, redraw) {
    this.shown = shown;
    this.place = Object.assign(document.createElement("div"), { className: "stops", hidden: true });
    this.place.setAttribute("role", "group");
    this.place.setAttribute("aria-label", "Stages");
    this.button = Object.assign(document.createElement("button"), { id: "stop-play", type: "button", textContent: "Fold" });
    this.slider = Object.assign(document.createElement("input"), { id: "stop-at", type: "range", min: "0", step: String(FINE) });
    this.slider.setAttribute("aria-label", "Stage");
    this.name = document.createElement("output");
    this.place.append(this.button, this.slider, this.name);
    before.after(this.place);
    this.button.addEventListener("click", () => (shown()?.play(), redraw()));
    this.slider.addEventListener("input", () => (shown()?.go(Number(this.slider.value)), redraw()));
    this.slider.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
      const view = shown();
      if (!step || !view) return;
      event.preventDefault(); // a hundred presses would be one stage
      view.go(Math.min(Math.max(Math.round(view.at) + step, 0), view.stages.length - 1));
      redraw();
    });
  }

  /** Say where the view is. */
  tell() {
    const view = this.shown();
    this.place.hidden = !view?.stages.length;
    if (!view?.stages.length) return;
    const { name } = view.stages[Math.round(view.at)];
    this.slider.max = String(view.stages.length - 1);
    this.slider.value = String(view.at);
    this.slider.setAttribute("aria-valuetext", name);
    this.name.textContent = name;
  }
}
