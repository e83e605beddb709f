# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Properties in a source that a description does not hold, noted so that no conversion loses them silently."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from inertia_tools.conversion.account import Account, Kind, more_like
from inertia_tools.conversion.mjcf_losses import note_mjcf_losses
from inertia_tools.conversion.stage_losses import note_stage_losses
from inertia_tools.description.encoding import as_utf8
from inertia_tools.description.mjcf.read import OF_MEDIUM, SWITCHED_OFF
from inertia_tools.description.types import Description, Format, Place
from inertia_tools.description.urdf_extensions import said_number
from inertia_tools.description.xml import Element, parse_xml
from inertia_tools.errors import ParseError

URDF_KNOWN = "robot link inertial origin mass inertia collision visual geometry box sphere cylinder capsule mesh"
URDF_KNOWN += " joint parent child axis limit dynamics mimic material color"
SDF_KNOWN = "sdf world model link joint frame include name uri pose static placement_frame inertial mass inertia"
SDF_KNOWN += " ixx ixy ixz iyy iyz izz fluid_added_mass density auto_inertia_params collision visual geometry box size"
SDF_KNOWN += " sphere radius cylinder length capsule cone ellipsoid radii plane normal heightmap image empty polyline"
SDF_KNOWN += " point height mesh scale submesh center parent child axis axis2 xyz limit lower upper effort velocity"
SDF_KNOWN += " dynamics damping friction mimic multiplier offset reference thread_pitch screw_thread_pitch"
SDF_KNOWN += " use_parent_model_frame material diffuse ambient"
SDF_KNOWN += " spring_reference spring_stiffness"
MJCF_KNOWN = "mujoco compiler default asset mesh worldbody body frame replicate include inertial geom joint freejoint"
MJCF_KNOWN += " site equality connect weld contact exclude"
KNOWN = {
    format_: frozenset(words.split())
    for format_, words in (
        (Format.URDF, URDF_KNOWN),
        (Format.XACRO, URDF_KNOWN),
        (Format.SDF, SDF_KNOWN),
        (Format.MJCF, MJCF_KNOWN),
    )
}
"""Elements that a description holds, by format."""

SURFACE = {
    "surface": "friction bounce",
    "friction": "ode bullet torsional",
    "ode": "mu",
    "bullet": "friction",
    "torsional": "coefficient patch_radius use_patch_radius",
    "bounce": "restitution_coefficient",
}
GAZEBO = "springStiffness springReference selfCollide self_collide turnGravityOff gravity mu1 collision"
URDF_WITHIN = {"robot": f"{URDF_KNOWN} gazebo", "gazebo": GAZEBO, "collision": f"{URDF_KNOWN} surface", **SURFACE}
SDF_WITHIN = {
    "model": f"{SDF_KNOWN} self_collide",
    "link": f"{SDF_KNOWN} self_collide gravity",
    "collision": f"{SDF_KNOWN} surface",
    **SURFACE,
}
WITHIN = {
    format_: {tag: frozenset(words.split()) for tag, words in within.items()}
    for format_, within in ((Format.URDF, URDF_WITHIN), (Format.XACRO, URDF_WITHIN), (Format.SDF, SDF_WITHIN))
}
"""Elements that a description holds within some others, overriding those above; `unheld` notes those no target has."""

SETTINGS = {
    "option": frozenset({"gravity", *OF_MEDIUM, "actuatorgroupdisable"}),
    "flag": frozenset({"gravity", *SWITCHED_OFF, "override"}),
}
"""Elements of MJCF that are noted by attribute, and the attributes that a description holds or reports as unused."""

CARRIED = {
    Format.SDF: frozenset({"gazebo"}),
    Format.MJCF: frozenset({"actuator"}),
    Format.USD: frozenset({"actuator"}),
}
"""Elements that a target has a place for although a description does not hold them; of actuators, drives."""

WHOLE = frozenset({"fluid_added_mass", "auto_inertia_params"})
"""Elements that are held, or had their effect, with all their content."""

UNNAMED = frozenset({"visualize", "pose"})
"""Elements that need no note."""

DIRECTIONS = {"ode": ("mu", "mu2"), "gazebo": ("mu1", "mu2")}
"""Elements with friction in two directions: the first, which a description holds, and the second."""


def note_losses(robot: Description, target: Format, account: Account) -> None:
    """Note properties of a document that no description holds, one note per name of element or attribute.

    The `<gazebo>` elements of a URDF go to SDFormat; for other targets, those parts do that a description holds.
    """
    note_stage_losses(robot, account)
    if robot.format not in KNOWN:
        return
    carried = CARRIED.get(target, frozenset())
    found: dict[str, list[Place]] = {}
    for name, element in _lost(robot, carried):
        found.setdefault(name, []).append(element.place)
    _note_canonical_link(robot, account)
    for name, places in found.items():
        message = f"this{more_like(len(places))} cannot be stored in the target format"
        account.note(Kind.DROPPED, name, message, places[0])
    note_mjcf_losses(robot, account)
    if robot.mjcf is not None:
        motors = robot.mjcf.motors if "actuator" in carried else ()
        for said in (*robot.mjcf.unused, *motors):
            account.note(Kind.DROPPED, said, "its content is not kept", robot.links[robot.root].place)


def _lost(robot: Description, carried: frozenset[str]) -> Iterator[tuple[str, Element]]:
    """Iterate over the outermost lost elements, in document order, each with its name in the note."""
    known = KNOWN[robot.format] | ({"gravity"} if robot.gravity is not None else set())
    within = WITHIN.get(robot.format, {})
    waiting = [(element, known) for element in _roots(robot)]
    while waiting:
        element, held = waiting.pop()
        if element.tag in WHOLE | carried | UNNAMED or element.tag.startswith("xacro:"):
            continue
        settings = SETTINGS.get(element.tag) if robot.format is Format.MJCF else None
        if settings is not None:
            yield from ((f"{name} of <{element.tag}>", element) for name in element.attributes if name not in settings)
        elif element.tag not in held:
            yield f"<{element.tag}>", element
            continue
        held_there = within.get(element.tag, known)
        waiting += ((one, held_there) for one in reversed(element.children) if not _repeats(one, element))


def _repeats(element: Element, parent: Element) -> bool:
    """Return whether an element only repeats the friction of the first direction for the second one."""
    first, second = DIRECTIONS.get(parent.tag, ("", ""))
    if element.tag != second:
        return False
    frictions = [said_number(one) for one in parent.all(first)]
    return bool(frictions) and frictions[-1] is not None and said_number(element) == frictions[-1]


def _roots(robot: Description) -> Iterator[Element]:
    """Iterate over the root elements of a document and, in SDFormat, of the models that it includes."""
    yield parse_xml(robot.document.data, robot.document.name)
    files = {link.place.file for link in robot.links.values()} - {robot.document.name}
    for file in sorted(files) if robot.format is Format.SDF else ():
        with suppress(OSError, ParseError):
            yield parse_xml(as_utf8(Path(file).read_bytes(), file), file)


def _note_canonical_link(robot: Description, account: Account) -> None:
    """Note that a model of SDFormat has another canonical link than its first, which is lost in other formats."""
    if robot.format is not Format.SDF or robot.is_world:
        return
    model = next((one for one in parse_xml(robot.document.data, robot.document.name).all("model")), None)
    name = "" if model is None else model.attributes.get("canonical_link", "")
    if model is not None and name and name != next(iter(robot.links)):
        message = "its role as canonical link is lost; the first link becomes canonical"
        account.note(Kind.DROPPED, name, message, model.place)
