// The tabs of the bench: one panel at a time, in place, so that nothing covers the picture and its readings.
// @ts-check
import { get } from "./page.js";

/** @returns {HTMLElement[]} */
const all = () => [...get("tabs").querySelectorAll("[role=tab]")].map((tab) => /** @type {HTMLElement} */ (tab));

/** Called with the name of the panel that is opened. @type {((name: string) => void)[]} */
export const whenOpened = [];

/** Show a panel by its name. @param {string} name @param {boolean} [isFocused] */
export function openTab(name, isFocused = false) {
  for (const tab of all()) {
    const isOpen = tab.id === `tab-${name}`;
    tab.setAttribute("aria-selected", String(isOpen));
    tab.tabIndex = isOpen ? 0 : -1;
    get(tab.getAttribute("aria-controls") ?? "").hidden = !isOpen;
    if (isOpen && isFocused) tab.focus();
  }
  for (const tell of whenOpened) tell(name);
}

export function wireTabs() {
  for (const tab of all()) tab.addEventListener("click", () => openTab(tab.id.slice(4)));
  get("tabs").addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const seen = all().filter((tab) => tab.getClientRects().length); // a view may have no use for some
    const at = seen.findIndex((tab) => tab.getAttribute("aria-selected") === "true");
    openTab(seen[(at + step + seen.length) % seen.length].id.slice(4), true);
  });
}

/** The tab that belongs to the view: its own; beside a map that is alone, that of the images it goes through. */
export function ownTab() {
  if (!get("tab-view").hasAttribute("data-hidden")) return "view";
  return document.body.classList.contains("alone") ? "yours" : "network";
}

/** Open a tab, or that of the view where there is none of this name. @param {string} name */
export function openSeenTab(name) {
  openTab(get(`tab-${name}`).getClientRects().length ? name : ownTab(), true);
}

/** The tab of the view opens with it and closes with it. */
export function followView() {
  const isOpen = all().find((tab) => tab.getAttribute("aria-selected") === "true");
  if (ownTab() !== "network" || isOpen?.id === "tab-view" || !isOpen?.getClientRects().length) openTab(ownTab());
}
