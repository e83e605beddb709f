# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""PhysX's attributes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from inertia_tools.description.usd.attributes import authored
from inertia_tools.usd.prim_type import PrimType
from inertia_tools.usd.resolver import SchemaAttribute, SchemaResolver

LIMIT_DOFS = ("linear", "angular", "transX", "transY", "transZ", "rotX", "rotY", "rotZ")
STATE_DOFS = ("linear", "angular", "rotX", "rotY", "rotZ")
CONTACT_OFFSET, REST_OFFSET = "physxCollision:contactOffset", "physxCollision:restOffset"
HULL_LIMIT, PIECE_LIMIT = (
    "physxConvexHullCollision:hullVertexLimit",
    "physxConvexDecompositionCollision:hullVertexLimit",
)


def gap_of(prim: Any) -> float | None:
    """Return the distance from where contacts begin to where shapes rest; None unless both are finite numbers."""
    contact, rest = authored(prim, CONTACT_OFFSET), authored(prim, REST_OFFSET)
    if contact is None or rest is None or not (math.isfinite(contact) and math.isfinite(rest)):
        return None
    return float(contact) - float(rest)


def _finite(value: float) -> float | None:
    """Return a number; None for minus infinity, which lets PhysX choose."""
    return None if value == -math.inf else float(value)


def hull_vertices_of(prim: Any) -> int | None:
    """Return the maximum number of hull vertices, for the approximation of the prim."""
    decomposes = authored(prim, "physics:approximation") == "convexDecomposition"
    return authored(prim, PIECE_LIMIT if decomposes else HULL_LIMIT)


def _joint_rows() -> dict[str, SchemaAttribute]:
    rows = {}
    for dof in LIMIT_DOFS:
        rows[f"limit_{dof}_ke"] = SchemaAttribute(f"physxLimit:{dof}:stiffness", 0.0)
        rows[f"limit_{dof}_kd"] = SchemaAttribute(f"physxLimit:{dof}:damping", 0.0)
    for dof in STATE_DOFS:
        rows[f"{dof}_position"] = SchemaAttribute(f"state:{dof}:physics:position", 0.0)
        rows[f"{dof}_velocity"] = SchemaAttribute(f"state:{dof}:physics:velocity", 0.0)
    return rows


class SchemaResolverPhysx(SchemaResolver):
    """Resolves attributes of PhysX."""

    name: ClassVar[str] = "physx"
    extra_attr_namespaces: ClassVar[Sequence[str]] = (
        "physxScene",
        "physxRigidBody",
        "physxCollision",
        "physxConvexHullCollision",
        "physxConvexDecompositionCollision",
        "physxTriangleMeshCollision",
        "physxTriangleMeshSimplificationCollision",
        "physxSDFMeshCollision",
        "physxMaterial",
        "physxJoint",
        "physxLimit",
        "physxArticulation",
        "state",
        "drive",
    )
    mapping: ClassVar[Mapping[PrimType, Mapping[str, SchemaAttribute]]] = {
        PrimType.SCENE: {
            "max_solver_iterations": SchemaAttribute("physxScene:maxVelocityIterationCount", 255),
            "time_steps_per_second": SchemaAttribute("physxScene:timeStepsPerSecond", 60),
            "gravity_enabled": SchemaAttribute("physxRigidBody:disableGravity", False, lambda off: not off),
        },
        PrimType.JOINT: {
            "armature": SchemaAttribute("physxJoint:armature", 0.0),
            "velocity_limit": SchemaAttribute("physxJoint:maxJointVelocity"),
            **_joint_rows(),
        },
        PrimType.SHAPE: {
            "max_hull_vertices": SchemaAttribute(
                HULL_LIMIT,
                64,
                usd_value_getter=hull_vertices_of,
                attribute_names=(HULL_LIMIT, PIECE_LIMIT),
            ),
            "convex_decomposition_max_hulls": SchemaAttribute("physxConvexDecompositionCollision:maxConvexHulls", 32),
            "margin": SchemaAttribute(REST_OFFSET, 0.0, _finite),
            "gap": SchemaAttribute(
                CONTACT_OFFSET, usd_value_getter=gap_of, attribute_names=(CONTACT_OFFSET, REST_OFFSET)
            ),
        },
        PrimType.MATERIAL: {
            "ke": SchemaAttribute("physxMaterial:compliantContactStiffness"),
            "kd": SchemaAttribute("physxMaterial:compliantContactDamping"),
        },
        PrimType.BODY: {
            "gravity_scale": SchemaAttribute("physxRigidBody:disableGravity", None, lambda off: 0.0 if off else 1.0),
            "rigid_body_linear_damping": SchemaAttribute("physxRigidBody:linearDamping", 0.0),
            "rigid_body_angular_damping": SchemaAttribute("physxRigidBody:angularDamping", 0.05),
        },
        PrimType.ARTICULATION: {
            "self_collision_enabled": SchemaAttribute("physxArticulation:enabledSelfCollisions", True),
        },
        PrimType.ACTUATOR: {},
    }
