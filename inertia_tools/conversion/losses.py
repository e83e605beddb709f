# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Elements of a source that a description does not hold, so that no conversion loses them silently."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from inertia_tools.conversion.account import Account, Kind
from inertia_tools.description.types import Description, Format
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
MJCF_KNOWN = "mujoco compiler default asset mesh worldbody body frame replicate include inertial geom joint freejoint"
MJCF_KNOWN += " site equality connect weld"
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

CARRIED = {
    Format.SDF: frozenset({"gazebo"}),
    Format.MJCF: frozenset({"actuator"}),
    Format.USD: frozenset({"actuator"}),
}
"""Elements that a target has a place for although no word of a description holds them; of actuators, drives."""

WHOLE = frozenset({"fluid_added_mass", "auto_inertia_params"})
"""Elements that are held, or did what they had to, with all that is in them."""

UNNAMED = frozenset({"visualize", "pose"})
"""Elements that hold nothing worth a word."""


def note_losses(robot: Description, target: Format, account: Account) -> None:
    """Note the elements of a document that are not converted, one note for all of a name.

    The `<gazebo>` elements of a URDF go to SDFormat, and are lost elsewhere.
    """
    known = KNOWN.get(robot.format)
    if known is None:
        return
    carried = CARRIED.get(target, frozenset())
    found: dict[str, list[Element]] = {}
    waiting = [*_roots(robot)]
    while waiting:
        element = waiting.pop()
        if element.tag in WHOLE:
            continue
        if element.tag in known:
            waiting += reversed(element.children)
        elif element.tag not in carried and element.tag not in UNNAMED and not element.tag.startswith("xacro:"):
            found.setdefault(element.tag, []).append(element)
    _note_canonical_link(robot, account)
    for tag, elements in found.items():
        often = "" if len(elements) == 1 else f" and {len(elements) - 1} more like it"
        account.note(Kind.DROPPED, f"<{tag}>", f"this{often} has no place in what is written", elements[0].place)
    if robot.mjcf is not None:
        motors = robot.mjcf.motors if "actuator" in carried else ()
        for said in (*robot.mjcf.unused, *motors):
            account.note(Kind.DROPPED, said, "nothing is held of it", robot.links[robot.root].place)


def _roots(robot: Description) -> Iterator[Element]:
    """Iterate over the root elements of a document and, in SDFormat, of the models that it includes."""
    yield parse_xml(robot.document.data, robot.document.name)
    files = {link.place.file for link in robot.links.values()} - {robot.document.name}
    for file in sorted(files) if robot.format is Format.SDF else ():
        with suppress(OSError, ParseError):
            yield parse_xml(Path(file).read_bytes(), file)


def _note_canonical_link(robot: Description, account: Account) -> None:
    """Note that a model of SDFormat hangs on another link than its first, which is what it does in other formats."""
    if robot.format is not Format.SDF or robot.is_world:
        return
    model = next((one for one in parse_xml(robot.document.data, robot.document.name).all("model")), None)
    name = "" if model is None else model.attributes.get("canonical_link", "")
    if model is not None and name and name != next(iter(robot.links)):
        message = "that it is the link that the model hangs on is lost; that is the first link now"
        account.note(Kind.DROPPED, name, message, model.place)
