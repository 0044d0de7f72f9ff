"use strict";
{
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  document.body.append(tip);

  function show(event) {
    const text = event.target instanceof Element ? event.target.closest("[data-tip]")?.dataset.tip : undefined;
    tip.hidden = !text;
    if (!text) return;
    if (tip.textContent !== text) tip.textContent = text;
    const beyond = event.clientX + 16 + tip.offsetWidth > document.documentElement.clientWidth;
    const left = beyond ? event.clientX - 12 - tip.offsetWidth : event.clientX + 16;
    tip.style.left = `${Math.max(4, left)}px`;
    tip.style.top = `${Math.max(4, event.clientY - tip.offsetHeight - 10)}px`;
  }

  document.addEventListener("pointermove", show);
  document.addEventListener("pointerdown", show);
  document.addEventListener("scroll", () => (tip.hidden = true), { passive: true });
}
