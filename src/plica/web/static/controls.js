// Controls made from the schema: label, input, one sentence of help, and its claim.
// @ts-check
import { setIndexed } from "./indices.js";
import { layerNames } from "./legend.js";
import { rateAt, withRate } from "./state.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./state.js").Field} Field */

/**
 * What else changes with a change: a new network starts at step 0, other data at its own window.
 * @param {State} state @param {Record<string, string>} changes
 */
export function consequences(state, changes) {
  const all = { ...changes };
  const names = Object.keys(changes);
  if (names.some((name) => state.fields[name].scope === "training")) {
    all.step ??= "0";
    all.rate ??= String(rateAt(state.get("rate"), state.number("step")));
  }
  if (names.some((name) => state.fields[name].moves)) for (const name of ["window", "segment", "pin"]) all[name] ??= "";
  if (changes.widths !== undefined && !changes.act) {
    const count = changes.widths.split("-").length;
    all.act = state.get("act").split(",").slice(0, count).join(",");
  }
  return all;
}

/** Layers in front of those that are learned: the one that makes features. @param {State} state */
const nFixed = (state) => (state.get("features") && state.get("data") !== "model" ? 1 : 0);

/** Places for the fields of the views that have controls of their own. @param {State} state */
export function placeViewFields(state) {
  for (const [name, field] of Object.entries(state.fields)) {
    if (!field.views.length) continue;
    const place = document.createElement("div");
    place.className = "field";
    place.dataset.field = name;
    place.dataset.views = field.views.join(" ");
    if (field.kind === "number" || field.kind === "integer") place.dataset.as = "range";
    document.getElementById("view-fields")?.append(place);
  }
}

/**
 * Build every placeholder of the page.
 * @param {State} state @param {(changes: Record<string, string>) => void} change @param {(claim: string) => void} openClaim
 */
export function buildControls(state, change, openClaim) {
  for (const place of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-field]"))) {
    const name = place.dataset.field ?? "";
    const field = state.fields[name];
    const control = make(name, field, place.dataset.as ?? "", state, change);
    place.append(...label(name, field, control), help(name, field, openClaim));
    for (const input of control.querySelectorAll("input, select, textarea"))
      input.setAttribute("aria-describedby", `help-${name}`);
    const refresh = /** @type {any} */ (control).refresh;
    refresh();
    state.listeners.push((changed) => {
      if (changed.includes(name) || name === "act" || name === "rate" || name === "folds" || name === "features") refresh();
    });
  }
}

/** @param {string} name @param {Field} field @param {HTMLElement} control @returns {HTMLElement[]} */
function label(name, field, control) {
  const text = document.createElement(field.kind === "choices" ? "span" : "label");
  setIndexed(text, field.label);
  if (field.kind === "choices") {
    text.className = "label";
    text.id = `label-${name}`;
    control.setAttribute("role", "group");
    control.setAttribute("aria-labelledby", text.id);
    return [text, control];
  }
  text.setAttribute("for", `in-${name}`);
  const { shown } = /** @type {any} */ (control);
  if (!shown) return [text, control];
  const head = document.createElement("div");
  head.append(text, " ", shown);
  return [head, control];
}

/** @param {string} name @param {Field} field @param {(claim: string) => void} openClaim */
function help(name, field, openClaim) {
  const place = document.createElement("p");
  place.className = "help";
  place.id = `help-${name}`;
  place.textContent = field.help + " ";
  if (field.claim) {
    const link = document.createElement("button");
    link.type = "button";
    link.textContent = `Claim ${field.claim}`;
    link.addEventListener("click", () => openClaim(field.claim));
    place.append(link);
  }
  return place;
}

/**
 * @param {string} name @param {Field} field @param {string} as @param {State} state
 * @param {(changes: Record<string, string>) => void} change @returns {HTMLElement}
 */
function make(name, field, as, state, change) {
  const box = document.createElement("div");
  if (name === "act") return perLayer(box, field, state, change);
  if (field.kind === "choices") return checkboxes(box, name, field, state, change);
  if (field.kind === "choice") {
    const select = document.createElement("select");
    select.id = `in-${name}`;
    field.options.forEach((/** @type {string} */ option, /** @type {number} */ i) =>
      select.append(new Option(field.option_labels[i], option)),
    );
    select.addEventListener("change", () => change({ [name]: select.value }));
    box.append(select);
    return Object.assign(box, { refresh: () => (select.value = state.get(name)) });
  }
  const input = document.createElement("input");
  input.id = `in-${name}`;
  input.autocomplete = "off";
  box.append(input);
  if (field.kind === "flag") {
    input.type = "checkbox";
    input.addEventListener("change", () => change({ [name]: input.checked ? "1" : "0" }));
    return Object.assign(box, { refresh: () => (input.checked = state.isOn(name)) });
  }
  if (as === "range") return slider(box, input, name, field, state, change);
  input.type = "text";
  input.inputMode = ["integer", "number", "schedule"].includes(field.kind) ? "decimal" : "text";
  input.spellcheck = false;
  input.addEventListener("change", () => {
    const text = input.value.trim();
    if (name === "rate") change({ rate: withRate(state.get("rate"), state.number("step"), text) });
    else change({ [name]: name === "widths" ? text.replace(/[\s,x]+/g, "-") : text });
  });
  const shown = () => (name === "rate" ? String(rateAt(state.get("rate"), state.number("step"))) : state.get(name));
  return Object.assign(box, {
    refresh: () => {
      if (document.activeElement !== input || !input.value) input.value = shown();
    },
  });
}

/**
 * @param {HTMLElement} box @param {HTMLInputElement} input @param {string} name @param {Field} field @param {State} state
 * @param {(changes: Record<string, string>) => void} change
 */
function slider(box, input, name, field, state, change) {
  const value = document.createElement("output");
  value.htmlFor.add(input.id);
  Object.assign(box, { shown: value });
  input.type = "range";
  input.min = field.low;
  input.max = field.high;
  input.step = field.kind === "number" ? String(Number(((field.high - field.low) / 400).toPrecision(1))) : "1";
  const layers = () => (name === "folds" ? state.get("widths").split("-").length + nFixed(state) : field.high);
  input.addEventListener("input", () =>
    change({ [name]: name === "folds" && Number(input.value) >= layers() ? field.default : input.value }),
  );
  const refresh = () => {
    if (name === "folds") input.max = String(state.get("data") === "model" ? field.high : layers());
    input.value = String(Math.min(state.number(name), Number(input.max)));
    const text =
      name === "folds"
        ? Number(input.value) === 0
          ? "no layer"
          : input.value === input.max
            ? "all layers"
            : layerNames(Number(input.value))
        : name === "speed"
          ? `${input.value} steps`
          : String(Number(state.number(name).toPrecision(4)));
    input.setAttribute("aria-valuetext", text);
    value.textContent = text;
  };
  return Object.assign(box, { refresh });
}

/**
 * One menu for each layer.
 * @param {HTMLElement} box @param {Field} field @param {State} state
 * @param {(changes: Record<string, string>) => void} change
 */
function perLayer(box, field, state, change) {
  const refresh = () => {
    const count = state.get("widths").split("-").length;
    const given = state.get("act").split(",");
    const current = Array.from({ length: count }, (_, i) => given[Math.min(i, given.length - 1)]);
    if (box.children.length === count && box.dataset.fixed === String(nFixed(state))) {
      const selects = /** @type {HTMLSelectElement[]} */ ([...box.children]);
      current.forEach((value, i) => (selects[i].value = value));
      return;
    }
    box.dataset.fixed = String(nFixed(state));
    box.replaceChildren(
      ...current.map((value, i) => {
        const select = document.createElement("select");
        select.id = `in-act-${i}`;
        select.setAttribute("aria-label", `Activation of layer ${i + nFixed(state)}`);
        select.setAttribute("aria-describedby", "help-act");
        field.options.forEach((/** @type {string} */ option, /** @type {number} */ k) =>
          select.append(new Option(`layer ${i + nFixed(state)}: ${field.option_labels[k]}`, option)),
        );
        select.value = value;
        select.addEventListener("change", () => {
          const values = [...box.children].map((s) => /** @type {HTMLSelectElement} */ (s).value);
          change({ act: new Set(values).size === 1 ? values[0] : values.join(",") });
        });
        return select;
      }),
    );
  };
  return Object.assign(box, { refresh });
}

/**
 * @param {HTMLElement} box @param {string} name @param {Field} field @param {State} state
 * @param {(changes: Record<string, string>) => void} change
 */
function checkboxes(box, name, field, state, change) {
  const inputs = field.options.map((/** @type {string} */ option, /** @type {number} */ k) => {
    const input = Object.assign(document.createElement("input"), {
      type: "checkbox",
      value: option,
      id: `in-${name}-${option}`,
    });
    const text = document.createElement("label");
    text.append(input, ` ${field.option_labels[k]} `);
    box.append(text);
    input.addEventListener("change", () =>
      change({
        [name]: inputs
          .filter((/** @type {HTMLInputElement} */ i) => i.checked)
          .map((/** @type {HTMLInputElement} */ i) => i.value)
          .join(","),
      }),
    );
    return input;
  });
  return Object.assign(box, {
    refresh: () =>
      inputs.forEach((/** @type {HTMLInputElement} */ i) => (i.checked = state.get(name).split(",").includes(i.value))),
  });
}
