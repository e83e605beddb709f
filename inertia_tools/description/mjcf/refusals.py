# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Faults for which MuJoCo refuses a document, apart from mass properties: unknown words and names, and missing files.

A document with such a fault is read all the same; a misspelt attribute would otherwise count as an absent one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath

from inertia_tools.description.mjcf.assets import beside_include
from inertia_tools.description.mjcf.parts import Part, read_part
from inertia_tools.description.mjcf.vocabulary import REFERENCES, REFERRING
from inertia_tools.description.mjcf.words import ill_formed, refusal, unknown_words
from inertia_tools.description.resources import readable
from inertia_tools.description.source import Document
from inertia_tools.description.types import WORLD, Description, JointType, Remark
from inertia_tools.description.xml import Element, parse_xml

WITH_FILES = ("mesh", "hfield", "texture", "skin")
"""Assets that may come from a file."""

FOLDERS = {"texture": "texturedir"}
"""Attribute of `<compiler>` that names the folder of an asset's files, where it is not `meshdir`."""

SOURCES = frozenset({"file", "vertex", "builtin"})
"""Attributes of which a mesh has one as its source."""

THAT_MOVE = ("equality", "actuator", "tendon")
"""Sections whose references affect the motion of bodies."""

UNIQUE = ("geom", "site", "camera", "light")
"""Named elements of bodies besides bodies and joints, whose names are checked on reading."""


@dataclass(frozen=True)
class Refusals:
    """What MuJoCo would refuse about the words, names and files of an MJCF document.

    Attributes:
        of_motion: Equalities, actuators and tendons with unknown references: without these, bodies move differently.
        besides: The rest.
    """

    of_motion: tuple[Remark, ...] = ()
    besides: tuple[Remark, ...] = ()


def refusals(robot: Description) -> Refusals:
    """Return what MuJoCo would refuse.

    Raises:
        ParseError: The document cannot be read again.
    """
    part = read_part(parse_xml(robot.document.data, robot.document.name), robot.document)
    unknown = list(_unknown_names(part, robot))
    return Refusals(
        (*(remark for tag, remark in unknown if tag in THAT_MOVE), *_joined_to_themselves(part)),
        (
            *(remark for one in _parts(part) for remark in _of_part(one, robot.document)),
            *(remark for tag, remark in unknown if tag not in THAT_MOVE),
            *_held_bodies(part, robot),
        ),
    )


def _of_part(part: Part, document: Document) -> Iterator[Remark]:
    """Check one model on its own."""
    yield from unknown_words(part)
    yield from ill_formed(part)
    yield from _repeated_names(part)
    yield from _missing_files(part, document)
    yield from _meshes_without_source(part)


def _parts(part: Part) -> Iterator[Part]:
    """Yield a model and those that it may attach, each file once."""
    waiting, seen = [part], set()
    while waiting:
        one = waiting.pop()
        if one.root.place.element not in seen:
            seen.add(one.root.place.element)
            yield one
            waiting += reversed(list(one.models.values()))


def _elements(root: Element, around_it: str = "") -> Iterator[tuple[Element, str]]:
    """Yield all elements with the tag of their parent; bodies outside the world are checked for words only."""
    waiting = [(root, around_it)]
    while waiting:
        element, around = waiting.pop()
        if element.tag == "body" and around == "mujoco":
            continue
        yield element, around
        waiting += [(child, element.tag) for child in reversed(element.children)]


def _held_bodies(part: Part, robot: Description) -> Iterator[Remark]:
    """Find mocap bodies, which are moved from outside, that are not fixed to the world."""
    moved = {
        robot.links[joint.child].place.element
        for joint in robot.joints.values()
        if joint.parent != WORLD or joint.type is not JointType.FIXED
    }
    for one in _parts(part):
        for element, _ in _elements(one.root):
            if element.attributes.get("mocap") == "true" and element.place.element in moved:
                yield refusal(element, "a mocap body has a joint or a parent body")


def _repeated_names(part: Part) -> Iterator[Remark]:
    """Find assets, geoms and other elements of one kind with the same name; copies have names of their own."""
    seen: set[tuple[str, str]] = set()
    for element, around in _elements(part.root):
        name = element.attributes.get("name", "")
        counts = around == "asset" or (element.tag in UNIQUE and around in ("worldbody", "body", "frame"))
        if not (name and counts) or element.tag in ("mesh", "model"):
            continue
        if (element.tag, name) in seen:
            yield refusal(element, f"a second {element.tag} is named {name!r}")
        seen.add((element.tag, name))


def _missing_files(part: Part, document: Document) -> Iterator[Remark]:
    """Find missing asset files; a mesh that a geom uses is also reported there."""
    for section in part.root.all("asset"):
        for element in section.children:
            for name in ("file", "fileup", "filedown", "fileleft", "fileright", "filefront", "fileback"):
                file = element.attributes.get(name)
                if file and element.tag in WITH_FILES and not _is_there(file, element, part, document):
                    yield refusal(element, f"the file {file!r} of the {element.tag} is not found")


def _meshes_without_source(part: Part) -> Iterator[Remark]:
    """Find meshes without a source; a plugin may make one, and one that no geom uses may be discarded."""
    used = {element.attributes.get("mesh") for element, _ in _elements(part.root) if element.tag == "geom"}
    may_be_unused = part.compiler.discardvisual
    for element in (mesh for section in part.root.all("asset") for mesh in section.all("mesh")):
        has_source = SOURCES & element.attributes.keys() or element.children
        counts = element.attributes.get("name") in used or not may_be_unused
        if counts and not has_source:
            yield refusal(element, "the mesh has neither file nor vertex nor builtin")


def _is_there(file: str, asset: Element, part: Part, document: Document) -> bool:
    compiler: dict[str, str] = {}
    for element in part.root.all("compiler"):
        compiler |= element.attributes
    folder = compiler.get(FOLDERS.get(asset.tag, "meshdir"), compiler.get("assetdir", ""))
    name = PurePath(file.replace("\\", "/")).name if part.compiler.strippath else file
    main = Path(part.root.place.file).parent
    if readable(main / folder / name, document) is not None:
        return True
    return not part.compiler.strippath and beside_include(file, asset, document) is not None


def _joined_to_themselves(part: Part) -> Iterator[Remark]:
    """Find equalities of a joint with itself."""
    for section in part.root.all("equality"):
        for element in section.all("joint"):
            name = element.attributes.get("joint1")
            if name and name == element.attributes.get("joint2"):
                yield refusal(element, f"the equality uses joint {name!r} as both endpoints; name two joints")


def _unknown_names(part: Part, robot: Description) -> Iterator[tuple[str, Remark]]:
    """Find references to missing elements, each with the tag of its section.

    With copies, names without their suffixes count too.
    """
    known = _names(part, robot)
    inside = {child.tag for name in REFERRING for section in part.root.all(name) for child in section.children}
    for section in part.root.children:
        for element, around in _elements(section, part.root.tag):
            for attribute in element.attributes.keys() & REFERENCES.keys():
                kind, name = REFERENCES[attribute], element.attributes[attribute]
                if name and _refers(element, around, attribute, inside) and name not in known[kind]:
                    yield section.tag, refusal(element, f"<{element.tag}> refers to the unknown {kind} {name!r}")


def _refers(element: Element, around: str, attribute: str, inside: set[str]) -> bool:
    """Return whether an attribute is a reference in its section; `inside` are the tags in sections with references."""
    if attribute in ("material", "hfield"):
        return element.tag in ("geom", "site") and around != "default"
    if attribute == "texture":
        return element.tag == "material" and around != "default"
    return around in REFERRING or (around in inside and around in ("spatial", "fixed"))


def _names(part: Part, robot: Description) -> Mapping[str, set[str]]:
    """Collect the names that can be referenced, by kind."""
    rules = robot.mjcf
    assert rules is not None
    known: dict[str, set[str]] = {kind: set() for kind in REFERENCES.values()}
    known["body"] |= robot.links.keys()
    known["joint"] |= {one.name for joint in robot.joints.values() for one in joint.row}
    known["geom"] |= {geom.name for geoms in rules.geoms.values() for geom in geoms}
    prefixes = _prefixes(part)
    known["site"] |= {site.name for sites in rules.sites.values() for site in sites}
    for one in _parts(part):
        for element, around in _elements(one.root):
            name = element.attributes.get("name") or _stem(element)
            kind = {"tendon": "tendon", "actuator": "actuator"}.get(around, element.tag)
            if name and around != "default" and (kind in known):
                known[kind].add(name)
                known[kind] |= {prefix + name for prefix in prefixes}
    return known


def _prefixes(part: Part) -> set[str]:
    return {element.attributes.get("prefix", "") for element, _ in _elements(part.root) if element.tag == "attach"}


def _stem(element: Element) -> str:
    """Return the name that an unnamed asset gets from its file."""
    file = element.attributes.get("file", "") if element.tag in WITH_FILES else ""
    return PurePath(file.replace("\\", "/")).stem
