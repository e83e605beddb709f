# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What a joint has where nothing is said."""

from __future__ import annotations

import math
from dataclasses import dataclass

from inertia_tools.spatial import ArrayLike


@dataclass
class JointDofConfig:
    """The coordinate of a joint.

    Attributes:
        axis: Direction in the joint's frame, shape (3,); its length does not matter.
        limit_lower: Least position [rad or m].
        limit_upper: Greatest position [rad or m].
        damping: Viscous damping [N m s/rad or N s/m].
    """

    axis: ArrayLike = (1.0, 0.0, 0.0)
    limit_lower: float = -math.inf
    limit_upper: float = math.inf
    damping: float = 0.0
