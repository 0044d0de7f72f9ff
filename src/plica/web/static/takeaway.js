// Files in and out: exports, links, Python, and what is dropped on the page.
// @ts-check
import { grouped } from "./words.js";

/** @typedef {import("./socket.js").Line} Line */
/** @typedef {import("./state.js").State} State */

/** @type {Record<string, string>} */
const KINDS = { safetensors: "model", onnx: "model", npy: "rows", csv: "csv" };

/** @param {Line} line @param {State} state @param {(text: string) => void} say @param {(error: unknown) => void} complain */
export function wireExports(line, state, say, complain) {
  for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll("[data-export]"))) {
    button.addEventListener("click", async () => {
      try {
        const { facts, arrays } = await line.ask({ do: "export", format: button.dataset.export, state: state.query() });
        const link = document.createElement("a");
        link.href = URL.createObjectURL(new Blob([arrays.content], { type: facts.mime }));
        link.download = facts.name;
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 1000);
        say(`wrote ${facts.name}`);
      } catch (error) {
        complain(error);
      }
    });
  }
  document.getElementById("copy-python")?.addEventListener("click", async () => {
    try {
      const { arrays } = await line.ask({ do: "export", format: "python", state: state.query() });
      await copy(new TextDecoder().decode(arrays.content));
      say("copied the Python that makes this picture");
    } catch (error) {
      complain(error);
    }
  });
  document.getElementById("copy-link")?.addEventListener("click", () => copyLink(state, say));
}

/** @param {State} state @param {(text: string) => void} say */
export async function copyLink(state, say) {
  await copy(`${location.origin}/#${state.query()}`);
  say("copied the link to this picture");
}

/** @param {string} text */
async function copy(text) {
  document.documentElement.dataset.copied = text;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = Object.assign(document.createElement("textarea"), { value: text });
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

/**
 * @param {(changes: Record<string, string>) => void} change @param {(text: string) => void} say
 * @param {(error: unknown) => void} complain
 */
export function wireFiles(change, say, complain) {
  const input = /** @type {HTMLInputElement} */ (document.getElementById("file"));
  const place = /** @type {HTMLElement} */ (document.getElementById("file-facts"));
  const take = async (/** @type {File | undefined} */ file) => {
    if (!file) return;
    try {
      const facts = await send(file);
      const words = {
        model: () =>
          `${facts.name}: ${facts.n_inputs} inputs, ${facts.n_layers} layers, ${grouped(facts.n_parameters)} parameters`,
        rows: () => `${facts.name}: ${facts.n_rows} rows of ${facts.n_inputs}`,
        csv: () => {
          const names = facts.class_names.join(", ");
          return `${facts.name}: ${facts.n_rows} rows, ${facts.n_inputs} inputs, ${names ? `classes ${names}` : "targets"}`;
        },
      };
      place.textContent = words[/** @type {keyof typeof words} */ (facts.kind)]();
      if (facts.kind === "csv")
        change({ data: "csv", csv: facts.digest, output: "0", ...(facts.class_names.length > 2 && { color: "class" }) });
      else if (facts.kind === "model")
        change({ data: "model", model: facts.digest, rows: "", output: "0", ...(facts.n_outputs > 1 && { color: "class" }) });
      else change({ rows: facts.digest, through: "0,1,2" });
      say(`took ${place.textContent}`);
    } catch (error) {
      complain(error);
    }
  };
  input.addEventListener("change", () => take(input.files?.[0]).then(() => (input.value = "")));
  addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  addEventListener("dragleave", () => document.body.classList.remove("dropping"));
  addEventListener("drop", (event) => {
    event.preventDefault();
    document.body.classList.remove("dropping");
    take(event.dataTransfer?.files[0]);
  });
}

/** @param {File} file @returns {Promise<Record<string, any>>} */
async function send(file) {
  const kind = KINDS[file.name.split(".").pop()?.toLowerCase() ?? ""];
  if (!kind)
    throw Object.assign(new Error(`${file.name} is of no known kind.`), {
      hint: "drop a .safetensors, .onnx, .npy or .csv file; pickles are never read",
    });
  const answer = await fetch(`/api/files/${kind}?name=${encodeURIComponent(file.name)}`, { method: "POST", body: file });
  const text = await answer.text();
  let facts;
  try {
    facts = JSON.parse(text);
  } catch {
    throw Object.assign(new Error(text), { hint: "" });
  }
  if (!answer.ok) throw Object.assign(new Error(facts.message), { hint: facts.hint });
  return facts;
}
