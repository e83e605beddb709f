// SPDX-FileCopyrightText: The inertia_tools authors
// SPDX-License-Identifier: Apache-2.0
// Mouse, touch and keys on the picture: turn, move, zoom, choose.
"use strict";

const STILL = 4; // A press that moves by less is a click [px].

function followPointer(viewer, onPick) {
  const { canvas } = viewer;
  const pointers = new Map();
  let moved = 0;
  let apart = 0;

  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("pointerdown", (event) => {
    canvas.focus({ preventScroll: true });
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, [event.clientX, event.clientY]);
    moved = pointers.size > 1 ? Infinity : 0;
    apart = 0;
  });
  canvas.addEventListener("pointermove", (event) => {
    const last = pointers.get(event.pointerId);
    if (!last) return;
    const [dx, dy] = [event.clientX - last[0], event.clientY - last[1]];
    pointers.set(event.pointerId, [event.clientX, event.clientY]);
    moved += Math.abs(dx) + Math.abs(dy);
    if (pointers.size > 1) {
      const [a, b] = [...pointers.values()];
      const now = Math.hypot(a[0] - b[0], a[1] - b[1]);
      if (apart) zoom(apart / now);
      apart = now;
    } else if (event.shiftKey || event.buttons & 6) {
      pan(dx, dy);
    } else {
      turn(dx, dy);
    }
  });
  canvas.addEventListener("pointerup", (event) => {
    pointers.delete(event.pointerId);
    if (moved < STILL && event.button === 0) {
      onPick(viewer.linkAt(event.offsetX * devicePixelRatio, event.offsetY * devicePixelRatio));
    }
  });
  canvas.addEventListener("pointercancel", (event) => pointers.delete(event.pointerId));
  canvas.addEventListener("wheel", (event) => {
    if (document.activeElement !== canvas) return; // the page scrolls until the picture is clicked at
    event.preventDefault();
    zoom(Math.exp(0.001 * event.deltaY));
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    const steps = { ArrowLeft: [-24, 0], ArrowRight: [24, 0], ArrowUp: [0, -24], ArrowDown: [0, 24] };
    if (steps[event.key]) turn(...steps[event.key]);
    else if (event.key === "+" || event.key === "=") zoom(0.85);
    else if (event.key === "-") zoom(1 / 0.85);
    else if (event.key === "f") viewer.fit();
    else return;
    event.preventDefault();
  });

  function turn(dx, dy) {
    viewer.camera.turn -= 0.008 * dx;
    viewer.camera.height = Math.max(-1.5, Math.min(1.57, viewer.camera.height + 0.008 * dy));
    viewer.redraw();
  }

  function pan(dx, dy) {
    const { turn: angle, height, distance } = viewer.camera;
    const scale = (2 * distance * Math.tan(FIELD_OF_VIEW / 2)) / canvas.clientHeight;
    const right = [-Math.sin(angle), Math.cos(angle), 0];
    const up = [-Math.cos(angle) * Math.sin(height), -Math.sin(angle) * Math.sin(height), Math.cos(height)];
    viewer.camera.target = add(viewer.camera.target, add(times(right, -dx * scale), times(up, dy * scale)));
    viewer.redraw();
  }

  function zoom(factor) {
    viewer.camera.distance *= factor;
    viewer.redraw();
  }
}
