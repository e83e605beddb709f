# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Values of custom attributes that an MJCF document states, by the names that attributes have there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from inertia_tools.description.mjcf.values import parse_numbers
from inertia_tools.description.mjcf_bodies import Stated
from inertia_tools.description.types import WORLD, Description, Joint, JointType
from inertia_tools.errors import OptionError
from inertia_tools.sim.importing.articulation import Articulation
from inertia_tools.sim.scene.custom_attributes import AttributeFrequency, CustomAttribute
from inertia_tools.sim.scene.mujoco_attributes import declare_mujoco
from inertia_tools.sim.scene.mujoco_kinds import SolrefMode
from inertia_tools.sim.scene.scene import Scene

JOINT_WORDS: Mapping[JointType, str] = {
    JointType.FLOATING: "free",
    JointType.BALL: "ball",
    JointType.PRISMATIC: "slide",
    JointType.REVOLUTE: "hinge",
    JointType.CONTINUOUS: "hinge",
}
TRUE = frozenset({"true", "1", "enable"})
FALSE = frozenset({"false", "0", "disable"})
Words = Mapping[str, str]


@dataclass(frozen=True, eq=False)
class MjcfImport:
    """A document that was added to a scene.

    Attributes:
        builder: The scene.
        robot: The description before selection and scaling.
        placed: Its bodies, joints and shapes in the scene.
        scale: Length scale factor.
    """

    builder: Scene
    robot: Description
    placed: Articulation
    scale: float

    @property
    def stated(self) -> Stated:
        """The statements of the document, verbatim."""
        assert self.robot.mjcf is not None
        return self.robot.mjcf.stated

    def joint_index(self, joint: Joint) -> int | tuple[int, int] | None:
        """Return the index of a joint's values: (joint, number) where it has several degrees of freedom of others."""
        dof = self.placed.joint_dofs.get(joint.name)
        if dof is None:
            return self.placed.link_joints.get(joint.child)
        return dof if self.builder.joints[dof[0]].dof_count > 1 else dof[0]


def read_value(attribute: CustomAttribute, text: str, context: Mapping[str, Any]) -> Any:
    """Return the value of an attribute that a text states; what a short text leaves out is as by default.

    Raises:
        OptionError: The text is not of that type.
    """
    if attribute.mjcf_value_transformer is not None:
        return attribute.mjcf_value_transformer(text, {**context, "attr": attribute})
    if attribute.type == "str":
        return text
    if attribute.type == "bool":
        word = text.strip().lower()
        if word not in TRUE | FALSE:
            raise OptionError(attribute.key, text, "true or false")
        return word in TRUE
    try:
        numbers = parse_numbers(text)
    except ValueError:
        raise OptionError(attribute.key, text, f"numbers, as of {attribute.type}") from None
    if len(numbers) > attribute.width:
        raise OptionError(attribute.key, text, f"{attribute.width} numbers at most")
    filled = np.array([*numbers, *np.asarray(attribute.default)[len(numbers) :]])
    return filled if attribute.width > 1 else filled[0]


def values_of(attributes: Iterable[CustomAttribute], words: Words, context: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that an element states, by key of the attribute."""
    found = {}
    for attribute in attributes:
        text = words.get(attribute.mjcf_attribute_name or attribute.name)
        value = None if text is None else read_value(attribute, text, context)
        if value is not None:
            found[attribute.key] = value
    return found


def add_stated(taken: MjcfImport, with_options: bool) -> None:
    """Set custom attributes from the values in a document.

    MuJoCo's own are declared for the kinds of elements of which the document states something, and the user's are
    those that the scene declares.

    Args:
        taken: The document.
        with_options: Read `<option>`, too.

    Raises:
        OptionError: A value cannot be read.
    """
    builder = taken.builder
    elements = list(_elements(taken))
    if with_options and (taken.stated.option or taken.stated.flags):
        elements += [
            (AttributeFrequency.ONCE, 0, {**taken.stated.option, **taken.stated.flags}, {}),
            (AttributeFrequency.WORLD, max(builder.current_world, 0), taken.stated.option, {}),
        ]
    declare_mujoco(builder, _stated_kinds(elements))
    for frequency, index, words, context in elements:
        own = builder.get_custom_attributes_by_frequency([frequency])
        for key, value in values_of(own, words, context).items():
            builder.custom_attributes[key].values[index] = value
    _note_references(builder, elements)


Placed = tuple[AttributeFrequency, Any, Words, dict[str, Any]]
"""A frequency, an index in it, the stated values, and their context."""

OF_JOINTS = (AttributeFrequency.JOINT, AttributeFrequency.JOINT_DOF, AttributeFrequency.JOINT_COORD)


def _elements(taken: MjcfImport) -> Iterator[Placed]:
    """Iterate over the statements of the document about bodies, joints and shapes of the scene."""
    robot, placed, stated = taken.robot, taken.placed, taken.stated
    for name, link in robot.links.items():
        if name in placed.links and name != WORLD:
            yield AttributeFrequency.BODY, placed.links[name].body, stated.words(link.place), {}
    for carried in robot.joints.values():
        assert robot.mjcf is not None
        in_degrees = robot.mjcf.compiler_of(carried.child).in_degrees
        for joint in carried.row:
            index, kind = taken.joint_index(joint), JOINT_WORDS.get(joint.type, "")
            if index is None or not kind:
                continue
            context = {"joint_type": kind, "use_degrees": in_degrees and kind != "slide", "scale": taken.scale}
            for frequency in OF_JOINTS:
                at = index[0] if frequency is AttributeFrequency.JOINT and isinstance(index, tuple) else index
                yield frequency, at, stated.words(joint.place), context
    for number, shape in placed.shapes:
        yield AttributeFrequency.SHAPE, number, stated.words(shape.place), {}


def _stated_kinds(elements: Iterable[Placed]) -> list[str]:
    """Return the kinds of elements of which the document states something that is MuJoCo's own."""
    from inertia_tools.sim.scene.mujoco_attributes import TABLES

    names = {kind: {one["mjcf_attribute_name"] for one in table} for kind, table in TABLES.items()}
    found: dict[str, None] = {}
    for frequency, _, words, _ in elements:
        kind = frequency.name.lower()
        if names.get(kind, frozenset()) & words.keys():
            found[kind] = None
    return list(found)


def _note_references(builder: Scene, elements: Iterable[Placed]) -> None:
    """Mark the joints and shapes whose reference the document states itself, and the shapes that have its default."""
    of_shapes = builder.custom_attributes.get("mujoco:solref_mode")
    of = {AttributeFrequency.JOINT_DOF: "solreflimit", AttributeFrequency.SHAPE: "solref"}
    for frequency, index, words, _ in elements:
        word = of.get(frequency, "")
        if word in words:
            builder.custom_attributes[f"mujoco:{word}_mode"].values[index] = int(SolrefMode.RAW)
        elif frequency is AttributeFrequency.SHAPE and of_shapes is not None:
            of_shapes.values[index] = int(SolrefMode.MJCF_DEFAULT)
