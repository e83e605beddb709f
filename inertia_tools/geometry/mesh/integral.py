# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Integration options of a mesh, and the result."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args

import numpy as np

from inertia_tools.errors import OptionError
from inertia_tools.geometry.mesh.defects import MeshFault
from inertia_tools.inertial import Inertial

MeshMethod = Literal["auto", "integration", "voxel", "hull", "shell"]
OpenMeshPolicy = Literal["auto", "cap", "voxel", "hull", "fail"]

LEAST_TOLERANCE = 1e-6
"""Least relative error that can be requested of voxels, whose number is limited."""


class Rung(enum.StrEnum):
    """Method by which the mass properties of a mesh were found."""

    EXACT = "exact"
    CAPPED = "capped"
    VOXEL = "voxel"
    HULL = "hull"
    SHELL = "shell"
    NONE = "none"


@dataclass(frozen=True)
class MeshOptions:
    """How to integrate a mesh.

    Attributes:
        method: "auto" integrates a closed mesh exactly and treats an open one by `open_mesh`; "integration" integrates
            the surface, with caps on its holes; "voxel", "hull" and "shell" select that method, for closed meshes too.
        open_mesh: Treatment of a mesh with holes: "auto" tries the methods in turn, "cap", "voxel" and "hull" select
            one, "fail" gives no value.
        tolerance: Requested relative error of the voxels.
        voxel_size: Edge of the smallest voxels [m]; by default derived from the tolerance.
        thickness: Thickness of the wall [m]: a closed mesh is hollow, an open one is sheet; None fills it.
        may_load_warp: Whether "auto" may use voxels, whose kernel takes a second or more to load.
        device: Name of the Warp device that counts the voxels.
    """

    method: MeshMethod = "auto"
    open_mesh: OpenMeshPolicy = "auto"
    tolerance: float = 1e-3
    voxel_size: float | None = None
    thickness: float | None = None
    may_load_warp: bool = True
    device: str = "cpu"

    def __post_init__(self) -> None:
        """Check the values.

        Raises:
            OptionError: A value is out of range.
        """
        for name, words in (("method", MeshMethod), ("open_mesh", OpenMeshPolicy)):
            if getattr(self, name) not in get_args(words):
                raise OptionError(name, getattr(self, name), "one of " + ", ".join(get_args(words)))
        for name in ("tolerance", "voxel_size", "thickness"):
            if not isinstance(getattr(self, name), int | float | np.number | None):
                raise OptionError(name, getattr(self, name), "a number")
        if not LEAST_TOLERANCE <= self.tolerance < 1.0:
            raise OptionError(
                "tolerance", self.tolerance, f"at least {LEAST_TOLERANCE:g}, the limit of voxels, and below 1"
            )
        for name in ("voxel_size", "thickness"):
            value = getattr(self, name)
            if value is not None and not 0.0 < value < np.inf:
                raise OptionError(name, value, "a positive number of metres")
        if self.method == "shell" and self.thickness is None:
            raise OptionError("thickness", None, "given for a shell")


@dataclass(frozen=True, eq=False)
class MeshIntegral:
    """Mass properties of a mesh at unit density.

    Attributes:
        unit: Inertial at unit density, in the mesh's frame; None if neither the mesh nor its hull has volume.
        rung: The method used.
        error_estimate: Likely relative error of the volume, and of the moments over the largest of them.
        faults: Faults found.
        reason: Reason for the method, in a clause.
        rungs: Results of all methods tried; none if there was no choice.
    """

    unit: Inertial | None
    rung: Rung
    error_estimate: float
    faults: tuple[MeshFault, ...] = ()
    reason: str = ""
    rungs: tuple[MeshIntegral, ...] = ()

    @property
    def alternatives(self) -> Mapping[str, float]:
        """Volumes from the methods tried [m^3], by the name of the method."""
        return MappingProxyType({rung.rung.value: rung.unit.mass for rung in self.rungs if rung.unit is not None})

    @property
    def exact(self) -> bool:
        """Whether the integral is over the mesh itself, not over a substitute."""
        return self.rung is Rung.EXACT

    @classmethod
    def nothing(cls, faults: tuple[MeshFault, ...], reason: str) -> MeshIntegral:
        """Return the integral of a mesh without volume."""
        return cls(None, Rung.NONE, 1.0, tuple(dict.fromkeys((*faults, MeshFault.FLAT))), reason=reason)
