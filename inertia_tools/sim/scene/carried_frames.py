# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Massless frames that fixed joints hold on bodies with mass: they receive a small share of it, so that they move."""

from __future__ import annotations

import numpy as np

from inertia_tools.errors import OptionError
from inertia_tools.inertial import Inertial
from inertia_tools.sim.scene.bodies import WORLD
from inertia_tools.sim.scene.joint_kind import JointKind
from inertia_tools.sim.scene.scene import Scene
from inertia_tools.spatial import Array

SHARE = 1e-3
"""Part of a body's mass that each frame takes: as bodies between joints do, few enough to be felt as rigid."""


def with_shares(builder: Scene, inertials: tuple[Inertial, ...]) -> tuple[tuple[Inertial, ...], list[int]]:
    """Return mass properties in which frames on fixed joints have mass, and the frames that have it so.

    A body without mass does not move, and would hold the bodies fixed to it. Frames that are fixed to the world or
    kinematic are unchanged, as are all frames in a scene that merges fixed joints.
    """
    light = [body for body, one in enumerate(inertials) if one.mass == 0.0 and not builder.body_kinematic[body]]
    if not light:
        return inertials, []
    found, given = list(inertials), []
    for group in _held_together(builder):
        heaviest = max(group, key=lambda body: inertials[body].mass)
        frames = [body for body in sorted(group) if body in set(light)]
        mass = inertials[heaviest].mass
        if not frames or not mass > 0.0 or any(builder.body_kinematic[body] for body in group):
            continue
        spin = SHARE * float(np.trace(inertials[heaviest].inertia)) / 3.0
        for body in frames:
            found[body] = Inertial(SHARE * mass, np.zeros(3), spin * np.eye(3))
        left = mass * (1.0 - SHARE * len(frames))
        found[heaviest] = inertials[heaviest].scaled_to_mass(left) if left > 0.0 else inertials[heaviest]
        given += frames
    return tuple(found), given


def gravity_scales(builder: Scene) -> Array:
    """Return the gravity scale of each body, shape (bodies,); massless frames have the scale of their parent.

    Raises:
        OptionError: One is not finite.
    """
    scales = np.array(builder.body_gravity_scale, dtype=np.float64)
    for body in np.flatnonzero(~np.isfinite(scales)).tolist():
        raise OptionError(f"body_gravity_scale of {builder.body_name[body]!r}", scales[body], "a finite number")
    if (scales != 1.0).any():
        for group in _held_together(builder):
            heaviest = max(group, key=lambda body: builder.body_mass[body])
            frames = [body for body in group if builder.body_mass[body] == 0.0]
            scales[frames] = scales[heaviest]
    return scales


def _held_together(builder: Scene) -> list[set[int]]:
    """Return the groups of bodies that fixed tree joints connect, except those fixed to the world."""
    group_of = {body: {body} for body in range(builder.body_count)}
    at_world: set[int] = set()
    for joint in builder.joints:
        if joint.kind is not JointKind.FIXED or joint.closes_loop or not joint.enabled:
            continue
        if joint.parent == WORLD:
            at_world.add(joint.child)
            continue
        merged = group_of[joint.parent] | group_of[joint.child]
        for body in merged:
            group_of[body] = merged
    groups = {id(group): group for group in group_of.values() if len(group) > 1}
    return [group for group in groups.values() if not group & at_world]
