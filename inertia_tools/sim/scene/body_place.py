# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The new position of a body after bodies were merged."""

from __future__ import annotations

from dataclasses import dataclass

from inertia_tools.spatial import Pose


@dataclass(frozen=True, eq=False)
class BodyPlace:
    """Position of a merged body: its new index (-1 is the world), and its frame relative to that body."""

    body: int
    pose: Pose
