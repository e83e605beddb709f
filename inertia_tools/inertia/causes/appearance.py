# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The visual geometry of links, as second evidence where the collisions are other shapes.

Collisions are often a box or a cylinder around the part, which has no products of inertia and another centre; visuals
mostly follow the part's CAD model. Integrating them is slow, so they are integrated only on demand.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from inertia_tools.description.types import Link, Shape
from inertia_tools.inertia.causes.evidence import Reference
from inertia_tools.inertia.compute import compute_link
from inertia_tools.inertia.parameters import AutoInertiaParams

LIKE_SIZE = 10.0
"""Largest ratio of the traces per kilogram at which collisions and visuals can be of one link, in the same unit."""


@dataclass(frozen=True, eq=False)
class Appearance:
    """The visual geometry of a link whose collisions are other shapes.

    Attributes:
        link: The link.
        extent: Diagonal of the box around its geometry [m].
        params: How shapes are integrated.
    """

    link: Link
    extent: float
    params: AutoInertiaParams

    @cached_property
    def digits(self) -> Hashable:
        """Values by which two links are compared for the same look."""
        return _digits(self.link.visuals), self.extent

    @cached_property
    def reference(self) -> Reference | None:
        """Mass properties of the visual geometry; None if that is open, since closing it is slow and inaccurate."""
        params = replace(self.params, open_mesh="fail")
        found = compute_link(replace(self.link, collisions=()), geometry="visual", params=params)
        return Reference.of(found, self.extent)

    def beside(self, geometry: Reference) -> Reference | None:
        """Return the reference of the visual geometry; None if it is open or far from the size of the collisions."""
        seen = self.reference
        if seen is None or abs(math.log(seen.trace / geometry.trace)) > math.log(LIKE_SIZE):
            return None
        return seen


def differs(link: Link) -> bool:
    """Return whether a link has visuals that are other shapes than its collisions."""
    return bool(link.visuals and link.collisions) and _digits(link.visuals) != _digits(link.collisions)


def _digits(shapes: Sequence[Shape]) -> Hashable:
    placed = ((shape.geometry, shape.pose_link_shape) for shape in shapes)
    return frozenset((geometry, pose.position.tobytes(), pose.rotation.tobytes()) for geometry, pose in placed)
