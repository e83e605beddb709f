# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Kinds of joints, as the rows of a constraint that they hold.

A joint compares the child's frame with the parent's in six rows: three of displacement and three of rotation, along
x, y, z of the joint's frame. Hard rows are kept at zero; some of the others are coordinates of the joint.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

LINEAR_X, LINEAR_Y, LINEAR_Z, ANGULAR_X, ANGULAR_Y, ANGULAR_Z = range(6)
NO_COORDINATE = -1


@dataclass(frozen=True)
class Rows:
    """The rows a joint holds, and those that are its coordinates."""

    hard: frozenset[int]
    free: tuple[int, ...] = ()

    @property
    def coordinate(self) -> int:
        """The row of the joint's only coordinate; `NO_COORDINATE` when it has none, or several."""
        return self.free[0] if len(self.free) == 1 else NO_COORDINATE


class JointKind(enum.IntEnum):
    """Kind of a joint by its degrees of freedom; the values are those of Newton's joint types, except `PLANAR`."""

    PRISMATIC = 0
    REVOLUTE = 1
    BALL = 2
    FIXED = 3
    FREE = 4
    DISTANCE = 5
    D6 = 6
    CABLE = 7
    ROD = 7
    PLANAR = 8

    @property
    def rows(self) -> Rows:
        """The rows that a joint of this kind holds; for `D6` those that it holds without any axis."""
        return _ROWS[self]


JointType = JointKind
"""The same, by Newton's name."""


class Turning(enum.IntEnum):
    """How a joint measures rotation."""

    TWIST = 0
    """At most one angle about x; the other components are kept at zero."""
    ANGLES = 1
    """Three intrinsic angles x, y, z: each axis rotates with the angles before it."""
    VECTOR = 2
    """Three components of the rotation vector since the start of the substep; a ball joint."""
    CROSS = 3
    """Two angles, about the parent's x and the child's y, which stay perpendicular; a universal joint."""


_LINEAR = frozenset({LINEAR_X, LINEAR_Y, LINEAR_Z})
_ANGULAR = frozenset({ANGULAR_X, ANGULAR_Y, ANGULAR_Z})
_ROWS = {
    JointKind.PRISMATIC: Rows(_ANGULAR | {LINEAR_Y, LINEAR_Z}, (LINEAR_X,)),
    JointKind.REVOLUTE: Rows(_LINEAR | {ANGULAR_Y, ANGULAR_Z}, (ANGULAR_X,)),
    JointKind.BALL: Rows(_LINEAR, (ANGULAR_X, ANGULAR_Y, ANGULAR_Z)),
    JointKind.FIXED: Rows(_LINEAR | _ANGULAR),
    JointKind.FREE: Rows(frozenset()),
    JointKind.DISTANCE: Rows(frozenset(), (LINEAR_X,)),
    JointKind.D6: Rows(_LINEAR | _ANGULAR),
    JointKind.PLANAR: Rows(frozenset({LINEAR_X, ANGULAR_Y, ANGULAR_Z}), (LINEAR_Y, LINEAR_Z, ANGULAR_X)),
}
