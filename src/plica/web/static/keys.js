// The keyboard map: every key has one line here, and the map shows these lines.
// @ts-check

/** @typedef {{keys: string[], words: string, act?: () => void}} Key */

/** @param {Key[]} map */
export function wireKeys(map) {
  const table = /** @type {HTMLElement} */ (document.getElementById("keys"));
  const body = document.createElement("tbody");
  for (const { keys, words } of map) {
    const row = document.createElement("tr");
    const head = document.createElement("th");
    head.scope = "row";
    keys.forEach((key, i) =>
      head.append(i ? " " : "", Object.assign(document.createElement("kbd"), { textContent: key === " " ? "Space" : key })),
    );
    row.append(head, Object.assign(document.createElement("td"), { textContent: words }));
    body.append(row);
  }
  table.append(body);
  const on = /** @type {HTMLInputElement} */ (document.getElementById("use-keys"));
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const target = /** @type {HTMLElement} */ (event.target);
    if (target.closest("input:not([type=checkbox], [type=range]), select, textarea")) return;
    if (document.querySelector("dialog[open]") || (event.key !== "Escape" && !on.checked)) return;
    if (event.key === " " && target.closest("button, summary, input")) return;
    const found = map.find(({ keys, act }) => act && keys.some((key) => key === event.key || key.toLowerCase() === event.key));
    if (!found?.act) return;
    event.preventDefault();
    found.act();
  });
}
