# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Kinds of prims that a resolver knows attributes of."""

from __future__ import annotations

import enum


class PrimType(enum.IntEnum):
    """What a prim is to the simulator; names and numbers are those of Newton."""

    SCENE = 0
    JOINT = 1
    SHAPE = 2
    BODY = 3
    MATERIAL = 4
    ACTUATOR = 5
    ARTICULATION = 6
