# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Sensors that a file puts on links and joints, as it writes them; what reads them decides what they mean."""

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
    """A `<sensor>` element and where it sits.

    Attributes:
        link: Name of the link that it is on; of one on a joint, the child link.
        joint: Name of the joint that it is on; empty for one on a link.
        pose: The frame that its own pose is stated in, seen from the link: the link's, or the joint's.
        element: The element.
    """

    link: str
    joint: str
    pose: Pose
    element: Element


def urdf_sensors(root: Element, links: Mapping[str, Link], joints: Mapping[str, Joint]) -> Iterator[SensorBlock]:
    """Yield the sensors in the `<gazebo reference=...>` elements of a robot; one that refers to nothing is left out."""
    for block in root.all("gazebo"):
        name = block.attributes.get("reference", "")
        for element in block.all("sensor"):
            if name in links:
                yield SensorBlock(name, "", Pose(), element)
            elif name in joints:
                yield SensorBlock(joints[name].child, name, Pose(), element)
            else:
                LOG.warning("%s: a sensor refers to %r, which is no link and no joint", element.place, name)
