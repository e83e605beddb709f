# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Values for many links at once: names with wildcards, and exceptions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import TypeVar

from inertia_tools.description.types import Description
from inertia_tools.errors import OptionError

Value = TypeVar("Value")

WILDCARDS = frozenset("*?[")


def values_by_link(
    robot: Description, given: Mapping[str, Value], excepted: Iterable[str] = (), *, option: str = "link"
) -> dict[str, Value]:
    """Assign values to the links that their patterns match.

    A link's own name takes precedence over any pattern, even if the link is excepted; later patterns override earlier
    ones.

    Args:
        robot: The robot.
        given: Values by the name of a link, or by a pattern with `*`, `?` and `[...]`.
        excepted: Names or patterns of links to which patterns do not apply.
        option: Name for a pattern that matches nothing, in the message.

    Raises:
        UnknownLinkError: No link has a name that is given without wildcards.
        OptionError: A pattern matches no link.
    """
    left_out = {link for name in excepted for link in links_matching(robot, name, option="--except")}
    by_pattern: dict[str, Value] = {}
    by_name: dict[str, Value] = {}
    for name, value in given.items():
        matched = links_matching(robot, name, option=option)
        if name in robot.links:
            by_name[name] = value
        else:
            by_pattern.update(dict.fromkeys((link for link in matched if link not in left_out), value))
    return {**by_pattern, **by_name}


def links_matching(robot: Description, pattern: str, *, option: str = "link") -> list[str]:
    """Return the names of the links that a name or a pattern matches; a link's own name is taken literally.

    Raises:
        UnknownLinkError: No link has a name that is given without wildcards.
        OptionError: A pattern matches no link.
    """
    if pattern in robot.links or WILDCARDS.isdisjoint(pattern):
        return [robot.link(pattern).name]
    matched = [name for name in robot.links if fnmatchcase(name, pattern)]
    if not matched:
        shown = ", ".join(list(robot.links)[:8])
        raise OptionError(option, pattern, f"a pattern that matches a link, such as {shown}")
    return matched
