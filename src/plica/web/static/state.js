// The state of the page: texts by name, as they stand in the link. The server knows what they mean.
// @ts-check

/**
 * @typedef {object} Field what the server says about a part of the state
 * @property {string} default
 * @property {string} label
 * @property {string} help
 * @property {string} claim
 * @property {string} kind
 * @property {"training" | "schedule" | "model" | "picture" | "page"} scope what a change of it changes
 * @property {boolean} moves whether a change of it leads to another window
 * @property {string[]} views those that it belongs to, if not to all
 * @property {any} [low]
 * @property {any} [high]
 * @property {any} [most]
 * @property {any} [options]
 * @property {any} [option_labels]
 */

export class State {
  /** @param {Record<string, Field>} fields @param {number} version */
  constructor(fields, version) {
    this.fields = fields;
    this.version = version;
    /** @type {Map<string, string>} */
    this.values = new Map();
    /** @type {((changed: string[]) => void)[]} */
    this.listeners = [];
    this.timer = 0;
    this.written = location.hash;
  }

  /** @param {string} name @returns {string} */
  get(name) {
    return this.values.get(name) ?? this.fields[name].default;
  }

  /** @param {string} name @returns {number} */
  number(name) {
    return Number(this.get(name));
  }

  /** @param {string} name @returns {number[]} */
  numbers(name) {
    const text = this.get(name);
    return text ? text.split(",").map(Number) : [];
  }

  /** @param {string} name */
  isOn(name) {
    return this.get(name) === "1";
  }

  /** The names of the fields that change these things. @param {string[]} scopes */
  of(...scopes) {
    return Object.keys(this.fields).filter((name) => scopes.includes(this.fields[name].scope));
  }

  /** Replace some values and tell everyone. @param {Record<string, string>} changes */
  set(changes) {
    const changed = Object.keys(changes).filter((name) => this.get(name) !== changes[name]);
    if (!changed.length) return;
    for (const name of changed) {
      if (changes[name] === this.fields[name].default) this.values.delete(name);
      else this.values.set(name, changes[name]);
    }
    this.tell(changed);
  }

  /** Take a whole link. @param {string} query */
  take(query) {
    this.written = location.hash;
    const before = new Map(this.values);
    this.values = new Map([...new URLSearchParams(query)].filter(([name]) => name in this.fields));
    const names = new Set([...before.keys(), ...this.values.keys()]);
    this.tell([...names].filter((name) => before.get(name) !== this.values.get(name)));
  }

  /** @param {string[]} changed */
  tell(changed) {
    for (const listener of this.listeners) listener(changed);
    this.write();
  }

  /** @returns {string} */
  query() {
    const parts = [`v=${this.version}`];
    for (const name of Object.keys(this.fields)) {
      const value = this.values.get(name);
      if (value !== undefined) parts.push(`${name}=${encodeURIComponent(value).replaceAll("%2C", ",").replaceAll("%3A", ":")}`);
    }
    return parts.join("&");
  }

  /** Put the state into the address, a few times a second at most: browsers refuse more. An address that has come stays. */
  write() {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.written === location.hash && this.replace(), 300);
  }

  /** An address that does not hold the state yet takes it now. */
  settle() {
    if (location.hash.slice(1) !== this.query()) this.replace();
  }

  /** Put the state into an entry of its own. @param {Record<string, any>} entry */
  push(entry) {
    clearTimeout(this.timer);
    this.timer = 0;
    history.pushState(entry, "", `#${this.query()}`);
    this.written = location.hash;
  }

  replace() {
    clearTimeout(this.timer);
    this.timer = 0;
    history.replaceState(history.state, "", `#${this.query()}`);
    this.written = location.hash;
  }
}

/**
 * The learning rate after so many steps.
 * @param {string} schedule
 * @param {number} step
 */
export function rateAt(schedule, step) {
  const [first, ...rest] = schedule.split(",");
  let rate = Number(first);
  for (const part of rest) {
    const [at, value] = part.split(":");
    if (Number(at) <= step) rate = Number(value);
  }
  return rate;
}

/**
 * How many steps two schedules make with the same rates.
 * @param {string} schedule
 * @param {string} other
 */
export function sameUntil(schedule, other) {
  const starts = [schedule, other].flatMap((text) =>
    text
      .split(",")
      .slice(1)
      .map((part) => Number(part.split(":")[0])),
  );
  const different = [0, ...starts].filter((step) => rateAt(schedule, step) !== rateAt(other, step));
  return different.length ? Math.min(...different) : Infinity;
}

/**
 * The schedule with another rate from a step on; the steps before keep theirs.
 * @param {string} schedule
 * @param {number} step
 * @param {string} rate
 */
export function withRate(schedule, step, rate) {
  if (step === 0) return rate;
  const [first, ...rest] = schedule.split(",");
  const kept = rest.filter((part) => Number(part.split(":")[0]) < step);
  return [first, ...kept, `${step}:${rate}`].join(",");
}
