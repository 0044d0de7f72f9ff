// Drawing cells and folds with WebGL: one buffer of triangles, one of edges; panning and zooming change four numbers.
// @ts-check
import { layers, neutral, rgb, table } from "./colors.js";
import { levels, scale } from "./paint.js";

/** @typedef {import("./mesh.js").Mesh} Mesh */
/** @typedef {{x: number, y: number, scale: number}} View */

const CELLS = [
  `#version 300 es
  in vec2 place; in float level; uniform vec3 view; out float shade;
  void main() { shade = level; gl_Position = vec4((place * view.z + view.xy) * 2.0 - 1.0, 0.0, 1.0); }`,
  `#version 300 es
  precision highp float; in float shade; uniform sampler2D colors; uniform vec3 unknown; out vec4 color;
  void main() { color = shade < 0.0 ? vec4(unknown, 1.0) : texture(colors, vec2((shade * 255.0 + 0.5) / 256.0, 0.5)); }`,
];
const FOLDS = [
  `#version 300 es
  in vec2 corner; in vec4 ends; in float layer; uniform vec3 view; uniform vec2 size; uniform float width; uniform vec3 inks[8];
  out vec3 tint;
  void main() {
    vec2 a = (ends.xy * view.z + view.xy) * size, b = (ends.zw * view.z + view.xy) * size;
    vec2 along = b - a; float len = max(length(along), 1e-6);
    vec2 across = vec2(-along.y, along.x) / len * width * 0.5;
    vec2 p = mix(a, b, corner.x) + across * corner.y;
    tint = inks[int(layer)];
    gl_Position = vec4(p / size * 2.0 - 1.0, 0.0, 1.0);
  }`,
  `#version 300 es
  precision mediump float; in vec3 tint; uniform float alpha; out vec4 color;
  void main() { color = vec4(tint * alpha, alpha); }`,
];

export class GlPainter {
  /** Only where a graphics processor does the work: without one, a plain canvas is faster. @param {HTMLCanvasElement} canvas @param {boolean} force @returns {GlPainter | null} */
  static make(canvas, force) {
    if (!force && isSoftware()) return null;
    const gl = canvas.getContext("webgl2", { antialias: true, alpha: false });
    return gl ? new GlPainter(canvas, gl) : null;
  }

  /** @param {HTMLCanvasElement} canvas @param {WebGL2RenderingContext} gl */
  constructor(canvas, gl) {
    this.canvas = canvas;
    this.gl = gl;
    this.name = "webgl";
    this.cells = program(gl, CELLS);
    this.folds = program(gl, FOLDS);
    this.colors = gl.createTexture();
    /** @type {number[]} */
    this.upTo = [];
    this.nIndices = 0;
    this.alpha = 1;
    const place = (/** @type {WebGLProgram} */ p, /** @type {string} */ name) => gl.getAttribLocation(p, name);
    this.cellBuffer = gl.createBuffer();
    this.indexBuffer = gl.createBuffer();
    this.cellArray = gl.createVertexArray();
    gl.bindVertexArray(this.cellArray);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.cellBuffer);
    attribute(gl, place(this.cells, "place"), 2, 12, 0);
    attribute(gl, place(this.cells, "level"), 1, 12, 8);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.indexBuffer);
    this.foldArray = gl.createVertexArray();
    gl.bindVertexArray(this.foldArray);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([0, -1, 1, -1, 0, 1, 1, 1]), gl.STATIC_DRAW);
    attribute(gl, place(this.folds, "corner"), 2, 8, 0);
    this.foldBuffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, this.foldBuffer);
    attribute(gl, place(this.folds, "ends"), 4, 20, 0, 1);
    attribute(gl, place(this.folds, "layer"), 1, 20, 16, 1);
    gl.bindVertexArray(null);
  }

  /** Take a new picture. @param {Mesh} mesh @param {string} color */
  load(mesh, color) {
    const gl = this.gl;
    const { first, corners, vertices, edges, edge_layer } = mesh.arrays;
    const level = levels(mesh, color);
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
    gl.bindBuffer(gl.ARRAY_BUFFER, this.cellBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.indexBuffer);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indices, gl.STATIC_DRAW);
    this.loadFolds(edges, edge_layer, vertices);
    this.alpha = Math.min(1, Math.max(0.25, 30 / Math.sqrt(mesh.n)));
    this.paint(scale(mesh, color));
  }

  /** Folds sorted by layer, so that drawing the first layers is drawing a prefix. @param {any} edges @param {any} layer @param {any} vertices */
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
    gl.bindBuffer(gl.ARRAY_BUFFER, this.foldBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
  }

  /** Take new colors. @param {string} color */
  paint(color) {
    const gl = this.gl;
    gl.bindTexture(gl.TEXTURE_2D, this.colors);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 256, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, table(color).bytes);
    for (const [name, value] of [[gl.TEXTURE_MIN_FILTER, gl.NEAREST], [gl.TEXTURE_MAG_FILTER, gl.NEAREST], [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE]]) {
      gl.texParameteri(gl.TEXTURE_2D, name, value);
    }
  }

  /** @param {View} view @param {number} depth how many layers of folds */
  draw(view, depth) {
    const { gl, canvas } = this;
    gl.viewport(0, 0, canvas.width, canvas.height);
    const background = rgb(neutral());
    gl.clearColor(...background, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.disable(gl.BLEND);
    gl.useProgram(this.cells);
    gl.uniform3f(gl.getUniformLocation(this.cells, "view"), view.x, view.y, view.scale);
    gl.uniform3f(gl.getUniformLocation(this.cells, "unknown"), ...background);
    gl.bindTexture(gl.TEXTURE_2D, this.colors);
    gl.bindVertexArray(this.cellArray);
    gl.drawElements(gl.TRIANGLES, this.nIndices, gl.UNSIGNED_INT, 0);
    const count = depth > 0 ? this.upTo[depth - 1] : 0;
    if (count) {
      const ratio = window.devicePixelRatio || 1;
      gl.enable(gl.BLEND);
      gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
      gl.useProgram(this.folds);
      gl.uniform3f(gl.getUniformLocation(this.folds, "view"), view.x, view.y, view.scale);
      gl.uniform2f(gl.getUniformLocation(this.folds, "size"), canvas.width, canvas.height);
      gl.uniform1f(gl.getUniformLocation(this.folds, "width"), 1.3 * ratio);
      gl.uniform1f(gl.getUniformLocation(this.folds, "alpha"), this.alpha);
      gl.uniform3fv(gl.getUniformLocation(this.folds, "inks"), [...layers(), "#000000"].flatMap((hex) => rgb(hex)));
      gl.bindVertexArray(this.foldArray);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, count);
    }
    gl.bindVertexArray(null);
  }
}

/** @param {WebGL2RenderingContext} gl @param {string[]} sources @returns {WebGLProgram} */
function program(gl, sources) {
  const made = /** @type {WebGLProgram} */ (gl.createProgram());
  sources.forEach((source, i) => {
    const shader = /** @type {WebGLShader} */ (gl.createShader(i ? gl.FRAGMENT_SHADER : gl.VERTEX_SHADER));
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader) ?? "shader");
    gl.attachShader(made, shader);
  });
  gl.linkProgram(made);
  return made;
}

/** @param {WebGL2RenderingContext} gl @param {number} where @param {number} size @param {number} stride @param {number} offset @param {number} [divisor] */
function attribute(gl, where, size, stride, offset, divisor = 0) {
  gl.enableVertexAttribArray(where);
  gl.vertexAttribPointer(where, size, gl.FLOAT, false, stride, offset);
  gl.vertexAttribDivisor(where, divisor);
}

/** Whether WebGL would be computed by the main processor; asked on a canvas of its own, which then keeps its other choices. */
function isSoftware() {
  const gl = document.createElement("canvas").getContext("webgl2", { failIfMajorPerformanceCaveat: true });
  if (!gl) return true;
  const names = gl.getExtension("WEBGL_debug_renderer_info");
  const renderer = String(gl.getParameter(names ? names.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  gl.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(renderer);
}
