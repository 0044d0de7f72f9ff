// The views that the server computes: they are asked when something changed that they depend on, and their readings are listed.
// @ts-check
import { setIndexed } from "./indices.js";
import { digits, grouped } from "./words.js";
import { get, waiting } from "./page.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./socket.js").Line} Line */

/** Steps after which small networks have learned most of what they will. */
const LESSON = 200;

/** @param {number} x */
function shown(x) {
  const isLarge = Math.abs(x) >= 1000 && Math.abs(x) < 1e6;
  return isLarge || (Number.isInteger(x) && Math.abs(x) < 1e12) ? grouped(x) : digits(x);
}

/** A number that no line breaks, as it would after the hyphen of an exponent. @param {number} x */
export const unbroken = (x) => shown(x).replace("e-", "e−").replace(/^-/, "−");

export class Lab {
  /**
   * @param {State} state @param {Line} line @param {number} most seconds that an answer may take
   * @param {(facts: Record<string, any>, arrays: Record<string, any>) => void} arrived
   * @param {(error: any) => void} complain
   */
  constructor(state, line, most, arrived, complain) {
    this.state = state;
    this.line = line;
    this.most = most;
    this.arrived = arrived;
    this.complain = complain;
    this.asked = "";
    this.asking = false;
    /** @type {Record<string, any> | null} what was answered last, for the view it belongs to */
    this.facts = null;
    this.view = "";
  }

  /** The part of the state that a sheet is computed from. */
  wanted() {
    const { state } = this;
    const names = Object.keys(state.fields).filter((name) => state.fields[name].scope !== "page" || name === "view");
    return names.map((name) => state.get(name)).join("&");
  }

  /** @param {string} view */
  async ask(view) {
    if (this.view !== view) [this.facts, this.asked] = [null, ""];
    this.view = view;
    if (this.asking || !view) return;
    this.asking = true;
    get("other").setAttribute("aria-busy", "true");
    const done = waiting("other-wait", this.most);
    let askedBy = view;
    try {
      while (this.view && this.asked !== this.wanted()) {
        this.asked = this.wanted();
        askedBy = this.view;
        const reply = await this.line.ask({ do: "view", state: this.state.query() }).catch(later);
        if (!reply) {
          this.asked = "";
          continue;
        }
        if (askedBy !== this.view) continue; // another one is looked at now
        this.facts = reply.facts;
        this.arrived(reply.facts, reply.arrays);
      }
    } catch (error) {
      if (/** @type {any} */ (error).status === 0) this.asked = "";
      else if (askedBy === this.view) {
        this.facts = null;
        this.complain(error);
      }
    } finally {
      done();
      get("other").removeAttribute("aria-busy");
      this.asking = false;
    }
    if (this.view && this.asked !== this.wanted()) this.ask(this.view);
  }
}

/** List the readings: what is predicted beside what is measured. @param {Record<string, any>} facts */
export function listReadings(facts) {
  const rows = Object.values(facts.readings).map((reading) => {
    const row = document.createElement("tr");
    const verdict = reading.holds === null ? "" : reading.holds ? "✓" : "✗";
    const error = reading.error ? ` ±\u00a0${unbroken(reading.error)}` : "";
    const relation = { "<=": "≤\u00a0", ">=": "≥\u00a0", "~": "≈\u00a0" }[/** @type {string} */ (reading.relation)] ?? "";
    for (const text of [reading.what, relation + unbroken(reading.predicted), unbroken(reading.measured) + error, verdict])
      setIndexed(row.appendChild(document.createElement("td")), text);
    row.dataset.holds = String(reading.holds);
    return row;
  });
  const head = document.createElement("tr");
  for (const text of ["reading", "predicted", "here", "holds"])
    head.append(Object.assign(document.createElement("th"), { textContent: text, scope: "col" }));
  const short = Object.assign(document.createElement("abbr"), { textContent: "s.e.", title: "standard error" });
  if (Object.values(facts.readings).some(({ error }) => error)) head.children[2].append(" ± ", short);
  get("view-readings").replaceChildren(...(rows.length ? [head, ...rows] : []));
  get("view-sentence").textContent = facts.sentence;
}

/** A server that has too much to do is asked again, later and not by all pages at once. @param {any} error */
export async function later(error) {
  if (error.status !== 429) throw error;
  await new Promise((resolve) => setTimeout(resolve, 1000 * error.retry * (0.5 + Math.random())));
}

/**
 * A way on where a view asks for a network that has learned.
 * @param {any} error @param {(changes: Record<string, string>) => void} change
 */
export const wayToLearn = (error, change) =>
  error.hint?.startsWith("train the network")
    ? { words: `Train ${LESSON} steps`, act: () => change({ step: String(LESSON) }) }
    : undefined;

/** The number of a sheet in large type. @param {{value: number | null, noun: string, kind: string, where: string}} hero */
export function showHero({ value, noun, kind, where }) {
  get("count").textContent = value === null ? "∞" : shown(value);
  get("noun").textContent = noun;
  get("kind").textContent = get("kind").dataset.kind = kind;
  get("where").textContent = where;
}

/** What came for a sheet; before an answer to this state, no number of another. @param {Record<string, any> | null} answer */
export function tellSheet(answer) {
  if (answer) {
    listReadings(answer);
    if (answer.hero) showHero(answer.hero);
    return;
  }
  for (const name of ["noun", "kind", "where"]) get(name).textContent = "";
  get("count").textContent = "–";
  get("view-readings").replaceChildren();
}
