# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What MuJoCo's files state and SolverXPBD has no use for, as custom attributes by Newton's names.

They let a script read what a file says of MuJoCo's own laws, and hand it on: `model.mujoco.solref`, `mujoco.condim`,
tables of actuators, tendons, pairs of geoms and equalities. Nothing here moves anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from inertia_tools.sim.scene.custom_attributes import AttributeAssignment, CustomAttribute
from inertia_tools.sim.scene.custom_frequencies import CustomFrequency, SceneTables
from inertia_tools.sim.scene.mujoco_kinds import (
    ACTUATORS,
    BODIES,
    EQUALITIES,
    NAMESPACE,
    PAIRS,
    SHAPES,
    TENDON_JOINTS,
    TENDONS,
    CtrlSource,
    CtrlType,
    EqType,
    SolrefMode,
    TrnType,
)
from inertia_tools.sim.scene.mujoco_words import (
    BIASES,
    DYNAMICS,
    GAINS,
    LIMITED,
    SWITCHED,
    Read,
    angle_of_usd,
    coordinate,
    first_number,
    further_numbers,
    is_stated_in_usd,
    length_of_slide,
    mode_of_limits_in_usd,
    words,
)

SOLIMP = (0.9, 0.95, 0.001, 0.5, 2.0)
"""MuJoCo's default impedance."""

SOLREF = (0.02, 1.0)
"""MuJoCo's default time constant [s] and damping ratio."""

UNSTATED = (0.0, 0.0)
"""Reference without a value in the file."""

UNSTATED_MASK = -(2**63)
"""Collision mask without a value in the file."""


def _one(
    name: str,
    dtype: str,
    default: Any = None,
    *,
    file: str | None = None,
    usd: str | None = None,
    read: Read | None = None,
    usd_read: Read | None = None,
    references: str | None = None,
    refers: Callable[[list[Any], dict[str, Any]], list[Any]] | None = None,
) -> dict[str, Any]:
    """Return what declares an attribute: its name in files is its own unless another is given."""
    word = file or name
    return {
        "name": name,
        "dtype": dtype,
        "default": default,
        "namespace": NAMESPACE,
        "mjcf_attribute_name": word,
        "mjcf_value_transformer": read,
        "usd_attribute_name": usd or f"mjc:{word}",
        "usd_value_transformer": usd_read,
        "references": references,
        "reference_value_transformer": refers,
    }


def _option(name: str, dtype: str, default: Any, read: Read | None = None) -> dict[str, Any]:
    return _one(name, dtype, default, usd=f"mjc:option:{name}", read=read, usd_read=read)


FLAGS_ON = (
    "constraint", "equality", "frictionloss", "limit", "contact", "spring", "damper", "clampctrl", "warmstart",
    "actuation", "refsafe", "sensor", "eulerdamp", "nativeccd", "island",
)  # fmt: skip
"""Flags that are on by default."""

FLAGS_OFF = ("multiccd", "energy", "invdiscrete")
"""Flags that are off by default."""

ONCE: tuple[dict[str, Any], ...] = (
    _option("iterations", "int32", 100),
    _option("ls_iterations", "int32", 50),
    _option("ccd_iterations", "int32", 35),
    _option("sdf_iterations", "int32", 10),
    _option("sdf_initpoints", "int32", 40),
    _option("integrator", "int32", 3, words(euler=0, rk4=1, implicit=2, implicitfast=3, discrete=4)),
    _option("solver", "int32", 2, words(pgs=0, cg=1, newton=2)),
    _option("cone", "int32", 0, words(pyramidal=0, elliptic=1)),
    _option("jacobian", "int32", 2, words(dense=0, sparse=1, auto=2)),
    *(
        _one(f"flag_{name}", "bool", is_on, file=name, usd=f"mjc:flag:{name}", read=SWITCHED)
        for names, is_on in ((FLAGS_ON, True), (FLAGS_OFF, False))
        for name in names
    ),
)
"""Options of the whole model."""

OF_WORLDS: tuple[dict[str, Any], ...] = (
    _option("impratio", "float32", 1.0),
    _option("tolerance", "float32", 1e-8),
    _option("ls_tolerance", "float32", 0.01),
    _option("ccd_tolerance", "float32", 1e-6),
    _option("sleep_tolerance", "float32", 1e-3),
    _option("density", "float32", 0.0),
    _option("viscosity", "float32", 0.0),
    _option("wind", "vec3", (0.0, 0.0, 0.0)),
    _option("magnetic", "vec3", (0.0, -0.5, 0.0)),
)
"""Options of each world."""

OF_BODIES: tuple[dict[str, Any], ...] = (
    _one("gravcomp", "float32", 0.0),
    _one("sleep_policy", "int32", 0, file="sleep", read=words(auto=0, never=3, allowed=4, init=5)),
)

OF_FREEDOMS: tuple[dict[str, Any], ...] = (
    _one("limit_margin", "float32", 0.0, file="margin", read=length_of_slide),
    _one("solimplimit", "vec5f", SOLIMP),
    _one("solreflimit", "vec2", UNSTATED),
    _one("solreflimit_mode", "int32", SolrefMode.FORCE_SPACE, usd="*", usd_read=mode_of_limits_in_usd),
    _one("solreffriction", "vec2", SOLREF),
    _one("solimpfriction", "vec5f", SOLIMP),
    _one("dof_passive_stiffness", "float32", 0.0, file="stiffness", read=first_number),
    _one("dof_springref", "float32", 0.0, file="springref", read=coordinate, usd_read=angle_of_usd),
    _one("dof_ref", "float32", 0.0, file="ref", read=coordinate, usd_read=angle_of_usd),
    _one("jnt_actgravcomp", "bool", False, file="actuatorgravcomp", read=SWITCHED),
)

OF_SHAPES: tuple[dict[str, Any], ...] = (
    _one("contype", "int64", UNSTATED_MASK),
    _one("conaffinity", "int64", UNSTATED_MASK),
    _one("condim", "int32", 3),
    _one("geom_group", "int32", 0, file="group"),
    _one("geom_priority", "int32", 0, file="priority"),
    _one("geom_solimp", "vec5f", SOLIMP, file="solimp"),
    _one("geom_solmix", "float32", 1.0, file="solmix"),
    _one("solref", "vec2", UNSTATED),
    _one(
        "solref_mode",
        "int32",
        SolrefMode.MJCF_DEFAULT,
        usd="*",
        usd_read=is_stated_in_usd("mjc:solref", SolrefMode.MJCF_DEFAULT),
    ),
)


def _rows(prefix: str, *attributes: dict[str, Any]) -> tuple[dict[str, Any], ...]:
    """Return attributes of a table: their names begin as the table is called, those in files do not."""
    named = (one | {"name": f"{prefix}_{one['name']}", "usd_attribute_name": None} for one in attributes)
    return tuple(named)


def _moved_targets(values: list[Any], context: dict[str, Any]) -> list[Any]:
    """Return what actuators act on once their scene is part of another."""
    of = {
        TrnType.JOINT: "joint_dof",
        TrnType.JOINT_IN_PARENT: "joint_dof",
        TrnType.TENDON: TENDONS,
        TrnType.SITE: "shape",
        TrnType.BODY: "body",
    }
    kinds = context["builder"].custom_attributes[f"{NAMESPACE}:actuator_trntype"]
    found: list[Any] = []
    for row, value in zip(context["row_indices"], values, strict=True):
        shift = context["entity_offsets"].get(of.get(kinds.stated.get(row, TrnType.JOINT), ""), 0)
        found.append(value if value is None else [int(one) + shift if one >= 0 else int(one) for one in value])
    return found


OF_PAIRS = _rows(
    "pair",
    _one("world", "int32", 0, references="world"),
    _one("geom1", "int32", -1, references="shape"),
    _one("geom2", "int32", -1, references="shape"),
    _one("condim", "int32", 3),
    _one("solref", "vec2", SOLREF),
    _one("solreffriction", "vec2", SOLREF),
    _one("solimp", "vec5f", SOLIMP),
    _one("margin", "float32", 0.0),
    _one("gap", "float32", 0.0),
    _one("friction", "vec5f", (1.0, 1.0, 0.005, 0.0001, 0.0001)),
)

OF_ACTUATORS = (
    *_rows(
        "actuator",
        _one("label", "str", file="name"),
        _one("trnid", "vec2i", (-1, -1), refers=_moved_targets),
        _one("target_label", "str"),
        _one("trntype", "int32", 0),
        _one("dyntype", "int32", 0, read=DYNAMICS),
        _one("gaintype", "int32", 0, read=GAINS),
        _one("biastype", "int32", 0, read=BIASES),
        _one("world", "int32", -1, references="world"),
        _one("ctrllimited", "int32", 2, read=LIMITED),
        _one("forcelimited", "int32", 2, read=LIMITED),
        _one("actlimited", "int32", 2, read=LIMITED),
        _one("ctrlrange", "vec2", (0.0, 0.0)),
        _one("forcerange", "vec2", (0.0, 0.0)),
        _one("actrange", "vec2", (0.0, 0.0)),
        _one("lengthrange", "vec2", (0.0, 0.0)),
        _one("has_ctrlrange", "int32", 0),
        _one("has_forcerange", "int32", 0),
        _one("has_actrange", "int32", 0),
        _one("gear", "vec6f", (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)),
        _one("damping", "float32", 0.0, read=first_number),
        _one("dampingpoly", "vec2", (0.0, 0.0), file="damping", read=further_numbers),
        _one("armature", "float32", 0.0),
        _one("cranklength", "float32", 0.0),
        _one("dynprm", "vec10f", (1.0, *(0.0,) * 9)),
        _one("gainprm", "vec10f", (1.0, *(0.0,) * 9)),
        _one("biasprm", "vec10f", (0.0,) * 10),
        _one("actdim", "int32", -1),
        _one("ctrlspec", "int32", 0),
        _one("actearly", "bool", False, read=SWITCHED),
    ),
    _one("ctrl_source", "int32", CtrlSource.CTRL_DIRECT, usd="newton:mujoco:ctrl_source"),
    _one("ctrl_type", "int32", CtrlType.GENERAL, usd="newton:mujoco:ctrl_type"),
)

CONTROL = _one("ctrl", "float32", 0.0, usd="newton:mujoco:ctrl")
"""Control of each actuator, an attribute of `Control`."""

OF_TENDONS = _rows(
    "tendon",
    _one("label", "str", file="name"),
    _one("world", "int32", 0, references="world"),
    _one("type", "int32", 0),
    _one("stiffness", "float32", 0.0, read=first_number),
    _one("damping", "float32", 0.0, read=first_number),
    _one("frictionloss", "float32", 0.0),
    _one("limited", "int32", 2, read=LIMITED),
    _one("range", "vec2", (0.0, 0.0)),
    _one("margin", "float32", 0.0),
    _one("solref_limit", "vec2", SOLREF, file="solreflimit"),
    _one("solimp_limit", "vec5f", SOLIMP, file="solimplimit"),
    _one("solref_friction", "vec2", SOLREF, file="solreffriction"),
    _one("solimp_friction", "vec5f", SOLIMP, file="solimpfriction"),
    _one("armature", "float32", 0.0),
    _one("springlength", "vec2", (-1.0, -1.0)),
    _one("joint_adr", "int32", 0, references=TENDON_JOINTS),
    _one("joint_num", "int32", 0),
    _one("actuator_force_range", "vec2", (0.0, 0.0), file="actuatorfrcrange"),
    _one("actuator_force_limited", "int32", 2, file="actuatorfrclimited", read=LIMITED),
)

OF_TENDON_JOINTS = (
    _one("tendon_joint", "int32", -1, usd="newton:mujoco:tendon_joint", references="joint"),
    _one("tendon_coef", "float32", 0.0, file="coef", usd="newton:mujoco:tendon_coef"),
)

OF_EQUALITIES = (
    *_rows(
        "equality_constraint",
        _one("label", "str", file="name"),
        _one("type", "int32", EqType.CONNECT),
        _one("body1", "int32", -1, references="body"),
        _one("body2", "int32", -1, references="body"),
        _one("anchor", "vec3", (0.0, 0.0, 0.0)),
        _one("torquescale", "float32", 0.0),
        _one("relpose", "transform"),
        _one("joint1", "int32", -1, references="joint"),
        _one("joint2", "int32", -1, references="joint"),
        _one("joint1_dof", "int32", -1, references="joint_dof"),
        _one("joint2_dof", "int32", -1, references="joint_dof"),
        _one("polycoef", "vec5f", (0.0, 0.0, 0.0, 0.0, 0.0)),
        _one("enabled", "bool", True),
        _one("world", "int32", 0, references="world"),
    ),
    _one("eq_solref", "vec2", SOLREF, file="solref", usd="newton:mujoco:eq_solref"),
    _one("eq_solimp", "vec5f", SOLIMP, file="solimp", usd="newton:mujoco:eq_solimp"),
)

TABLES: Mapping[str, tuple[dict[str, Any], ...]] = {
    "once": ONCE,
    "world": OF_WORLDS,
    BODIES: OF_BODIES,
    "joint_dof": OF_FREEDOMS,
    SHAPES: OF_SHAPES,
    PAIRS: OF_PAIRS,
    ACTUATORS: OF_ACTUATORS,
    TENDONS: OF_TENDONS,
    TENDON_JOINTS: OF_TENDON_JOINTS,
    EQUALITIES: OF_EQUALITIES,
}
"""Attributes of each frequency."""


def declare_mujoco(builder: SceneTables, frequencies: Iterable[str] = tuple(TABLES)) -> None:
    """Declare MuJoCo's attributes of some frequencies; what is declared already stays.

    Args:
        builder: The scene.
        frequencies: Keys of `TABLES`; all by default.

    Raises:
        OptionError: The scene has an attribute of the same name that is declared otherwise.
    """
    for frequency in frequencies:
        if frequency.startswith(f"{NAMESPACE}:"):
            builder.add_custom_frequency(_table(frequency))
    for attribute in _attributes(frequencies):
        builder.add_custom_attribute(attribute)


def as_files_state_it(attribute: CustomAttribute) -> CustomAttribute:
    """Return an attribute of MuJoCo's with how files state its values, at its own default; any other as it is."""
    if attribute.namespace != NAMESPACE:
        return attribute
    known = (one for one in _attributes(TABLES) if (one.key, one.frequency) == (attribute.key, attribute.frequency))
    own = next(known, None)
    return attribute if own is None or own.type != attribute.type else replace(own, default=attribute.default)


def _table(key: str) -> CustomFrequency:
    name = key.removeprefix(f"{NAMESPACE}:")
    label = f"{key}_label" if key in (ACTUATORS, TENDONS, EQUALITIES) else None
    return CustomFrequency(name, NAMESPACE, label_attribute=label)


def _attributes(frequencies: Iterable[str]) -> Iterator[CustomAttribute]:
    for frequency in frequencies:
        for words_of_one in TABLES[frequency]:
            yield CustomAttribute(frequency=frequency, **words_of_one)
        if frequency == ACTUATORS:
            yield CustomAttribute(frequency=frequency, assignment=AttributeAssignment.CONTROL, **CONTROL)
