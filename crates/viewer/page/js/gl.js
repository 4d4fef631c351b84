// Thin layer over WebGL2: programs with their uniforms, textures that hold one item a texel, render targets.

export const ITEMS_PER_ROW = 2048;

export function createContext(canvas) {
  const gl = canvas.getContext("webgl2", { antialias: false, alpha: false, depth: false, powerPreference: "high-performance" });
  if (!gl) throw new Error("This browser offers no WebGL2, which the viewer draws with. Try a current Firefox, Chrome, Edge or Safari.");
  gl.floatTargets = gl.getExtension("EXT_color_buffer_float") !== null || gl.getExtension("EXT_color_buffer_half_float") !== null;
  return gl;
}

function compileShader(gl, kind, text) {
  const shader = gl.createShader(kind);
  gl.shaderSource(shader, text);
  gl.compileShader(shader);
  return shader;
}

// A linked program; `set` uploads uniforms by name and ignores those the compiler removed.
export class Program {
  // Linking is checked at first use, so that the driver may compile many programs side by side.
  constructor(gl, vertex, fragment, defines = []) {
    const head = `#version 300 es\nprecision highp float;\nprecision highp int;\nprecision highp sampler2D;\nprecision highp usampler2D;\nprecision highp sampler2DShadow;\n${defines.map((d) => `#define ${d}\n`).join("")}`;
    this.gl = gl;
    this.handle = gl.createProgram();
    this.shaders = [compileShader(gl, gl.VERTEX_SHADER, head + vertex), compileShader(gl, gl.FRAGMENT_SHADER, head + fragment)];
    for (const shader of this.shaders) gl.attachShader(this.handle, shader);
    ATTRIBUTE_NAMES.forEach((name, location) => gl.bindAttribLocation(this.handle, location, name));
    gl.linkProgram(this.handle);
    this.uniforms = null;
  }

  use() {
    const { gl } = this;
    if (!this.uniforms) this.inspect();
    gl.useProgram(this.handle);
    return this;
  }

  inspect() {
    const { gl } = this;
    if (!gl.getProgramParameter(this.handle, gl.LINK_STATUS)) {
      const logs = this.shaders.map((s) => gl.getShaderInfoLog(s)).filter(Boolean);
      throw new Error(`shader: ${[gl.getProgramInfoLog(this.handle), ...logs].join("\n")}`);
    }
    this.uniforms = new Map();
    let unit = 0;
    for (let i = 0; i < gl.getProgramParameter(this.handle, gl.ACTIVE_UNIFORMS); i++) {
      const { name, type } = gl.getActiveUniform(this.handle, i);
      const sampler = [gl.SAMPLER_2D, gl.SAMPLER_2D_SHADOW, gl.UNSIGNED_INT_SAMPLER_2D].includes(type);
      this.uniforms.set(name, { type, location: gl.getUniformLocation(this.handle, name), unit: sampler ? unit++ : -1 });
    }
  }

  set(values) {
    const { gl } = this;
    for (const name in values) {
      const uniform = this.uniforms.get(name);
      if (!uniform) continue;
      const { location, unit, type } = uniform;
      const value = values[name];
      if (unit >= 0) {
        gl.activeTexture(gl.TEXTURE0 + unit);
        gl.bindTexture(gl.TEXTURE_2D, value);
        gl.uniform1i(location, unit);
      } else if (type === gl.FLOAT) gl.uniform1f(location, value);
      else if (type === gl.FLOAT_VEC2) gl.uniform2fv(location, value);
      else if (type === gl.FLOAT_VEC3) gl.uniform3fv(location, value);
      else if (type === gl.FLOAT_VEC4) gl.uniform4fv(location, value);
      else if (type === gl.FLOAT_MAT4) gl.uniformMatrix4fv(location, false, value);
      else if (type === gl.UNSIGNED_INT) gl.uniform1ui(location, value);
      else if (type === gl.UNSIGNED_INT_VEC4) gl.uniform4uiv(location, value);
      else gl.uniform1i(location, value);
    }
    return this;
  }
}

// Attribute locations shared by all programs, so that one vertex array serves every pass.
export const ATTRIBUTE_NAMES = ["aCore", "aNormal", "iItem", "iLook", "iSize", "iPosition", "iRotation", "iSegment"];
export const ATTRIBUTE = Object.fromEntries(ATTRIBUTE_NAMES.map((name, location) => [name, location]));

export function createBuffer(gl, data, target = gl.ARRAY_BUFFER) {
  const buffer = gl.createBuffer();
  gl.bindBuffer(target, buffer);
  gl.bufferData(target, data, gl.STATIC_DRAW);
  return buffer;
}

// Declare a float attribute in the bound vertex array.
export function attachFloats(gl, location, buffer, components, divisor) {
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  gl.enableVertexAttribArray(location);
  gl.vertexAttribPointer(location, components, gl.FLOAT, false, 0, 0);
  gl.vertexAttribDivisor(location, divisor);
}

// Declare an unsigned attribute in the bound vertex array.
export function attachIntegers(gl, location, buffer, components, divisor) {
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  gl.enableVertexAttribArray(location);
  gl.vertexAttribIPointer(location, components, gl.UNSIGNED_INT, 0, 0);
  gl.vertexAttribDivisor(location, divisor);
}

function createTexture(gl, filter) {
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, filter);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, filter);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
  return texture;
}

// 1 to 4 floats for every item of a group, one texel an item: frames are uploaded as they lie in memory.
export class ItemTexture {
  constructor(gl) {
    this.gl = gl;
    this.texture = createTexture(gl, gl.NEAREST);
    this.rows = 0;
    this.components = 0;
    this.upload(new Float32Array(4), 4);
  }

  upload(values, components) {
    const { gl } = this;
    const [inner, format] = [
      [gl.R32F, gl.RED], [gl.RG32F, gl.RG], [gl.RGB32F, gl.RGB], [gl.RGBA32F, gl.RGBA],
    ][components - 1];
    const count = Math.floor(values.length / components);
    const rows = Math.max(1, Math.ceil(count / ITEMS_PER_ROW));
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 4);
    if (rows > this.rows || components !== this.components) {
      gl.texImage2D(gl.TEXTURE_2D, 0, inner, ITEMS_PER_ROW, rows, 0, format, gl.FLOAT, null);
      this.rows = rows;
      this.components = components;
    }
    const whole = Math.floor(count / ITEMS_PER_ROW);
    const cut = whole * ITEMS_PER_ROW * components;
    if (whole > 0) gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, ITEMS_PER_ROW, whole, format, gl.FLOAT, values.subarray(0, cut));
    const rest = count - whole * ITEMS_PER_ROW;
    if (rest > 0) gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, whole, rest, 1, format, gl.FLOAT, values.subarray(cut, cut + rest * components));
  }
}

// A small table of RGBA8 colours.
export function createColorTable(gl, bytes, filter) {
  const texture = createTexture(gl, filter);
  gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, bytes.length / 4, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
  return texture;
}

// A texture that passes draw into; `resize` remakes it only when its size changes.
export class TargetTexture {
  constructor(gl, format, filter = gl.NEAREST, compare = false) {
    Object.assign(this, { gl, format, filter, compare, width: 0, height: 0, texture: null });
  }

  resize(width, height) {
    if (this.width === width && this.height === height) return false;
    const { gl } = this;
    if (this.texture) gl.deleteTexture(this.texture);
    this.texture = createTexture(gl, this.filter);
    gl.texStorage2D(gl.TEXTURE_2D, 1, this.format, width, height);
    if (this.compare) {
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_FUNC, gl.LEQUAL);
    }
    this.width = width;
    this.height = height;
    return true;
  }
}

// A framebuffer over target textures of one size.
export class Target {
  constructor(gl, colors, depth) {
    Object.assign(this, { gl, colors, depth, framebuffer: gl.createFramebuffer() });
  }

  resize(width, height) {
    let changed = false;
    for (const t of this.colors) changed = t.resize(width, height) || changed;
    if (this.depth) changed = this.depth.resize(width, height) || changed;
    if (changed || this.attached !== this.key()) this.attach();
    return changed;
  }

  // Identity of the attached textures: a texture shared with another target may have been remade there.
  key() {
    return [...this.colors, this.depth].map((t) => (t ? `${t.width}x${t.height}` : "")).join();
  }

  attach() {
    const { gl } = this;
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.framebuffer);
    this.colors.forEach((t, i) => gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0 + i, gl.TEXTURE_2D, t.texture, 0));
    if (this.depth) gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.depth.texture, 0);
    gl.drawBuffers(this.colors.length ? this.colors.map((_, i) => gl.COLOR_ATTACHMENT0 + i) : [gl.NONE]);
    this.attached = this.key();
  }

  bind() {
    const { gl } = this;
    const size = this.colors[0] ?? this.depth;
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.framebuffer);
    gl.viewport(0, 0, size.width, size.height);
  }
}
