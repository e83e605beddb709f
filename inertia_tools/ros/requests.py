# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Conversion of request and parameter options to arguments of the library."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TypeVar

import inertia_tools.msg as msg
from inertia_tools.errors import OptionError
from inertia_tools.ros.codes import Geometry, MassPolicy, OpenMesh, Scope

_Code = TypeVar("_Code", bound=enum.IntEnum)


@dataclass(frozen=True)
class Options:
    """Options of inertial computation, as the library names them.

    Attributes:
        density: Density of geometry [kg/m^3].
        geometry: "collision" or "visual".
        mass_policy: "keep" or "density".
        open_mesh: "auto", "hull", "voxel" or "fail".
        links: Names of the links to process; None means all.
    """

    density: float = 1000.0
    geometry: str = "collision"
    mass_policy: str = "keep"
    open_mesh: str = "auto"
    links: tuple[str, ...] | None = None


def word_of(option: str, code: int, codes: type[_Code]) -> str:
    """Return the library's word for a constant of a message.

    Raises:
        OptionError: The number is not one of the constants.
    """
    try:
        return codes(code).name.lower()
    except ValueError:
        allowed = ", ".join(f"{member.value} ({member.name})" for member in codes)
        raise OptionError(option, code, f"one of {allowed}") from None


def options_of(message: msg.ComputeOptions) -> Options:
    """Read ComputeOptions.

    Raises:
        OptionError: A number is not one of the documented constants.
    """
    return Options(
        density=message.density,
        geometry=word_of("geometry", message.geometry, Geometry),
        mass_policy=word_of("mass_policy", message.mass_policy, MassPolicy),
        open_mesh=word_of("open_mesh_policy", message.open_mesh_policy, OpenMesh),
        links=tuple(message.links) or None,
    )


def scope_of(code: int) -> str:
    """Return the scope for a constant of CorrectModel.

    Raises:
        OptionError: The number is not one of the constants.
    """
    return word_of("scope", code, Scope)
