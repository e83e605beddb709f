# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A million steps of small scenes: what drifts, and whether memory grows."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from processes import resident
from scenes import DT, Scene, add_box, pendulum

import inertia_tools as it
from inertia_tools.spatial import rotation_from_quaternion

SETTLED = 1000
"""Steps after which a scene that rests is taken as the start of drift."""

LOOKS = 10
"""How often a run is looked at."""

SWING = 1.0
"""Amplitude of the pendulum [rad]."""

GRIP = 10.0
"""Force of each finger [N]; the least that holds 1 kg at mu 0.5 is m g / (2 mu) = 9.81 N."""

GROWTH = 2.0
"""By which memory may grow between the first look and the last [MB]; the allocator takes a page now and then."""


@dataclass(frozen=True)
class Look:
    """A scene as seen during a run.

    Attributes:
        steps: Steps made.
        position: Of the centre of mass of the body in question [m], shape (3,).
        turned: Angle by which it is turned [rad].
        energy: Kinetic and potential energy of all bodies [J].
        memory: Resident memory of this process [MB].
    """

    steps: int
    position: np.ndarray
    turned: float
    energy: float
    memory: float


def box_at_rest(dtype: str) -> tuple[Scene, int]:
    """A cube of 1 kg on the ground."""
    builder = it.ModelBuilder()
    builder.add_ground_plane()
    box = add_box(builder, 1.0, 0.05, (0.0, 0.0, 0.05))
    return Scene(builder, dtype), box


def swinging_rod(dtype: str) -> tuple[Scene, int]:
    """A rod of 1 m on a hinge without friction."""
    return Scene(pendulum(angle=SWING), dtype), 0


def gripper(dtype: str) -> tuple[Scene, int]:
    """Two fingers on slides that hold a cube of 1 kg by friction, at 2 % more than the least force."""
    builder = it.ModelBuilder()
    rough = it.ShapeConfig(density=1000.0, mu=0.5)
    box = builder.add_link()
    builder.add_shape_box(box, hx=0.05, hy=0.05, hz=0.05, cfg=rough)
    for side in (-0.06, 0.06):
        place = it.Pose((side, 0.0, 0.0))
        finger = builder.add_link(xform=place)
        builder.add_shape_box(finger, hx=0.01, hy=0.03, hz=0.03, cfg=rough)
        builder.add_joint_prismatic(-1, finger, axis=(1.0, 0.0, 0.0), parent_xform=place)
    scene = Scene(builder, dtype)
    scene.control.joint_f.assign(np.array([GRIP, -GRIP], dtype=dtype))
    return scene, box


SCENES: dict[str, Callable[[str], tuple[Scene, int]]] = {
    "box at rest": box_at_rest,
    "pendulum": swinging_rod,
    "gripper holding": gripper,
}


def looks(scene: Scene, body: int, steps: int) -> Iterator[Look]:
    """Run a scene and look at it once it has settled, and then ten times."""
    done = 0
    for end in (SETTLED, *np.linspace(steps / LOOKS, steps, LOOKS, dtype=int)):
        for _ in range(end - done):
            scene.solver.step(scene.state, scene.state, scene.control, scene.contacts, DT)
        done = end
        q = scene.q[body]
        turned = 2.0 * float(np.arctan2(np.linalg.norm(q[3:6]), abs(q[6])))
        com = q[:3] + rotation_from_quaternion(q[3:]) @ scene.model.inertials[body].com
        yield Look(end, com, turned, scene.energy(), resident())


def run(name: str, dtype: str, steps: int) -> tuple[str, bool]:
    """Run a scene; return its row of the table, and whether nothing was lost and memory stayed."""
    seeing = looks(*SCENES[name](dtype), steps)
    first, began = next(seeing), time.process_time()
    seen = list(seeing)
    took = (time.process_time() - began) / (steps - SETTLED)
    last = seen[-1]
    energies = [one.energy - first.energy for one in seen]
    moved = max(float(np.linalg.norm(one.position - first.position)) for one in seen)
    turned = max(abs(one.turned - first.turned) for one in seen)
    drift = "swings" if name == "pendulum" else f"{moved:.1e} m, {turned:.1e} rad"
    row = (
        f"| {name}, {dtype} | {steps} | {drift} | {energies[-1]:+.1e} J, most {max(map(abs, energies)):.1e} J | "
        f"{first.memory:.1f} to {last.memory:.1f} MB | {1e6 * took:.0f} us |"
    )
    return row, bool(np.isfinite(energies).all()) and last.memory - first.memory < GROWTH


def main(steps: int) -> int:
    """Run all scenes in both precisions; return 1 when one is not a number any more, or has made memory grow."""
    print("| scene | steps | drift of position | of energy | memory | CPU time of a step |")
    print("|---|---:|---|---|---|---:|")
    is_well = True
    for name in SCENES:
        for dtype in ("float64", "float32"):
            row, one = run(name, dtype, steps)
            print(row, flush=True)
            is_well &= one
    return 0 if is_well else 1
