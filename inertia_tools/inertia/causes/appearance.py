# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What links look like: their visual geometry, a second witness where the collisions are another shape.

Collisions are often a box or a cylinder around the part, which has no products of inertia and its middle elsewhere; the
visuals are mostly its drawing. They take long to integrate, so that this is left until somebody asks.
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
"""Ratio of the sums of moments for each kilogram up to which collisions and visuals can be of one link, in one unit."""


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
        """What tells whether two links look the same."""
        return _digits(self.link.visuals), self.extent

    @cached_property
    def reference(self) -> Reference | None:
        """What the visual geometry gives; None where it is open: to close it takes long, and leaves doubt."""
        params = replace(self.params, open_mesh="fail")
        found = compute_link(replace(self.link, collisions=()), geometry="visual", params=params)
        return Reference.of(found, self.extent)

    def beside(self, geometry: Reference) -> Reference | None:
        """Return what the visual geometry gives; None where it is no second witness beside the collisions."""
        seen = self.reference
        if seen is None or abs(math.log(seen.trace / geometry.trace)) > math.log(LIKE_SIZE):
            return None
        return seen


def differs(link: Link) -> bool:
    """Tell whether a link has visuals, and they are not the shapes of its collisions."""
    return bool(link.visuals and link.collisions) and _digits(link.visuals) != _digits(link.collisions)


def _digits(shapes: Sequence[Shape]) -> Hashable:
    placed = ((shape.geometry, shape.pose_link_shape) for shape in shapes)
    return frozenset((geometry, pose.position.tobytes(), pose.rotation.tobytes()) for geometry, pose in placed)
