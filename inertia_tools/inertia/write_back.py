# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Writing mass properties into the document of a description, by format."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

import numpy as np

from inertia_tools.description.source import Document
from inertia_tools.description.types import Description, Place
from inertia_tools.description.usd_bodies import UsdBody
from inertia_tools.errors import WriteError
from inertia_tools.inertia.parameters import AutoInertiaParams
from inertia_tools.inertial import Inertial, rotate_tensor
from inertia_tools.write import sdf, urdf
from inertia_tools.write.decimals import DIGITS, format_number
from inertia_tools.write.edit import InertialEdit

LOG = logging.getLogger(__name__)

LAST_DIGIT = 10.0**-DIGITS
"""Numbers that differ by less than this ratio are written alike."""

OF_COPIES = 1e-6
"""Ratio up to which the numbers of copies of one text may differ, as their geometry is integrated for each."""


def rewritten_bodies(robot: Description, edits: Mapping[str, InertialEdit]) -> Document:
    """Return an MJCF document with new numbers, each written into its own file.

    Raises:
        WriteError: Another part of the document would override the new numbers.
    """
    from inertia_tools.write import mjcf  # imported here, as the format readers are

    document, rules = robot.document, robot.mjcf
    assert rules is not None
    for name in edits:
        if rules.compiler_of(name).inertiafromgeom == "true" and rules.geoms[name]:
            place = robot.links[name].place
            reason = 'inertiafromgeom="true" lets geoms override any inertial'
            raise WriteError(
                f'{place.file}: {reason} of body {name!r}; first write inertiafromgeom="auto" in <compiler>'
            )
    by_file: dict[str, dict[int, InertialEdit]] = {}
    first: dict[tuple[str, int], str] = {}
    for name, edit in edits.items():
        place = _place_to_edit(robot, name)
        assert place.offset is not None
        if place.step.startswith("flexcomp"):
            raise WriteError(f"{place}: body {name!r} is a point of a <flexcomp>; change the mass there")
        numbers = _in_frame_of_file(robot, name, edit)
        known = by_file.setdefault(place.file, {}).setdefault(place.offset, numbers)  # copies of one text: once
        other = first.setdefault((place.file, place.offset), name)
        if not _are_alike(known, numbers):
            raise WriteError(
                f"{place}: bodies {other!r} and {name!r} are copies of one text and cannot get different numbers; "
                "correct them alike, or write the text twice"
            )
    _name_copies(robot, edits, first)
    replaced = {
        file: mjcf.write_inertials(known.data, by_file[file]) for file, known in rules.files.items() if file in by_file
    }
    changed = {file: data for file, data in replaced.items() if data != rules.files[file].data}
    data = mjcf.write_inertials(document.data, by_file.get(document.name, {}))
    if data == document.data and not changed:
        return document
    return replace(document, data=data, replaced={**document.replaced, **changed})


def _name_copies(robot: Description, edits: Collection[str], first: Mapping[tuple[str, int], str]) -> None:
    """Warn of bodies that are not to change, but are copies of the text of one that is."""
    copies: dict[str, list[str]] = {}
    for name in robot.links.keys() - edits:
        place = _place_to_edit(robot, name)
        if place.offset is not None and (edited := first.get((place.file, place.offset))) is not None:
            copies.setdefault(edited, []).append(name)
    for edited, names in copies.items():
        LOG.warning("body %r: %s are copies of its text, and change with it", edited, ", ".join(sorted(names)))


def _are_alike(one: InertialEdit, other: InertialEdit) -> bool:
    """Return whether two edits write the same numbers, apart from the rounding errors of the frames of copies."""
    pairs = ((one.mass, other.mass), (one.com, other.com), (one.inertia, other.inertia))
    for a, b in pairs:
        if a is None or b is None:
            if a is not b:
                return False
        elif np.abs(np.subtract(a, b)).max() > OF_COPIES * max(np.abs(a).max(), one.size if a is one.com else 0.0):
            return False
    return True


def layer_over_stage(robot: Description, edits: Mapping[str, InertialEdit]) -> Document:
    """Return a layer over the stage of the description."""
    from inertia_tools.write import usd  # imported here, as the format readers are

    usd_bodies = robot.usd
    assert usd_bodies is not None
    if not edits:
        return robot.document
    opinions = {}
    for name, edit in edits.items():
        declared, body = robot.links[name].declared, usd_bodies.bodies[name]
        mass = edit.mass if edit.mass is not None else declared.mass if declared is not None else None
        assert mass is not None and edit.com is not None and edit.inertia is not None
        opinions[body.path] = usd.MassOpinion(Inertial(mass, edit.com, edit.inertia), body.stretch, body.instances)
    opinions |= {body.path: usd.MassOpinion(now, body.stretch, body.instances) for body, now in _kept(robot, opinions)}
    document = robot.document
    return replace(document, data=usd.override_layer(usd_bodies.stage, opinions, usd_bodies.units, document.path))


def _kept(robot: Description, paths: Collection[str]) -> Iterator[tuple[UsdBody, Inertial]]:
    """Yield bodies that are made of corrected ones and remain as they are, with their present mass properties.

    Args:
        robot: The description.
        paths: Paths of the corrected prims.
    """
    from inertia_tools.description.usd.composition import is_made_of  # imported here, as the format readers are
    from inertia_tools.inertia.usd_mass import usd_inertials

    usd_bodies = robot.usd
    assert usd_bodies is not None
    stage, others = usd_bodies.stage, [name for name, one in usd_bodies.bodies.items() if one.path not in paths]
    heirs = [name for name in others if is_made_of(stage.GetPrimAtPath(usd_bodies.bodies[name].path), paths)]
    found = usd_inertials(robot, AutoInertiaParams()) if heirs else {}
    for name in heirs:
        value = found[name].value
        if value is not None and value.inertial is not None and value.inertial.is_valid():
            yield usd_bodies.bodies[name], value.inertial


def _in_frame_of_file(robot: Description, name: str, edit: InertialEdit) -> InertialEdit:
    """Transform new numbers to the frame of those in the file."""
    declared = robot.links[name].declared
    if declared is None or edit.com is None:
        return edit
    frame = declared.pose_link_frame.inverse()
    is_turned = edit.inertia is not None and not edit.keeps_axes
    tensor = rotate_tensor(frame.rotation, edit.inertia) if is_turned and edit.inertia is not None else edit.inertia
    return replace(edit, inertia=tensor, com=frame.transform_points(edit.com))


def _place_to_edit(robot: Description, name: str) -> Place:
    link = robot.links[name]
    return link.place if link.declared is None else link.declared.place


def rewritten_urdf(robot: Description, edits: Mapping[str, InertialEdit]) -> Document:
    """Return a URDF with new numbers for some links."""
    return _changed(robot.document, urdf.write_inertials(robot.document.data, edits))


def rewritten_sdf(robot: Description, edits: Mapping[str, InertialEdit]) -> Document:
    """Return an SDFormat document with new numbers; links of included files are unchanged."""
    document = robot.document
    places = {name: robot.links[name].place for name in edits}
    by_offset = {
        place.offset: edits[name]
        for name, place in places.items()
        if place.file == document.name and place.offset is not None
    }
    return _changed(document, sdf.write_inertials(document.data, by_offset))


def _changed(document: Document, data: bytes) -> Document:
    return document if data == document.data else replace(document, data=data)


def full_edit(inertial: Inertial, *, keeps_mass: bool) -> InertialEdit:
    """Return the edit that writes mass, centre of mass and tensor, in link axes.

    The tensor is that of the mass as it is written, rounded, so that scaling one to the other later gives the same
    digits.

    Args:
        inertial: What to write.
        keeps_mass: The document already has this mass.
    """
    value = inertial if keeps_mass else inertial.scaled_to_mass(float(format_number(inertial.mass)))
    return InertialEdit(value.inertia, None if keeps_mass else value.mass, value.com, size_of(value))


def size_of(inertial: Inertial) -> float:
    """Return the length for rounding a centre of mass [m]: the size of the body or the distance of its centre."""
    tensor = float(np.abs(inertial.inertia).max())
    radius = float(np.sqrt(tensor / inertial.mass)) if inertial.mass > 0.0 and np.isfinite(tensor) else 0.0
    return max(radius, float(np.abs(inertial.com).max())) or 1.0


def are_written_alike(before: Inertial, after: Inertial) -> bool:
    """Return whether two inertials are equal to the last digit that is written."""
    pairs = (before.mass, after.mass), (before.inertia, after.inertia)
    is_same = all(np.abs(np.subtract(new, old)).max() <= LAST_DIGIT * np.abs(new).max() for old, new in pairs)
    return is_same and bool(np.abs(after.com - before.com).max() <= LAST_DIGIT * size_of(after))
