# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Attributes that a stage declares on its PhysicsScene and gives values to on its prims.

A declaration is an attribute `newton:name`, or `newton:namespace:name`, with customData that says what it belongs to
(`assignment`) and what it has a value for (`frequency`); its value is the default.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from inertia_tools.description.usd.attributes import authored
from inertia_tools.description.usd.lines import Lines
from inertia_tools.description.usd_bodies import UsdBodies
from inertia_tools.errors import OptionError, ParseError
from inertia_tools.sim.scene.custom_attributes import ANY_PRIM, AttributeFrequency, CustomAttribute, CustomAttributes
from inertia_tools.sim.scene.joint_config import LIMIT_KD, LIMIT_KE
from inertia_tools.sim.scene.mujoco_attributes import as_files_state_it
from inertia_tools.sim.scene.mujoco_kinds import NAMESPACE as MUJOCO
from inertia_tools.sim.scene.mujoco_kinds import SolrefMode
from inertia_tools.sim.scene.scene import Scene
from inertia_tools.usd import PrimType, SchemaResolverNewton

if TYPE_CHECKING:
    from inertia_tools.sim.importing.articulation import Articulation

LOG = logging.getLogger(__name__)

NAMESPACE = "newton"
NAME_PARTS = (2, 3)
"""Parts of a name with a colon between: the namespace of all, perhaps one of its own, and the name."""

NEEDED = "it must be newton:name or newton:namespace:name, with assignment and frequency in its customData"

OF_SCHEMA = frozenset(row.name for row in SchemaResolverNewton.mapping[PrimType.SCENE].values())
"""Attributes that Newton's own schema gives a scene; they declare nothing."""

DTYPES = {"float": "float32", "double": "float32", "half": "float32", "bool": "bool", "int": "int32", "uint": "int32"}
"""Type of values by the type in the stage; vectors and quaternions by the number of their numbers."""


@dataclass(frozen=True)
class Prims:
    """Scene indices by prim path.

    Attributes:
        bodies: Bodies of rigid bodies.
        freedoms: Joints; for a prim that is one of several degrees of freedom, the joint and its number.
        shapes: Shapes.
        articulations: Articulations.
    """

    bodies: Mapping[str, int]
    freedoms: Mapping[str, Any]
    shapes: Mapping[str, int]
    articulations: Mapping[str, int]


def get_custom_attribute_values(
    prim: Any, custom_attributes: Iterable[CustomAttribute], context: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the attribute values that a prim states, by key.

    Args:
        prim: A `pxr.Usd.Prim`.
        custom_attributes: The attributes; see `CustomAttribute` for the names that they have on prims.
        context: Additional arguments of their functions, besides the prim and the attribute.
    """
    found = {}
    for attribute in custom_attributes:
        value, change = None, attribute.usd_value_transformer
        if attribute.namespace == MUJOCO and (said := authored(prim, f"{NAMESPACE}:{attribute.key}")) is not None:
            found[attribute.key] = _plain(said)
            continue
        if attribute.usd_attribute_name != ANY_PRIM:
            value = authored(prim, attribute.usd_attribute_name or f"{NAMESPACE}:{attribute.key}")
            if value is None:
                continue
        value = _plain(value) if change is None else change(value, {**(context or {}), "prim": prim, "attr": attribute})
        if value is not None:
            found[attribute.key] = value
    return found


def add_custom_attributes(
    builder: Scene, usd_bodies: UsdBodies, prims: Prims, lines: Lines, with_options: bool = True
) -> None:
    """Declare what the first scene of a stage declares, with the values that prims state of all that is declared.

    The scene states those of worlds and of the whole model. A body that became part of another one leaves that one's
    values as they are.

    Args:
        builder: The scene that is built.
        usd_bodies: The stage.
        prims: Scene indices of its prims.
        lines: Places of its prims.
        with_options: Read MuJoCo's options, too.

    Raises:
        ParseError: A value is not of the type that is declared.
    """
    options: dict[AttributeFrequency, Mapping[str, Any]] = {}
    if usd_bodies.scenes:
        declare(builder, usd_bodies.stage.GetPrimAtPath(usd_bodies.scenes[0]))
        for path in usd_bodies.scenes[1:]:
            _name_unheard(usd_bodies.stage.GetPrimAtPath(path), usd_bodies.scenes[0])
        world = max(builder.current_world, 0)
        options = {
            AttributeFrequency.ONCE: {usd_bodies.scenes[0]: 0},
            AttributeFrequency.WORLD: {usd_bodies.scenes[0]: world},
        }
    names = {body.path: name for name, body in usd_bodies.bodies.items()}
    own = {path: body for path, body in prims.bodies.items() if body >= 0 and builder.body_name[body] == names[path]}
    joints = {path: index[0] if isinstance(index, tuple) else index for path, index in prims.freedoms.items()}
    indices: dict[AttributeFrequency, Mapping[str, Any]] = {
        AttributeFrequency.BODY: own,
        AttributeFrequency.SHAPE: prims.shapes,
        AttributeFrequency.JOINT: joints,
        AttributeFrequency.JOINT_DOF: prims.freedoms,
        AttributeFrequency.JOINT_COORD: prims.freedoms,
        AttributeFrequency.ARTICULATION: prims.articulations,
    }
    taken = [one for one in builder.custom_attributes.values() if with_options or one.namespace != MUJOCO]
    assign(builder.custom_attributes.values(), usd_bodies.stage, indices, lines)
    assign(taken, usd_bodies.stage, options, lines)
    take_springs(builder)
    put_gains_first(builder)


def put_gains_first(builder: Scene) -> None:
    """Let gains of limits that somebody has stated stand, where a stage leaves the limits to MuJoCo's default."""
    modes = builder.custom_attributes.get(f"{MUJOCO}:solreflimit_mode")
    if modes is None:
        return
    for place, mode in dict(modes.values).items():
        joint, number = place if isinstance(place, tuple) else (place, 0)
        config = builder.joints[joint].listed_dofs[number].config
        if mode == SolrefMode.MJCF_DEFAULT and (config.limit_ke, config.limit_kd) != (LIMIT_KE, LIMIT_KD):
            modes.values[place] = SolrefMode.FORCE_SPACE


def take_springs(builder: Scene) -> None:
    """Let the springs of joints rest where attributes of MuJoCo's say, which count from the joint's reference."""
    springs = builder.custom_attributes.get(f"{MUJOCO}:dof_springref")
    if springs is None:
        return
    references = builder.custom_attributes[f"{MUJOCO}:dof_ref"].values
    for place in {**springs.values, **references}:
        joint, number = place if isinstance(place, tuple) else (place, 0)
        rest = float(springs.values.get(place, 0.0)) - float(references.get(place, 0.0))
        builder.joints[joint] = builder.joints[joint].with_dof(number, springref=rest)


def prims_of(builder: Scene, usd_bodies: UsdBodies, articulation: Articulation, first_shape: int) -> Prims:
    """Return what became of the prims of a stage that was added as a description."""
    paths = usd_bodies.joint_paths
    shapes = {shape.name: number for number, shape in enumerate(builder.shapes) if number >= first_shape}
    return Prims(
        bodies={body.path: articulation.links[name].body for name, body in usd_bodies.bodies.items()},
        freedoms={paths[name]: dof[0] for name, dof in articulation.joint_dofs.items() if name in paths},
        shapes=shapes,
        articulations={path: builder.append_articulation((), path) for path in usd_bodies.articulation_roots},
    )


def _name_unheard(scene: Any, first: str) -> None:
    """Name what a scene other than the first one would declare."""
    for prop in scene.GetAuthoredPropertiesInNamespace(NAMESPACE):
        if "assignment" in prop.GetCustomData() or "frequency" in prop.GetCustomData():
            LOG.warning("%s is ignored: declare it on %s, the first scene of the stage", prop.GetPath(), first)


def declare(builder: CustomAttributes, scene: Any) -> list[CustomAttribute]:
    """Declare what a PhysicsScene prim declares, and return it; what cannot be declared is named and left out."""
    found = []
    for prop in scene.GetAuthoredPropertiesInNamespace(NAMESPACE):
        attribute = scene.GetAttribute(prop.GetName())
        parts = prop.GetName().split(":")
        if not attribute or prop.GetName() in OF_SCHEMA:
            continue
        said = attribute.GetCustomData()
        is_name, is_complete = len(parts) in NAME_PARTS, "assignment" in said and "frequency" in said
        if not (is_name and is_complete):
            if is_name or is_complete:
                LOG.warning("%s is ignored: %s", attribute.GetPath(), NEEDED)
            continue
        try:
            declared = CustomAttribute(
                name=parts[-1],
                namespace=parts[1] if len(parts) > len(("newton", "name")) else None,
                dtype=_dtype(attribute),
                frequency=str(said["frequency"]),
                assignment=str(said["assignment"]),
                default=_plain(attribute.Get()),
            )
            builder.add_custom_attribute(as_files_state_it(declared))
        except OptionError as error:
            LOG.warning("%s is ignored: %s", attribute.GetPath(), error)
            continue
        found.append(builder.custom_attributes[declared.key])
    return found


def assign(
    attributes: Iterable[CustomAttribute],
    stage: Any,
    indices: Mapping[AttributeFrequency, Mapping[str, Any]],
    lines: Lines,
) -> None:
    """Give attributes the values that prims state.

    Args:
        attributes: What is declared.
        stage: The stage.
        indices: Index of each body, joint and the like by the path of its prim.
        lines: Places of its prims.

    Raises:
        ParseError: A value is not of the type that is declared.
    """
    for attribute in attributes:
        of_kind: Mapping[str, Any] = next((one for kind, one in indices.items() if kind == attribute.frequency), {})
        for path, index in of_kind.items():
            prim = stage.GetPrimAtPath(path)
            stated = get_custom_attribute_values(prim, [attribute])
            if not stated:
                continue
            try:
                attribute.checked_by_freedom(stated[attribute.key])
            except OptionError as error:
                place = lines.place(prim)
                raise ParseError(f"{path}: {error}", place.file, place.line) from None
            attribute.values[index] = stated[attribute.key]


def _dtype(attribute: Any) -> str:
    """Return the type of an attribute's values.

    Raises:
        OptionError: It is none that an attribute can have.
    """
    value = attribute.Get()
    word = str(attribute.GetTypeName().scalarType)
    if hasattr(value, "GetImaginary"):
        return "quatf"
    if word in DTYPES and not attribute.GetTypeName().isArray:
        return DTYPES[word]
    width = getattr(type(value), "dimension", None)
    if isinstance(width, int) and f"vec{width}" in ("vec2", "vec3", "vec4"):
        return f"vec{width}"
    raise OptionError("type", str(attribute.GetTypeName()), "float, bool, int, float2 to float4, or a quaternion")


def _plain(value: Any) -> Any:
    """Return a value as numbers; a quaternion is normalised, its real part last."""
    if value is None or not hasattr(value, "GetImaginary"):
        return value if value is None or np.isscalar(value) else np.array(value)
    parts = np.array([*value.GetImaginary(), value.GetReal()], dtype=np.float64)
    length = float(np.linalg.norm(parts))
    return parts / length if length > 0.0 else None
