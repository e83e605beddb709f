# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The `<contact>` of MJCF: bodies that never touch each other."""

from __future__ import annotations

from collections.abc import Iterable

from inertia_tools.description.mjcf.bodies import Surroundings


def read_excludes(models: Iterable[Surroundings]) -> frozenset[frozenset[str]]:
    """Read the pairs of bodies of all `<exclude>`.

    Args:
        models: Where each model stands, the main one first.

    Raises:
        ParseError: One does not name two bodies.
    """
    pairs = set()
    for model in models:
        for section in model.part.root.all("contact"):
            for exclude in section.all("exclude"):
                for name in ("body1", "body2"):
                    exclude.attribute(name)
                pairs.add(frozenset((model.named(exclude, "body1"), model.named(exclude, "body2"))))
    return frozenset(pairs)
