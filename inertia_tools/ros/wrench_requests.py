# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Wrenches requested by services and topics."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from geometry_msgs.msg import Wrench, WrenchStamped

import inertia_tools.srv as srv
from inertia_tools.errors import SimulationError, UnknownLinkError
from inertia_tools.ros.simulation_world import World
from inertia_tools.spatial import rotation_from_quaternion

RENEWAL_TIME = 0.1
"""Simulated time for which a wrench from a topic acts, unless the next one renews it [s]."""

Triple = tuple[float, float, float]


@dataclass(frozen=True)
class WrenchRequest:
    """A wrench requested by a service.

    Attributes:
        body: Name of the body.
        frame: Frame of force and torque: a body, or the world's frame or empty for the world.
        force: Force [N], shape (3,).
        torque: Torque [N m], shape (3,).
        point: Point of application in the body's link frame [m], shape (3,).
        duration: Simulated time for which it acts [s]; zero means one step, negative until the next wrench or a reset.
    """

    body: str
    frame: str
    force: tuple[float, float, float]
    torque: tuple[float, float, float]
    point: tuple[float, float, float]
    duration: float = 0.0

    def apply(self, world: World) -> None:
        """Apply the wrench, replacing one on the same body.

        Raises:
            InertiaToolsError: There is no such body or frame, or no simulation yet.
        """
        simulation = world.sound
        names = list(simulation.names)
        for name in (self.body, *([self.frame] if self.frame else [])):
            if name not in names:
                raise UnknownLinkError(name, names)
        force, torque = self.force, self.torque
        if self.frame:
            turn = rotation_from_quaternion(simulation.snapshot().quaternions[names.index(self.frame)])
            force, torque = tuple((turn @ force).tolist()), tuple((turn @ torque).tolist())
        simulation.apply_wrench(self.body, force, torque, self.point, self.duration)


@dataclass(frozen=True)
class WrenchCommand:
    """A wrench from a topic, for a world.

    Attributes:
        requests: The wrench on each link that the message may mean; those that exist get it.
    """

    requests: tuple[WrenchRequest, ...]

    def apply(self, world: World) -> list[str]:
        """Apply the wrench; the list of unknown names is always empty.

        Raises:
            InertiaToolsError: There is no such link, or no simulation yet.
        """
        known = world.sound.names
        for request in [one for one in self.requests if one.body in known] or self.requests[:1]:
            request.apply(world)
        return []


def wrench_on_link(message: WrenchStamped, scopes: tuple[str, ...], frame_prefix: str) -> WrenchCommand:
    """Read a message of the topic: a wrench on the link whose frame it names, at its origin and in its axes.

    Args:
        message: The message.
        scopes: Prefixes of the link's name, unless the frame's name already has one, as published frames do.
        frame_prefix: Prefix of the frame's name before that of the link.

    Raises:
        SimulationError: The message names no frame, or a number is not finite.
    """
    link = message.header.frame_id.removeprefix(frame_prefix)
    named = [scope for scope in scopes if link.startswith(scope)]
    links = [link] if any(named) else [scope + link for scope in scopes]
    if not link or link in named:
        raise SimulationError("a wrench needs header.frame_id, the name of the link that it acts on")
    force, torque = _finite(message.wrench)
    place = (0.0, 0.0, 0.0)
    return WrenchCommand(tuple(WrenchRequest(one, one, force, torque, place, RENEWAL_TIME) for one in links))


def wrench_of(request: srv.ApplyWrench.Request, world_frame: str, frame_prefix: str) -> WrenchRequest:
    """Read an ApplyWrench request.

    Args:
        request: The request.
        world_frame: Name of the world's frame.
        frame_prefix: Optional prefix of the names of links, as in the names of frames.

    Raises:
        SimulationError: A number is not finite.
    """
    point = request.point
    force, torque = _finite(request.wrench.wrench)
    place = (point.x, point.y, point.z)
    if not np.isfinite(place).all():
        raise SimulationError("force, torque and point must be finite numbers")
    named = request.wrench.header.frame_id
    frame = "" if named == world_frame else named.removeprefix(frame_prefix)
    duration = request.duration.sec + 1e-9 * request.duration.nanosec
    return WrenchRequest(request.body.removeprefix(frame_prefix), frame, force, torque, place, duration)


def _finite(wrench: Wrench) -> tuple[Triple, Triple]:
    """Return force and torque.

    Raises:
        SimulationError: A number is not finite.
    """
    force = (wrench.force.x, wrench.force.y, wrench.force.z)
    torque = (wrench.torque.x, wrench.torque.y, wrench.torque.z)
    if not np.isfinite([*force, *torque]).all():
        raise SimulationError("force, torque and point must be finite numbers")
    return force, torque
