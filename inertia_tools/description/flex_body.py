# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A flexible body as a description states it: free points, and the elements and edges between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from inertia_tools.description.source import Place
from inertia_tools.spatial import Array


@dataclass(frozen=True)
class FlexElasticity:
    """The material of its elements.

    Attributes:
        young: Young's modulus [Pa]; zero for none.
        poisson: Poisson's ratio.
        damping: Ratio of damping to stiffness, as in Rayleigh damping [s].
        thickness: Thickness of a sheet [m].
        stretches: A sheet resists stretching.
        bends: A sheet resists bending.
    """

    young: float = 0.0
    poisson: float = 0.0
    damping: float = 0.0
    thickness: float = 0.0
    stretches: bool = False
    bends: bool = False


@dataclass(frozen=True)
class FlexEdges:
    """The resistance of its edges.

    Attributes:
        stiffness: Stiffness of each edge [N/m].
        damping: Damping of each edge [N s/m].
        equality: Stiffness [1/s^2] and damping [1/s] that keep the length of each edge, per mass that it moves; None
            without.
    """

    stiffness: float = 0.0
    damping: float = 0.0
    equality: tuple[float, float] | None = None


@dataclass(frozen=True, eq=False)
class FlexBody:
    """A flexible body.

    Attributes:
        name: Its name.
        place: Its location in the file.
        link: Name of the link that contains it, and holds the points that are not links.
        dim: 1 for a line, 2 for a sheet, 3 for a solid.
        points: Its points in the frame of that link [m], shape (n, 3).
        elements: Points of each element, shape (m, dim + 1).
        mass: Mass of each point [kg].
        radius: Radius of its points in contacts [m].
        links: Name of the link of each free point, by index of the point; the others are held.
        slides: Number of axes of the link along which free points slide.
        elasticity: The material of its elements.
        edges: The resistance of its edges.
    """

    name: str
    place: Place
    link: str
    dim: int
    points: Array
    elements: np.ndarray
    mass: float
    radius: float
    links: Mapping[int, str]
    slides: int = 3
    elasticity: FlexElasticity = FlexElasticity()
    edges: FlexEdges = FlexEdges()

    @property
    def moves_freely(self) -> bool:
        """Whether its free points move along all axes."""
        return self.slides == 3
