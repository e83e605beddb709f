# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Sensors on links and joints, unparsed; the code that uses them interprets them."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from inertia_tools.description.joint import Joint
from inertia_tools.description.link import Link
from inertia_tools.description.xml import Element
from inertia_tools.spatial import Pose

LOG = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class SensorBlock:
    """A `<sensor>` element and its location.

    Attributes:
        link: Name of its link; for a sensor on a joint, the child link.
        joint: Name of its joint; empty for one on a link.
        pose: The frame in which its own pose is stated, seen from the link: the link's, or the joint's.
        element: The element.
    """

    link: str
    joint: str
    pose: Pose
    element: Element


def urdf_sensors(root: Element, links: Mapping[str, Link], joints: Mapping[str, Joint]) -> Iterator[SensorBlock]:
    """Yield the sensors in a robot's `<gazebo reference=...>` elements; unknown references are left out."""
    for block in root.all("gazebo"):
        name = block.attributes.get("reference", "")
        for element in block.all("sensor"):
            if name in links:
                yield SensorBlock(name, "", Pose(), element)
            elif name in joints:
                yield SensorBlock(joints[name].child, name, Pose(), element)
            else:
                LOG.warning("%s: a sensor refers to %r, which is neither a link nor a joint", element.place, name)
