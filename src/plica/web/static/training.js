// Play, step, rewind, scrub: the training is on the server, its history is here.
// @ts-check
import { sameUntil, withRate } from "./state.js";
import { digits, grouped } from "./words.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./charts.js").Past} Past */

const KEPT = 2000;

export class Training {
  /** @param {State} state @param {(changes: Record<string, string>) => void} change */
  constructor(state, change) {
    this.state = state;
    this.change = change;
    this.playing = false;
    /** @type {Past[]} */
    this.past = [];
    this.key = this.rate = this.window = this.path = "";
    this.limit = 0;
    this.waiting = false;
    this.drawing = false; // whether the last picture is not on the screen yet
    this.scrub = /** @type {HTMLInputElement} */ (document.getElementById("scrub"));
    this.button = /** @type {HTMLButtonElement} */ (document.getElementById("play"));
    this.button.addEventListener("click", () => this.toggle());
    document.getElementById("next")?.addEventListener("click", () => this.step(1));
    document.getElementById("rewind")?.addEventListener("click", () => this.rewind());
    document.getElementById("reseed")?.addEventListener("click", () => this.reseed());
    this.scrub.addEventListener("input", () => {
      this.pause();
      this.change({ step: this.scrub.value });
    });
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) this.pause();
    });
  }

  get most() {
    return this.state.fields.step.high;
  }

  toggle() {
    if (this.playing) this.pause();
    else if (this.state.get("data") !== "model") {
      this.playing = true;
      this.mark();
      this.step(this.state.number("speed"));
    }
  }

  pause() {
    this.playing = false;
    this.mark();
  }

  mark() {
    this.button.textContent = this.playing ? "Pause" : "Play";
    this.button.setAttribute("aria-pressed", String(this.playing));
  }

  /** @param {number} count */
  step(count) {
    const next = Math.min(Math.max(this.state.number("step") + count, 0), this.most);
    if (next === this.most) this.pause();
    this.change({ step: String(next) });
  }

  rewind() {
    this.pause();
    this.change({ step: "0" });
  }

  reseed() {
    this.change({ seed: String((this.state.number("seed") + 1) % 2 ** 31) });
  }

  /**
   * A picture has arrived: remember it, and go on if playing.
   * @param {Record<string, any>} facts @param {Record<string, any>} arrays
   */
  arrived(facts, arrays) {
    this.forget(facts);
    if (arrays.losses) this.between(facts, arrays.losses);
    this.remember({
      step: facts.step,
      loss: facts.loss,
      held: facts.held_loss,
      regions: facts.n_regions,
      length: facts.lengths?.output ?? null,
    });
    const last = Math.max(this.past[this.past.length - 1]?.step ?? 0, facts.step);
    this.scrub.max = String(last);
    this.scrub.value = String(facts.step);
    this.scrub.disabled = last === 0;
    const words =
      facts.n_regions === null ? "" : `, ${grouped(facts.n_regions)} ${facts.dimension === 1 ? "pieces" : "regions"}`;
    this.scrub.setAttribute(
      "aria-valuetext",
      `step ${facts.step}, loss ${facts.loss === null ? "unknown" : digits(facts.loss)}${words}`,
    );
    if (facts.diverged) this.pause();
    if (this.playing) this.goOn();
  }

  /**
   * Forget what belongs to another training, to other rates, to another window or to another path.
   * @param {Record<string, any>} facts
   */
  forget(facts) {
    const query = new URLSearchParams(facts.query);
    const key = this.state
      .of("training", "model")
      .map((name) => query.get(name) ?? "")
      .join("&");
    const rate = query.get("rate") ?? this.state.fields.rate.default;
    const window = facts.window.join(",");
    const path = `${query.get("path")} ${query.get("segment") || window}`;
    if (key !== this.key) this.past = [];
    else {
      const last = sameUntil(this.rate, rate);
      this.past = this.past.filter((past) => past.step <= last);
      if (window !== this.window) for (const past of this.past) past.regions = null;
      if (path !== this.path) for (const past of this.past) past.length = null;
    }
    [this.key, this.rate, this.window, this.path] = [key, rate, window, path];
  }

  /** Losses of the steps that were not drawn. @param {Record<string, any>} facts @param {Float32Array} losses */
  between(facts, losses) {
    if (
      losses.length < 3 ||
      this.past.some((p) => p.step > facts.step - losses.length * facts.loss_stride && p.step < facts.step)
    )
      return;
    losses.forEach((loss, i) => {
      const step = facts.step - (losses.length - 1 - i) * facts.loss_stride - 1;
      if (i % 4 === 0 && step > 0 && !this.past.some((p) => p.step === step))
        this.remember({ step, loss, held: null, regions: null, length: null });
    });
  }

  /** @param {Past} now */
  remember(now) {
    const at = this.past.findIndex((p) => p.step >= now.step);
    if (at < 0) this.past.push(now);
    else if (this.past[at].step === now.step) this.past[at] = now;
    else this.past.splice(at, 0, now);
    if (this.past.length > KEPT) this.past = this.past.filter((_, i) => i % 2 === 0 || i === this.past.length - 1);
  }

  /** With reduced motion two pictures a second; else the next is asked for at once and comes while this one is drawn. */
  goOn() {
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (this.waiting) return;
    this.waiting = true;
    const next = () => {
      this.waiting = false;
      if (this.playing) this.step(this.state.number("speed"));
    };
    if (calm) setTimeout(next, 500);
    else if (this.drawing) requestAnimationFrame(next);
    else {
      this.drawing = true;
      requestAnimationFrame(() => (this.drawing = false));
      queueMicrotask(next);
    }
  }

  /** Go back to the last good step with a smaller learning rate. @param {{step: number, rate: number}} diverged */
  undo(diverged) {
    const rate = String(Number(diverged.rate.toPrecision(3)));
    this.change({ step: String(diverged.step), rate: withRate(this.state.get("rate"), diverged.step, rate) });
  }
}
