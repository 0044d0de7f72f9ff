// Scenes: a claim's caption and formula, what it predicts beside what is measured here, its controls, next and previous.
// @ts-check
import { unbroken } from "./lab.js";
import { get } from "./page.js";

/** @typedef {import("./state.js").State} State */
/**
 * @typedef {object} Scene
 * @property {string} id
 * @property {string} title
 * @property {string} heading the title with its formulas
 * @property {string} text
 * @property {string} formula
 * @property {string} expected
 * @property {string} show a state of the explorer
 * @property {string[]} controls
 */
/** @typedef {{what: string, relation: string, predicted: number, measured: number, holds: boolean | null}} Reading */

/** @type {Record<string, string>} */
const RELATIONS = { "=": "predicted", "<=": "predicted at most", ">=": "predicted at least", "~": "predicted about" };

export class Scenes {
  /** @param {State} state @param {(query: string) => void} show a scene's state */
  constructor(state, show) {
    this.state = state;
    this.open = show;
    /** @type {Promise<Scene[]> | null} */
    this.all = null;
    this.shown = "";
    /** @type {[Element, Comment][]} controls that were moved, and where they were */
    this.moved = [];
    this.home = /** @type {HTMLElement} */ (document.querySelector(".controls"));
    this.row = /** @type {HTMLElement[]} */ ([...this.home.children]);
    this.isFolded = false;
    get("scene-next").addEventListener("click", () => this.step(1));
    get("scene-back").addEventListener("click", () => this.step(-1));
  }

  /** @returns {Promise<Scene[]>} */
  load() {
    this.all ??= fetch("/api/scenes")
      .then((answer) => answer.json())
      .then((answer) => answer.scenes)
      .catch((error) => {
        this.all = null; // the next time may be better
        throw error;
      });
    return this.all;
  }

  /** Go to the next or to the previous scene; without one, to the first or to the last. @param {number} step */
  async step(step) {
    const all = await this.load();
    const at = all.findIndex((scene) => scene.id === this.state.get("scene"));
    const next = at < 0 ? (step > 0 ? 0 : all.length - 1) : (at + step + all.length) % all.length;
    this.open(all[next].show + (this.state.isOn("present") ? "&present=1" : ""));
  }

  /** Show the caption of the state's scene and what its picture says. @param {Record<string, any>} facts */
  async show(facts) {
    const id = this.state.get("scene");
    get("scene").hidden = !id;
    if (id) {
      get("scene-title").textContent ||= "Fetching the scene …";
      const all = await this.load();
      const scene = all.find((one) => one.id === id);
      if (!scene || this.state.get("scene") !== id) return;
      get("scene-where").textContent = `Scene ${all.indexOf(scene) + 1} of ${all.length}`;
      if (this.shown !== id) {
        get("scene-title").innerHTML = scene.heading; // made by the server from its own pages, as is the text
        get("scene-text").innerHTML = scene.text;
        get("scene-formula").innerHTML = scene.formula;
      }
      tellReading(scene, facts.reading ?? null);
      this.move(scene.controls);
    } else this.move([]);
    this.shown = id;
  }

  /** The controls that matter stand under the caption, the others in the tabs. @param {string[]} names */
  move(names) {
    const place = get("scene-controls");
    if ([...place.children].map((field) => /** @type {HTMLElement} */ (field).dataset.field).join() === names.join()) return;
    for (const [field, mark] of this.moved) mark.replaceWith(field);
    this.moved = names.flatMap((name) => {
      const field = document.querySelector(`[data-field="${name}"]`);
      if (!field) return [];
      const mark = document.createComment(name);
      field.replaceWith(mark);
      place.append(field);
      return [/** @type {[Element, Comment]} */ ([field, mark])];
    });
    const isStaged = names.length > 0;
    if (document.body.classList.toggle("staged", isStaged) !== this.isFolded) this.fold(isStaged);
  }

  /** Put the row of controls above the tabs into them, and back. @param {boolean} isFolded */
  fold(isFolded) {
    this.isFolded = isFolded;
    for (const part of [...this.row].reverse()) (isFolded ? tabOf(part) : this.home).prepend(part);
    /** @type {HTMLDetailsElement} */ (get("view-more")).open = !isFolded;
  }
}

/** @param {HTMLElement} part */
const tabOf = (part) => /** @type {HTMLElement} */ (document.querySelector(`#panel-${part.dataset.tab} .grid`));

/**
 * Say what is predicted beside what is measured.
 * @param {{expected: string}} scene @param {Reading | null} reading
 */
export function tellReading(scene, reading) {
  const place = get("scene-numbers");
  place.hidden = !reading;
  if (!reading) return;
  const { what, relation, predicted, measured, holds } = reading;
  const refuted = scene.expected === "holds" ? "" : ` (the claim is ${scene.expected})`;
  const verdict = holds === null ? "" : holds ? "\u00a0✓" : `\u00a0✗${refuted}`;
  place.textContent = `${what}: ${RELATIONS[relation]} ${unbroken(predicted)}, here ${unbroken(measured)}${verdict}`;
  place.dataset.holds = String(holds);
}
