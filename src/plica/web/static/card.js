// The card of the region in focus, and of the path through the picture.
// @ts-check
import { pathGraph } from "./charts.js";
import { complain, factsList, get } from "./page.js";
import { cellFacts, cellSentence, digits, grouped, mapText } from "./words.js";

/** @typedef {import("./mesh.js").Mesh} Mesh */

const REST_MS = 250;

export class Card {
  /** @param {import("./socket.js").Line} line @param {import("./state.js").State} state */
  constructor(line, state) {
    this.line = line;
    this.state = state;
    this.timer = 0;
    /** @type {Mesh | null} */
    this.mesh = null;
    this.shown = -1;
  }

  /**
   * The region in focus, else the pinned one.
   * @param {Mesh} mesh @param {number} cell @param {number} pinned @param {boolean} byKeyboard
   */
  show(mesh, cell, pinned, byKeyboard) {
    this.mesh = mesh;
    this.shown = cell >= 0 ? cell : pinned;
    get("card-empty").hidden = this.shown >= 0;
    get("card-facts").hidden = this.shown < 0;
    if (byKeyboard) get("announce-cell").textContent = cellSentence(mesh, cell);
    if (this.shown < 0) return;
    factsList("card-facts", cellFacts(mesh, this.shown));
    if (!mesh.arrays.maps && mesh.facts.kind === "exact") this.ask(mesh, this.shown);
  }

  /** The map of one cell of a large network, once the pointer rests. @param {Mesh} mesh @param {number} cell */
  ask(mesh, cell) {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(async () => {
      try {
        const { facts } = await this.line.ask({ do: "cell", state: this.state.query(), cell });
        if (this.mesh !== mesh || this.shown !== cell) return;
        const rows = cellFacts(mesh, cell);
        rows.push(["map", mapText([...facts.slopes, facts.constant], mesh.facts.widths[0] > 2)]);
        if (facts.input_gradient !== undefined) rows.push(["gradient norm in the input space", digits(facts.input_gradient)]);
        const active = facts.active.map((/** @type {number} */ n, /** @type {number} */ i) => `${n} of ${facts.units[i]}`);
        rows.push(["active units", active.join(", ")]);
        factsList("card-facts", rows);
      } catch (error) {
        if (/** @type {any} */ (error).status !== 499) complain(error);
      }
    }, REST_MS);
  }
}

/**
 * The drawn path, or the interval, layer by layer.
 * @param {Record<string, any>} facts @param {Record<string, any>} arrays
 */
export function showPath(facts, arrays) {
  const lengths = facts.lengths;
  get("path").hidden = !lengths || lengths.path === "diagonal";
  get("path").classList.toggle("drawn", Boolean(lengths) && facts.dimension === 2);
  if (!lengths) return;
  get("path-title").textContent = 
    lengths.path === "interval" ? "The interval, layer by layer" : lengths.path === "circle" ? "Circle of 128 sides" : "Segment";
  pathGraph(get("path-graph"), arrays);
  /** @type {[string, string][]} */
  const rows = facts.pieces ? [["pieces (exact)", grouped(facts.pieces.n_regions)]] : [];
  rows.push(["length", digits(lengths.input)]);
  lengths.post.forEach((/** @type {number} */ length, /** @type {number} */ i) =>
    rows.push([`after layer ${i}`, digits(length)]),
  );
  rows.push(["at the output", `${digits(lengths.output)} (${lengths.kind})`]);
  factsList("path-facts", rows);
}
