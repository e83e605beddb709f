# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Material, mass and collision options of a shape."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from inertia_tools.errors import OptionError
from inertia_tools.sim.scene.flags import ShapeFlags
from inertia_tools.sim.scene.given import as_index, as_number
from inertia_tools.sim.scene.known_names import KnownAttributes, with_known_keywords

Friction = tuple[float, float, float]
"""Coefficient of sliding [1], and lengths of torsional and rolling friction [m]."""

APPROXIMATIONS = ("auto", "convex_hull", "convex_decomposition")
"""Collision geometries of a mesh: triangles if static and the hull if dynamic; the hull; or convex parts."""

FRICTION_RULES = ("mean", "min", "product", "max")
"""Rules that combine the coefficients of two shapes."""


@with_known_keywords
@dataclass
class ShapeConfig(KnownAttributes):
    """Material and collision settings of a shape; the values are checked when a shape is added.

    Attributes:
        density: Density [kg/m^3]; zero adds no mass to the body.
        mu: Coefficient of Coulomb friction, sticking and sliding; a pair combines its two by the rule of the scene.
        restitution: Ratio of the speeds after and before a bounce, 0 to 1; a pair combines its two by the rule of the
            scene. A solver uses it when it is told to (`enable_restitution`).
        is_solid: Whether the shape is solid; otherwise it is a hollow shell.
        margin: Wall thickness of a hollow shape, measured inwards from the surface [m]; of a solid shape, a
            distance that its contacts keep, added to that of the other shape.
        gap: Distance beyond the margin within which `Model.collide` generates contacts [m]; None for the `rigid_gap` of
            the scene. The solver finds its contacts again in every substep.
        has_shape_collision: Whether it collides with rigid shapes.
        has_particle_collision: Whether it collides with particles.
        is_visible: Whether it is drawn.
        collision_filter_parent: Whether it does not collide with shapes of its body's parent.
        collision_group: Shapes of one positive group collide with each other and with negative groups; a negative group
            collides with all but itself; group 0 collides with nothing.
        is_site: Whether it is a marker without mass and collision, regardless of the other values.
        mu_torsional: Coefficient of torsional friction [m]: a contact resists spinning with a torque of up to its
            normal force times this; a pair combines its two as for `mu`.
        mu_rolling: Coefficient of rolling friction [m]: it resists rolling likewise.
        mesh_approximation: Collision geometry of a mesh: "auto" is its triangles on a static body and its hull on a
            moving one; "convex_hull"; or "convex_decomposition": `Mesh.parts`, or the convex parts that coacd finds.
        ke, kd, kf, ka: Stiffness [N/m], damping [N s/m], friction gain [N s/m] and adhesion distance [m] of solvers
            whose contacts are springs. Contacts here are constraints, which have none; the values are kept for others.
        sdf_max_resolution, sdf_target_voxel_size: Largest number of cells along an axis, and cell size [m], of
            Newton's signed distance field of a mesh. It has no effect here, as `mesh_approximation` selects the
            collision geometry; `finalize` warns of a shape that states one of these.
        is_hydroelastic, kh: Newton's hydroelastic contact, and its stiffness [Pa/m]; without effect here, likewise.
    """

    density: float = 1000.0
    mu: float = 1.0
    restitution: float = 0.0
    is_solid: bool = True
    margin: float = 0.0
    gap: float | None = None
    has_shape_collision: bool = True
    has_particle_collision: bool = True
    collision_group: int = 1
    is_site: bool = False
    mu_torsional: float = 0.0
    mu_rolling: float = 0.0
    mesh_approximation: str = "auto"
    is_visible: bool = True
    collision_filter_parent: bool = True
    ke: float = 2500.0
    kd: float = 100.0
    kf: float = 1000.0
    ka: float = 0.0
    sdf_max_resolution: int | None = None
    sdf_target_voxel_size: float | None = None
    is_hydroelastic: bool = False
    kh: float = 1e10

    def check(self) -> None:
        """Check the values.

        Raises:
            OptionError: A value is negative, not finite, or unknown.
        """
        for name in ("density", "mu", "mu_torsional", "mu_rolling", "margin", "gap", "ke", "kd", "kf", "ka"):
            value = getattr(self, name)
            if name == "gap" and value is None:
                continue
            if not 0.0 <= as_number(value) < math.inf:
                raise OptionError(name, value, "a finite number, zero or more")
        for name in ("sdf_max_resolution", "sdf_target_voxel_size", "kh"):
            value = getattr(self, name)
            if value is not None and not 0.0 < as_number(value) < math.inf:
                raise OptionError(name, value, "a finite number above zero")
        as_index("collision_group", self.collision_group, "a group")
        if not 0.0 <= as_number(self.restitution) <= 1.0:
            raise OptionError("restitution", self.restitution, "0 to 1")
        if not isinstance(self.mesh_approximation, str) or self.mesh_approximation not in APPROXIMATIONS:
            raise OptionError("mesh_approximation", self.mesh_approximation, "one of " + ", ".join(APPROXIMATIONS))

    @property
    def friction(self) -> Friction:
        """Coefficients of sliding [1], torsional and rolling friction [m]."""
        return self.mu, self.mu_torsional, self.mu_rolling

    @property
    def flags(self) -> ShapeFlags:
        """Visibility and collision flags."""
        parts = {
            ShapeFlags.VISIBLE: self.is_visible,
            ShapeFlags.COLLIDE_SHAPES: self.has_shape_collision,
            ShapeFlags.COLLIDE_PARTICLES: self.has_particle_collision,
            ShapeFlags.SITE: self.is_site,
        }
        return ShapeFlags(sum(flag for flag, is_set in parts.items() if is_set))

    @flags.setter
    def flags(self, value: int) -> None:
        flags = ShapeFlags(int(value))
        self.is_visible = ShapeFlags.VISIBLE in flags
        self.has_shape_collision = ShapeFlags.COLLIDE_SHAPES in flags
        self.has_particle_collision = ShapeFlags.COLLIDE_PARTICLES in flags
        self.is_site = False
        if ShapeFlags.SITE in flags:
            self.mark_as_site()

    @property
    def unused(self) -> tuple[str, ...]:
        """Names of the stated options that collisions do not use."""
        names = ("sdf_max_resolution", "sdf_target_voxel_size", "is_hydroelastic")
        return tuple(name for name in names if getattr(self, name))

    def copy(self) -> ShapeConfig:
        """Return a copy, which may be changed."""
        return replace(self)

    def mark_as_site(self) -> None:
        """Make it the material of a marker without mass and collision."""
        self.is_site, self.density, self.collision_group = True, 0.0, 0
        self.has_shape_collision = self.has_particle_collision = False

    def validate(self, shape_type: int | None = None) -> None:
        """Check the values; see `check`."""
        self.check()

    def settled(self) -> ShapeConfig:
        """Return a checked copy, in which a site has neither density nor contacts.

        Raises:
            OptionError: A value is negative or not finite.
        """
        self.check()
        settled = replace(self, collision_group=int(self.collision_group))
        if settled.is_site:
            settled.mark_as_site()
        return settled


def groups_touch(first: int, second: int) -> bool:
    """Return whether shapes of two collision groups collide; see `ShapeConfig`."""
    if first == 0 or second == 0:
        return False
    if first > 0 and second > 0:
        return first == second
    return first != second
