// Undo: every change by hand is an entry of the browser's history, so that Back and the button go one change back.
// @ts-check

/** @typedef {import("./state.js").State} State */

/** What a hand changes little by little: such changes within this time are one. */
const SMALL = new Set(["window", "folds", "segment"]);
const SAME_MS = 1200;

export class Past {
  /** @param {State} state @param {HTMLButtonElement} button */
  constructor(state, button) {
    this.state = state;
    this.button = button;
    this.last = "";
    this.when = 0;
    this.isDue = false; // whether the last change has no entry yet
    button.addEventListener("click", () => this.undo());
    addEventListener("popstate", () => {
      this.isDue = false;
      this.mark();
    });
    this.mark();
  }

  get depth() {
    return history.state?.depth ?? 0;
  }

  mark() {
    this.button.disabled = this.depth === 0;
  }

  /**
   * These names change: keep what there was, and write what there is then into an entry of its own, behind the next frame:
   * browsers take longer to write one than to draw a small picture.
   * @param {string[]} names @param {() => void} act makes the change
   */
  keep(names, act) {
    const now = performance.now();
    const key = names.join();
    const isSame = SMALL.has(key) && key === this.last && now - this.when < SAME_MS;
    this.last = key;
    this.when = now;
    this.settle();
    if (isSame || names.every((name) => name === "step" || name === "speed")) return act();
    this.state.settle();
    act();
    this.isDue = true;
    this.button.disabled = false;
    requestAnimationFrame(() => window.setTimeout(() => this.settle()));
  }

  /** Write the entry that is due. */
  settle() {
    if (!this.isDue) return;
    this.isDue = false;
    this.state.push({ depth: this.depth + 1 });
    this.mark();
  }

  undo() {
    this.settle();
    if (this.depth === 0) return;
    this.state.replace();
    this.last = "";
    history.back();
  }
}
