# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Bodies that become kinematic or dynamic after a scene is finished.

Collision filters, trees and islands depend on the flags of bodies. The parts of a model that depend on them are
rebuilt; arrays that users write to stay the same objects and keep their values.
"""

from __future__ import annotations

import warnings
from dataclasses import fields

import numpy as np

from inertia_tools.errors import OptionError
from inertia_tools.sim.device.joint_arrays import place_joints
from inertia_tools.sim.device.model_data import ModelData
from inertia_tools.sim.model.building import build_model, snapshot
from inertia_tools.sim.model.model import DEVICE_ARRAYS, Model
from inertia_tools.sim.model.worlds import replicate
from inertia_tools.sim.scene.flags import BodyFlags

FOLLOW = {"slot_count", "slot_shapes", "slot_bodies", "moves", "anchored", "nearby", "loop_entries", "collision"} | {
    *("bodies", "joints", "loops", "clusters", "shapes", "scene", "soft_surfaces"),
}
"""Attributes of `ModelData` that depend on the flags of bodies, or have parts that do."""

BUILT = ("joint_type", "joint_parent", "joint_child")
"""Arrays that users may write to without effect."""

WRITTEN = {(one.structure, one.name) for name, one in DEVICE_ARRAYS.items() if name not in BUILT} | {
    ("bodies", "gravity"),
    ("bodies", "max_gravity"),
}
"""The arrays among them that users write to, or that depend on values that users write."""


def take_flags(model: Model) -> bool:
    """Rebuild a model if `body_flags` were changed, and return whether they were.

    Raises:
        OptionError: A flag is neither DYNAMIC nor KINEMATIC, or copies of a scene differ.
    """
    flags, built = model.body_flags.numpy(), np.array(list(model.scene.body_flags), dtype=int)
    if np.array_equal(flags, np.tile(built, model.scene_copies)):
        return False
    for body in np.flatnonzero((flags != BodyFlags.DYNAMIC) & (flags != BodyFlags.KINEMATIC)).tolist():
        known = "BodyFlags.DYNAMIC or BodyFlags.KINEMATIC"
        raise OptionError(f"model.body_flags of {model.names[body]!r}", int(flags[body]), known)
    rows = flags.reshape(model.scene_copies, -1)
    for body in np.flatnonzero((rows != rows[0]).any(axis=0)).tolist():
        known = "the same in all copies that ModelBuilder.replicate made; use add_world for worlds that differ"
        raise OptionError(f"model.body_flags of {model.names[body]!r}", int(rows[1:, body].max()), known)
    _build_again(model, [flag == BodyFlags.KINEMATIC for flag in rows[0].tolist()])
    return True


def _build_again(model: Model, kinematic: list[bool]) -> None:
    scene = snapshot(model.scene)
    scene.body_kinematic = kinematic
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # `finalize` has issued all warnings about the scene
        own = model.inertials[: len(kinematic)]
        fresh = replicate(build_model(scene, model.device, model.precision.name, inertials=own), model.copy_count)
    for struct, name in WRITTEN:
        setattr(getattr(fresh, struct), name, getattr(getattr(model, struct), name))
    fresh.bodies.version.assign(model.bodies.version.numpy() + 1)
    for one in fields(ModelData):
        if one.name in FOLLOW:
            setattr(model, one.name, getattr(fresh, one.name))
    place_joints(model, model.built_joints)  # their frames may have moved since
    model.forget_searches()
    model.built_times += 1
