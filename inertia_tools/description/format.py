# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The formats of descriptions, and their differences."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True)
class FormatTraits:
    """Properties of all descriptions of a format.

    Attributes:
        heading: Whose rules determine the mass properties of links, for the title of a table.
        is_urdf: It is URDF, written by hand or expanded.
        has_static_models: A model may be static, so that its mass properties are unused; others are free.
        fills_in_inertials: The inertial in force may differ from the declared one.
        states_principal_axes: A tensor may be stated by its principal moments and axes.
        checks_ranges: The format's reader already reports the ranges of joints.
    """

    heading: str
    is_urdf: bool = False
    has_static_models: bool = False
    fills_in_inertials: bool = False
    states_principal_axes: bool = False
    checks_ranges: bool = False


class Format(enum.StrEnum):
    """The format a description was read from."""

    URDF = "urdf"
    XACRO = "xacro"
    SDF = "sdf"
    MJCF = "mjcf"
    USD = "usd"

    @property
    def traits(self) -> FormatTraits:
        """Properties of all descriptions of the format."""
        return TRAITS[self]


TRAITS: Mapping[Format, FormatTraits] = MappingProxyType(
    {
        Format.URDF: FormatTraits("as declared", is_urdf=True),
        Format.XACRO: FormatTraits("as declared", is_urdf=True),
        Format.SDF: FormatTraits(
            "as SDFormat has it, models at joint positions zero", has_static_models=True, fills_in_inertials=True
        ),
        Format.MJCF: FormatTraits(
            "as MuJoCo compiles it, totals at joint positions zero in the world",
            fills_in_inertials=True,
            states_principal_axes=True,
            checks_ranges=True,
        ),
        Format.USD: FormatTraits(
            "as the stage has it, totals at joint positions zero in the world",
            fills_in_inertials=True,
            states_principal_axes=True,
        ),
    }
)

FORMAT_OF_SUFFIX = {
    ".urdf": Format.URDF,
    ".sdf": Format.SDF,
    ".world": Format.SDF,
    ".xml": Format.MJCF,
    ".mjcf": Format.MJCF,
    ".usd": Format.USD,
    ".usda": Format.USD,
    ".usdc": Format.USD,
}
"""Format that is written to a file with this suffix."""
