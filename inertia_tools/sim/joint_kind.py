# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Kinds of joints, as the rows of a constraint that they hold.

A joint's frame has its axis along x. A joint compares the child's frame with the parent's in six rows: three of
displacement and three of rotation, along x, y, z. Hard rows are kept at zero; at most one is the joint's coordinate.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

LINEAR_X, LINEAR_Y, LINEAR_Z, ANGULAR_X, ANGULAR_Y, ANGULAR_Z = range(6)
NO_COORDINATE = -1


@dataclass(frozen=True)
class Rows:
    """The rows a joint holds, and the row that is its coordinate."""

    hard: frozenset[int]
    coordinate: int = NO_COORDINATE

    @property
    def mask(self) -> int:
        """The hard rows as bits."""
        return sum(1 << row for row in self.hard)


class JointKind(enum.IntEnum):
    """What a joint leaves free."""

    FREE = 0
    FIXED = 1
    REVOLUTE = 2
    PRISMATIC = 3
    BALL = 4
    PLANAR = 5

    @property
    def rows(self) -> Rows:
        """The rows that the joint holds."""
        return _ROWS[self]


_LINEAR = frozenset({LINEAR_X, LINEAR_Y, LINEAR_Z})
_ANGULAR = frozenset({ANGULAR_X, ANGULAR_Y, ANGULAR_Z})
_ROWS = {
    JointKind.FREE: Rows(frozenset()),
    JointKind.FIXED: Rows(_LINEAR | _ANGULAR),
    JointKind.REVOLUTE: Rows(_LINEAR | {ANGULAR_Y, ANGULAR_Z}, ANGULAR_X),
    JointKind.PRISMATIC: Rows(_ANGULAR | {LINEAR_Y, LINEAR_Z}, LINEAR_X),
    JointKind.BALL: Rows(_LINEAR),
    JointKind.PLANAR: Rows(frozenset({LINEAR_X, ANGULAR_Y, ANGULAR_Z})),
}
