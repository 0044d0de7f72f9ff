// How the page looks in a state: theme, hidden parts, presentation, and what a state has no use for.
// @ts-check
import { isAlone } from "./class_map.js";
import { className } from "./classes.js";
import { get } from "./page.js";

/** @typedef {import("./state.js").State} State */

/** Views of cells: elsewhere nothing has the colors and the depth that are chosen. */
const COLORED = ["plane", "surface", "fold"];

/**
 * @param {State} state @param {string[]} ofNetwork views of the network that the other fields describe
 * @param {string[]} sheets views that the server computes
 */
export function applyLook(state, ofNetwork, sheets) {
  document.documentElement.dataset.theme = state.get("theme");
  const isPresented = state.isOn("present");
  document.body.classList.toggle("present", isPresented);
  get("present").setAttribute("aria-pressed", String(isPresented));
  const view = state.get("view");
  document.body.classList.toggle("sheet", sheets.includes(view));
  document.body.classList.toggle("solid", view === "complex");
  document.body.classList.toggle("map", view === "map");
  document.body.classList.toggle("flat", view === "plane");
  document.body.classList.toggle("alone", isAlone(state));
  document.body.classList.toggle("own", !ofNetwork.includes(view));
  for (const field of document.querySelectorAll("[data-colors] input, [data-colors] select"))
    field.toggleAttribute("disabled", !COLORED.includes(view));
  get("view-seed").hidden = view === "approximation"; // nothing in it is drawn at random
  for (const field of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-views]")))
    field.hidden = !(field.dataset.views ?? "").split(" ").includes(view);
  get("tab-view").toggleAttribute("data-hidden", !document.querySelector("[data-views]:not([hidden])"));
  className.given = state.get("names").split(",").map((name) => name.trim());
  const hidden = state.get("hide").split(",").filter(Boolean);
  for (const part of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-part], [data-when]")))
    part.toggleAttribute("data-hidden", hidden.includes(part.dataset.part ?? "") || !isUseful(state, part.dataset.when ?? ""));
}

/** Whether a state is as a condition says, such as data=model or data!=model. @param {State} state @param {string} condition */
function isUseful(state, condition) {
  if (!condition) return true;
  const [name, value] = condition.split(/!?=/);
  return (state.get(name) === value) !== condition.includes("!=");
}
