// The page: one state, one line to the server, the newest picture.
// @ts-check
import { drawAxes } from "./axes.js";
import { wireButtons } from "./buttons.js";
import { Card, showPath } from "./card.js";
import { sparklines } from "./charts.js";
import { ClassMap, isAlone, wayToMap } from "./class_map.js";
import { ofOneScore } from "./classes.js";
import { Claims } from "./claims.js";
import { isDark, usePalette } from "./colors.js";
import { buildControls, consequences, placeViewFields } from "./controls.js";
import { Diagram } from "./diagram.js";
import { keymap } from "./keymap.js";
import { Images } from "./images.js";
import { Lab, later, tellSheet, wayToLearn } from "./lab.js";
import { wireKeys } from "./keys.js";
import { ofOutput, showLegend } from "./legend.js";
import { applyLook } from "./look.js";
import { Mesh } from "./mesh.js";
import { complain, confirm, get, hideToast, refusal, waiting } from "./page.js";
import { Past } from "./past.js";
import { Plane } from "./plane.js";
import { Scenes } from "./scenes.js";
import { Line } from "./socket.js";
import { State } from "./state.js";
import { isOfOtherData, showBudget, showCount, tellLead, tellPicture, tellStep } from "./summary.js";
import { followView, openTab, whenOpened, wireTabs } from "./tabs.js";
import { wireExports, wireFiles } from "./takeaway.js";
import { hideTip, showTip } from "./tip.js";
import { Training } from "./training.js";
import { Views } from "./views.js";

const schema = await (await fetch("/api/schema")).json();
usePalette(schema.colors);
const state = new State(schema.fields, schema.version);
/** What the page can change without asking the server. */
const ONLY_HERE = new Set(state.of("page"));
/** What the picture does not depend on. */
const NO_PICTURE = new Set(state.of("page", "view"));
placeViewFields(state);
const line = new Line((isOpen) => {
  if (!isOpen) {
    training.pause();
    complain({
      message: "the server does not answer.",
      hint: "is `plica explore` still running? The page goes on when it is back.",
    });
  } else if (mesh) hideToast();
});

let [asking, asked, announceTimer, leave] = [false, "", 0, new AbortController()];
/** @type {Mesh | null} */
let mesh = null;

const plane = new Plane(get("plane"), {
  window: (window) => change({ window: window.map((x) => String(Number(x.toPrecision(9)))).join(",") }),
  segment: (segment) => {
    setDrawing(false);
    change({ segment: segment.map((x) => String(Number(x.toPrecision(6)))).join(",") });
  },
  pin: (point) => change({ pin: point.map((x) => String(Number(x.toPrecision(9)))).join(",") }),
  look,
  drawn: () => drawAxes(plane),
});
const card = new Card(line, state);
const training = new Training(state, change);
const past = new Past(state, /** @type {HTMLButtonElement} */ (get("undo")));
const claims = new Claims(line, stage, complain);
const scenes = new Scenes(state, stage);
const { low, high, most } = state.fields.widths;
const diagram = new Diagram(
  get("diagram"),
  {
    widths: (widths) => change({ widths }),
    point: () => light(),
    pin: (unit) => change({ neuron: state.get("neuron") === unit.join(".") ? "" : unit.join(".") }),
  },
  { low, high, most },
);
const images = new Images(state, line, change);
const map = new ClassMap(line, () => wanted(), () => views.redraw(), complain);
const views = new Views(get("other"), state, change, schema.sheets, map, schema.views_of_network);
const lab = new Lab(
  state,
  line,
  schema.limits.max_seconds,
  (facts, arrays) => {
    views.all[lab.view].fill?.(facts, arrays);
    document.documentElement.dataset.sheet = facts.query;
    views.redraw();
    showParts();
  },
  (error) => (views.all[lab.view].clear?.(), complain(error, wayToLearn(error, change)), showParts()),
);

/** Change some values, with what follows from them, and show the result. @param {Record<string, string>} changes */
function change(changes) {
  const all = consequences(state, changes);
  const changed = Object.keys(all).filter((name) => state.get(name) !== all[name]);
  if (!changed.length) return;
  if (changed.some((name) => name !== "step" && name !== "window" && !ONLY_HERE.has(name))) hideToast();
  past.keep(changed, () => {
    state.set(all);
    if (changed.some((name) => !NO_PICTURE.has(name) || name === "view")) ask();
    else if (changed.some((name) => !ONLY_HERE.has(name))) lab.ask(sheet());
  });
}

/** The view, if the server computes it. */
const sheet = () => (schema.sheets.includes(state.get("view")) ? state.get("view") : "");

/** Show a scene. @param {string} query */
function stage(query) {
  past.keep(["scene"], () => take(query));
}

/** Take a whole link. @param {string} query */
function take(query) {
  training.pause();
  state.take(query);
  ask();
}

/** Take a link that came by the address, if it is one; else say why not and stay. @param {string} link */
async function follow(link) {
  get("plane").setAttribute("aria-busy", "true");
  const why = await refusal(link);
  if (!asking) get("plane").removeAttribute("aria-busy");
  if (link !== location.hash.slice(1)) return;
  if (!why) return take(link);
  complain(why);
  state.replace();
}

/** The part of the state that the server draws. */
const wanted = () =>
  Object.keys(state.fields)
    .filter((name) => !NO_PICTURE.has(name))
    .map((name) => state.get(name))
    .join("&");

/** Ask for the newest state; while one answer is awaited, only the last wish is kept. */
async function ask() {
  if (isAlone(state)) return (leave.abort(), views.show(mesh)); // nobody waits for the cells
  if (asking) return;
  [asking, leave] = [true, new AbortController()];
  get("plane").toggleAttribute("data-other", isOfOtherData(mesh, state));
  get("plane").setAttribute("aria-busy", "true");
  const arrived = waiting("wait", schema.limits.max_seconds);
  try {
    while (asked !== wanted() && !isAlone(state)) {
      asked = wanted();
      const reply = await line.ask({ do: "picture", state: state.query() }, leave.signal).catch(later);
      if (!reply) {
        asked = "";
        continue;
      }
      document.documentElement.dataset.seconds = String(reply.seconds);
      show(new Mesh(reply.facts, reply.arrays));
    }
  } catch (error) {
    training.pause();
    if ([0, 499].includes(/** @type {any} */ (error).status))
      asked = ""; // the line broke, or the picture was left: ask again when it is back
    else complain(error, wayToMap(state, change));
  } finally {
    arrived();
    get("plane").removeAttribute("aria-busy");
    asking = false;
  }
  if (asked !== wanted() && !isAlone(state)) ask();
}

/** @param {Mesh} next */
function show(next) {
  mesh = next;
  const { facts, arrays } = next;
  if (facts.diverged) {
    state.set({ step: String(facts.step) });
    asked = wanted();
  }
  Object.assign(plane, { segment: state.numbers("segment"), isCircle: state.get("path") === "circle" });
  plane.show(next, state.get("color"));
  get("plane").removeAttribute("data-other");
  tellStep(facts);
  training.arrived(facts, arrays);
  sparklines(get("sparklines"), training.past, facts.step, facts);
  showPath(facts, arrays);
  showParts();
  card.show(next, plane.hovered, plane.pinned, false);
  showBudget(facts, schema.limits);
  if (facts.diverged) complain(facts.diverged, { words: "Go back", act: () => training.undo(facts.diverged) });
  clearTimeout(announceTimer);
  announceTimer = window.setTimeout(() => tellPicture(next, state.get("color")), training.playing ? 3000 : 600);
  plane.hurry();
  document.documentElement.dataset.ready = facts.query;
}

/** What follows from the picture and from how it is shown: count, legend, diagram, view. */
function showParts() {
  if (!mesh) return;
  const { facts } = mesh;
  const depth = state.number("folds");
  showCount(mesh, state, depth);
  tellLead(facts, state.get("view"));
  const color = state.get("view") === "plane" ? state.get("color") : ofOneScore(mesh, state.get("color"));
  const { options, option_labels } = state.fields.color;
  const { marks } = views;
  const drawn = { ...marks, boundary: marks.boundary && state.isOn("boundary"), points: marks.points && state.isOn("points") };
  showLegend(mesh, color, ofOutput(option_labels[options.indexOf(color)], facts, state.get("output")), depth, drawn);
  diagram.show(mesh, neuron());
  light();
  views.show(mesh);
  const isSheet = Boolean(sheet());
  lab.ask(sheet());
  if (isSheet) tellSheet(lab.facts);
  if (state.get("view") === "map") map.tell();
  scenes.show(isSheet ? (lab.facts ?? {}) : facts).catch(complain);
}

/** @returns {number[]} layer and number of the pinned neuron */
function neuron() {
  const text = state.get("neuron");
  return text ? text.split(".").map(Number) : [];
}

/** Light the fold of the neuron in focus. */
function light() {
  plane.lit = diagram.fold();
  plane.redraw();
}

/** @param {number} cell @param {boolean} byKeyboard @param {[number, number]} [at] parts of the screen */
function look(cell, byKeyboard, at) {
  if (!mesh) return;
  card.show(mesh, cell, plane.pinned, byKeyboard);
  const { x, y, scale } = plane.view;
  const unit = byKeyboard && cell >= 0 ? mesh.center(cell) : null;
  if (at) showTip(mesh, cell, at, plane.unit(at));
  else if (unit) showTip(mesh, cell, [unit[0] * scale + x, unit[1] * scale + y], unit);
  else if (cell < 0) hideTip();
}

/** @param {boolean} on */
function setDrawing(on) {
  plane.drawing = on;
  get("draw-segment").setAttribute("aria-pressed", String(on));
}

function showLook() {
  applyLook(state, schema.views_of_network, schema.sheets);
  Object.assign(plane, { boundary: state.isOn("boundary"), points: state.isOn("points") });
  plane.repaint(state.get("color"), state.number("folds"));
  showParts();
}

state.listeners.push((changed) => {
  if (changed.some((name) => ONLY_HERE.has(name) || name === "data")) showLook();
  if (changed.includes("view")) followView();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", showLook);
addEventListener("hashchange", () => follow(location.hash.slice(1)));

buildControls(state, change, (claim) => {
  openTab("claims");
  claims.open(claim).catch(complain);
});
wireExports(line, state, confirm, complain);
wireFiles(change, confirm, complain);
wireTabs();
whenOpened.push((name) => {
  if (name === "claims") claims.load().catch(complain);
  if (name === "yours") images.load().catch(complain);
  if (name === "network") diagram.measure();
});
wireButtons(state, plane, change, setDrawing);
const acts = {
  undo: () => past.undo(),
  draw: setDrawing,
  scene: (/** @type {number} */ step) => scenes.step(step),
  say: confirm,
};
wireKeys(keymap(state, change, training, plane, acts));

const link = location.hash.slice(1);
state.take(link || schema.start);
if (state.get("scene")) scenes.load().catch(complain);
showLook();
followView();
Object.assign(document.documentElement.dataset, { painter: plane.painter.name, dark: String(isDark()) });
/** For measuring from outside: frame times, and the state as it stands. */
Object.assign(globalThis, { plica: { plane, state, training, change, diagram, views, scenes, lab, past } });
const why = link ? await refusal(link) : null;
if (why) {
  state.take(schema.start);
  complain(why);
}
ask();
