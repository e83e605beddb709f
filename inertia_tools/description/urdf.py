# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Reading URDF into a `Description`."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from inertia_tools.description.colour import Colour, urdf_colour, urdf_colours
from inertia_tools.description.joint import RESISTING, UNKNOWN_JOINT_TYPE
from inertia_tools.description.link import rotation_in_degrees
from inertia_tools.description.resources import absence_of, resolve_uri
from inertia_tools.description.sensor import urdf_sensors
from inertia_tools.description.source import Document
from inertia_tools.description.tree import by_name, find_root
from inertia_tools.description.types import (
    Box,
    Capsule,
    Cylinder,
    DeclaredInertial,
    Description,
    Format,
    Geometry,
    Joint,
    JointLimit,
    JointMimic,
    JointType,
    Link,
    Mesh,
    Remark,
    Shape,
    Sphere,
)
from inertia_tools.description.urdf_extensions import JointSettings, LinkSettings, read_extensions
from inertia_tools.description.urdf_origin import ORIGIN, has_quaternions, ignored_quaternions, read_origin
from inertia_tools.description.urdf_refusals import ignored_capsules, refusals
from inertia_tools.description.xml import Element
from inertia_tools.inertial import tensor_from_six
from inertia_tools.spatial import Array, are_usable

TENSOR_ATTRIBUTES = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
UNSCALED = (1.0, 1.0, 1.0)
JOINT_TYPES = (
    JointType.FIXED,
    JointType.REVOLUTE,
    JointType.CONTINUOUS,
    JointType.PRISMATIC,
    JointType.FLOATING,
    JointType.PLANAR,
)
"""The joints of URDF; other formats have more."""

JOINTS_WITH_AXIS = (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC, JointType.PLANAR)

UNNAMED = "unnamed-robot"
"""Code of the remark about a robot without a name."""


def read_urdf(root: Element, document: Document, format_: Format = Format.URDF) -> Description:
    """Read a `<robot>` element.

    Raises:
        ParseError: The document is not a URDF that describes one tree of links.
    """
    colours = urdf_colours(root)
    said = read_extensions(root)
    with_quaternions = has_quaternions(root)
    links = by_name(
        "link",
        [
            _read_link(one, document, colours, said.of_link(one.attribute("name")), with_quaternions)
            for one in root.all("link")
        ],
    )
    remarks: list[Remark] = [*ignored_quaternions(root), *ignored_capsules(root)]
    joints = by_name(
        "joint",
        [
            _read_joint(one, remarks, said.of_joint(one.attribute("name")), with_quaternions)
            for one in root.all("joint")
        ],
    )
    if not links:
        raise root.error("the robot has no <link>; add one")
    if "name" not in root.attributes:
        message = "the robot has no name, so ROS refuses it; add one"
        remarks.append(Remark("error", UNNAMED, "", message, root.place))
    return Description(
        name=root.attributes.get("name", ""),
        format=format_,
        document=document,
        links=links,
        joints=joints,
        roots=(find_root(links, joints),),
        remarks=tuple(remarks),
        sensors=tuple(urdf_sensors(root, links, joints)),
    )


def _read_link(
    element: Element, document: Document, colours: dict[str, Colour], settings: LinkSettings, with_quaternions: bool
) -> Link:
    inertial = element.only("inertial")
    return Link(
        name=element.attribute("name"),
        place=element.place,
        declared=None if inertial is None else _read_inertial(inertial, with_quaternions),
        collisions=tuple(
            replace(_read_shape(child, document, with_quaternions), surface=settings.surface)
            for child in element.all("collision")
        ),
        visuals=tuple(
            replace(_read_shape(child, document, with_quaternions), colour=urdf_colour(child, colours))
            for child in element.all("visual")
        ),
        gravity_scale=settings.gravity_scale,
        self_collides=settings.self_collides,
    )


def _read_inertial(element: Element, with_quaternions: bool) -> DeclaredInertial:
    """Read the stated values; missing parts stay missing, so that a check can name them."""
    mass = element.only("mass")
    tensor = element.only("inertia")
    origin = element.only("origin")
    absent = tuple(name for name in TENSOR_ATTRIBUTES if tensor is None or name not in tensor.attributes)
    return DeclaredInertial(
        mass=None if mass is None or "value" not in mass.attributes else mass.number("value"),
        pose_link_inertial=read_origin(element, with_quaternions),
        inertia=None if tensor is None or absent else _read_tensor(tensor),
        place=element.place,
        absent=absent,
        rotation_in_degrees=None if origin is None else rotation_in_degrees(origin.numbers("rpy", 3, ORIGIN)),
    )


def _read_tensor(element: Element) -> Array:
    return tensor_from_six([element.number(name) for name in TENSOR_ATTRIBUTES])


def _read_shape(element: Element, document: Document, with_quaternions: bool) -> Shape:
    holder = element.required("geometry")
    if len(holder.children) != 1:
        raise holder.error(f"<geometry> has {len(holder.children)} shapes; it must have one")
    return Shape(
        geometry=_read_geometry(holder.children[0], document),
        pose_link_shape=read_origin(element, with_quaternions),
        name=element.attributes.get("name", ""),
        place=holder.children[0].place,
    )


def _read_geometry(element: Element, document: Document) -> Geometry:
    match element.tag:
        case "box":
            x, y, z = element.numbers("size", 3).tolist()
            return Box((x, y, z))
        case "sphere":
            return Sphere(element.number("radius"))
        case "cylinder":
            return Cylinder(element.number("radius"), element.number("length"))
        case "capsule":
            return Capsule(element.number("radius"), element.number("length"))
        case "mesh":
            uri = element.attribute("filename").strip()
            x, y, z = _read_scale(element)
            path = resolve_uri(uri, document)
            absence = absence_of(uri, document) if path is None and uri else ""
            return Mesh(uri, None if path is None else str(path), (x, y, z), absence=absence)
    raise element.error(f"<{element.tag}> is not a shape of URDF; use box, sphere, cylinder, capsule or mesh")


def _read_scale(element: Element) -> list[float]:
    """Read a mesh's scale; a single number, which some exporters write, applies to all three axes."""
    if len(element.attributes.get("scale", "").split()) == 1:
        return [element.number("scale")] * 3
    scale: list[float] = element.numbers("scale", 3, UNSCALED).tolist()
    return scale


def _read_joint(element: Element, remarks: list[Remark], settings: JointSettings, with_quaternions: bool) -> Joint:
    type_ = _read_joint_type(element, remarks)
    pose = read_origin(element, with_quaternions)
    if not (are_usable(pose.position) and are_usable(pose.rotation)):
        raise element.error("the origin of the joint holds values that are not finite numbers; write digits")
    dynamics = element.only("dynamics")
    remarks.extend(refusals(element, type_))
    return Joint(
        name=element.attribute("name"),
        type=type_,
        parent=element.required("parent").attribute("link"),
        child=element.required("child").attribute("link"),
        pose_parent_child=pose,
        place=element.place,
        axis=_read_axis(element, type_),
        limit=_read_limit(element),
        damping=0.0 if dynamics is None else dynamics.number("damping", 0.0),
        friction=0.0 if dynamics is None else dynamics.number("friction", 0.0),
        mimic=_read_mimic(element),
        stiffness=settings.stiffness,
        rest=settings.rest,
        start=settings.start,
        stated=frozenset() if dynamics is None else frozenset(RESISTING) & dynamics.attributes.keys(),
    )


def _read_joint_type(element: Element, remarks: list[Remark]) -> JointType:
    """Read the type; an unknown one becomes fixed, with a remark on the child link."""
    word = element.attribute("type")
    if word in JOINT_TYPES:
        return JointType(word)
    known = ", ".join(type_.value for type_ in JOINT_TYPES)
    name, child = element.attributes.get("name"), element.required("child").attribute("link")
    message = f"the type {word!r} of joint {name!r} is unknown and is read as fixed; use one of {known}"
    remarks.append(Remark("error", UNKNOWN_JOINT_TYPE, child, message, element.place))
    return JointType.FIXED


def _read_axis(element: Element, type_: JointType) -> Array:
    """Read the axis as a unit vector; joints that do not use one keep the default."""
    axis = element.only("axis")
    if axis is None or type_ not in JOINTS_WITH_AXIS:
        return np.array([1.0, 0.0, 0.0])
    direction = axis.numbers("xyz", 3, (1.0, 0.0, 0.0))
    length = float(np.linalg.norm(direction)) if are_usable(direction) else math.nan
    if not length > 0.0:
        raise axis.error(f"the axis {axis.attributes.get('xyz')!r} is zero; write a nonzero vector")
    return direction / length


def _read_limit(element: Element) -> JointLimit:
    limit = element.only("limit")
    if limit is None:
        return JointLimit()
    stated = {name: limit.number(name) for name in ("lower", "upper", "effort", "velocity") if name in limit.attributes}
    return JointLimit(**stated)


def _read_mimic(element: Element) -> JointMimic | None:
    mimic = element.only("mimic")
    if mimic is None:
        return None
    return JointMimic(mimic.attribute("joint"), mimic.number("multiplier", 1.0), mimic.number("offset", 0.0))
