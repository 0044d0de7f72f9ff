"use strict";
document.documentElement.classList.add("scripted");

for (const figure of document.querySelectorAll(".latent")) {
  const data = JSON.parse(figure.querySelector(".latent-data").textContent);
  const floats = (text) => new Float32Array(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer);
  const [vertices, mean, codes, basis] = [data.vertices, data.mean, data.codes, data.basis].map(floats);
  const [channels, height, width] = data.shape;
  const n_cells = data.offsets.length - 1;
  const plane = figure.querySelector(".plane");
  const box = plane.viewBox.baseVal;
  const [made, strip] = [figure.querySelector(".made"), figure.querySelector(".strip")];
  const [chosen, way, here] = ["chosen", "way", "here"].map((name) => plane.querySelector("." + name));
  const say = (name, text) => (figure.querySelector(`[data-latent=${name}]`).textContent = text);
  const logits = figure.querySelector(".logits");
  const N_STEPS = 9;
  let low = [Infinity, Infinity];
  let high = [-Infinity, -Infinity];
  vertices.forEach((value, i) => {
    low[i % 2] = Math.min(low[i % 2], value);
    high[i % 2] = Math.max(high[i % 2], value);
  });
  let at = [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2];
  let start = null;
  let dragging = false;

  const scale = data.colors.map((color) => [1, 3, 5].map((i) => parseInt(color.slice(i, i + 2), 16)));
  const shade = (value) => {
    if (logits.checked) return 1 / (1 + Math.exp(-value));
    return Math.min(Math.max((value - data.low) / (data.high - data.low), 0), 1);
  };
  const mixed = (t) => {
    const place = t * (scale.length - 1);
    const k = Math.min(Math.floor(place), scale.length - 2);
    return scale[k].map((value, c) => Math.round(value + (place - k) * (scale[k + 1][c] - value)));
  };

  const corner = (i) => [vertices[2 * i], vertices[2 * i + 1]];
  const twice = (a, b, c) => (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
  const cornersOf = (cell) => data.corners.slice(data.offsets[cell], data.offsets[cell + 1]);
  const cells = Array.from({ length: n_cells }, (_, cell) => {
    const ids = cornersOf(cell);
    const [first] = ids;
    let best = [first, ids[1], ids[2]];
    let turn = 0;
    for (let k = 1; k + 1 < ids.length; k++) {
      const area = twice(corner(first), corner(ids[k]), corner(ids[k + 1]));
      turn += area;
      if (Math.abs(area) > Math.abs(twice(...best.map(corner)))) best = [first, ids[k], ids[k + 1]];
    }
    return { ids, triangle: best, sign: Math.sign(turn) || 1 };
  });

  // how far a point is inside a cell: below zero outside
  function depth(cell, p) {
    const { ids, sign } = cells[cell];
    let least = Infinity;
    for (let k = 0; k < ids.length; k++) {
      const [a, b] = [corner(ids[k]), corner(ids[(k + 1) % ids.length])];
      const length = Math.hypot(b[0] - a[0], b[1] - a[1]);
      if (length > 0) least = Math.min(least, (sign * twice(a, b, p)) / length);
    }
    return least;
  }

  function cellAt(p) {
    let best = 0;
    let most = -Infinity;
    for (let cell = 0; cell < n_cells; cell++) {
      const found = depth(cell, p);
      if (found > most) [best, most] = [cell, found];
      if (most > 0) break;
    }
    return best;
  }

  // the network is affine on a cell: its picture is the mixture of three vertices' pictures that the point is of them
  function pictureAt(p, cell) {
    const { triangle } = cells[cell];
    const [a, b, c] = triangle.map(corner);
    const whole = twice(a, b, c) || 1;
    const weights = [twice(p, b, c) / whole, twice(a, p, c) / whole, twice(a, b, p) / whole];
    const found = Float64Array.from(mean);
    for (let k = 0; k < data.rank; k++) {
      const code = triangle.reduce((sum, vertex, i) => sum + weights[i] * codes[vertex * data.rank + k], 0);
      for (let i = 0; i < found.length; i++) found[i] += code * basis[k * found.length + i];
    }
    return found;
  }

  function paint(canvas, pictures) {
    const gap = pictures.length > 1 ? 1 : 0;
    canvas.width = pictures.length * (width + gap) - gap;
    canvas.height = height;
    const context = canvas.getContext("2d");
    pictures.forEach((picture, k) => {
      const image = context.createImageData(width, height);
      for (let i = 0; i < width * height; i++) {
        const color =
          channels === 1
            ? mixed(shade(picture[i]))
            : [0, 1, 2].map((c) => Math.round(255 * shade(picture[c * width * height + i])));
        image.data.set([...color, 255], 4 * i);
      }
      context.putImageData(image, k * (width + gap), 0);
    });
  }

  const onPage = ([u, v]) => [
    ((u - low[0]) / (high[0] - low[0])) * box.width,
    (1 - (v - low[1]) / (high[1] - low[1])) * box.height,
  ];

  function show() {
    const cell = cellAt(at);
    const picture = pictureAt(at, cell);
    paint(made, [picture]);
    figure.latent = { at, cell, picture: [...picture] };
    const [x, y] = onPage(at);
    here.removeAttribute("hidden");
    here.setAttribute("transform", `translate(${x} ${y})`);
    chosen.setAttribute("d", plane.querySelector(".cells").children[cell].getAttribute("d"));
    say("point", at.map((value) => value.toPrecision(3).replace("-", "−")).join(", "));
    say("cell", `${cell} of ${n_cells}`);
    const lost = ["nothing: a point", "nothing: a line"][data.ranks[cell]];
    say("stretch", lost || `${data.stretch[cell]}, ${data.ratio[cell]} × mean`);
    strip.hidden = !start;
    way.setAttribute("d", start ? `M${onPage(start).join(" ")}L${x} ${y}` : "");
    if (!start) return;
    const steps = Array.from({ length: N_STEPS }, (_, k) => k / (N_STEPS - 1));
    const points = steps.map((t) => start.map((value, i) => value + t * (at[i] - value)));
    paint(strip, points.map((p) => pictureAt(p, cellAt(p))));
  }

  function move(event) {
    const area = plane.getBoundingClientRect();
    const t = [(event.clientX - area.left) / area.width, 1 - (event.clientY - area.top) / area.height];
    at = t.map((value, i) => low[i] + Math.min(Math.max(value, 0), 1) * (high[i] - low[i]));
    show();
  }

  plane.addEventListener("pointerdown", (event) => {
    plane.setPointerCapture(event.pointerId);
    dragging = true;
    start = null;
    move(event);
    start = at;
    plane.focus({ preventScroll: true });
  });
  plane.addEventListener("pointermove", (event) => {
    if (dragging || !start) move(event);
  });
  plane.addEventListener("pointerup", (event) => {
    dragging = false;
    const [a, b] = [start, at].map(onPage);
    if (Math.hypot(a[0] - b[0], a[1] - b[1]) < 12) start = null; // a click
    move(event);
  });
  plane.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (event.key === "Escape") start = null;
    else if (event.key === "Enter") start = at;
    else if (!step) return;
    event.preventDefault();
    const share = event.shiftKey ? 0.1 : 0.02;
    if (step) at = at.map((value, i) => Math.min(Math.max(value + share * step[i] * (high[i] - low[i]), low[i]), high[i]));
    show();
  });
  for (const input of figure.querySelectorAll("[data-hides]")) {
    const apply = () => figure.classList.toggle(input.dataset.hides, !input.checked);
    input.addEventListener("change", apply);
    apply();
  }
  logits.addEventListener("change", show);
  show();
}
