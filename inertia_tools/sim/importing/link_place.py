# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Where a link of a description went in a scene."""

from __future__ import annotations

from dataclasses import dataclass

from inertia_tools.spatial import Pose


@dataclass(frozen=True)
class LinkPlace:
    """The body that a link is part of, and the link's frame seen from that body."""

    body: int
    pose_body_link: Pose
