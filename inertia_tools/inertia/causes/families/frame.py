# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A tensor stated in the axes of another frame: rotated by right angles, or by a rotation that the file states."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations, product

import numpy as np

from inertia_tools.inertia.causes.codes import SWAPPED_AXIS, WRONG_FRAME
from inertia_tools.inertia.causes.evidence import Evidence
from inertia_tools.inertia.causes.hypotheses import Hypotheses, each
from inertia_tools.spatial import Array

NAMED = 0.5
"""How often the frame is one stated in the file, rather than axes rotated by right angles."""

TENSOR_ALONE = 0.7
"""How often the centre of mass is in the right frame while the tensor is not."""

ROUND = 0.03
"""Two moments that differ by less, over the sum of all, are those of a body of revolution."""


def _right_angles() -> Array:
    """Return the 23 rotations of a cube other than the identity, shape (23, 3, 3)."""
    found = []
    for order in permutations(range(3)):
        for signs in product((1.0, -1.0), repeat=3):
            matrix = np.eye(3)[list(order)] * np.array(signs)[:, np.newaxis]
            if np.linalg.det(matrix) > 0.0 and not np.array_equal(matrix, np.eye(3)):
                found.append(matrix)
    return np.array(found)


def _words(turn: Array) -> str:
    """Name the true axes of x, y and z in the file."""
    axes = []
    for column in turn.T:
        axis = int(np.abs(column).argmax())
        axes.append(("-" if column[axis] < 0.0 else "") + "xyz"[axis])
    return f"x, y, z of the tensor are {', '.join(axes)} of the link: turn it"


RIGHT_ANGLES = _right_angles()
RIGHT_ANGLE_WORDS = tuple(_words(turn) for turn in RIGHT_ANGLES)
RIGHT_ANGLE_SHARES = np.full(len(RIGHT_ANGLES), (1.0 - NAMED) / len(RIGHT_ANGLES))

QUARTER_TURNS = RIGHT_ANGLES[np.trace(RIGHT_ANGLES, axis1=1, axis2=2) == 1.0]
QUARTER_TURN_WORDS = tuple(f"the axis of revolution is another: {_words(turn)}" for turn in QUARTER_TURNS)


def wrong_frame(evidence: Evidence) -> Sequence[Hypotheses]:
    """Explain the tensor, or tensor and centre of mass, by the frame in which they are stated."""
    turns, words, shares = RIGHT_ANGLES, RIGHT_ANGLE_WORDS, RIGHT_ANGLE_SHARES
    declared, named = evidence.declared, evidence.rotations
    if named:
        turns = np.concatenate([turns, list(named.values())])
        words = (*words, *(f"the tensor is stated in {name}: turn it into the inertial frame" for name in named))
        shares = np.concatenate([shares, np.full(len(named), NAMED / len(named))])
    count = len(turns)
    tensors = turns @ declared.inertia @ turns.transpose(0, 2, 1)
    return (
        Hypotheses(
            WRONG_FRAME,
            [*words, *(f"{said}, and the centre of mass too" for said in words)],
            np.full(2 * count, declared.mass),
            np.concatenate([each(declared.com, count), turns @ declared.com]),
            np.concatenate([tensors, tensors]),
            np.concatenate([TENSOR_ALONE * shares, (1.0 - TENSOR_ALONE) * shares]),
            is_systematic=True,
            geometry_scale=np.ones(2 * count),
        ),
    )


def swapped_axis(evidence: Evidence) -> Sequence[Hypotheses]:
    """Explain the tensor of a body of revolution by the axis for which it was computed."""
    declared, geometry = evidence.declared, evidence.geometry
    trace = float(np.trace(declared.inertia))
    if not (trace > 0.0 and _is_round(geometry.principal_gyration / geometry.trace)):
        return ()
    own = np.asarray(np.linalg.eigvalsh(declared.inertia), dtype=np.float64) / trace
    if not _is_round(own):
        return ()
    count = len(QUARTER_TURNS)
    return (
        Hypotheses(
            SWAPPED_AXIS,
            QUARTER_TURN_WORDS,
            np.full(count, declared.mass),
            each(declared.com, count),
            QUARTER_TURNS @ declared.inertia @ QUARTER_TURNS.transpose(0, 2, 1),
            np.full(count, 1.0 / count),
            geometry_scale=np.ones(count),
        ),
    )


def _is_round(moments: Array) -> bool:
    low, middle, high = map(float, moments)
    return min(middle - low, high - middle) < ROUND < max(middle - low, high - middle)
