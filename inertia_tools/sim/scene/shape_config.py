# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What a shape is made of, and what it touches."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from inertia_tools.errors import OptionError

Friction = tuple[float, float, float]
"""Coefficient of sliding [1], and lengths of torsional and rolling friction [m]."""

APPROXIMATIONS = ("auto", "convex_hull", "convex_decomposition")
"""What a mesh may collide as: its triangles while it stays and its hull while it moves; its hull; or convex parts."""

FRICTION_RULES = ("mean", "min", "product", "max")
"""How the coefficients of two shapes that touch may be combined."""


@dataclass
class ShapeConfig:
    """Material of a shape and what it takes part in; the values are checked when a shape is added.

    Attributes:
        density: Density [kg/m^3]; zero adds no mass to the body.
        mu: Coefficient of Coulomb friction, sticking and sliding; a pair combines its two by the rule of the scene.
        restitution: Ratio of the speeds after and before a bounce, 0 to 1; a pair combines its two by the rule of the
            scene. A solver uses it when it is told to (`enable_restitution`).
        is_solid: Filled with material; otherwise the shape is a wall.
        margin: Thickness of that wall, measured inwards from the surface [m]; of what is solid, a distance that its
            contacts keep, to which that of the other shape adds.
        gap: Distance beyond the margin from which `Model.collide` foresees contacts [m]; the solver finds its contacts
            anew in every substep.
        has_shape_collision: Takes part in contacts.
        has_particle_collision: Particles touch it.
        collision_group: Shapes of one positive group touch each other and those of negative groups; a negative group
            touches all but itself; group 0 touches nothing.
        is_site: A marker: it has no mass and touches nothing, whatever the other values say.
        mu_torsional: Length of torsional friction [m]: a contact that bears a force resists spinning with a torque of
            up to that force times this; a pair combines its two as for `mu`.
        mu_rolling: Length of rolling friction [m]: it resists rolling likewise.
        mesh_approximation: What a mesh collides as: "auto" is its triangles while its body stays, its hull while that
            moves; "convex_hull"; or "convex_decomposition", convex parts, those of `Mesh.parts` or what coacd finds.
    """

    density: float = 1000.0
    mu: float = 1.0
    restitution: float = 0.0
    is_solid: bool = True
    margin: float = 0.0
    gap: float = 0.0
    has_shape_collision: bool = True
    has_particle_collision: bool = True
    collision_group: int = 1
    is_site: bool = False
    mu_torsional: float = 0.0
    mu_rolling: float = 0.0
    mesh_approximation: str = "auto"

    def check(self) -> None:
        """Refuse values that no material has.

        Raises:
            OptionError: A value is negative, not finite, or unknown.
        """
        for name in ("density", "mu", "mu_torsional", "mu_rolling", "margin", "gap"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0.0):
                raise OptionError(name, value, "a finite number, zero or more")
        if not 0.0 <= self.restitution <= 1.0:
            raise OptionError("restitution", self.restitution, "0 to 1")
        if self.mesh_approximation not in APPROXIMATIONS:
            raise OptionError("mesh_approximation", self.mesh_approximation, "one of " + ", ".join(APPROXIMATIONS))

    @property
    def friction(self) -> Friction:
        """Coefficients of sliding [1], torsional and rolling friction [m]."""
        return self.mu, self.mu_torsional, self.mu_rolling

    def settled(self) -> ShapeConfig:
        """Return a checked copy, in which a site has neither density nor contacts.

        Raises:
            OptionError: A value is negative or not finite.
        """
        self.check()
        return (
            replace(self, density=0.0, has_shape_collision=False, has_particle_collision=False)
            if self.is_site
            else replace(self)
        )


def groups_touch(first: int, second: int) -> bool:
    """Tell whether shapes of two collision groups touch; see `ShapeConfig`."""
    if first == 0 or second == 0:
        return False
    if first > 0 and second > 0:
        return first == second
    return first != second
