# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""MuJoCo's attributes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

from inertia_tools.description.mjcf.solref import solref_to_damping, solref_to_stiffness
from inertia_tools.description.usd.attributes import authored
from inertia_tools.usd.prim_type import PrimType
from inertia_tools.usd.resolver import SchemaAttribute, SchemaResolver

MARGIN, GAP = "mjc:margin", "mjc:gap"
FORCE_LOW, FORCE_HIGH = "mjc:actuatorfrcrange:min", "mjc:actuatorfrcrange:max"
FORCE_LIMITED = "mjc:actuatorfrclimited"
SINGLE = 1e-6
"""Relative error of a step in single precision, with a margin."""

GAINS = 10
"""Number of parameters of an actuator's gains, biases and dynamics."""


def margin_of(prim: Any) -> float | None:
    """Return the distance at which forces begin: MuJoCo's margin, where contacts begin, minus its gap."""
    margin, gap = authored(prim, MARGIN), authored(prim, GAP)
    return None if margin is None else float(margin) - float(gap or 0.0)


def effort_limit_of(prim: Any) -> float | None:
    """Return the larger bound of a joint's force, if it is limited: by a keyword, or by a valid range."""
    low, high, limited = (authored(prim, name) for name in (FORCE_LOW, FORCE_HIGH, FORCE_LIMITED))
    low, high = float(low or 0.0), float(high or 0.0)
    word = "auto" if limited is None else str(limited).lower()
    is_limited = word in ("true", "1") or (word == "auto" and low < high)
    return max(abs(low), abs(high)) if is_limited else None


def rate_of(step: float) -> int | None:
    """Return whole steps per second; rounding of the step to single precision does not lose one."""
    return math.floor((1.0 + SINGLE) / step) if step > 0.0 else None


class SchemaResolverMjc(SchemaResolver):
    """Resolves attributes of the namespace `mjc`."""

    name: ClassVar[str] = "mjc"
    mapping: ClassVar[Mapping[PrimType, Mapping[str, SchemaAttribute]]] = {
        PrimType.SCENE: {
            "max_solver_iterations": SchemaAttribute("mjc:option:iterations", 100),
            "time_steps_per_second": SchemaAttribute("mjc:option:timestep", 0.002, rate_of),
            "gravity_enabled": SchemaAttribute("mjc:flag:gravity", True),
        },
        PrimType.JOINT: {
            "armature": SchemaAttribute("mjc:armature", 0.0),
            "friction": SchemaAttribute("mjc:frictionloss", 0.0),
            "damping_per_rad": SchemaAttribute("mjc:damping"),
            "stiffness": SchemaAttribute("mjc:stiffness"),
            "springref": SchemaAttribute("mjc:springref"),
            "ref": SchemaAttribute("mjc:ref"),
            "effort_limit": SchemaAttribute(
                FORCE_LOW,
                usd_value_getter=effort_limit_of,
                attribute_names=(FORCE_LOW, FORCE_HIGH, FORCE_LIMITED),
            ),
        },
        PrimType.SHAPE: {
            "max_hull_vertices": SchemaAttribute("mjc:maxhullvert", -1),
            "margin": SchemaAttribute(MARGIN, 0.0, usd_value_getter=margin_of, attribute_names=(MARGIN, GAP)),
            "gap": SchemaAttribute(GAP, 0.0),
            "ke": SchemaAttribute("mjc:solref", None, solref_to_stiffness),
            "kd": SchemaAttribute("mjc:solref", None, solref_to_damping),
            "mass_model": SchemaAttribute("mjc:shellinertia", False, lambda shell: "shell" if shell else "solid"),
        },
        PrimType.MATERIAL: {
            "mu_torsional": SchemaAttribute("mjc:torsionalfriction", 0.005),
            "mu_rolling": SchemaAttribute("mjc:rollingfriction", 0.0001),
            "ke": SchemaAttribute("mjc:solref", None, solref_to_stiffness, superseded_by="newton:contactStiffness"),
            "kd": SchemaAttribute("mjc:solref", None, solref_to_damping, superseded_by="newton:contactDamping"),
            "priority": SchemaAttribute("mjc:priority", 0),
            "weight": SchemaAttribute("mjc:solmix", 1.0),
        },
        PrimType.BODY: {"gravity_scale": SchemaAttribute("mjc:gravcomp", None, lambda held: 1.0 - held)},
        PrimType.ARTICULATION: {},
        PrimType.ACTUATOR: {
            "ctrl_low": SchemaAttribute("mjc:ctrlRange:min", 0.0),
            "ctrl_high": SchemaAttribute("mjc:ctrlRange:max", 0.0),
            "force_low": SchemaAttribute("mjc:forceRange:min", 0.0),
            "force_high": SchemaAttribute("mjc:forceRange:max", 0.0),
            "act_low": SchemaAttribute("mjc:actRange:min", 0.0),
            "act_high": SchemaAttribute("mjc:actRange:max", 0.0),
            "length_low": SchemaAttribute("mjc:lengthRange:min", 0.0),
            "length_high": SchemaAttribute("mjc:lengthRange:max", 0.0),
            "gainPrm": SchemaAttribute("mjc:gainPrm", (1.0, *(0.0,) * (GAINS - 1))),
            "gainType": SchemaAttribute("mjc:gainType", "fixed"),
            "biasPrm": SchemaAttribute("mjc:biasPrm", (0.0,) * GAINS),
            "biasType": SchemaAttribute("mjc:biasType", "none"),
            "dynPrm": SchemaAttribute("mjc:dynPrm", (1.0, *(0.0,) * (GAINS - 1))),
            "dynType": SchemaAttribute("mjc:dynType", "none"),
            "gear": SchemaAttribute("mjc:gear", (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)),
        },
    }
