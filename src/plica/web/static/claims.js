// The side panel of claims: statement, verdict, figure, and the explorer set to show it.
// @ts-check

/** @typedef {import("./socket.js").Line} Line */
/**
 * @typedef {object} Claim
 * @property {string} id
 * @property {string} topic
 * @property {string} title
 * @property {string} statement
 * @property {string} source
 * @property {string} remark
 * @property {string} expected
 * @property {string} kind
 * @property {string | null} show a state of the explorer
 */

/** Small letters, one thing like many: trajectories are found by trajectory. @param {string} text */
const plain = (text) =>
  text
    .toLowerCase()
    .replace(/ies\b/g, "y")
    .replace(/([a-z]{3,})s\b/g, "$1");

export class Claims {
  /** @param {Line} line @param {(query: string) => void} show @param {(error: unknown) => void} complain */
  constructor(line, show, complain) {
    this.line = line;
    this.show = show;
    this.complain = complain;
    this.place = /** @type {HTMLElement} */ (document.getElementById("claims"));
    this.search = /** @type {HTMLInputElement} */ (document.getElementById("claim-search"));
    /** @type {Claim[]} */
    this.all = [];
    this.topic = /** @type {HTMLSelectElement} */ (document.getElementById("claim-topic"));
    this.shown = /** @type {HTMLInputElement} */ (document.getElementById("claim-shown"));
    for (const input of [this.search, this.topic, this.shown]) input.addEventListener("input", () => this.list());
  }

  async load() {
    if (this.all.length) return;
    const answer = await fetch("/api/claims");
    this.all = (await answer.json()).claims;
    const topics = [...new Set(this.all.map((claim) => claim.topic))].sort();
    this.topic.append(...topics.map((topic) => new Option(topic, topic)));
    this.list();
  }

  list() {
    const words = plain(this.search.value).split(/\s+/).filter(Boolean);
    const isFitting = (/** @type {Claim} */ claim) =>
      (!this.topic.value || claim.topic === this.topic.value) && (!this.shown.checked || claim.show);
    const found = this.all.filter(
      (claim) => isFitting(claim) && words.every((word) => plain(Object.values(claim).join(" ")).includes(word)),
    );
    const count = /** @type {HTMLElement} */ (document.getElementById("claim-count"));
    const shown = found.filter((claim) => claim.show).length;
    count.textContent = `${found.length} of ${this.all.length} claims, ${shown} with a picture`;
    this.place.replaceChildren(...found.map((claim) => this.entry(claim)));
    if (!found.length) this.place.textContent = "No claim has these words.";
  }

  /** @param {string} id */
  async open(id) {
    await this.load();
    this.search.value = id;
    this.topic.value = "";
    this.shown.checked = false;
    this.list();
    const button = /** @type {HTMLButtonElement | null} */ (
      this.place.querySelector(`[data-claim="${CSS.escape(id)}"] h3 button`)
    );
    if (button?.getAttribute("aria-expanded") === "false") button.click();
    button?.focus();
  }

  /** @param {Claim} claim */
  entry(claim) {
    const place = document.createElement("div");
    place.className = "claim";
    place.dataset.claim = claim.id;
    const heading = document.createElement("h3");
    const button = Object.assign(document.createElement("button"), {
      type: "button",
      textContent: `${claim.title} (${claim.expected})`,
    });
    button.setAttribute("aria-expanded", "false");
    if (claim.show) button.append(Object.assign(document.createElement("span"), { className: "mark", textContent: "picture" }));
    heading.append(button);
    const body = document.createElement("div");
    body.className = "body";
    body.hidden = true;
    button.addEventListener("click", () => {
      body.hidden = !body.hidden;
      button.setAttribute("aria-expanded", String(!body.hidden));
      if (!body.children.length) this.fill(body, claim);
    });
    place.append(heading, body);
    return place;
  }

  /** @param {HTMLElement} body @param {Claim} claim */
  fill(body, claim) {
    const say = (/** @type {string} */ text, className = "") =>
      body.append(Object.assign(document.createElement("p"), { textContent: text, className }));
    say(claim.statement);
    say(claim.source, "quiet");
    if (claim.remark) say(claim.remark);
    say(`Expected: ${claim.expected} (${claim.kind}).`, "verdict");
    const row = document.createElement("div");
    row.className = "row";
    if (claim.show) {
      const show = Object.assign(document.createElement("button"), { type: "button", textContent: "Show it" });
      show.addEventListener("click", () => this.show(claim.show ?? ""));
      row.append(show);
    }
    const check = Object.assign(document.createElement("button"), { type: "button", textContent: "Check it" });
    const result = document.createElement("div");
    result.setAttribute("aria-live", "polite");
    check.addEventListener("click", () => this.check(claim, check, result));
    row.append(check);
    body.append(row, result);
  }

  /** @param {Claim} claim @param {HTMLButtonElement} button @param {HTMLElement} result */
  async check(claim, button, result) {
    button.disabled = true;
    result.textContent = "checking …";
    try {
      const { facts, arrays } = await this.line.ask({ do: "check", claim: claim.id });
      const { evidence } = facts;
      const verdict = document.createElement("p");
      verdict.className = "verdict";
      const surprise = evidence.verdict === evidence.expected ? "as expected" : `expected ${evidence.expected}`;
      const measured = `${evidence.rows.length} measurements, ${evidence.kind}, ${evidence.seconds} s`;
      verdict.textContent = `Verdict: ${evidence.verdict} (${surprise}), ${measured}.`;
      const figure = document.createElement("img");
      figure.src = URL.createObjectURL(new Blob([arrays.svg], { type: "image/svg+xml" }));
      figure.alt = `Figure of the claim: ${claim.title} Verdict ${evidence.verdict}.`;
      figure.onload = () => URL.revokeObjectURL(figure.src);
      result.replaceChildren(verdict, figure);
    } catch (error) {
      result.textContent = "";
      this.complain(error);
    } finally {
      button.disabled = false;
    }
  }
}
