// The picture in words and as a table of its largest cells.
// @ts-check
import { announce, get } from "./page.js";
import { largestCells, pictureSentence } from "./words.js";

/** @typedef {import("./mesh.js").Mesh} Mesh */

/** The text alternative, and a word to screen readers. @param {Mesh} mesh @param {string} color */
export function tellPicture(mesh, color) {
  const { facts } = mesh;
  const sentence = pictureSentence(mesh, color);
  get("plane-words").textContent = sentence;
  get("words-text").textContent = sentence;
  const count = `${get("count").textContent} ${get("noun").textContent} at step ${facts.step}`;
  announce(facts.kind === "exact" ? count : `step ${facts.step}, estimated`);
  const isLine = facts.dimension === 1;
  const caption = document.createElement("caption");
  caption.textContent = `The largest ${isLine ? "pieces" : "cells"}`;
  const names = ["cell", "center", isLine ? "length" : "area", "map", "neighbors"];
  get("words-table").replaceChildren(caption, row("th", names), ...largestCells(mesh).map((texts) => row("td", texts)));
}

/** @param {"th" | "td"} kind @param {string[]} texts */
function row(kind, texts) {
  const made = document.createElement("tr");
  for (const text of texts) {
    const cell = Object.assign(document.createElement(kind), { textContent: text });
    if (kind === "th") cell.scope = "col";
    made.append(cell);
  }
  return made;
}
