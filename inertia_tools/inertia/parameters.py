# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Integration parameters of geometry: SDFormat's `auto_inertia_params`, and the same for other formats."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal, get_args

from inertia_tools.description.sdf.inertial import OF_ALL_SHAPES, OF_MESHES, OPTIMIZATION
from inertia_tools.errors import OptionError, OptionTypeError
from inertia_tools.geometry.mesh.integral import MeshMethod, MeshOptions, OpenMeshPolicy

OverlapPolicy = Literal["sum", "union"]


def _nothing() -> Mapping[str, str]:
    return MappingProxyType({})


@dataclass(frozen=True)
class AutoInertiaParams:
    """Parameters of the integration of one collision, or of a whole link or robot.

    Attributes:
        method: "auto", "integration", "voxel", "hull" or "shell" as in `MeshOptions`, or the name of a registered
            calculator, which is then called for every mesh.
        tolerance: Relative error asked of the voxels.
        voxel_size: Edge of the smallest voxels [m].
        thickness: Thickness of the wall of hollow shapes [m]; None fills them.
        open_mesh: Treatment of a mesh with holes, as in `MeshOptions`.
        overlap: "sum" counts the overlap of two shapes of a link twice, as all formats do; "union" counts it once.
        may_load_warp: The automatic choice may use voxels.
        custom: The user's own parameters, for a calculator.
    """

    method: str = "auto"
    tolerance: float = 1e-3
    voxel_size: float | None = None
    thickness: float | None = None
    open_mesh: OpenMeshPolicy = "auto"
    overlap: OverlapPolicy = "sum"
    may_load_warp: bool = True
    custom: Mapping[str, str] = field(default_factory=_nothing)

    def __post_init__(self) -> None:
        """Check the values.

        Raises:
            OptionError: A value is out of range.
        """
        if self.overlap not in get_args(OverlapPolicy):
            raise OptionError("overlap", self.overlap, "one of " + ", ".join(get_args(OverlapPolicy)))
        if self.overlap == "union" and self.thickness is not None:
            raise OptionError("overlap", self.overlap, "sum for hollow shapes: crossing walls are not united")
        _ = self.mesh_options
        object.__setattr__(self, "custom", MappingProxyType(dict(self.custom)))

    @property
    def calculator(self) -> str | None:
        """Name of the calculator if the method is one; None for a built-in method."""
        return None if self.method in get_args(MeshMethod) else self.method

    @property
    def mesh_options(self) -> MeshOptions:
        """The part that concerns meshes.

        Raises:
            OptionError: A value is out of range.
        """
        method: MeshMethod = "auto" if self.calculator is not None else self.method  # type: ignore[assignment]
        return MeshOptions(method, self.open_mesh, self.tolerance, self.voxel_size, self.thickness, self.may_load_warp)

    @classmethod
    def from_words(cls, words: Mapping[str, str]) -> AutoInertiaParams:
        """Read parameters given as text, as in a file or on a command line; unknown names are the user's own.

        Raises:
            OptionError: A value is not a number where one is required, or is out of range.
        """
        return cls().overridden(words)

    def overridden(self, words: Mapping[str, str] | None) -> AutoInertiaParams:
        """Override these with parameters given as text; unknown names are the user's own.

        A calculator receives all of them unchanged. Mesh parameters then concern only the calculator: neither a method
        nor `optimization` of the file replaces it for a mesh.

        Raises:
            OptionError: A value is not a number where one is required, or is out of range.
        """
        if not words:
            return self
        own = OF_ALL_SHAPES if self.calculator is not None else OF_ALL_SHAPES | OF_MESHES
        given: dict[str, object] = {"method": "hull"} if words.get(OPTIMIZATION) == HULL and "method" in own else {}
        for name in own & words.keys():
            given[name] = _number(name, words[name]) if name in NUMBERS else words[name].strip()
        known = OF_ALL_SHAPES | OF_MESHES
        chosen = replace(self, **given)  # type: ignore[arg-type]
        custom = words if chosen.calculator is not None else {name: words[name] for name in words.keys() - known}
        return replace(chosen, custom={**self.custom, **custom})


def params_of(params: AutoInertiaParams | None, default: AutoInertiaParams) -> AutoInertiaParams:
    """Return the given parameters, or the default ones.

    Raises:
        OptionTypeError: `params` is something else.
    """
    if params is not None and not isinstance(params, AutoInertiaParams):
        raise OptionTypeError("params", params, "an AutoInertiaParams")
    return default if params is None else params


HULL = "convex_hull"
"""The optimization of SDFormat in which the hull of a mesh collides."""

NUMBERS = frozenset({"tolerance", "voxel_size", "thickness"})
"""Parameters that are numbers."""


def _number(name: str, word: str) -> float:
    try:
        return float(word)
    except ValueError as error:
        raise OptionError(name, word, "a number") from error
