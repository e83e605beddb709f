# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Newton's attributes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from inertia_tools.description.usd.attributes import authored
from inertia_tools.usd.prim_type import PrimType
from inertia_tools.usd.resolver import SchemaAttribute, SchemaResolver

LIMIT_DOFS = ("linear", "angular", "rotX", "rotY", "rotZ")
STATE_WORDS = ("position", "velocity")
OF_CONTACTS = {
    "ke": "newton:contactStiffness",
    "kd": "newton:contactDamping",
    "kf": "newton:contactFrictionGain",
    "ka": "newton:contactAdhesion",
}
"""Attributes of materials for the response of a contact, by key."""

UNSET = -math.inf
"""The value for "not given" in Newton's schemas."""


def is_given(value: Any) -> Any | None:
    """Return a number; None for minus infinity."""
    return None if value == UNSET else value


def _first(*names: str) -> Callable[[Any], Any]:
    """Return a reader of the first attribute of these that is authored."""
    return lambda prim: next((value for name in names if (value := authored(prim, name)) is not None), None)


def _limits() -> dict[str, SchemaAttribute]:
    """The gains of limits: one pair for the joint, and an older pair per degree of freedom, which comes first."""
    rows = {}
    for dof in LIMIT_DOFS:
        for key, word in (("ke", "limitStiffness"), ("kd", "limitDamping")):
            names = (f"newton:{dof}:{word}", f"newton:{word}")
            rows[f"limit_{dof}_{key}"] = SchemaAttribute(
                names[0], usd_value_getter=_first(*names), attribute_names=names, superseded_by=names[1]
            )
    return rows


def _states() -> dict[str, SchemaAttribute]:
    return {f"{dof}_{word}": SchemaAttribute(f"newton:{dof}:{word}") for dof in LIMIT_DOFS for word in STATE_WORDS}


class SchemaResolverNewton(SchemaResolver):
    """Resolves attributes of the namespace `newton`."""

    name: ClassVar[str] = "newton"
    mapping: ClassVar[Mapping[PrimType, Mapping[str, SchemaAttribute]]] = {
        PrimType.SCENE: {
            "max_solver_iterations": SchemaAttribute("newton:maxSolverIterations", -1),
            "time_steps_per_second": SchemaAttribute("newton:timeStepsPerSecond", 1000),
            "gravity_enabled": SchemaAttribute("newton:gravityEnabled", True),
        },
        PrimType.JOINT: {
            "armature": SchemaAttribute("newton:armature", 0.0),
            "damping": SchemaAttribute("newton:damping"),
            "friction": SchemaAttribute("newton:friction", 0.0),
            "limit_ke": SchemaAttribute("newton:limitStiffness"),
            "limit_kd": SchemaAttribute("newton:limitDamping"),
            "velocity_limit": SchemaAttribute("newton:velocityLimit", math.inf),
            **_limits(),
            **_states(),
        },
        PrimType.SHAPE: {
            "max_hull_vertices": SchemaAttribute("newton:maxHullVertices", -1),
            "margin": SchemaAttribute("newton:contactMargin", 0.0),
            "gap": SchemaAttribute("newton:contactGap", UNSET, is_given),
            **{
                key: SchemaAttribute(f"newton:contact_{key}", superseded_by=f"{name} of the material")
                for key, name in OF_CONTACTS.items()
            },
            "sdf_max_resolution": SchemaAttribute("newton:sdfMaxResolution", UNSET, is_given),
            "sdf_narrow_band_inner": SchemaAttribute("newton:sdfNarrowBandInner", UNSET, is_given),
            "sdf_narrow_band_outer": SchemaAttribute("newton:sdfNarrowBandOuter", UNSET, is_given),
            "sdf_target_voxel_size": SchemaAttribute("newton:sdfTargetVoxelSize", UNSET, is_given),
            "sdf_texture_format": SchemaAttribute("newton:sdfTextureFormat"),
            "sdf_padding": SchemaAttribute("newton:sdfPadding", UNSET, is_given),
            "hydroelastic_enabled": SchemaAttribute("newton:hydroelasticEnabled"),
            "kh": SchemaAttribute("newton:hydroelasticStiffness", UNSET, is_given),
            "mass_model": SchemaAttribute("newton:massModel", "solid"),
            "shell_thickness": SchemaAttribute("newton:shellThickness", UNSET, is_given),
        },
        PrimType.MATERIAL: {
            "mu_torsional": SchemaAttribute("newton:torsionalFriction", 0.005),
            "mu_rolling": SchemaAttribute("newton:rollingFriction", 0.0001),
            **{key: SchemaAttribute(name) for key, name in OF_CONTACTS.items()},
        },
        PrimType.BODY: {},
        PrimType.ARTICULATION: {
            "self_collision_enabled": SchemaAttribute("newton:selfCollisionEnabled", True),
        },
        PrimType.ACTUATOR: {},
    }
