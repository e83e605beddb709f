# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Markers for RViz: the box of uniform density that has the inertia of a link, as declared and as corrected."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from rclpy.time import Time
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from inertia_tools.inertia.report import LinkReport, Report
from inertia_tools.inertial import Inertial
from inertia_tools.ros.conversions import to_pose, to_vector3
from inertia_tools.spatial import quaternion_from_rotation

_DECLARED_COLOUR = ColorRGBA(r=0.9, g=0.2, b=0.2, a=0.5)
_COMPUTED_COLOUR = ColorRGBA(r=0.2, g=0.8, b=0.3, a=0.5)
_THINNEST = 1e-4  # Minimum edge of a box, for flat or impossible tensors [m].


def inertia_markers(report: Report, now: Time, frame_prefix: str) -> MarkerArray:
    """Draw every link's inertial in its link frame; marker ids are indices in the document, so they stay the same.

    Args:
        report: The report, with corrected values if there are any.
        now: Stamp of the markers.
        frame_prefix: Prefix of link names in frame names.
    """
    array = MarkerArray(markers=[Marker(action=Marker.DELETEALL)])
    for number, link in enumerate(report.links):
        for marker in _markers_of(link):
            marker.id = number
            marker.header.frame_id = frame_prefix + link.link
            marker.header.stamp = now.to_msg()
            array.markers.append(marker)
    return array


def _markers_of(link: LinkReport) -> Iterator[Marker]:
    computed = link.corrected if link.changed else link.computed
    for namespace, value, colour in (
        ("declared", link.declared, _DECLARED_COLOUR),
        ("computed", computed, _COMPUTED_COLOUR),
    ):
        inertial = value.inertial if value is not None else None
        if inertial is not None and inertial.is_finite() and inertial.mass > 0.0:
            yield _box(namespace, inertial, colour)


def _box(namespace: str, inertial: Inertial, colour: ColorRGBA) -> Marker:
    quaternion = quaternion_from_rotation(inertial.principal_axes)
    return Marker(
        ns=namespace,
        type=Marker.CUBE,
        action=Marker.ADD,
        pose=to_pose(inertial.com, quaternion),
        scale=to_vector3(np.maximum(inertial.equivalent_box, _THINNEST)),
        color=colour,
        frame_locked=True,
    )
