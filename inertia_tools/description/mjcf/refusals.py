# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What MuJoCo refuses about a document besides mass properties: unknown words, names, and files that are not there.

A document with such a mistake is read all the same; a misspelt attribute would otherwise pass as an absent one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath

from inertia_tools.description.mjcf.joints import REFUSES
from inertia_tools.description.mjcf.parts import Part, read_part
from inertia_tools.description.mjcf.values import parse_numbers
from inertia_tools.description.mjcf.vocabulary import ATTRIBUTES, CHILDREN, CHOICES, COUNTS, REFERENCES, REFERRING
from inertia_tools.description.types import WORLD, Description, Format, JointType, Remark
from inertia_tools.description.xml import Element, parse_xml

WITH_FILES = ("mesh", "hfield", "texture", "skin")
"""Assets that may come from a file."""

FOLDERS = {"texture": "texturedir"}
"""Attribute of `<compiler>` that names the folder of an asset's files, where it is not `meshdir`."""

UNIQUE = ("geom", "site", "camera", "light")
"""What has names in bodies besides bodies and joints, whose names are checked when they are read."""


def refusals(robot: Description) -> Iterator[Remark]:
    """Say what MuJoCo would refuse about the words, names and files of an MJCF document.

    Raises:
        ParseError: The document cannot be read any more.
    """
    if robot.format is not Format.MJCF:
        return
    part = read_part(parse_xml(robot.document.data, robot.document.name), robot.document)
    for one in _parts(part):
        yield from _unknown_words(one)
        yield from _ill_formed(one)
        yield from _repeated_names(one)
        yield from _missing_files(one)
    yield from _unknown_names(part, robot)
    yield from _held_bodies(part, robot)


def _parts(part: Part) -> Iterator[Part]:
    """Yield a model and those that it may attach, each file once."""
    waiting, seen = [part], set()
    while waiting:
        one = waiting.pop()
        if one.root.place not in seen:
            seen.add(one.root.place)
            yield one
            waiting += reversed(list(one.models.values()))


def _elements(root: Element, *, all_bodies: bool = False) -> Iterator[tuple[Element, str]]:
    """Yield all elements with the tag that each stands in; bodies outside the world count for nothing but words."""
    waiting = [(root, "")]
    while waiting:
        element, around = waiting.pop()
        if element.tag == "body" and around == "mujoco" and not all_bodies:
            continue
        yield element, around
        waiting += [(child, element.tag) for child in reversed(element.children)]


def _remark(element: Element, message: str) -> Remark:
    return Remark("error", REFUSES, "", f"{message}; MuJoCo refuses the file for it", element.place)


def _unknown_words(part: Part) -> Iterator[Remark]:
    for element, around in _elements(part.root, all_bodies=True):
        if around in CHILDREN and element.tag not in CHILDREN[around]:
            yield _remark(element, f"<{element.tag}> is unknown in <{around}>")
        known = ATTRIBUTES.get(element.tag)
        in_place = around in CHILDREN or around == "contact"
        if known is None or not in_place:
            continue
        for name in element.attributes.keys() - known:
            yield _remark(element, f"<{element.tag}> has the unknown attribute {name!r}")


def _ill_formed(part: Part) -> Iterator[Remark]:
    """Find words and numbers that MuJoCo does not take, of attributes that are not read for anything else."""
    for element, around in _elements(part.root, all_bodies=True):
        if around not in CHILDREN:
            continue
        for name, words in CHOICES.get(element.tag, {}).items():
            text = element.attributes.get(name)
            if text is not None and text not in words:
                known = ", ".join(sorted(words))
                yield _remark(element, f"{name}={text!r} of <{element.tag}> is none of {known}")
        for name, (least, most) in COUNTS.get(element.tag, {}).items():
            text = element.attributes.get(name)
            if text is not None and not least <= _count(text) <= most:
                wanted = str(least) if least == most else f"{least} to {most}"
                yield _remark(element, f"{name}={text!r} of <{element.tag}> is not {wanted} numbers")


def _count(text: str) -> int:
    """Return how many numbers a text holds; -1 if it holds anything else."""
    try:
        return len(parse_numbers(text))
    except ValueError:
        return -1


def _held_bodies(part: Part, robot: Description) -> Iterator[Remark]:
    """Find bodies that are to be moved from outside (mocap), and are not fixed to the world."""
    moved = {
        robot.links[joint.child].place
        for joint in robot.joints.values()
        if joint.parent != WORLD or joint.type is not JointType.FIXED
    }
    for one in _parts(part):
        for element, _ in _elements(one.root):
            if element.attributes.get("mocap") == "true" and element.place in moved:
                yield _remark(element, "a mocap body has a joint, or stands in another body")


def _repeated_names(part: Part) -> Iterator[Remark]:
    """Find assets, geoms and the like of one kind and one name; a copied one has a name of its own."""
    seen: set[tuple[str, str]] = set()
    for element, around in _elements(part.root):
        name = element.attributes.get("name", "")
        counts = around == "asset" or (element.tag in UNIQUE and around in ("worldbody", "body", "frame"))
        if not (name and counts) or element.tag in ("mesh", "model"):
            continue
        if (element.tag, name) in seen:
            yield _remark(element, f"a second {element.tag} is named {name!r}")
        seen.add((element.tag, name))


def _missing_files(part: Part) -> Iterator[Remark]:
    """Find files of assets that are not there; a mesh that a geom uses is reported where it is used, too."""
    for section in part.root.all("asset"):
        for element in section.children:
            for name in ("file", "fileup", "filedown", "fileleft", "fileright", "filefront", "fileback"):
                file = element.attributes.get(name)
                if file and element.tag in WITH_FILES and not _is_there(file, element.tag, part):
                    yield _remark(element, f"the file {file!r} of the {element.tag} is not found")


def _is_there(file: str, tag: str, part: Part) -> bool:
    compiler: dict[str, str] = {}
    for element in part.root.all("compiler"):
        compiler |= element.attributes
    folder = compiler.get(FOLDERS.get(tag, "meshdir"), compiler.get("assetdir", ""))
    name = PurePath(file.replace("\\", "/")).name if part.compiler.strippath else file
    main = Path(part.root.place.file).parent
    try:
        return (main / folder / name).is_file()
    except ValueError:  # a name with a zero byte
        return False


def _unknown_names(part: Part, robot: Description) -> Iterator[Remark]:
    """Find references to what is not there; where there are copies, names without their endings count, too."""
    known = _names(part, robot)
    for element, around in _elements(part.root):
        for attribute in element.attributes.keys() & REFERENCES.keys():
            kind, name = REFERENCES[attribute], element.attributes[attribute]
            if name and _refers(element, around, attribute, part) and name not in known[kind]:
                yield _remark(element, f"the {kind} {name!r} of <{element.tag}> is unknown")


def _refers(element: Element, around: str, attribute: str, part: Part) -> bool:
    """Tell whether an attribute is a reference where it stands."""
    if attribute in ("material", "hfield"):
        return element.tag in ("geom", "site") and around != "default"
    if attribute == "texture":
        return element.tag == "material" and around != "default"
    inside = {child.tag for name in REFERRING for section in part.root.all(name) for child in section.children}
    return around in REFERRING or (around in inside and around in ("spatial", "fixed"))


def _names(part: Part, robot: Description) -> Mapping[str, set[str]]:
    """Collect what can be referred to, by kind."""
    rules = robot.compiled
    assert rules is not None
    known: dict[str, set[str]] = {kind: set() for kind in REFERENCES.values()}
    known["body"] |= robot.links.keys()
    known["joint"] |= {one.name for joint in robot.joints.values() for one in joint.row}
    known["geom"] |= {geom.name for geoms in rules.geoms.values() for geom in geoms}
    known["site"] |= {site.name for sites in rules.sites.values() for site in sites}
    for one in _parts(part):
        for element, around in _elements(one.root):
            name = element.attributes.get("name") or _stem(element)
            kind = {"tendon": "tendon", "actuator": "actuator"}.get(around, element.tag)
            if name and around != "default" and (kind in known):
                known[kind].add(name)
                known[kind] |= {prefix + name for prefix in _prefixes(part)}
    return known


def _prefixes(part: Part) -> set[str]:
    return {element.attributes.get("prefix", "") for element, _ in _elements(part.root) if element.tag == "attach"}


def _stem(element: Element) -> str:
    """Return the name that an asset without one has by its file."""
    file = element.attributes.get("file", "") if element.tag in WITH_FILES else ""
    return PurePath(file.replace("\\", "/")).stem
