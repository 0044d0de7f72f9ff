// Exercises: a list of tasks, each with a field for its answer; a worker of the server grades it.
// @ts-check
import { get } from "./page.js";

/** @typedef {{id: string, lecture: string, title: string, task: string, kind: string, given: string[]}} Task */

const right = new Set();

/**
 * An element with properties and children.
 * @param {string} name @param {Record<string, any>} properties @param {(Node | string)[]} children
 */
function made(name, properties = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

/** The field of a task: numbers as text, a network as a file. @param {Task} task */
function field(task) {
  const kind =
    task.kind === "numbers"
      ? { type: "text", autocomplete: "off", placeholder: "numbers with commas between", required: true }
      : { type: "file", accept: ".safetensors,.onnx", required: true };
  const input = /** @type {HTMLInputElement} */ (made("input", kind));
  input.setAttribute("aria-label", `Answer to: ${task.title}`);
  return input;
}

/** Send an answer; what came of it in words. @param {Task} task @param {HTMLInputElement} input */
async function graded(task, input) {
  const body = task.kind === "numbers" ? input.value : input.files?.[0];
  const reply = await fetch(`/api/exercises/${task.id}`, { method: "POST", body });
  const said = await reply.json();
  if (!reply.ok) {
    const words = [said.message, said.hint].filter(Boolean).map((text) => text[0].toUpperCase() + text.slice(1));
    return { right: false, words: words.join(" ") };
  }
  return { right: said.right, words: `${said.right ? "Right" : "Not yet"}: ${said.why}.` };
}

/** @param {Task} task @param {number} total */
function card(task, total) {
  const words = [made("h3", { textContent: task.title }), made("p", { innerHTML: task.task })];
  const article = made("article", { className: "task", id: task.id }, ...words);
  const input = field(task);
  const button = /** @type {HTMLButtonElement} */ (made("button", { type: "submit", textContent: "Grade" }));
  const output = made("output");
  const form = made("form", {}, input, button);
  for (const name of task.given) {
    const one = task.given.length === 1;
    const href = `/api/exercises/${task.id}/given?name=${encodeURIComponent(name)}`;
    const link = made("a", { href, textContent: one ? "The given network" : `The ${name} network` });
    link.setAttribute("download", one ? `${task.id}.safetensors` : `${task.id}-${name}.safetensors`);
    form.append(link);
  }
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    button.disabled = true;
    output.textContent = "Grading …";
    try {
      const found = await graded(task, input);
      article.dataset.right = String(found.right);
      output.textContent = found.words;
      if (found.right) right.add(task.id);
      tell(total);
    } catch {
      output.textContent = "The explorer does not answer; is it still running?";
    } finally {
      button.disabled = false;
    }
  });
  article.append(form, output);
  return article;
}

/** @param {number} total */
function tell(total) {
  get("solved").textContent = `${right.size} of ${total} solved`;
}

const reply = await fetch("/api/exercises");
const { exercises } = /** @type {{exercises: Task[]}} */ (await reply.json());
const tasks = get("tasks");
tasks.replaceChildren();
let lecture = "";
for (const task of exercises) {
  if (task.lecture !== lecture) {
    lecture = task.lecture;
    tasks.append(made("h2", { textContent: lecture }));
  }
  tasks.append(card(task, exercises.length));
}
tell(exercises.length);
document.documentElement.dataset.ready = "exercises";
