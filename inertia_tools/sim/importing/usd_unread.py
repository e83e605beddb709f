# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Features of prims that are not supported: breakable joints, sleep, second scenes, triggers, belts, forces, gears."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from inertia_tools.description.usd.attributes import authored, stated_or
from inertia_tools.description.usd.joints import TYPES, UNLIMITED
from inertia_tools.description.usd.library import pxr

BREAKS = ("physics:breakForce", "physics:breakTorque")
"""Efforts at which a joint breaks."""

DISTANCE = "PhysicsLimitAPI:distance"
"""The schema of a generic joint that keeps its two points at a distance."""

ASLEEP, OWNER = "physics:startsAsleep", "physics:simulationOwner"
"""A body that rests until something touches it, and the scene of a body or collider."""

COUPLINGS = ("PhysxPhysicsGearJoint", "PhysxPhysicsRackAndPinionJoint")
"""Types of prims that let one joint follow another."""

APIS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "PhysxTriggerAPI": ("", ()),
    "PhysxSurfaceVelocityAPI": (
        "physxSurfaceVelocity:surfaceVelocityEnabled",
        ("physxSurfaceVelocity:surfaceVelocity", "physxSurfaceVelocity:surfaceAngularVelocity"),
    ),
    "PhysxForceAPI": ("physxForce:forceEnabled", ("physxForce:force", "physxForce:torque")),
}
"""Schemas with the attribute that switches each off, and the vectors without which it does nothing."""


def unread_of(stage: Any, scenes: Sequence[str], is_selected: Callable[[str], bool]) -> Iterator[str]:
    """Say of each prim that asks for something of this kind what that is.

    Args:
        stage: The stage.
        scenes: Paths of its scenes, of which the first one counts.
        is_selected: Returns whether the options select the prim of a path.
    """
    usd = pxr().Usd
    for prim in usd.PrimRange.Stage(stage, usd.TraverseInstanceProxies()):
        of_type = prim.GetPrimTypeInfo()  # what a schema applies by itself is none of these
        kind, apis = str(of_type.GetTypeName()), of_type.GetAppliedAPISchemas()
        said = [*_of_joint(prim, kind, apis), *_of_body(prim, scenes[1:]), *_of_schemas(prim, apis)]
        if said and is_selected(str(prim.GetPath())):
            yield f"{prim.GetPath()} ({', '.join(said)})"


def _of_joint(prim: Any, kind: str, apis: Collection[str]) -> list[str]:
    if kind in COUPLINGS:
        return [kind]
    if kind not in TYPES:
        return []
    said = [name for name in BREAKS if float(stated_or(prim, name, UNLIMITED)) < UNLIMITED]
    if TYPES[kind] == "generic" and DISTANCE in apis:
        said.append(DISTANCE)
    return said if said and stated_or(prim, "physics:jointEnabled", True) else []


def _of_body(prim: Any, unused_scenes: Collection[str]) -> Iterator[str]:
    if prim.HasAPI(pxr().UsdPhysics.RigidBodyAPI) and stated_or(prim, ASLEEP, False):
        yield ASLEEP
    owner = prim.GetRelationship(OWNER) if unused_scenes else None
    if owner and any(str(path) in unused_scenes for path in owner.GetTargets()):
        yield OWNER


def _of_schemas(prim: Any, apis: Iterable[str]) -> Iterator[str]:
    for api in (one for one in apis if one in APIS):
        switch, vectors = APIS[api]
        is_on = not switch or stated_or(prim, switch, True)
        if is_on and (not vectors or any(any(authored(prim, name) or ()) for name in vectors)):
            yield api
