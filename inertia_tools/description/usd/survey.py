# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""One walk over a stage that sorts its prims: bodies, geometry, joints, materials, scenes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from inertia_tools.description.usd.actuation import TARGETS
from inertia_tools.description.usd.attributes import applied_schemas
from inertia_tools.description.usd.geometry import READERS
from inertia_tools.description.usd.joints import TYPES
from inertia_tools.description.usd.library import pxr
from inertia_tools.description.usd.mass import MASS_APIS

BODY_API, COLLISION_API = "PhysicsRigidBodyAPI", "PhysicsCollisionAPI"
ROOT_APIS = ("PhysicsArticulationRootAPI", "NewtonArticulationRootAPI")
SITE_APIS = frozenset({"MjcSiteAPI", "NewtonSiteAPI"})
"""Schemas of prims that mark a place, without collision or mass."""

MATERIAL_API = "PhysicsMaterialAPI"
FILTER_API = "PhysicsFilteredPairsAPI"
SCENE, GROUP = "PhysicsScene", "PhysicsCollisionGroup"
INSTANCER = "PointInstancer"
SHORT = frozenset(kind.removeprefix("Physics") for kind in (SCENE, GROUP, *TYPES))
"""Types without their UsdPhysics prefix, as in documentation."""


@dataclass(eq=False)
class Survey:
    """The relevant prims of a stage, in document order.

    Attributes:
        bodies: Prims with PhysicsRigidBodyAPI.
        gprims: Geometric prims, the body that contains each, and its applied schemas; None for no body.
        joints: Joints.
        articulation_roots: Prims that are the root of an articulation, or contain one.
        scenes: PhysicsScene prims.
        materials: Paths of materials with physical properties.
        stray_colliders: Prims with PhysicsCollisionAPI that are not geometry.
        stray_masses: Prims with PhysicsMassAPI that are neither bodies nor colliders, and the body that contains each.
        filters: Prims with PhysicsFilteredPairsAPI.
        groups: Collision groups.
        actuators: Actuators of Newton and MuJoCo.
        instancers: Prims that scatter copies of others; their descendants are not visited.
        unknown: Prims whose type lacks the prefix of UsdPhysics types.
    """

    bodies: list[Any] = field(default_factory=list)
    gprims: list[tuple[Any, Any | None, tuple[str, ...]]] = field(default_factory=list)
    joints: list[Any] = field(default_factory=list)
    articulation_roots: list[Any] = field(default_factory=list)
    scenes: list[Any] = field(default_factory=list)
    materials: set[str] = field(default_factory=set)
    stray_colliders: list[Any] = field(default_factory=list)
    stray_masses: list[tuple[Any, Any | None]] = field(default_factory=list)
    filters: list[Any] = field(default_factory=list)
    groups: list[Any] = field(default_factory=list)
    actuators: list[Any] = field(default_factory=list)
    instancers: list[Any] = field(default_factory=list)
    unknown: list[Any] = field(default_factory=list)


@dataclass(frozen=True)
class Selection:
    """The selection of prims.

    Attributes:
        root_path: Only this prim and its descendants are read.
        ignored: Regular expressions; a prim whose path one matches from the start is left out, with its descendants.
        keeps_disabled_joints: Disabled joints are read as joints; otherwise they are left out.
    """

    root_path: str = "/"
    ignored: Sequence[re.Pattern[str]] = ()
    keeps_disabled_joints: bool = False

    def leaves_out(self, path: str) -> bool:
        """Return whether a prim and its descendants are left out."""
        return any(pattern.match(path) for pattern in self.ignored)


def survey(stage: Any, selection: Selection) -> Survey:
    """Traverse a stage, including instances.

    Args:
        stage: The stage.
        selection: The selected prims; scenes and materials are always read.
    """
    found = Survey()
    for prim, body in _with_bodies(stage, found, selection):
        kind = str(prim.GetTypeName())
        apis = applied_schemas(prim)
        if kind in TYPES:
            found.joints.append(prim)
        elif kind in READERS:
            found.gprims.append((prim, body, apis))
        elif kind == SCENE:
            found.scenes.append(prim)
        elif kind == GROUP:
            found.groups.append(prim)
        elif kind in TARGETS:
            found.actuators.append(prim)
        elif kind in SHORT:
            found.unknown.append(prim)
        elif COLLISION_API in apis:
            found.stray_colliders.append(prim)
        if COLLISION_API not in apis and prim != body and not MASS_APIS.isdisjoint(apis):
            found.stray_masses.append((prim, body))
        if FILTER_API in apis:
            found.filters.append(prim)
        if MATERIAL_API in apis:
            found.materials.add(str(prim.GetPath()))
        if any(api in apis for api in ROOT_APIS):
            found.articulation_roots.append(prim)
    return found


def _with_bodies(stage: Any, found: Survey, selection: Selection) -> Iterator[tuple[Any, Any | None]]:
    """Iterate over the prims, each with the body that contains it, which may be itself."""
    usd = pxr().Usd
    around: list[tuple[int, Any]] = []
    walk = iter(usd.PrimRange.Stage(stage, usd.TraverseInstanceProxies()))
    for prim in walk:
        if selection.ignored and selection.leaves_out(str(prim.GetPath())):
            walk.PruneChildren()
            continue
        if not _is_under(prim, selection.root_path) and str(prim.GetTypeName()) not in (SCENE, "Material"):
            continue
        if str(prim.GetTypeName()) == INSTANCER:
            found.instancers.append(prim)
            walk.PruneChildren()
            continue
        depth = prim.GetPath().pathElementCount
        while around and around[-1][0] >= depth:
            around.pop()
        if prim.HasAPI(pxr().UsdPhysics.RigidBodyAPI):
            found.bodies.append(prim)
            around.append((depth, prim))
        yield prim, around[-1][1] if around else None


def _is_under(prim: Any, root_path: str) -> bool:
    return root_path == "/" or bool(prim.GetPath().HasPrefix(root_path))


def is_physical(prim: Any) -> bool:
    """Return whether a prim or a descendant is a body or collides."""
    usd = pxr().Usd
    apis = (BODY_API, COLLISION_API)
    return any(
        not set(apis).isdisjoint(applied_schemas(one)) for one in usd.PrimRange(prim, usd.TraverseInstanceProxies())
    )
