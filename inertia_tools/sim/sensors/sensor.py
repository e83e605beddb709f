# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Kinds of sensors, and how they are read from the `<sensor>` elements of URDF and SDFormat."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from inertia_tools.description.sdf.values import number_in, pose_of, text_in
from inertia_tools.description.sensor import SensorBlock
from inertia_tools.description.xml import Element
from inertia_tools.spatial import Pose

LIDARS = ("lidar", "gpu_lidar", "ray", "gpu_ray")
FORCE_TORQUE = ("force_torque", "force-torque")
FRAMES = ("child", "parent", "sensor")
DIRECTIONS = ("child_to_parent", "parent_to_child")

MOST_RAYS = 100_000
"""Maximum number of rays of one scan; a file with more rays is assumed to be wrong."""


@dataclass(frozen=True, eq=False)
class Sensor:
    """A sensor.

    Attributes:
        name: Its name.
        link: Link that carries it; the child link for a sensor on a joint.
        pose: Pose of its frame in the link.
        rate: Measurements per second of simulated time [Hz]; 0 for one per step.
        topic: Name of its topic; the sensor's name if the file states none.
        frame: Name of its frame in the file; empty if there is none.
    """

    name: str
    link: str
    pose: Pose
    rate: float
    topic: str
    frame: str


@dataclass(frozen=True, eq=False)
class Imu(Sensor):
    """Measures orientation, angular velocity and specific force, in its own axes."""


@dataclass(frozen=True, eq=False)
class ForceTorque(Sensor):
    """Measures the wrench that a joint transmits.

    Attributes:
        joint: The joint.
        axes: Frame of the result: "child", "parent" or "sensor".
        on_parent: Whether the wrench is that of the child on the parent; otherwise it is the opposite.
    """

    joint: str
    axes: str
    on_parent: bool


@dataclass(frozen=True, eq=False)
class ContactSensor(Sensor):
    """Measures the contacts of its link."""


@dataclass(frozen=True, eq=False)
class Lidar(Sensor):
    """Measures distances in its xy plane.

    Attributes:
        count: Number of rays.
        first: Angle of the first ray from x about z [rad].
        last: Angle of the last ray [rad].
        nearest: Minimum distance [m].
        farthest: Maximum distance [m].
    """

    count: int
    first: float
    last: float
    nearest: float
    farthest: float

    @property
    def increment(self) -> float:
        """Angle between consecutive rays [rad]."""
        return (self.last - self.first) / (self.count - 1) if self.count > 1 else 0.0


def read_sensor(block: SensorBlock) -> Sensor | None:
    """Read a sensor; None for an unsupported kind, such as a camera.

    Raises:
        ParseError: An element has an invalid value.
    """
    element = block.element
    kind = element.attribute("type")
    name = element.attributes.get("name", "") or kind
    rate = number_in(element, "update_rate", 0.0)
    if not (math.isfinite(rate) and rate >= 0.0):
        raise element.error(f"<update_rate> of sensor {name!r} is {rate:g}; it must be zero or more [Hz]")
    frames = (text_in(element, tag) for tag in ("gz_frame_id", "ignition_frame_id", "frame_id"))
    common: dict[str, Any] = {
        "name": name,
        "link": block.link,
        "pose": block.pose @ pose_of(element.only("pose")),
        "rate": rate,
        "topic": text_in(element, "topic") or name,
        "frame": next(filter(None, frames), ""),
    }
    if kind == "imu":
        return Imu(**common)
    if kind == "contact":
        return ContactSensor(**common)
    if kind in FORCE_TORQUE:
        return _force_torque(block, common)
    return _lidar(element, common) if kind in LIDARS else None


def _force_torque(block: SensorBlock, common: dict[str, Any]) -> ForceTorque:
    if not block.joint:
        raise block.element.error(f"force-torque sensor {common['name']!r} must be on a joint")
    settings = block.element.only("force_torque")
    axes = (text_in(settings, "frame") if settings is not None else "") or FRAMES[0]
    direction = (text_in(settings, "measure_direction") if settings is not None else "") or DIRECTIONS[0]
    for word, known in ((axes, FRAMES), (direction, DIRECTIONS)):
        if word not in known:
            raise block.element.error(f"{word!r} is not one of {', '.join(known)}")
    return ForceTorque(**common, joint=block.joint, axes=axes, on_parent=direction == DIRECTIONS[0])


def _lidar(element: Element, common: dict[str, Any]) -> Lidar:
    settings = element.only("lidar") or element.only("ray")
    if settings is None:
        raise element.error("a range sensor needs a <lidar> or a <ray> with <scan> and <range>")
    across = settings.required("scan").required("horizontal")
    reach = settings.required("range")
    count = round(number_in(across, "samples", 640.0) * number_in(across, "resolution", 1.0))
    angles = number_in(across, "min_angle", 0.0), number_in(across, "max_angle", 0.0)
    nearest, farthest = number_in(reach, "min", 0.0), number_in(reach, "max", math.inf)
    if not (1 <= count <= MOST_RAYS and all(map(math.isfinite, angles)) and angles[0] <= angles[1]):
        raise across.error(f"a scan must have 1 to {MOST_RAYS} rays, and min_angle must not exceed max_angle")
    if not 0.0 <= nearest <= farthest:
        raise reach.error(f"the range is {nearest:g} to {farthest:g} m; min must be between zero and max")
    return Lidar(**common, count=count, first=angles[0], last=angles[1], nearest=nearest, farthest=farthest)
