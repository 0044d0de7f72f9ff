// Small things that all parts of the page use: elements by name, lists of facts, messages.
// @ts-check

/** @param {string} id @returns {HTMLElement} */
export const get = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** Fill a list of names and values. @param {string} id @param {[string, string][]} rows */
export function factsList(id, rows) {
  get(id).replaceChildren(
    ...rows.map(([name, value]) => {
      const [pair, dd] = ["div", "dd"].map((tag) => document.createElement(tag));
      dd.textContent = value;
      if (name.startsWith("layer ")) dd.className = "bits";
      pair.append(Object.assign(document.createElement("dt"), { textContent: name }), dd);
      return pair;
    }),
  );
}

/** Say what went wrong, with a way out. @param {any} error @param {{words: string, act: () => void}} [way] */
export function complain(error, way) {
  if (error.status === 499) return;
  const say = (/** @type {string} */ text, className = "") =>
    Object.assign(document.createElement("p"), { textContent: text, className });
  const row = document.createElement("div");
  row.className = "row";
  for (const { words, act } of [...(way ? [way] : []), { words: "Dismiss", act: () => {} }]) {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: words });
    button.addEventListener("click", () => {
      hideToast();
      act();
    });
    row.append(button);
  }
  const toast = get("toast");
  toast.replaceChildren(say(error.message), ...(error.hint ? [say(error.hint, "hint")] : []), row);
  toast.hidden = false;
}

export function hideToast() {
  get("toast").hidden = true;
}

let fading = 0;

/** Say for a moment what was done. @param {string} text */
export function confirm(text) {
  get("done").textContent = text;
  clearTimeout(fading);
  fading = window.setTimeout(() => (get("done").textContent = ""), 4000);
}

/** A word to screen readers. @param {string} text */
export function announce(text) {
  get("announce").textContent = text;
}

/** Why a link is no state, in the server's words; nothing if it is one, or nobody answers. @param {string} link */
export async function refusal(link) {
  const answer = await fetch("/api/state", { method: "POST", body: link }).catch(() => null);
  return !answer || answer.ok ? null : answer.json();
}

/**
 * Say that something is computed, once it takes long, and how much of its time is over.
 * @param {string} id of the place @param {number} most seconds that it may take
 * @returns {() => void} to be called when it is there
 */
export function waiting(id, most) {
  const [began, place] = [performance.now(), get(id)];
  const bar = Object.assign(document.createElement("progress"), { max: most });
  bar.setAttribute("aria-label", "time that is over");
  const words = document.createElement("span");
  const timer = window.setInterval(() => {
    const seconds = (performance.now() - began) / 1000;
    bar.value = Math.min(seconds, most);
    words.textContent = `computing … ${seconds.toFixed(1)} s of at most ${most} s`;
    if (place.hidden) place.replaceChildren(words, bar);
    place.hidden = false;
  }, 400);
  return () => {
    clearInterval(timer);
    place.hidden = true;
  };
}
