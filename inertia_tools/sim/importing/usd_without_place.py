# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Attributes of solvers that are collected, that no row of a resolver reads, and that change how bodies move."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

WITHOUT_EFFECT: Mapping[str, Any] = {
    "physxJoint:jointFriction": 0.0,
    "physxRigidBody:lockedPosAxis": 0,
    "physxRigidBody:lockedRotAxis": 0,
    "physxRigidBody:maxLinearVelocity": math.inf,
    "physxRigidBody:maxAngularVelocity": 5729.58,
    "physxMaterial:frictionCombineMode": "average",
    "physxMaterial:restitutionCombineMode": "average",
}
"""Such attributes, and the defaults of PhysX's schemas, which need no word; the largest rate of turning [deg/s]."""

SINGLE = 1e-6
"""Relative difference of a number that was written in single precision."""


def without_place(collected: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Iterator[str]:
    """Name non-default attributes of a stage that this simulator does not use.

    Args:
        collected: Solver, path of the prim, name of the attribute, value.
    """
    for prims in collected.values():
        for stated in prims.values():
            yield from (name for name in WITHOUT_EFFECT.keys() & stated.keys() if _matters(name, stated[name]))


def _matters(name: str, value: Any) -> bool:
    default = WITHOUT_EFFECT[name]
    if isinstance(default, str):
        return str(value) != default
    return not (math.isclose(value, default, rel_tol=SINGLE) or value == math.inf)
