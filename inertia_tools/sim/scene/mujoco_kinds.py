# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Kinds of what MuJoCo's attributes are about, by its numbers, and names of its tables."""

from __future__ import annotations

import enum

NAMESPACE = "mujoco"


class EqType(enum.IntEnum):
    """Kinds of equalities, by MuJoCo's numbers."""

    CONNECT = 0
    WELD = 1
    JOINT = 2
    TENDON = 3


class TrnType(enum.IntEnum):
    """Target of an actuator, by MuJoCo's numbers."""

    UNDEFINED = -1
    JOINT = 0
    JOINT_IN_PARENT = 1
    TENDON = 2
    SITE = 3
    BODY = 4
    SLIDERCRANK = 5


class CtrlSource(enum.IntEnum):
    """Source of the control of an actuator."""

    JOINT_TARGET = 0
    CTRL_DIRECT = 1


class CtrlType(enum.IntEnum):
    """Meaning of the control of an actuator."""

    POSITION = 0
    VELOCITY = 1
    GENERAL = 2
    DCMOTOR = 3


class SolrefMode(enum.IntEnum):
    """Meaning of the reference of a limit or contact: gains, the file's own values, or MuJoCo's default."""

    FORCE_SPACE = 0
    RAW = 1
    MJCF_DEFAULT = 2


BODIES = "body"
SHAPES = "shape"
PAIRS = f"{NAMESPACE}:pair"
ACTUATORS = f"{NAMESPACE}:actuator"
TENDONS = f"{NAMESPACE}:tendon"
TENDON_JOINTS = f"{NAMESPACE}:tendon_joint"
EQUALITIES = f"{NAMESPACE}:equality_constraint"
