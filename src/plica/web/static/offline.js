// Scenes without a server: frames that were computed before, drawn by the explorer's own modules.
// @ts-check
import { drawAxes } from "./axes.js";
import { usePalette } from "./colors.js";
import { unpack } from "./frames.js";
import { listReadings, showHero } from "./lab.js";
import { ALL_MARKS, layerNames, showLegend } from "./legend.js";
import { Mesh } from "./mesh.js";
import { get } from "./page.js";
import { Plane } from "./plane.js";
import { tellReading } from "./scenes.js";
import { State } from "./state.js";
import { showCount } from "./summary.js";
import { hideTip, showTip } from "./tip.js";
import { Views } from "./views.js";

/** @typedef {{value: string, query: string, data: string}} Frame */
/**
 * @typedef {object} Scene
 * @property {string} id
 * @property {string} title
 * @property {string} heading
 * @property {string} text
 * @property {string} formula
 * @property {string} expected
 * @property {string} control what the frames differ in
 * @property {number} start
 * @property {Frame[]} frames
 */

const PLAY_MS = 1200;

/** A state that leaves the address alone. */
class Still extends State {
  write() {}
}

const data = JSON.parse(get("data").textContent ?? "");
usePalette(data.colors);
const state = new Still(data.fields, data.version);
const nothing = () => {};
const plane = new Plane(get("plane"), { window: nothing, segment: nothing, pin: nothing, look, drawn: () => drawAxes(plane) });
/** Only what a picture holds can be looked at in another view. */
const noMap = /** @type {any} */ ({});
const views = new Views(get("other"), state, ({ view }) => (state.set({ view }), draw()), data.sheets, noMap, []);
views.all.trajectory.request = "";
const value = /** @type {HTMLInputElement} */ (get("value"));
const depth = /** @type {HTMLInputElement} */ (get("depth"));
const go = /** @type {HTMLSelectElement} */ (get("go"));
/** @type {{facts: Record<string, any>, arrays: Record<string, any>}} */
let reply = { facts: {}, arrays: {} };
/** @type {Mesh | null} */
let mesh = null;
let at = 0;
let run = 0;
let timer = 0;

/** @returns {Scene} */
const scene = () => data.scenes[at];
/** Whether a view needs no more than a picture. @param {string} [name] */
const isInPage = (name = "") => data.network.includes(name) && !data.sheets.includes(name) && name !== "map";
const isSheet = () => data.sheets.includes(state.get("view"));

/** @param {string} text @returns {Promise<ArrayBuffer>} */
async function unzipped(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

/** Show a scene as it begins. @param {number} number */
function open(number) {
  at = (number + data.scenes.length) % data.scenes.length;
  const { heading, text, formula, control, frames, start, id } = scene();
  get("scene-title").innerHTML = heading;
  get("scene-text").innerHTML = text; // as the explorer's server makes it from the claims' own pages
  get("scene-formula").innerHTML = formula;
  get("value-name").textContent = control;
  get("place").textContent = `scene ${at + 1} of ${data.scenes.length}`;
  go.value = String(at);
  value.max = String(frames.length - 1);
  value.value = String(start);
  history.replaceState(null, "", `#${id}`);
  stop();
  return show();
}

/** Show the frame that the slider is at. */
async function show() {
  const frame = scene().frames[Number(value.value)];
  const mine = ++run;
  const found = unpack(await unzipped(frame.data));
  if (mine !== run) return;
  reply = found;
  /** @type {Record<string, string>} what the reader chose in this scene */
  const kept = value.dataset.scene === scene().id ? { view: state.get("view"), folds: state.get("folds") } : {};
  value.dataset.scene = scene().id;
  state.take(frame.query);
  state.set(kept);
  get("value-shown").textContent = frame.value;
  value.setAttribute("aria-valuetext", frame.value);
  mesh = isSheet() ? null : new Mesh(found.facts, found.arrays);
  if (mesh) {
    depth.max = String(mesh.facts.n_layers);
    plane.depth = state.number("folds");
    Object.assign(plane, { segment: state.numbers("segment"), isCircle: state.get("path") === "circle" });
    plane.boundary = state.isOn("boundary");
    plane.points = state.isOn("points");
    plane.show(mesh, state.get("color"));
  }
  draw();
  document.documentElement.dataset.ready = `${scene().id} ${frame.value}`;
}

function draw() {
  const { facts, arrays } = reply;
  const layers = state.number("folds");
  document.body.classList.toggle("sheet", isSheet());
  document.body.classList.toggle("own", !data.network.includes(state.get("view")));
  get("depth-field").hidden = !mesh || mesh.facts.kind !== "exact" || mesh.facts.n_layers < 2;
  for (const button of views.buttons) button.hidden = !mesh || !isInPage(button.dataset.view);
  if (mesh) {
    depth.value = String(Math.min(layers, mesh.facts.n_layers));
    get("depth-shown").textContent = Number(depth.value) === mesh.facts.n_layers ? "all layers" : layerNames(layers);
    plane.repaint(state.get("color"), layers);
    const { options, option_labels } = state.fields.color;
    const words = option_labels[options.indexOf(state.get("color"))];
    showLegend(mesh, state.get("color"), words, layers, { ...ALL_MARKS, boundary: plane.boundary, points: plane.points });
    showCount(mesh, state, layers);
    get("view-sentence").textContent = "";
    get("view-readings").replaceChildren();
  } else {
    views.all[state.get("view")].fill?.(facts, arrays);
    listReadings(facts);
    if (facts.hero) showHero(facts.hero);
  }
  tellReading(scene(), facts.reading ?? null);
  views.show(/** @type {any} */ (mesh ?? {}));
}

/** @param {number} cell @param {boolean} byKeyboard @param {[number, number]} [place] parts of the screen */
function look(cell, byKeyboard, place) {
  if (mesh && cell >= 0 && place) showTip(mesh, cell, place, plane.unit(place));
  else hideTip();
}

function stop() {
  clearInterval(timer);
  timer = 0;
  get("play").setAttribute("aria-pressed", "false");
}

function play() {
  if (timer) return stop();
  get("play").setAttribute("aria-pressed", "true");
  timer = window.setInterval(() => {
    value.value = String((Number(value.value) + 1) % scene().frames.length);
    show();
  }, PLAY_MS);
}

data.scenes.forEach((/** @type {Scene} */ { title }, /** @type {number} */ i) => go.append(new Option(title, String(i))));
go.addEventListener("change", () => open(Number(go.value)));
value.addEventListener("input", () => (stop(), show()));
depth.addEventListener("input", () => {
  state.set({ folds: Number(depth.value) === Number(depth.max) ? state.fields.folds.default : depth.value });
  draw();
});
get("next").addEventListener("click", () => open(at + 1));
get("back").addEventListener("click", () => open(at - 1));
get("play").addEventListener("click", play);
addEventListener("keydown", (event) => {
  const step = { PageDown: 1, PageUp: -1 }[event.key]; // what remotes send
  if (!step) return;
  event.preventDefault();
  open(at + step);
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
Object.assign(globalThis, { plica: { state, plane, views, open } });
const wanted = data.scenes.findIndex((/** @type {Scene} */ { id }) => `#${id}` === location.hash);
open(Math.max(wanted, 0));
