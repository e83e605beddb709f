# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The position of a link of a description in a scene."""

from __future__ import annotations

from dataclasses import dataclass

from inertia_tools.spatial import Pose


@dataclass(frozen=True)
class LinkPlace:
    """The body that contains a link, and the link's frame relative to the frame of that body."""

    body: int
    pose_body_link: Pose
