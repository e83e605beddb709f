# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Enumerations with the names and numbers of the constants in the message files.

Severity and method are enumerations of the library, which use the same numbers.
"""

from __future__ import annotations

import enum


class ModelFormat(enum.IntEnum):
    """``FORMAT_*`` of ModelSource."""

    AUTO = 0
    URDF = 1
    SDF = 2
    MJCF = 3
    USD = 4


class Geometry(enum.IntEnum):
    """``GEOMETRY_*`` of ComputeOptions."""

    COLLISION = 0
    VISUAL = 1


class MassPolicy(enum.IntEnum):
    """``MASS_*`` of ComputeOptions."""

    KEEP = 0
    DENSITY = 1


class OpenMesh(enum.IntEnum):
    """``OPEN_MESH_*`` of ComputeOptions."""

    AUTO = 0
    HULL = 1
    VOXEL = 2
    FAIL = 3


class Scope(enum.IntEnum):
    """``SCOPE_*`` of CorrectModel."""

    INVALID = 0
    IMPLAUSIBLE = 1
    ALL = 2


class Failure(enum.IntEnum):
    """Constants of ErrorCode."""

    NONE = 0
    NO_MODEL = 101
    PARSE_ERROR = 102
    UNKNOWN_LINK = 103
    MISSING_MESH = 104
    INVALID_OPTION = 105
    NOT_CORRECTABLE = 106
    WRITE_FAILED = 107
    INTERNAL = 108
    BUSY = 109
    TIMED_OUT = 110
