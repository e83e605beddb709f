# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Types of prims for which a resolver has attributes."""

from __future__ import annotations

import enum


class PrimType(enum.IntEnum):
    """The role of a prim in the simulation; names and numbers are those of Newton."""

    SCENE = 0
    JOINT = 1
    SHAPE = 2
    BODY = 3
    MATERIAL = 4
    ACTUATOR = 5
    ARTICULATION = 6
