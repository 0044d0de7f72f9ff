// What every key does.
// @ts-check
import { get, hideToast } from "./page.js";
import { openSeenTab, openTab, ownTab } from "./tabs.js";
import { copyLink } from "./takeaway.js";

/** @typedef {import("./keys.js").Key} Key */

/**
 * @param {import("./state.js").State} state @param {(changes: Record<string, string>) => void} change
 * @param {import("./training.js").Training} training @param {import("./plane.js").Plane} plane
 * @param {{undo: () => void, draw: (on: boolean) => void, scene: (step: number) => void, say: (text: string) => void}} acts
 * @returns {Key[]}
 */
export function keymap(state, change, training, plane, { undo, draw, scene, say }) {
  const next = (/** @type {string} */ name) => {
    const { options } = state.fields[name];
    change({ [name]: options[(options.indexOf(state.get(name)) + 1) % options.length] });
  };
  const toggle = (/** @type {string} */ name) => change({ [name]: state.isOn(name) ? "0" : "1" });
  const click = (/** @type {string} */ selector) => /** @type {HTMLElement} */ (document.querySelector(selector)).click();
  return [
    { keys: [" "], words: "play and pause", act: () => training.toggle() },
    { keys: ["."], words: "one training step", act: () => training.step(1) },
    { keys: [","], words: "one training step back", act: () => training.step(-1) },
    { keys: ["R"], words: "rewind to the same initialization", act: () => training.rewind() },
    { keys: ["N"], words: "new seed", act: () => training.reseed() },
    { keys: ["U"], words: "undo", act: undo },
    ...["1", "2", "3", "4", "5", "6"].map((key) => ({
      keys: [key],
      words: `cells of the first ${key} layers`,
      act: () => change({ folds: key }),
    })),
    { keys: ["0"], words: "no layer", act: () => change({ folds: "0" }) },
    { keys: ["V"], words: "next view", act: () => next("view") },
    { keys: ["C"], words: "next way of coloring", act: () => next("color") },
    { keys: ["B"], words: "decision boundary on and off", act: () => toggle("boundary") },
    { keys: ["D"], words: "data points on and off", act: () => toggle("points") },
    { keys: ["+", "="], words: "zoom in", act: () => plane.zoom(1.5) },
    { keys: ["-"], words: "zoom out", act: () => plane.zoom(1 / 1.5) },
    { keys: ["H"], words: "the whole picture", act: () => change({ window: "" }) },
    { keys: ["G"], words: "draw a segment with the pointer (or hold Shift)", act: () => draw(!plane.drawing) },
    { keys: ["P"], words: "presentation", act: () => toggle("present") },
    { keys: ["PageDown", "]"], words: "next scene", act: () => scene(1) },
    { keys: ["PageUp", "["], words: "previous scene", act: () => scene(-1) },
    { keys: ["L"], words: "copy the link", act: () => copyLink(state, say) },
    { keys: ["S"], words: "save as SVG", act: () => click("[data-export=svg]") },
    { keys: ["Y"], words: "copy as Python", act: () => click("#copy-python") },
    { keys: ["M"], words: "the tabs", act: () => openSeenTab("data") },
    {
      keys: ["/"],
      words: "search the claims",
      act: () => {
        openTab("claims");
        get("claim-search").focus();
      },
    },
    {
      keys: ["F"],
      words: "focus the picture; then arrows walk, Tab visits neighbors, Enter pins, Escape leaves, Shift+arrows move",
      act: () => get(get("plane").hidden ? "other" : "plane").focus(),
    },
    { keys: ["?"], words: "this map", act: () => /** @type {HTMLDialogElement} */ (get("help")).showModal() },
    {
      keys: ["Escape"],
      words: "close what is open",
      act: () => {
        hideToast();
        draw(false);
        openTab(ownTab());
      },
    },
  ];
}
