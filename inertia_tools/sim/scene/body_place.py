# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Where a body is after bodies have become parts of others."""

from __future__ import annotations

from dataclasses import dataclass

from inertia_tools.spatial import Pose


@dataclass(frozen=True, eq=False)
class BodyPlace:
    """Where a body went: the index it has now (or -1, the world), and its frame seen from that body's."""

    body: int
    pose: Pose
