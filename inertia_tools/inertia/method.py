# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Sources of mass properties."""

from __future__ import annotations

import enum


class Method(enum.IntEnum):
    """Source of mass properties; names and numbers are those of `LinkInertial.msg`."""

    DECLARED = 0
    PRIMITIVE = 1
    MESH = 2
    HULL = 3
    VOXEL = 4
    COMPOSITE = 5
    NONE = 6
    SHELL = 7
    CAPPED = 8
    ASSUMED = 9
    CUSTOM = 10

    @property
    def label(self) -> str:
        """The name as it stands in JSON."""
        return self.name.lower()

    def __str__(self) -> str:
        return self.label
