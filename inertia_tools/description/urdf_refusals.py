# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Joints of a URDF for which urdfdom, the parser of ROS, refuses the whole file, and shapes that it ignores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from inertia_tools.description.joint import JointType
from inertia_tools.description.types import Remark
from inertia_tools.description.urdf_origin import has_quaternions
from inertia_tools.description.xml import Element

URDFDOM_REFUSES = "urdfdom-refuses"
"""Code of the remark; other readers take such a joint, so it is information only."""

NEEDS_LIMIT = (JointType.REVOLUTE, JointType.PRISMATIC)

NEEDED: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"limit": ("effort", "velocity"), "safety_controller": ("k_velocity",)}
)
"""Attributes that an element of a joint must have, by its tag."""

RESISTANCE = ("damping", "friction")
"""Attributes of which `<dynamics>` must have one."""


def refusals(joint: Element, type_: JointType) -> Iterator[Remark]:
    """Report what urdfdom misses in a joint, at the link that the joint moves."""
    child = joint.required("child").attribute("link")
    for place, lack in _lacks(joint, type_):
        message = (
            "urdfdom refuses the whole file, and with it robot_state_publisher, RViz and MoveIt: the link's joint has "
            f"{lack}"
        )
        yield Remark("info", URDFDOM_REFUSES, child, message, place.place)


def _lacks(joint: Element, type_: JointType) -> Iterator[tuple[Element, str]]:
    """Yield what is missing, and the element where it has to be added."""
    if type_ in NEEDS_LIMIT and joint.only("limit") is None:
        yield joint, "no <limit>; add one with lower, upper, effort and velocity"
    for tag, names in NEEDED.items():
        element = joint.only(tag)
        absent = [name for name in names if element is not None and name not in element.attributes]
        if element is not None and absent:
            yield element, f"a <{tag}> without {' and '.join(absent)}; add {'it' if len(absent) == 1 else 'them'}"
    dynamics = joint.only("dynamics")
    if dynamics is not None and not any(name in dynamics.attributes for name in RESISTANCE):
        yield dynamics, f"a <dynamics> without {' and '.join(RESISTANCE)}; add one, or remove it"


def ignored_capsules(robot: Element) -> Iterator[Remark]:
    """Report the capsules of a `<robot>` whose version has none; URDF 1.1 brought them together with quaternions."""
    if has_quaternions(robot):
        return
    for link in robot.all("link"):
        shapes = [shape for kind in ("collision", "visual") for shape in link.all(kind)]
        for capsule in (
            one for shape in shapes for geometry in shape.all("geometry") for one in geometry.all("capsule")
        ):
            message = (
                '<geometry> has no <capsule> before URDF 1.1, so urdfdom ignores the shape; write version="1.1" in '
                "<robot>, which urdfdom reads from 5.0 on, or a cylinder and two spheres"
            )
            yield Remark("info", "unknown-element", link.attribute("name"), message, capsule.place)
