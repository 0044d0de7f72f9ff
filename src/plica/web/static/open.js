// A link from elsewhere, such as a page of the documentation: it is shown and opened when the reader says so.
// @ts-check
const query = location.hash.slice(1);
const scene = new URLSearchParams(query).get("scene");
const what = document.getElementById("what");
if (what && scene) what.textContent = `the scene of the claim ${scene.slice(0, 100)}`;
document.getElementById("go")?.addEventListener("click", () => location.assign(`/#${query.slice(0, 4000)}`));
