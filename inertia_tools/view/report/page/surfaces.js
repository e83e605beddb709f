// SPDX-FileCopyrightText: The inertia_tools authors
// SPDX-License-Identifier: Apache-2.0
// Triangles to draw: meshes unpacked from the page, and the few solids that are made here.
"use strict";

const CREASE = Math.cos((35 * Math.PI) / 180); // Faces that meet at a smaller angle are shaded as one.

// Undo base64 and zlib; see packing.py.
async function inflated(text) {
  const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

// Corners and indices of one mesh in the unpacked bytes.
function unpacked(bytes, mesh) {
  const [vertexStart, vertexCount] = mesh.vertices;
  const [triangleStart, triangleCount] = mesh.triangles;
  const grid = new Uint16Array(bytes, vertexStart, 3 * vertexCount);
  const corners = new Float32Array(grid.length);
  for (let i = 0; i < grid.length; i++) corners[i] = mesh.low[i % 3] + mesh.step[i % 3] * grid[i];
  const Indices = mesh.wide ? Uint32Array : Uint16Array;
  return { corners, indices: new Indices(bytes, triangleStart, 3 * triangleCount) };
}

function cornerOf(corners, index) {
  return [corners[3 * index], corners[3 * index + 1], corners[3 * index + 2]];
}

// Position and normal of each corner of each triangle; normals are means over the faces around a corner that hardly
// bend, weighted by area.
function shaded({ corners, indices }) {
  const count = indices.length / 3;
  const normals = [];
  const around = Array.from({ length: corners.length / 3 }, () => []);
  for (let face = 0; face < count; face++) {
    const [a, b, c] = [0, 1, 2].map((k) => cornerOf(corners, indices[3 * face + k]));
    normals.push(cross(subtract(b, a), subtract(c, a)));
    for (let k = 0; k < 3; k++) around[indices[3 * face + k]].push(face);
  }
  const units = normals.map(unit);
  const data = new Float32Array(18 * count);
  for (let i = 0; i < indices.length; i++) {
    const own = Math.floor(i / 3);
    let normal = [0, 0, 0];
    for (const face of around[indices[i]]) {
      if (dot(units[face], units[own]) >= CREASE) normal = add(normal, normals[face]);
    }
    data.set(cornerOf(corners, indices[i]), 6 * i);
    data.set(unit(normal), 6 * i + 3);
  }
  return data;
}

// A ball of radius 1: its normals are its positions.
function ball(rings = 24, sides = 48) {
  const data = [];
  const point = (ring, side) => {
    const [polar, turn] = [(Math.PI * ring) / rings, (2 * Math.PI * side) / sides];
    return [Math.sin(polar) * Math.cos(turn), Math.sin(polar) * Math.sin(turn), Math.cos(polar)];
  };
  for (let ring = 0; ring < rings; ring++) {
    for (let side = 0; side < sides; side++) {
      const [a, b] = [point(ring, side), point(ring + 1, side)];
      const [c, d] = [point(ring + 1, side + 1), point(ring, side + 1)];
      for (const p of [a, b, c, a, c, d]) data.push(...p, ...p);
    }
  }
  return new Float32Array(data);
}

// A cube of edge 1.
function cube() {
  const data = [];
  for (let axis = 0; axis < 3; axis++) {
    for (const sign of [-1, 1]) {
      const normal = [0, 0, 0];
      normal[axis] = sign;
      const across = [...Array(3).keys()].filter((other) => other !== axis);
      const at = (u, v) => {
        const p = times(normal, 0.5);
        p[across[0]] = u / 2;
        p[across[1]] = v / 2;
        return p;
      };
      for (const [u, v] of [[-1, -1], [1, -1], [1, 1], [-1, -1], [1, 1], [-1, 1]]) data.push(...at(u, v), ...normal);
    }
  }
  return new Float32Array(data);
}

// The edges of that cube as pairs of points.
function cubeEdges() {
  const data = [];
  for (let axis = 0; axis < 3; axis++) {
    for (const u of [-0.5, 0.5]) {
      for (const v of [-0.5, 0.5]) {
        for (const end of [-0.5, 0.5]) {
          const p = [u, v];
          p.splice(axis, 0, end);
          data.push(...p);
        }
      }
    }
  }
  return new Float32Array(data);
}

// Circles of radius 1 about the three axes as pairs of points.
function rings(sides = 64) {
  const data = [];
  for (let axis = 0; axis < 3; axis++) {
    for (let side = 0; side < sides; side++) {
      for (const end of [side, side + 1]) {
        const p = [Math.cos((2 * Math.PI * end) / sides), Math.sin((2 * Math.PI * end) / sides)];
        p.splice(axis, 0, 0);
        data.push(...p);
      }
    }
  }
  return new Float32Array(data);
}

// Lines on the ground, a round number of metres apart, as pairs of points about the origin.
function grid(radius) {
  const rough = radius / 6;
  const power = 10 ** Math.floor(Math.log10(rough));
  const cell = power * [1, 2, 5, 10].find((factor) => factor * power >= rough);
  const count = Math.ceil((1.6 * radius) / cell);
  const data = [];
  for (let i = -count; i <= count; i++) {
    for (const sign of [-count, count]) data.push(i * cell, sign * cell, 0);
    for (const sign of [-count, count]) data.push(sign * cell, i * cell, 0);
  }
  return { lines: new Float32Array(data), cell };
}
