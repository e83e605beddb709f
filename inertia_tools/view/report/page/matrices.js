// SPDX-FileCopyrightText: The inertia_tools authors
// SPDX-License-Identifier: Apache-2.0
// 4 x 4 matrices in column-major order and vectors of three numbers, as far as the viewer needs them.
"use strict";

const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const subtract = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const times = (a, factor) => [a[0] * factor, a[1] * factor, a[2] * factor];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const length = (a) => Math.hypot(a[0], a[1], a[2]);
const unit = (a) => times(a, 1 / (length(a) || 1));

const IDENTITY = new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);

function product(a, b) {
  const result = new Float32Array(16);
  for (let column = 0; column < 4; column++) {
    for (let row = 0; row < 4; row++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += a[4 * k + row] * b[4 * column + k];
      result[4 * column + row] = sum;
    }
  }
  return result;
}

// The matrix of a pose: position, then quaternion (x, y, z, w).
function matrixOfPose([px, py, pz, x, y, z, w]) {
  return new Float32Array([
    1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w), 0,
    2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w), 0,
    2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y), 0,
    px, py, pz, 1,
  ]);
}

function translation(offset) {
  const result = new Float32Array(IDENTITY);
  result.set(offset, 12);
  return result;
}

function transformed(matrix, p) {
  return [0, 1, 2].map((row) => matrix[row] * p[0] + matrix[4 + row] * p[1] + matrix[8 + row] * p[2] + matrix[12 + row]);
}

function perspective(angle, aspect, near, far) {
  const scale = 1 / Math.tan(angle / 2);
  const result = new Float32Array(16);
  result.set([scale / aspect, 0, 0, 0, 0, scale, 0, 0, 0, 0, (far + near) / (near - far), -1]);
  result[14] = (2 * far * near) / (near - far);
  return result;
}

function lookingAt(eye, target, up) {
  const back = unit(subtract(eye, target));
  const right = unit(cross(up, back));
  const above = cross(back, right);
  return new Float32Array([
    right[0], above[0], back[0], 0,
    right[1], above[1], back[1], 0,
    right[2], above[2], back[2], 0,
    -dot(right, eye), -dot(above, eye), -dot(back, eye), 1,
  ]);
}
