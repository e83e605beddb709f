# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""One walk over a stage that sorts its prims: bodies, geometry, joints, materials, scenes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from inertia_tools.description.usd.geometry import READERS
from inertia_tools.description.usd.joints import TYPES
from inertia_tools.description.usd.library import pxr

BODY_API, COLLISION_API = "PhysicsRigidBodyAPI", "PhysicsCollisionAPI"
ROOT_APIS = ("PhysicsArticulationRootAPI", "NewtonArticulationRootAPI")
MATERIAL_API = "PhysicsMaterialAPI"
SCENE = "PhysicsScene"


@dataclass(eq=False)
class Survey:
    """The prims of a stage that matter, in document order.

    Attributes:
        bodies: Prims with PhysicsRigidBodyAPI.
        gprims: Geometric prims, the body that each stands on, and its applied schemas; None for no body.
        joints: Joints.
        articulation_roots: Prims that are the root of an articulation, or hold one.
        scenes: PhysicsScene prims.
        materials: Paths of materials with physical properties.
        stray_colliders: Prims with PhysicsCollisionAPI that are no geometry.
    """

    bodies: list[Any] = field(default_factory=list)
    gprims: list[tuple[Any, Any | None, tuple[str, ...]]] = field(default_factory=list)
    joints: list[Any] = field(default_factory=list)
    articulation_roots: list[Any] = field(default_factory=list)
    scenes: list[Any] = field(default_factory=list)
    materials: set[str] = field(default_factory=set)
    stray_colliders: list[Any] = field(default_factory=list)


def survey(stage: Any) -> Survey:
    """Walk over a stage, through instances too."""
    found = Survey()
    for prim, body in _with_bodies(stage, found):
        kind = str(prim.GetTypeName())
        apis = tuple(str(name) for name in prim.GetAppliedSchemas())
        if kind in TYPES:
            found.joints.append(prim)
        elif kind in READERS:
            found.gprims.append((prim, body, apis))
        elif kind == SCENE:
            found.scenes.append(prim)
        elif COLLISION_API in apis:
            found.stray_colliders.append(prim)
        if MATERIAL_API in apis:
            found.materials.add(str(prim.GetPath()))
        if any(api in apis for api in ROOT_APIS):
            found.articulation_roots.append(prim)
    return found


def _with_bodies(stage: Any, found: Survey) -> Iterator[tuple[Any, Any | None]]:
    """Iterate over the prims, each with the body that it stands on, itself if it is one."""
    usd = pxr().Usd
    around: list[tuple[int, Any]] = []
    for prim in usd.PrimRange.Stage(stage, usd.TraverseInstanceProxies()):
        depth = prim.GetPath().pathElementCount
        while around and around[-1][0] >= depth:
            around.pop()
        if prim.HasAPI(pxr().UsdPhysics.RigidBodyAPI):
            found.bodies.append(prim)
            around.append((depth, prim))
        yield prim, around[-1][1] if around else None
