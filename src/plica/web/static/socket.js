// The line to the server: requests with numbers, replies with arrays, and a way to change one's mind.
// @ts-check
import { unpack } from "./frames.js";

/** @typedef {{facts: Record<string, any>, arrays: Record<string, any>, seconds: number}} Reply */

/** What the server refused, in its own words. */
class Refused extends Error {
  /** @param {string} message @param {string} hint @param {number} status @param {number} [retry] in so many seconds */
  constructor(message, hint, status, retry = 1) {
    super(message);
    this.hint = hint;
    this.status = status;
    this.retry = retry;
  }
}

export class Line {
  /** @param {(isOpen: boolean) => void} onChange */
  constructor(onChange) {
    this.onChange = onChange;
    this.number = 0;
    this.delay = 250;
    /** @type {Map<number, {resolve: (reply: Reply) => void, reject: (error: Error) => void, began: number}>} */
    this.waiting = new Map();
    /** @type {WebSocket | null} */
    this.socket = null;
    /** @type {Promise<WebSocket>} */
    this.ready = this.connect();
  }

  /** @returns {Promise<WebSocket>} */
  connect() {
    return new Promise((resolve) => {
      const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/socket`);
      socket.binaryType = "arraybuffer";
      socket.onopen = () => {
        this.delay = 250;
        this.socket = socket;
        this.onChange(true);
        resolve(socket);
      };
      socket.onmessage = (event) => this.receive(event.data);
      socket.onclose = () => {
        for (const { reject } of this.waiting.values())
          reject(new Refused("the server does not answer.", "is `plica explore` still running?", 0));
        this.waiting.clear();
        this.onChange(false);
        this.delay = Math.min(2 * this.delay, 5000);
        setTimeout(() => this.connect().then(resolve), this.delay);
        if (this.socket === socket) this.ready = new Promise((again) => (resolve = again));
      };
    });
  }

  /** @param {ArrayBuffer} data */
  receive(data) {
    const { number, facts, arrays } = unpack(data);
    const asked = this.waiting.get(number);
    if (!asked) return;
    this.waiting.delete(number);
    if (facts.ok) asked.resolve({ facts, arrays, seconds: (performance.now() - asked.began) / 1000 });
    else asked.reject(new Refused(facts.message, facts.hint, facts.status, facts.retry_s));
  }

  /**
   * @param {Record<string, any>} message
   * @param {AbortSignal} [signal]
   * @returns {Promise<Reply>}
   */
  async ask(message, signal) {
    const isOpen = this.socket?.readyState === WebSocket.OPEN;
    const socket = isOpen && this.socket ? this.socket : await this.ready; // what can be sent is sent now
    if (signal?.aborted) throw new Refused("cancelled.", "", 499);
    const id = ++this.number;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject, began: performance.now() });
      signal?.addEventListener("abort", () => {
        if (!this.waiting.delete(id)) return;
        socket.send(JSON.stringify({ id, do: "cancel" }));
        reject(new Refused("cancelled.", "", 499));
      });
      socket.send(JSON.stringify({ id, ...message }));
    });
  }
}
