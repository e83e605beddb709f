# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Contacts between MJCF bodies: pairs excluded by `<contact>`, and geoms without friction."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from inertia_tools.description.link import Surface
from inertia_tools.description.mjcf.bodies import Surroundings
from inertia_tools.description.mjcf_bodies import Geom


def read_excludes(models: Iterable[Surroundings]) -> frozenset[frozenset[str]]:
    """Read the pairs of bodies of all `<exclude>` elements.

    Args:
        models: Context of each model, the main one first.

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


def let_slide(bodies: Iterable[list[Geom]]) -> Geom | None:
    """Remove the friction of geoms with `condim` 1, in place.

    In MuJoCo the geom with the higher `condim` decides for a contact, while a geom here has one friction for all its
    contacts: a geom that another one with friction can touch keeps its own.

    Returns:
        A geom that keeps its friction, and can also touch another body's geom of `condim` 1; None without one.
    """
    bodies = list(bodies)
    with_friction = {masks_of(geom) for geoms in bodies for geom in geoms if geom.condim > 1}
    kept: dict[tuple[int, int], int] = {}
    lost = None
    for body, geoms in enumerate(bodies):
        for number, geom in enumerate(geoms):
            if geom.condim > 1 or geom.shape is None:
                continue
            masks = masks_of(geom)
            if any(masks_touch(masks, other) for other in with_friction):
                if lost is None and any(masks_touch(masks, other) and kept[other] != body for other in kept):
                    lost = geom
                kept.setdefault(masks, body)
            else:
                surface = replace(geom.shape.surface or Surface(), friction=0.0)
                geoms[number] = replace(geom, shape=replace(geom.shape, surface=surface))
    return lost


def masks_of(geom: Geom) -> tuple[int, int]:
    """Return the bits of a geom's type, and of the types that it touches."""
    return (0, 0) if geom.shape is None else geom.shape.masks


def masks_touch(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Return whether masks let two geoms touch."""
    return bool(one[0] & other[1] or other[0] & one[1])
