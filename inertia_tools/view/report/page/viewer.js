// SPDX-FileCopyrightText: The inertia_tools authors
// SPDX-License-Identifier: Apache-2.0
// The picture of a robot: orbit, choose a link, show and hide layers.
"use strict";

const FIELD_OF_VIEW = (32 * Math.PI) / 180;
const DIRECTIONS = {
  // Turn about z, and height above the ground [rad].
  corner: [-0.7, 0.38],
  front: [0, 0],
  side: [-Math.PI / 2, 0],
  top: [-Math.PI / 2, Math.PI / 2 - 1e-3],
};
const COLOURS = { before: [0.93, 0.36, 0.1], after: [0.06, 0.66, 0.45], same: [0.2, 0.47, 0.9], chosen: [0.25, 0.5, 1.0] };
const THEMES = {
  light: { background: [0.953, 0.961, 0.973], grid: [0.42, 0.48, 0.56], gridAlpha: 0.22 },
  dark: { background: [0.075, 0.09, 0.118], grid: [0.7, 0.78, 0.9], gridAlpha: 0.16 },
};
const GHOST = 0.07; // Opacity of links that are not the one to look at.
const LARGEST_ALONE = 12; // Solids of a link that is shown alone are left out if they are so many times as large.

class Viewer {
  // `onPick` is called with the name of the link that is clicked at, or null.
  constructor(canvas, onPick) {
    this.canvas = canvas;
    this.painter = new Painter(canvas);
    this.solids = { ball: ball(), cube: cube() };
    for (const name in this.solids) this.solids[name] = this.painter.buffer(this.solids[name], true);
    this.lines = { cubeEdges: this.painter.buffer(cubeEdges(), false), rings: this.painter.buffer(rings(), false) };
    this.layers = { visual: true, collision: false, ellipsoid: true, box: false, before: true, after: true, com: true };
    this.opacity = 0.45;
    this.theme = "light";
    this.links = [];
    this.meshes = [];
    this.chosen = null;
    this.alone = false;
    this.camera = { target: [0, 0, 0], distance: 1, turn: DIRECTIONS.corner[0], height: DIRECTIONS.corner[1] };
    new ResizeObserver(() => this.redraw()).observe(canvas);
    followPointer(this, onPick);
  }

  // Show another robot.
  async load(scene) {
    const bytes = await inflated(scene.data);
    [...this.meshes, ...(this.ground ?? [])].forEach((buffer) => this.painter.release(buffer));
    this.meshes = scene.meshes.map((mesh) => this.painter.buffer(shaded(unpacked(bytes, mesh)), true));
    this.scene = scene;
    this.links = scene.links.map((link) => placed(link, scene.meshes));
    this.chosen = null;
    this.alone = false;
    const { centre, radius } = this.bounds();
    const { lines, cell } = grid(radius);
    this.cell = cell;
    this.floor = scene.floor ?? centre[2] - radius;
    const polygon = (scene.support ?? []).map(([x, y]) => [x, y, 0]);
    this.ground = [this.painter.buffer(lines, false), ...this.#polygon(polygon)];
    this.look("corner");
  }

  // Return buffers of a convex polygon's area and of its outline.
  #polygon(corners) {
    const up = [0, 0, 1];
    const area = corners.slice(2).flatMap((c, i) => [corners[0], corners[i + 1], c].flatMap((p) => [...p, ...up]));
    const outline = corners.flatMap((c, i) => [...c, ...corners[(i + 1) % corners.length]]);
    return [this.painter.buffer(new Float32Array(area), true), this.painter.buffer(new Float32Array(outline), false)];
  }

  choose(name) {
    this.chosen = this.links.find((link) => link.name === name) ?? null;
    if (!this.chosen) this.alone = false;
    this.redraw();
  }

  // Look from a direction at the link to look at, or at all.
  look(direction) {
    [this.camera.turn, this.camera.height] = DIRECTIONS[direction];
    this.fit();
  }

  fit() {
    const { centre, radius } = this.bounds(this.alone ? this.chosen : null);
    this.camera.target = centre;
    this.camera.distance = (1.08 * radius) / Math.sin(FIELD_OF_VIEW / 2) / Math.min(1, this.#aspect());
    this.redraw();
  }

  // A ball about one link, or about all: of what they look like, else of their solids.
  bounds(link) {
    const chosen = link ? [link] : this.links;
    let points = chosen.flatMap((one) => one.corners);
    if (!link && points.length) points = points.concat(chosen.map((one) => one.pose.slice(0, 3)));
    if (link || !points.length) {
      const solids = chosen.flatMap((one) => this.#solidsOf(one)).filter((solid) => !this.#isTooLarge(solid));
      points = points.concat(solids.flatMap(({ extent }) => extent));
    }
    return points.length ? sphereAbout(points) : { centre: [0, 0, 0], radius: 1 };
  }

  redraw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.#draw();
    });
  }

  // Draw one link alone into a small canvas.
  thumbnail(name, small) {
    const kept = [this.chosen, this.alone, { ...this.camera }, { ...this.layers }];
    this.chosen = this.links.find((link) => link.name === name);
    this.alone = true;
    this.isThumbnail = true;
    Object.assign(this.layers, { visual: true, collision: false, ellipsoid: true, box: false, before: false, after: true });
    [this.camera.turn, this.camera.height] = DIRECTIONS.corner;
    const { width, height } = small;
    const { centre, radius } = this.bounds(this.chosen);
    this.camera.target = centre;
    this.camera.distance = (0.85 * radius) / Math.sin(FIELD_OF_VIEW / 2);
    this.canvas.width = width;
    this.canvas.height = height;
    this.#paint(width, height);
    small.getContext("2d").drawImage(this.canvas, 0, 0);
    this.isThumbnail = false;
    [this.chosen, this.alone, this.camera, this.layers] = kept;
    this.#draw();
  }

  #aspect() {
    return this.canvas.clientWidth / Math.max(1, this.canvas.clientHeight);
  }

  #draw() {
    const { canvas } = this;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight].map((side) => Math.round(side * devicePixelRatio));
    if (!this.scene || !width || !height) return;
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    this.#paint(width, height);
  }

  view(width, height) {
    const { target, distance, turn, height: rise } = this.camera;
    const direction = [Math.cos(turn) * Math.cos(rise), Math.sin(turn) * Math.cos(rise), Math.sin(rise)];
    const eye = add(target, times(direction, distance));
    const far = distance + 6 * this.bounds().radius;
    const projection = perspective(FIELD_OF_VIEW, width / height, distance / 100, far);
    const right = unit(cross([0, 0, 1], direction));
    return { matrix: product(projection, lookingAt(eye, target, [0, 0, 1])), eye, right };
  }

  #paint(width, height) {
    const { painter } = this;
    const theme = THEMES[this.theme];
    painter.begin(width, height, theme.background);
    painter.look(this.view(width, height));
    if (!this.alone) {
      const level = translation([0, 0, this.floor]);
      painter.draw(this.ground[0], level, theme.grid, { alpha: theme.gridAlpha, hides: false });
    }
    const seen = this.#seen();
    for (const link of seen) this.#drawSolids(link);
    this.#drawShapes(seen);
    if (this.alone && !this.isThumbnail) this.#drawGhosts();
    painter.inFront();
    if (this.layers.com && !this.alone) this.#drawCentre();
  }

  #isTooLarge({ reach, size, outsized }) {
    return this.alone ? size > 0 && reach > LARGEST_ALONE * size : outsized;
  }

  // How many solids are left out because of their size.
  get tooLarge() {
    if (!this.layers.ellipsoid && !this.layers.box) return 0;
    return this.#seen().flatMap((link) => this.#solidsOf(link)).filter((solid) => this.#isTooLarge(solid)).length;
  }

  #seen() {
    return this.alone && this.chosen ? [this.chosen] : this.links;
  }

  // The solids of a link that are shown, each with its colour.
  #solidsOf(link) {
    const shown = [];
    if (link.changed && link.before && this.layers.before) {
      shown.push({ ...link.before, colour: COLOURS.before, isPast: true });
    }
    const now = link.after ?? (link.changed ? null : link.before);
    const isWrong = !link.changed && now && !now.possible;
    if (now && (link.changed ? this.layers.after : this.layers.before || this.layers.after)) {
      shown.push({ ...now, colour: isWrong ? COLOURS.before : link.changed ? COLOURS.after : COLOURS.same });
    }
    return shown;
  }

  #drawSolids(link) {
    const { painter, layers } = this;
    for (const solid of this.#solidsOf(link).reverse()) {
      if (this.#isTooLarge(solid)) continue;
      const { matrix, colour, isPast } = solid;
      if (layers.ellipsoid) {
        const look = isPast ? { alpha: 0.28, hides: false } : {};
        painter.draw(this.solids.ball, matrix, colour, { ...look, stretch: solid.ellipsoid });
        painter.draw(this.lines.rings, matrix, times(colour, isPast ? 1 : 0.6), { stretch: solid.ellipsoid });
      }
      if (layers.box) {
        painter.draw(this.lines.cubeEdges, matrix, colour, { stretch: solid.box });
        painter.draw(this.solids.cube, matrix, colour, { alpha: isPast ? 0.1 : 0.18, stretch: solid.box, hides: false });
      }
    }
  }

  // What links look like, as a veil over what is inside: only the surface nearest to the eye.
  #drawShapes(links) {
    const { painter } = this;
    const shapes = links.flatMap((link) => link.shapes.filter(({ layer }) => this.layers[layer]).map((one) => [link, one]));
    const alpha = this.opacity;
    if (alpha < 1) {
      painter.onlyDepth(true);
      for (const [, shape] of shapes) painter.draw(this.meshes[shape.mesh], shape.matrix, [0, 0, 0]);
      painter.onlyDepth(false);
    }
    for (const [link, shape] of shapes) {
      const isChosen = link === this.chosen && !this.alone;
      const colour = isChosen ? mixed(shape.colour, COLOURS.chosen, 0.7) : shape.colour;
      const opacity = isChosen ? Math.max(alpha, 0.6) : alpha;
      painter.draw(this.meshes[shape.mesh], shape.matrix, colour, { alpha: opacity, hides: alpha >= 1 });
    }
  }

  #drawGhosts() {
    for (const link of this.links) {
      if (link === this.chosen) continue;
      for (const shape of link.shapes.filter(({ layer }) => layer === "visual")) {
        this.painter.draw(this.meshes[shape.mesh], shape.matrix, shape.colour, { alpha: GHOST, hides: false });
      }
    }
  }

  // The centre of mass, where it stands above the ground, and the support polygon.
  #drawCentre() {
    const { painter, scene } = this;
    const centre = scene.centres[1] ?? scene.centres[0];
    if (scene.support && scene.support.length > 2) {
      const level = translation([0, 0, this.floor]);
      painter.draw(this.ground[1], level, COLOURS.after, { alpha: 0.22, hides: false, flat: true });
      painter.draw(this.ground[2], level, COLOURS.after);
    }
    if (!centre) return;
    const size = 0.016 * this.camera.distance * Math.tan(FIELD_OF_VIEW / 2) * 2;
    if (scene.support) {
      const foot = [centre[0], centre[1], this.floor];
      const middle = times(add(centre, foot), 0.5);
      const half = [size / 14, size / 14, Math.abs(centre[2] - this.floor)];
      painter.draw(this.solids.cube, translation(middle), [1, 0.72, 0.05], { stretch: half, flat: true });
      painter.draw(this.solids.ball, translation(foot), [1, 0.72, 0.05], { stretch: [size / 2, size / 2, size / 9], flat: true });
    }
    const before = scene.centres[0];
    if (before && this.layers.before && length(subtract(before, centre)) > 0.2 * size) {
      painter.draw(this.solids.ball, translation(before), COLOURS.before, { stretch: [size, size, size].map((s) => 0.7 * s) });
    }
    painter.draw(this.solids.ball, translation(centre), [1, 1, 1], { stretch: [size, size, size], checker: true });
  }

  // The link under a point of the canvas, or null.
  linkAt(x, y) {
    const [width, height] = [this.canvas.width, this.canvas.height];
    const number = this.painter.numberAt(width, height, Math.round(x), Math.round(y), () => {
      this.painter.begin(width, height, [0, 0, 0]);
      this.painter.look(this.view(width, height));
      this.links.forEach((link, index) => this.#drawNumber(link, colourOfNumber(index + 1)));
    });
    this.redraw();
    return number ? this.links[number - 1].name : null;
  }

  #drawNumber(link, colour) {
    const shapes = link.shapes.filter(({ layer }) => this.layers[layer]);
    for (const shape of shapes) this.painter.draw(this.meshes[shape.mesh], shape.matrix, colour, { flat: true });
    if (shapes.length) return;
    for (const solid of this.#solidsOf(link)) {
      if (this.#isTooLarge(solid)) continue;
      this.painter.draw(this.solids.ball, solid.matrix, colour, { flat: true, stretch: solid.ellipsoid });
    }
  }
}

const mixed = (a, b, share) => add(times(a, 1 - share), times(b, share));

// A link of the scene with the matrices of all that is drawn of it.
function placed(link, meshes) {
  const frame = matrixOfPose(link.pose);
  const shapes = link.shapes.map((shape) => ({ ...shape, matrix: product(frame, matrixOfPose(shape.pose)) }));
  const corners = shapes.flatMap(({ mesh, matrix }) => cornersOfBox(meshes[mesh]).map((p) => transformed(matrix, p)));
  const size = corners.length ? sphereAbout(corners).radius : 0;
  const solid = (one) => one && withExtent({ ...one, size, matrix: product(frame, matrixOfPose(one.pose)) });
  return { ...link, shapes, corners, before: solid(link.before), after: solid(link.after) };
}

function withExtent(solid) {
  const ends = [0, 1, 2].flatMap((axis) =>
    [-1, 1].map((sign) => {
      const p = [0, 0, 0];
      p[axis] = sign * solid.ellipsoid[axis];
      return transformed(solid.matrix, p);
    }),
  );
  return { ...solid, extent: ends, reach: Math.max(...solid.ellipsoid) };
}

function cornersOfBox({ low, step }) {
  const corners = [];
  for (let i = 0; i < 8; i++) corners.push(low.map((start, axis) => start + ((i >> axis) & 1) * 65535 * step[axis]));
  return corners;
}

function sphereAbout(points) {
  const ends = [0, 1, 2].map((axis) => {
    const values = points.map((p) => p[axis]);
    return [values.reduce((a, b) => Math.min(a, b), Infinity), values.reduce((a, b) => Math.max(a, b), -Infinity)];
  });
  const centre = ends.map(([low, high]) => (low + high) / 2);
  const radius = Math.max(1e-4, ...ends.map(([low, high]) => (high - low) / 2));
  const reach = points.reduce((most, p) => Math.max(most, length(subtract(p, centre))), radius);
  return { centre, radius: reach };
}
