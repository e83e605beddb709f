# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Gravity, time steps and iterations in the PhysicsScene of a stage."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from inertia_tools.description.usd.attributes import beginning
from inertia_tools.description.usd_bodies import UsdBodies
from inertia_tools.spatial import Array
from inertia_tools.usd import PrimType, SchemaResolverManager


@dataclass(frozen=True, eq=False)
class SceneValues:
    """The values of a scene.

    Attributes:
        path: Path of its prim; None when the stage has none.
        gravity: Acceleration of gravity in stage axes [m/s^2], shape (3,); None if not stated.
        max_solver_iterations: Iterations; None if not stated.
        physics_dt: Time step [s]; None if not stated.
        attributes: Authored attributes of the prim, by name.
    """

    path: str | None
    gravity: Array | None
    max_solver_iterations: int | None
    physics_dt: float | None
    attributes: dict[str, Any]


def read_scene(usd_bodies: UsdBodies, chain: SchemaResolverManager) -> SceneValues:
    """Read the first scene of a stage."""
    path = usd_bodies.scenes[0] if usd_bodies.scenes else None
    prim = None if path is None else usd_bodies.stage.GetPrimAtPath(path)
    rate = chain.get_value(prim, PrimType.SCENE, "time_steps_per_second")
    if rate is not None and not rate > 0:
        rate = chain.schema_default(PrimType.SCENE, "time_steps_per_second")
    falls = chain.get_value(prim, PrimType.SCENE, "gravity_enabled")
    gravity = usd_bodies.gravity
    if gravity is not None and falls is not None and not falls:
        gravity = np.zeros(3)
    if prim is not None:
        chain.collect_prim_attrs(prim)
    return SceneValues(
        path=path,
        gravity=gravity,
        max_solver_iterations=chain.get_value(prim, PrimType.SCENE, "max_solver_iterations"),
        physics_dt=1.0 / float(rate) if rate is not None and rate > 0 else None,
        attributes=_authored(prim),
    )


def _authored(prim: Any) -> dict[str, Any]:
    if prim is None:
        return {}
    attributes = prim.GetAuthoredAttributes()
    return {attribute.GetName(): attribute.Get(beginning()) for attribute in attributes if attribute.HasAuthoredValue()}
