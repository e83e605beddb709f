# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The structure of a robot: names are unique, joints join known links, and the links form one tree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

from inertia_tools.description.types import Joint, Link
from inertia_tools.errors import ParseError, UnknownLinkError

Named = TypeVar("Named", Link, Joint)


def by_name(kind: str, things: Iterable[Named]) -> dict[str, Named]:
    """Index links or joints by name.

    Raises:
        ParseError: Two have the same name.
    """
    named: dict[str, Named] = {}
    for thing in things:
        first = named.setdefault(thing.name, thing)
        if first is not thing:
            reason = f"a second {kind} is named {thing.name!r} (the first in line {first.place.line}); rename one"
            raise ParseError(reason, thing.place.file, thing.place.line)
    return named


def find_root(links: Mapping[str, Link], joints: Mapping[str, Joint]) -> str:
    """Check that the joints make one tree of the links, and return its root.

    Raises:
        ParseError: A joint names an unknown link, a link has two parents, links are joined in a loop, or
            some are not joined to the rest.
    """
    parent_of: dict[str, Joint] = {}
    for joint in joints.values():
        _check_names(joint, links)
        if joint.child in parent_of:
            other = parent_of[joint.child]
            raise _at(
                joint,
                f"link {joint.child!r} is the child of joint {joint.name!r} and of {other.name!r} "
                f"(line {other.place.line}); a URDF is a tree; remove one joint",
            )
        parent_of[joint.child] = joint
    _check_no_loop(parent_of)
    roots = [name for name in links if name not in parent_of]
    if len(roots) > 1:
        second = links[roots[1]]
        shown = ", ".join(repr(name) for name in roots[:5])
        reason = f"{len(roots)} links have no parent ({shown}); connect them by joints to one root"
        raise ParseError(reason, second.place.file, second.place.line)
    return roots[0]


def _check_names(joint: Joint, links: Mapping[str, Link]) -> None:
    for role, name in (("parent", joint.parent), ("child", joint.child)):
        if name not in links:
            raise _at(joint, f"the {role} of joint {joint.name!r}: {UnknownLinkError(name, links)}")


def _check_no_loop(parent_of: Mapping[str, Joint]) -> None:
    """Walk up from each link; a walk that meets itself is a loop."""
    safe: set[str] = set()
    for start in parent_of:
        walked: dict[str, None] = {}
        name = start
        while name in parent_of and name not in safe:
            if name in walked:
                loop = list(walked)[list(walked).index(name) :]
                raise _at(
                    parent_of[name], f"joints form a loop through {' <- '.join([*loop, name])}; remove one of them"
                )
            walked[name] = None
            name = parent_of[name].parent
        safe.update(walked)


def _at(joint: Joint, reason: str) -> ParseError:
    return ParseError(reason, joint.place.file, joint.place.line)
