# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Names on the topics of a namespace, which omit the entities that have the joints and links.

Nothing here depends on ROS.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

ALL: tuple[str, ...] = ("",)
"""Scopes of topics whose names are those of the simulation."""


def full_names(names: Iterable[str], scopes: Sequence[str], known: Collection[str]) -> dict[str, list[str]]:
    """Return the names in the simulation for each name on a topic; none for an unknown one.

    Args:
        names: Names on the topic.
        scopes: Prefixes of the names of the topic's entities.
        known: All names in the simulation.
    """
    return {name: [scope + name for scope in scopes if scope + name in known] for name in names}
