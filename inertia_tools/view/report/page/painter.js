// SPDX-FileCopyrightText: The inertia_tools authors
// SPDX-License-Identifier: Apache-2.0
// What draws triangles and lines with WebGL 2.
"use strict";

const VERTEX_SHADER = `#version 300 es
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
uniform mat4 projectionView, model;
uniform vec3 stretch;
out vec3 facing, place, local;
void main() {
  vec4 p = model * vec4(position * stretch, 1.0);
  facing = mat3(model) * (normal / stretch);
  place = p.xyz;
  local = position;
  gl_Position = projectionView * p;
}`;

// A light at the camera's shoulder and a bright sky; `checker` paints the sign of a centre of mass.
const FRAGMENT_SHADER = `#version 300 es
precision highp float;
in vec3 facing, place, local;
uniform vec4 colour;
uniform vec3 eye, right;
uniform bool lit, checker;
out vec4 result;
void main() {
  vec3 base = colour.rgb;
  if (checker) base = local.x * local.y * local.z > 0.0 ? vec3(0.08) : vec3(1.0, 0.83, 0.1);
  if (!lit) {
    result = vec4(base, colour.a);
    return;
  }
  vec3 normal = normalize(facing), view = normalize(eye - place);
  if (dot(normal, view) < 0.0) normal = -normal;
  vec3 lamp = normalize(view + 0.45 * right + vec3(0.0, 0.0, 0.6));
  float sky = mix(0.55, 1.0, 0.5 + 0.5 * normal.z);
  float shine = pow(max(dot(normal, normalize(lamp + view)), 0.0), 40.0);
  result = vec4(base * (0.42 * sky + 0.62 * max(dot(normal, lamp), 0.0)) + 0.12 * shine, colour.a);
}`;

class Painter {
  constructor(canvas) {
    this.gl = canvas.getContext("webgl2", { antialias: true, alpha: false });
    if (!this.gl) throw new Error("this browser has no WebGL 2");
    this.program = this.#linked();
    this.uniforms = {};
    for (const name of ["projectionView", "model", "stretch", "colour", "eye", "right", "lit", "checker"]) {
      this.uniforms[name] = this.gl.getUniformLocation(this.program, name);
    }
    this.target = null;
  }

  #linked() {
    const { gl } = this;
    const program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, VERTEX_SHADER], [gl.FRAGMENT_SHADER, FRAGMENT_SHADER]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    return program;
  }

  // Triangles with normals, six numbers a corner; or points of lines, three each.
  buffer(data, hasNormals) {
    const { gl } = this;
    const [array, store] = [gl.createVertexArray(), gl.createBuffer()];
    const size = hasNormals ? 6 : 3;
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, store);
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 4 * size, 0);
    if (hasNormals) {
      gl.enableVertexAttribArray(1);
      gl.vertexAttribPointer(1, 3, gl.FLOAT, false, 24, 12);
    }
    return { array, store, count: data.length / size, mode: hasNormals ? gl.TRIANGLES : gl.LINES, hasNormals };
  }

  release(buffer) {
    this.gl.deleteVertexArray(buffer.array);
    this.gl.deleteBuffer(buffer.store);
  }

  begin(width, height, background) {
    const { gl } = this;
    gl.viewport(0, 0, width, height);
    gl.clearColor(...background, 1);
    gl.depthMask(true);
    gl.colorMask(true, true, true, true);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    gl.useProgram(this.program);
  }

  look({ matrix, eye, right }) {
    this.gl.uniformMatrix4fv(this.uniforms.projectionView, false, matrix);
    this.gl.uniform3fv(this.uniforms.eye, eye);
    this.gl.uniform3fv(this.uniforms.right, right);
  }

  // Draw a buffer; one that lets light through does not hide what is drawn later.
  draw(buffer, model, colour, { alpha = 1, stretch = [1, 1, 1], flat = false, checker = false, hides = alpha === 1 } = {}) {
    const { gl, uniforms } = this;
    gl[alpha < 1 ? "enable" : "disable"](gl.BLEND);
    gl.depthMask(hides);
    gl.uniformMatrix4fv(uniforms.model, false, model);
    gl.uniform3fv(uniforms.stretch, stretch);
    gl.uniform4f(uniforms.colour, ...colour, alpha);
    gl.uniform1i(uniforms.lit, buffer.hasNormals && !flat ? 1 : 0);
    gl.uniform1i(uniforms.checker, checker ? 1 : 0);
    gl.bindVertexArray(buffer.array);
    gl.drawArrays(buffer.mode, 0, buffer.count);
    gl.depthMask(true);
  }

  // Let draws change depths alone, and no colour.
  onlyDepth(isOn) {
    this.gl.colorMask(!isOn, !isOn, !isOn, !isOn);
  }

  // What is drawn after this lies before all that was drawn.
  inFront() {
    this.gl.clear(this.gl.DEPTH_BUFFER_BIT);
  }

  // Draw into memory, and return the number in the colour of one pixel counted from the top left.
  numberAt(width, height, x, y, drawAll) {
    const { gl } = this;
    const [frame, texture, depth] = [gl.createFramebuffer(), gl.createTexture(), gl.createRenderbuffer()];
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, width, height, 0, gl.RGBA, gl.UNSIGNED_BYTE, null);
    gl.bindRenderbuffer(gl.RENDERBUFFER, depth);
    gl.renderbufferStorage(gl.RENDERBUFFER, gl.DEPTH_COMPONENT24, width, height);
    gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
    gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.RENDERBUFFER, depth);
    drawAll();
    const pixel = new Uint8Array(4);
    gl.readPixels(x, height - 1 - y, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.deleteFramebuffer(frame);
    gl.deleteTexture(texture);
    gl.deleteRenderbuffer(depth);
    return pixel[0] + 256 * pixel[1] + 65536 * pixel[2];
  }
}

// The colour that `numberAt` reads a number from.
function colourOfNumber(number) {
  return [number & 255, (number >> 8) & 255, (number >> 16) & 255].map((part) => part / 255);
}
