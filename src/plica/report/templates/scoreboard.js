"use strict";
// The filter of the scoreboard: hides claims, tiles and empty topics; without scripts everything is shown.
(() => {
  const form = document.querySelector(".filter");
  const cards = [...document.querySelectorAll("article.claim")];
  const links = [...document.querySelectorAll(".board a.tile")];
  const tiles = new Map(links.map((a) => [a.getAttribute("href").slice(1), a.parentElement]));
  const nothing = document.querySelector(".nothing");
  const names = [...form.querySelectorAll("select")].map((select) => select.name);

  function apply() {
    const words = form.elements.words.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const card of cards) {
      const fits = names.every((name) => !form.elements[name].value || card.dataset[name] === form.elements[name].value)
        && words.every((word) => card.dataset.words.includes(word));
      card.hidden = !fits;
      const tile = tiles.get(card.id);
      if (tile) tile.hidden = !fits;
      shown += fits;
    }
    for (const section of document.querySelectorAll(".board section, section.cards"))
      section.hidden = !section.querySelector("li:not([hidden]), article:not([hidden])");
    form.querySelector("output").textContent = `${shown} of ${cards.length} claims`;
    nothing.hidden = shown > 0;
  }

  function reveal() {  // a link to a claim that is filtered out shows it
    const card = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (card && card.hidden) { form.reset(); apply(); card.scrollIntoView(); }
  }

  form.hidden = false;
  form.addEventListener("input", apply);
  form.addEventListener("reset", () => setTimeout(apply));
  form.addEventListener("submit", (event) => event.preventDefault());
  addEventListener("hashchange", reveal);
  apply();
})();
