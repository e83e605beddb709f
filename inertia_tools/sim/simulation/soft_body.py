# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Cloth, soft boxes and loose particles of a simulation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from inertia_tools.errors import OptionError, SimulationError
from inertia_tools.sim.scene.elastic_constants import (
    hinge_factors,
    lame_parameters,
    membrane_parameters,
    plate_rigidity,
)
from inertia_tools.sim.scene.given import as_count, as_list
from inertia_tools.sim.scene.soft_arguments import as_nonnegative, as_positive
from inertia_tools.spatial import Pose

if TYPE_CHECKING:
    from inertia_tools.sim.builder import ModelBuilder

SIDES = ("left", "right", "bottom", "top")
"""Sides that may be fixed: at minimum and maximum x, and at minimum and maximum y."""


@dataclass(frozen=True)
class Elastic:
    """Elastic material of a soft body.

    Attributes:
        young: Young's modulus [Pa].
        poisson: Poisson's ratio, in [0, 1/2).
        damping: Ratio of damping to stiffness [s].
    """

    young: float = 1e5
    poisson: float = 0.3
    damping: float = 1e-3

    def __post_init__(self) -> None:
        """Check the numbers.

        Raises:
            OptionError: A number is out of range.
        """
        as_nonnegative("young", self.young, "Pa")
        as_nonnegative("damping", self.damping, "s")
        if not 0.0 <= as_nonnegative("poisson", self.poisson) < 0.5:
            raise OptionError("poisson", self.poisson, "a number from 0 to below 0.5")


@dataclass(frozen=True)
class Cloth(Elastic):
    """A flat rectangle of cloth in the xy plane of its frame, with a corner at the origin.

    Attributes:
        size: Edge lengths along x and y [m].
        cells: Number of cells along x and y.
        mass: Mass of the cloth [kg]; fixed particles have none.
        thickness: Thickness, which determines the stiffness in stretching and bending [m].
        radius: Contact radius of its particles [m]; None for half the thickness.
        fixed: Names of fixed sides.
    """

    size: Sequence[float] = (1.0, 1.0)
    cells: Sequence[int] = (16, 16)
    mass: float = 0.2
    thickness: float = 1e-3
    radius: float | None = None
    fixed: Sequence[str] = ()

    def add_to(self, builder: ModelBuilder, pose: Pose, label: str = "") -> None:
        """Add its particles and elements to a scene.

        Raises:
            OptionError: A number is out of range.
        """
        counts, sizes = _counts(self.cells, 2), _sizes("size", self.size, 2)
        thickness = as_positive("thickness", self.thickness, "m")
        shear, area = membrane_parameters(self.young, self.poisson, thickness)
        first = builder.edge_count
        builder.add_cloth_grid(
            pos=pose.position, rot=pose.quaternion, dim_x=counts[0], dim_y=counts[1],
            cell_x=sizes[0] / counts[0], cell_y=sizes[1] / counts[1],
            mass=as_nonnegative("mass", self.mass, "kg") / ((counts[0] + 1) * (counts[1] + 1)),
            tri_ke=shear, tri_ka=area, tri_kd=self.damping * shear, tri_drag=0.0, tri_lift=0.0,
            particle_radius=0.5 * thickness if self.radius is None else self.radius, label=label, **_fixed(self.fixed),
        )  # fmt: skip
        rigidity = plate_rigidity(self.young, self.poisson, thickness)
        bending = rigidity * hinge_factors(np.array(builder.particle_q), np.array(builder.edge_indices[first:]))
        builder.edge_bending_properties[first:] = [(one, self.damping * one) for one in bending.tolist()]


@dataclass(frozen=True)
class SoftBox(Elastic):
    """A soft box along the axes of its frame, with a corner at the origin.

    Attributes:
        size: Edge lengths along x, y and z [m].
        cells: Number of cells along x, y and z; each cell consists of five tetrahedra.
        density: Density [kg/m^3].
        radius: Contact radius of its particles [m].
        fixed: Names of fixed sides.
        smooth_strain: Whether to avoid locking of tetrahedra, at about twice the work; see
            `ModelBuilder.add_soft_grid`.
    """

    size: Sequence[float] = (0.2, 0.2, 0.2)
    cells: Sequence[int] = (4, 4, 4)
    density: float = 1000.0
    radius: float = 1e-3
    fixed: Sequence[str] = ()
    smooth_strain: bool = False

    def add_to(self, builder: ModelBuilder, pose: Pose, label: str = "") -> None:
        """Add its particles and elements to a scene.

        Raises:
            OptionError: A number is out of range.
        """
        counts, sizes = _counts(self.cells, 3), _sizes("size", self.size, 3)
        shear, bulk = lame_parameters(self.young, self.poisson)
        cell_x, cell_y, cell_z = (size / count for size, count in zip(sizes, counts, strict=True))
        builder.add_soft_grid(
            pos=pose.position, rot=pose.quaternion, dim_x=counts[0], dim_y=counts[1], dim_z=counts[2],
            cell_x=cell_x, cell_y=cell_y, cell_z=cell_z, density=self.density,
            k_mu=shear, k_lambda=bulk, k_damp=self.damping * shear, particle_radius=self.radius, label=label,
            smooth_strain=self.smooth_strain,
            **_fixed(self.fixed),
        )  # fmt: skip


@dataclass(frozen=True)
class Particles:
    """Loose particles on a grid along the axes of its frame, starting at the origin.

    Attributes:
        count: Number of particles along each axis.
        spacing: Distance between neighbours along each axis [m].
        mass: Mass of each particle [kg].
        radius: Radius of each particle [m].
        jitter: Maximum random displacement along each axis [m].
    """

    count: Sequence[int] = (5, 5, 5)
    spacing: Sequence[float] = (0.05, 0.05, 0.05)
    mass: float = 1e-3
    radius: float = 0.02
    jitter: float = 0.0

    def add_to(self, builder: ModelBuilder, pose: Pose, label: str = "") -> None:
        """Add the particles to a scene.

        Raises:
            OptionError: A number is out of range.
        """
        counts, spacing = _counts(self.count, 3, "count"), _sizes("spacing", self.spacing, 3)
        builder.add_particle_grid(
            pos=pose.position, rot=pose.quaternion, dim_x=counts[0], dim_y=counts[1], dim_z=counts[2],
            cell_x=spacing[0], cell_y=spacing[1], cell_z=spacing[2], mass=self.mass, radius_mean=self.radius,
            jitter=self.jitter,
        )  # fmt: skip


KINDS: Mapping[str, type[Any]] = {"cloth": Cloth, "soft_box": SoftBox, "particles": Particles}
"""Classes of soft bodies, by their keys in a scene file."""


@dataclass(frozen=True)
class SoftBody:
    """A soft body of a simulation.

    Attributes:
        name: Its name.
        made: Its shape and material: a `Cloth`, a `SoftBox` or `Particles`.
        pose: Its initial pose in the world.
    """

    name: str
    made: Cloth | SoftBox | Particles
    pose: Pose = field(default_factory=Pose)

    def __post_init__(self) -> None:
        """Check the types of the fields; `add_to` checks the numbers in `made`.

        Raises:
            OptionError: A field has the wrong type.
        """
        if not isinstance(self.name, str):
            raise OptionError("name", self.name, "a text")
        if not isinstance(self.made, tuple(KINDS.values())):
            raise OptionError("made", self.made, "a Cloth, a SoftBox or Particles")
        if not isinstance(self.pose, Pose):
            raise OptionError("pose", self.pose, "a Pose")

    def add_to(self, builder: ModelBuilder) -> range:
        """Add it to a scene, and return the indices of its particles.

        Raises:
            SimulationError: A number is out of range.
        """
        first = builder.particle_count
        try:
            self.made.add_to(builder, self.pose, self.name)
        except OptionError as error:
            raise SimulationError(f"soft body {self.name!r}: {error}") from error
        return range(first, builder.particle_count)


def soft_body_of(name: str, kind: str, values: Any, pose: Pose) -> SoftBody:
    """Return a soft body from an entry of a scene file.

    Args:
        name: Its name.
        kind: Its key in `KINDS`.
        values: Attributes in the file, by name.
        pose: Its initial pose in the world.

    Raises:
        OptionError: The attributes are not a mapping, or an attribute is unknown.
    """
    made: Callable[..., Any] = KINDS[kind]
    known = [one.name for one in fields(KINDS[kind])]
    if not isinstance(values, Mapping) or not set(values) <= set(known):
        raise OptionError(kind, values, "a mapping of " + ", ".join(known))
    return SoftBody(name, made(**values), pose)


def _counts(values: Any, width: int, name: str = "cells") -> list[int]:
    counts = as_list(name, values, "whole numbers")
    if len(counts) != width:
        raise OptionError(name, values, f"{width} whole numbers")
    return [as_count(name, count) for count in counts]


def _sizes(name: str, values: Any, width: int) -> list[float]:
    sizes = as_list(name, values, "numbers of metres")
    if len(sizes) != width:
        raise OptionError(name, values, f"{width} numbers of metres")
    return [as_positive(name, size, "m") for size in sizes]


def _fixed(sides: Any) -> dict[str, Any]:
    if isinstance(sides, str) or not isinstance(sides, Sequence) or any(side not in SIDES for side in sides):
        raise OptionError("fixed", sides, "a list of " + ", ".join(SIDES))
    return {f"fix_{side}": True for side in sides}
