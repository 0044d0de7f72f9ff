"use strict";
document.documentElement.classList.add("scripted");

for (const viewer of document.querySelectorAll(".viewer")) {
  if (!viewer.querySelector(".frames-data")) continue;
  const data = JSON.parse(viewer.querySelector(".frames-data").textContent);
  const [first, second] = viewer.dataset.variables.split(" ");
  const plane = viewer.querySelector(".plane");
  const frames = [...plane.querySelectorAll(".slot")];
  const chosen = plane.querySelector(".chosen");
  const slider = viewer.querySelector(".time");
  const thumbs = [...document.querySelectorAll(".filmstrip button")];
  const charts = [...document.querySelectorAll(".chart")];
  const card = (name) => viewer.querySelector(`[data-card=${name}]`);
  let now = frames.length - 1;
  let cell = -1;
  let timer = 0;

  const signed = (value, letter) => `${value < 0 ? " − " : " + "}${Math.abs(value)}${letter ? " " + letter : ""}`;

  function formula([a, b, c]) {
    const text = signed(a, first) + signed(b, second) + signed(c, "");
    return `f(${first}, ${second}) = ` + (text.startsWith(" − ") ? "−" + text.slice(3) : text.slice(3));
  }

  function choose(index) {
    cell = index;
    const known = index >= 0;
    viewer.querySelector(".card-empty").hidden = known;
    viewer.querySelector(".card-facts").hidden = !known;
    chosen.setAttribute("d", known ? frames[now].querySelector(".cells").children[index].getAttribute("d") : "");
    if (!known) return;
    const frame = data.frames[now];
    const [a, b, c, size, , , active] = frame.cells[index];
    card("index").textContent = `${index} of ${frame.cells.length}`;
    card("map").textContent = formula([a, b, c]);
    card("size").textContent = size;
    card("active").textContent = `${active} of ${data.neurons}`;
  }

  function show(index) {
    now = index;
    frames.forEach((frame, i) => {
      frame.toggleAttribute("hidden", i !== index);
    });
    const frame = data.frames[index];
    viewer.querySelector(".headline-value").textContent = frame.headline;
    frame.facts.forEach((value, i) => {
      viewer.querySelector(`[data-fact="${i}"]`).textContent = value;
    });
    if (slider) {
      slider.value = index;
      slider.setAttribute("aria-valuetext", frame.name);
      viewer.querySelector(".moment").textContent = frame.name;
    }
    thumbs.forEach((thumb, i) => thumb.setAttribute("aria-current", i === index));
    charts.forEach((chart) =>
      [...chart.querySelectorAll(".mark")].forEach((mark, i) => mark.classList.toggle("now", i === index)),
    );
    choose(-1);
  }

  function stop() {
    clearInterval(timer);
    timer = 0;
    viewer.classList.remove("playing");
  }

  function play() {
    if (timer) return stop();
    viewer.classList.add("playing");
    show(now === frames.length - 1 ? 0 : now);
    timer = setInterval(() => (now < frames.length - 1 ? show(now + 1) : stop()), 700);
  }

  const indexOf = (target) =>
    target.parentNode === frames[now].querySelector(".cells") ? [...target.parentNode.children].indexOf(target) : -1;

  plane.addEventListener("pointermove", (event) => {
    const i = indexOf(event.target);
    if (i >= 0 && i !== cell) choose(i);
  });
  plane.addEventListener("pointerleave", () => choose(-1));
  plane.addEventListener("pointerdown", (event) => choose(indexOf(event.target)));
  plane.addEventListener("blur", () => choose(-1));
  plane.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (event.key === "Escape") choose(-1);
    if (!step) return;
    event.preventDefault();
    const cells = data.frames[now].cells;
    const box = plane.viewBox.baseVal;
    const [x, y] = cell >= 0 ? cells[cell].slice(4, 6) : [box.width / 2, box.height / 2];
    let best = cell;
    let cost = Infinity;
    cells.forEach((other, i) => {
      const [dx, dy] = [other[4] - x, other[5] - y];
      const ahead = dx * step[0] + dy * step[1];
      const aside = Math.abs(dx * step[1]) + Math.abs(dy * step[0]);
      if (i !== cell && (cell < 0 || ahead > aside) && Math.hypot(dx, dy) + aside < cost) {
        cost = Math.hypot(dx, dy) + aside;
        best = i;
      }
    });
    choose(best);
  });
  for (const box of viewer.querySelectorAll("[data-hides]")) {
    box.addEventListener("change", () => viewer.classList.toggle(box.dataset.hides, !box.checked));
  }
  if (slider) {
    slider.addEventListener("input", () => {
      stop();
      show(Number(slider.value));
    });
    viewer.querySelector(".play").addEventListener("click", play);
  }
  thumbs.forEach((thumb, i) =>
    thumb.addEventListener("click", () => {
      stop();
      show(i);
      viewer.scrollIntoView({ block: "nearest" });
    }),
  );
  show(now);
}
