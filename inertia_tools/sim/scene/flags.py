# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Bits that say what a body or a shape takes part in; the values are Newton's."""

from __future__ import annotations

import enum


class BodyFlags(enum.IntFlag):
    """How a body moves."""

    DYNAMIC = 1
    """By forces."""
    KINEMATIC = 2
    """By velocities or poses that are written."""
    PROXY = 4
    """Of solvers that are coupled; no body of ours has it."""
    ALL = 7


class ShapeFlags(enum.IntFlag):
    """Visibility and collision of a shape."""

    VISIBLE = 1
    COLLIDE_SHAPES = 2
    COLLIDE_PARTICLES = 4
    SITE = 8
    HYDROELASTIC = 16
    """Of Newton's pressure fields; no shape of ours has it."""


class StateFlags(enum.IntFlag):
    """Parts of a state."""

    NONE = 0
    JOINT_Q = 1
    JOINT_QD = 2
    BODY_Q = 4
    BODY_QD = 8
    PARTICLE_Q = 16
    PARTICLE_QD = 32
    BODY_F = 64
    PARTICLE_F = 128
    JOINT_F = 256
    JOINT = JOINT_Q | JOINT_QD
    BODY = BODY_Q | BODY_QD
    PARTICLE = PARTICLE_Q | PARTICLE_QD
    FORCE = BODY_F | PARTICLE_F | JOINT_F
    ALL = 511
