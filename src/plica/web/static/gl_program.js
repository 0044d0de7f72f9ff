// Shader programs: compiled, linked and checked once, with the places of their uniforms.
// @ts-check

/** A program with its uniforms. */
export class Program {
  /**
   * @param {WebGL2RenderingContext} gl @param {string[]} sources of the vertex and of the fragment shader
   * @param {string[]} uniforms
   */
  constructor(gl, sources, uniforms) {
    this.gl = gl;
    this.made = linked(gl, sources);
    /** @type {Map<string, WebGLUniformLocation | null>} */
    this.places = new Map(uniforms.map((name) => [name, gl.getUniformLocation(this.made, name)]));
  }

  use() {
    this.gl.useProgram(this.made);
  }

  /** @param {string} name @returns {WebGLUniformLocation | null} */
  uniform(name) {
    const place = this.places.get(name);
    if (place === undefined) throw new Error(`no uniform ${name}`);
    return place;
  }

  /**
   * Read an attribute from the bound buffer.
   * @param {string} name @param {number} size @param {number} stride @param {number} offset @param {number} [divisor]
   */
  attribute(name, size, stride, offset, divisor = 0) {
    const { gl } = this;
    const where = gl.getAttribLocation(this.made, name);
    gl.enableVertexAttribArray(where);
    gl.vertexAttribPointer(where, size, gl.FLOAT, false, stride, offset);
    gl.vertexAttribDivisor(where, divisor);
  }
}

/** @param {WebGL2RenderingContext} gl @param {string[]} sources @returns {WebGLProgram} */
function linked(gl, sources) {
  const made = gl.createProgram();
  if (!made) throw new Error("the graphics processor makes no program");
  sources.forEach((source, i) => {
    const shader = gl.createShader(i ? gl.FRAGMENT_SHADER : gl.VERTEX_SHADER);
    if (!shader) throw new Error("the graphics processor makes no shader");
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) {
      throw new Error(`a shader does not compile: ${gl.getShaderInfoLog(shader) ?? "no reason given"}`);
    }
    gl.attachShader(made, shader);
    gl.deleteShader(shader); // goes with the program
  });
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS)) {
    throw new Error(`shaders do not link: ${gl.getProgramInfoLog(made) ?? "no reason given"}`);
  }
  return made;
}

/** Whether WebGL would be computed by the main processor; asked on a canvas of its own, which then keeps its other choices. */
export function isSoftware() {
  const gl = document.createElement("canvas").getContext("webgl2", { failIfMajorPerformanceCaveat: true });
  if (!gl) return true;
  const names = gl.getExtension("WEBGL_debug_renderer_info");
  const renderer = String(gl.getParameter(names ? names.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  gl.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(renderer);
}
