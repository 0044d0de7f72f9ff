// The buttons that change one thing: zoom, segment, seed, scene, presentation, help.
// @ts-check
import { get } from "./page.js";

/**
 * @param {import("./state.js").State} state @param {import("./plane.js").Plane} plane
 * @param {(changes: Record<string, string>) => void} change @param {(on: boolean) => void} setDrawing
 */
export function wireButtons(state, plane, change, setDrawing) {
  get("zoom-in").addEventListener("click", () => plane.zoom(2));
  get("zoom-out").addEventListener("click", () => plane.zoom(0.5));
  get("zoom-home").addEventListener("click", () => change({ window: "" }));
  get("draw-segment").addEventListener("click", () => setDrawing(!plane.drawing));
  get("drop-segment").addEventListener("click", () => change({ segment: "" }));
  get("view-seed").addEventListener("click", () => change({ seed: String(Math.floor(Math.random() * 1e6)) }));
  get("scene-end").addEventListener("click", () => change({ scene: "" }));
  get("present").addEventListener("click", () => change({ present: state.isOn("present") ? "0" : "1" }));
  const help = /** @type {HTMLDialogElement} */ (get("help"));
  get("open-help").addEventListener("click", () => help.showModal());
  get("close-help").addEventListener("click", () => help.close());
}
