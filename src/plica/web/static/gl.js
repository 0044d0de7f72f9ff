// Drawing cells and folds with WebGL: one buffer of triangles, one of edges; panning and zooming change four numbers.
// @ts-check
import { ground, layers, paper, rgb, table } from "./colors.js";
import { Program, isSoftware } from "./gl_program.js";
import { RIM, RIMMED } from "./paint.js";
import { shade } from "./shades.js";

/** @typedef {import("./mesh.js").Mesh} Mesh */
/** @typedef {{x: number, y: number, scale: number}} View */

/** How long a context that was lost may take to come back. */
const PATIENCE_MS = 1500;

const CELLS = [
  `#version 300 es
  in vec2 place; in float level; uniform vec3 view; out float shade;
  void main() { shade = level; gl_Position = vec4((place * view.z + view.xy) * 2.0 - 1.0, 0.0, 1.0); }`,
  `#version 300 es
  precision highp float; in float shade; uniform sampler2D colors; uniform vec3 unknown; out vec4 color;
  void main() {
    color = shade < -1e8 ? vec4(unknown, 1.0) : texture(colors, vec2((clamp(shade, 0.0, 1.0) * 255.0 + 0.5) / 256.0, 0.5));
  }`,
];
const FOLDS = [
  `#version 300 es
  in vec2 corner; in vec4 ends; in float layer; uniform vec3 view; uniform vec2 size; uniform float width; uniform vec3 inks[7];
  uniform vec3 rim; uniform bool isRim;
  out vec3 tint;
  void main() {
    vec2 a = (ends.xy * view.z + view.xy) * size, b = (ends.zw * view.z + view.xy) * size;
    vec2 along = b - a; float len = max(length(along), 1e-6);
    vec2 across = vec2(-along.y, along.x) / len * width * 0.5;
    vec2 p = mix(a, b, corner.x) + across * corner.y;
    tint = isRim ? rim : inks[int(layer)];
    gl_Position = vec4(p / size * 2.0 - 1.0, 0.0, 1.0);
  }`,
  `#version 300 es
  precision mediump float; in vec3 tint; uniform float alpha; out vec4 color;
  void main() { color = vec4(tint * alpha, alpha); }`,
];

export class GlPainter {
  /**
   * Only where a graphics processor does the work: without one, or with one whose shaders fail, a plain canvas is better.
   * @param {HTMLCanvasElement} canvas @param {boolean} force @param {() => void} again asks for another frame
   * @param {() => void} gone the context was lost and does not come back
   * @returns {GlPainter | null}
   */
  static make(canvas, force, again, gone) {
    if (!force && isSoftware()) return null;
    const gl = canvas.getContext("webgl2", { antialias: true, alpha: false });
    if (!gl) return null;
    const painter = new GlPainter(canvas, gl, again, gone);
    try {
      painter.build();
    } catch (error) {
      console.warn(`plica: WebGL is not used: ${/** @type {Error} */ (error).message}`);
      canvas.replaceWith(canvas.cloneNode()); // one that had this context can have no other
      return null;
    }
    return painter;
  }

  /**
   * @param {HTMLCanvasElement} canvas @param {WebGL2RenderingContext} gl @param {() => void} again @param {() => void} gone
   */
  constructor(canvas, gl, again, gone) {
    this.canvas = canvas;
    this.gl = gl;
    this.name = "webgl";
    /** @type {{mesh: Mesh, color: string, depth: number} | null} what is shown, to be shown again by a new context */
    this.shown = null;
    this.isLost = false;
    /** @type {number[]} */
    this.upTo = [];
    this.nIndices = 0;
    this.alpha = 1;
    this.patience = 0;
    canvas.addEventListener("webglcontextlost", (event) => {
      event.preventDefault(); // else it never comes back
      this.isLost = true;
      this.patience = window.setTimeout(gone, PATIENCE_MS);
    });
    canvas.addEventListener("webglcontextrestored", () => {
      clearTimeout(this.patience);
      this.isLost = false;
      this.build();
      if (this.shown) this.load(this.shown.mesh, this.shown.color, this.shown.depth);
      again();
    });
  }

  /** Make programs, buffers and textures: at the start, and after the context was lost. */
  build() {
    const gl = this.gl;
    this.cells = new Program(gl, CELLS, ["view", "unknown"]);
    this.folds = new Program(gl, FOLDS, ["view", "size", "width", "alpha", "inks", "rim", "isRim"]);
    this.colors = gl.createTexture();
    this.cellBuffer = gl.createBuffer();
    this.indexBuffer = gl.createBuffer();
    this.cellArray = gl.createVertexArray();
    gl.bindVertexArray(this.cellArray);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.cellBuffer);
    this.cells.attribute("place", 2, 12, 0);
    this.cells.attribute("level", 1, 12, 8);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.indexBuffer);
    this.foldArray = gl.createVertexArray();
    gl.bindVertexArray(this.foldArray);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([0, -1, 1, -1, 0, 1, 1, 1]), gl.STATIC_DRAW);
    this.folds.attribute("corner", 2, 8, 0);
    this.foldBuffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, this.foldBuffer);
    this.folds.attribute("ends", 4, 20, 0, 1);
    this.folds.attribute("layer", 1, 20, 16, 1);
    gl.bindVertexArray(null);
  }

  /** Take a new picture. @param {Mesh} mesh @param {string} color @param {number} depth how many layers cut it */
  load(mesh, color, depth) {
    this.shown = { mesh, color, depth };
    if (this.isLost) return;
    const gl = this.gl;
    const { first, corners, vertices, edges, edge_layer } = mesh.arrays;
    const { level, table: name } = shade(mesh, color, depth);
    const data = new Float32Array(3 * corners.length);
    const indices = new Uint32Array(3 * Math.max(corners.length - 2 * mesh.n, 0));
    let at = 0;
    for (let cell = 0; cell < mesh.n; cell++) {
      for (let i = first[cell]; i < first[cell + 1]; i++) {
        data[3 * i] = vertices[2 * corners[i]];
        data[3 * i + 1] = vertices[2 * corners[i] + 1];
        data[3 * i + 2] = level(cell, corners[i]);
      }
      for (let i = first[cell] + 1; i + 1 < first[cell + 1]; i++) {
        indices[at++] = first[cell];
        indices[at++] = i;
        indices[at++] = i + 1;
      }
    }
    this.nIndices = at;
    gl.bindVertexArray(null);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.cellBuffer ?? null);
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.indexBuffer ?? null);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indices, gl.STATIC_DRAW);
    this.loadFolds(edges, edge_layer, vertices);
    this.alpha = Math.min(1, Math.max(0.25, 30 / Math.sqrt(mesh.n)));
    this.paint(name);
  }

  /**
   * Folds sorted by layer, so that drawing the first layers is drawing a prefix.
   * @param {any} edges @param {any} layer @param {any} vertices
   */
  loadFolds(edges, layer, vertices) {
    const gl = this.gl;
    const order = [...layer.keys()].filter((i) => layer[i] >= 0).sort((a, b) => layer[a] - layer[b]);
    const data = new Float32Array(5 * order.length);
    this.upTo = [];
    order.forEach((edge, i) => {
      const [a, b] = [2 * edges[2 * edge], 2 * edges[2 * edge + 1]];
      data.set([vertices[a], vertices[a + 1], vertices[b], vertices[b + 1], layer[edge] % 7], 5 * i);
      this.upTo[layer[edge]] = i + 1;
    });
    for (let k = 0, count = 0; k < 64; k++) count = this.upTo[k] = this.upTo[k] ?? count;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.foldBuffer ?? null);
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
  }

  /** Take new colors. @param {string} color */
  paint(color) {
    const gl = this.gl;
    gl.bindTexture(gl.TEXTURE_2D, this.colors ?? null);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 256, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, table(color).bytes);
    for (const [name, value] of [
      [gl.TEXTURE_MIN_FILTER, gl.NEAREST],
      [gl.TEXTURE_MAG_FILTER, gl.NEAREST],
      [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE],
    ]) {
      gl.texParameteri(gl.TEXTURE_2D, name, value);
    }
  }

  /** @param {View} view */
  draw(view) {
    const { gl, canvas, cells } = this;
    if (this.isLost || !cells) return;
    gl.viewport(0, 0, canvas.width, canvas.height);
    const background = rgb(ground(this.shown?.mesh.facts.dimension));
    gl.clearColor(...background, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.disable(gl.BLEND);
    cells.use();
    gl.uniform3f(cells.uniform("view"), view.x, view.y, view.scale);
    gl.uniform3f(cells.uniform("unknown"), ...background);
    gl.bindTexture(gl.TEXTURE_2D, this.colors ?? null);
    gl.bindVertexArray(this.cellArray ?? null);
    gl.drawElements(gl.TRIANGLES, this.nIndices, gl.UNSIGNED_INT, 0);
    const { depth = 0, mesh } = this.shown ?? {};
    const count = depth > 0 ? this.upTo[depth - 1] : 0;
    if (mesh && mesh.n <= RIMMED) this.drawFolds(view, count, 3, true);
    this.drawFolds(view, count, 1.3, false);
    gl.bindVertexArray(null);
  }

  /** @param {View} view @param {number} count @param {number} width in pixels @param {boolean} isRim */
  drawFolds(view, count, width, isRim) {
    const { gl, canvas, folds } = this;
    if (!count || !folds) return;
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    folds.use();
    gl.uniform3f(folds.uniform("view"), view.x, view.y, view.scale);
    gl.uniform2f(folds.uniform("size"), canvas.width, canvas.height);
    gl.uniform1f(folds.uniform("width"), width * (window.devicePixelRatio || 1));
    gl.uniform1f(folds.uniform("alpha"), isRim ? RIM * this.alpha : this.alpha);
    gl.uniform1i(folds.uniform("isRim"), Number(isRim));
    gl.uniform3f(folds.uniform("rim"), ...rgb(paper()));
    gl.uniform3fv(
      folds.uniform("inks"),
      layers().flatMap((hex) => rgb(hex)),
    );
    gl.bindVertexArray(this.foldArray ?? null);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, count);
  }
}
