# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""All publishers of the simulator for the state of its world."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from geometry_msgs.msg import TransformStamped
from nav_msgs.msg import Odometry
from rclpy.node import Node
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState, PointCloud2
from std_msgs.msg import Header
from visualization_msgs.msg import Marker, MarkerArray

import inertia_tools.msg as msg
from inertia_tools.errors import MissingDependencyError, SimulationError
from inertia_tools.ros import simulation_messages as messages
from inertia_tools.ros.conversions import to_transform
from inertia_tools.ros.qos import CLOCK, RELIABLE, overridable_publisher
from inertia_tools.ros.sensor_topics import SensorTopics
from inertia_tools.ros.simulation_world import World
from inertia_tools.ros.state_writers import StateWriters

if TYPE_CHECKING:
    from inertia_tools.ros.entity_topics import EntityTopics
    from inertia_tools.ros.viewer_page import ViewerPage
    from inertia_tools.sim.observation import ContactTable, Snapshot
    from inertia_tools.sim.simulation import Simulation

_MARKER_PERIODS = 2.0  # Markers vanish unless they are renewed within this many publication periods.


_ASKED_EVERY = 0.05
"""Period of checking for subscribers of a topic [s]; a check takes as long as filling in a message."""


class _Readers:
    """Tracks which topics have subscribers, since messages without subscribers are not built."""

    def __init__(self) -> None:
        self._known: set[Any] = set()
        self._until = 0.0

    def read(self, publisher: Any) -> bool:
        """Return whether a topic has subscribers; true for a short time after the last one has left."""
        now = time.monotonic()
        if now >= self._until:
            self._known.clear()
            self._until = now + _ASKED_EVERY
        if publisher not in self._known:
            if not publisher.get_subscription_count():
                return False
            self._known.add(publisher)
        return True


@dataclass(frozen=True)
class Frames:
    """Names of frames.

    Attributes:
        world: Frame of the world.
        odom: Frame of the world in odometry.
        prefix: Prefix of link names.
    """

    world: str
    odom: str
    prefix: str


class SimulationPublishers:
    """Publishes a world; called in the thread of the loop."""

    def __init__(
        self,
        node: Node,
        frames: Frames,
        step_nanoseconds: int,
        value: Callable[[str], Any],
        on_failure: Callable[[str], None],
    ) -> None:
        """Create the publishers.

        Args:
            node: The node that publishes.
            frames: Names of frames.
            step_nanoseconds: Length of a step [ns].
            value: Returns a parameter by its name.
            on_failure: Called with the reason if the world fails.

        Raises:
            MissingDependencyError: The parameter publish_tf is set and tf2_msgs is not installed.
        """
        self._frames, self._value = frames, value
        self._on_failure = on_failure
        self._step_nanoseconds = step_nanoseconds
        self._clock = node.create_publisher(Clock, "/clock", CLOCK) if value("publish_clock") else None
        self.entities: EntityTopics | None = None
        self.page: ViewerPage | None = None

        def create(message_type: Any, topic: str) -> Any:
            return overridable_publisher(node, message_type, topic, RELIABLE)

        self._bodies = create(msg.BodyStates, "~/body_states")
        self._contacts = create(msg.ContactForces, "~/contact_forces")
        self._joints = create(JointState, "joint_states")
        self._odometry = create(Odometry, "odom")
        self._markers = create(MarkerArray, "~/contact_markers")
        self._soft_points = create(PointCloud2, "~/soft_points")
        self._soft_mesh = create(Marker, "~/soft_mesh")
        self._sensors = SensorTopics(node, step_nanoseconds, frames.world, frames.prefix)
        self._writers, self._readers = StateWriters(), _Readers()
        self._transforms: Any = (
            self._create_transforms(node) if value("publish_tf") or value("publish_odom_tf") else None
        )

    def _create_transforms(self, node: Node) -> Any:
        try:
            from tf2_msgs.msg import TFMessage
        except ImportError as error:
            raise MissingDependencyError("tf2_msgs", "publish_tf", "apt install ros-$ROS_DISTRO-tf2-msgs") from error
        self._transform_message = TFMessage
        return node.create_publisher(TFMessage, "/tf", 100)

    def tick(self, world: World) -> None:
        """Publish simulated time, unless another simulator does."""
        if self._clock is not None:
            self._clock.publish(self._writers.clock(world.step * self._step_nanoseconds))

    def look(self, world: World) -> None:
        """Reset sensors, so that their next readings are relative to the current state."""
        self._sensors.look(world)

    def sense(self, world: World) -> None:
        """Publish sensor readings."""
        self._sensors.sense(world)

    def publish(self, world: World) -> None:
        """Publish the state of the simulation, if there is one.

        Raises:
            SimulationError: A number is not finite; the state is not published then.
        """
        if world.simulation is not None:
            self._publish_robot(world, world.simulation)
            if self.page is not None:
                self.page.show(world)

    def report_failure(self, reason: str) -> None:
        """Pass on a failure of the world."""
        self._on_failure(reason)

    def _publish_robot(self, world: World, simulation: Simulation) -> None:
        snapshot, now = simulation.snapshot(), world.step * self._step_nanoseconds
        efforts = simulation.joint_efforts(snapshot)
        _require_finite(snapshot, efforts)
        if self._readers.read(self._bodies):
            self._bodies.publish(self._writers.body_states(snapshot, self._frames.world, now, world.step))
        robots = simulation.entities
        own = self.entities.publish(robots, snapshot, efforts, now) if self.entities is not None else frozenset()
        rest = {name: effort for name, effort in efforts.items() if name not in own} if own else efforts
        if (rest or not own) and self._readers.read(self._joints):
            self._joints.publish(self._writers.joint_state(snapshot, rest, now))
        bases = world.bases
        if len(bases) == 1 and self._readers.read(self._odometry):
            odom = _header(self._frames.odom, now)
            root = snapshot.names.index(bases[0])
            self._odometry.publish(messages.to_odometry(snapshot, odom, root, self._frames.prefix))
        if self._transforms:
            self._publish_transforms(snapshot, now, bases)
        shows_markers = self._readers.read(self._markers) and self._value("publish_markers")
        if shows_markers or self._readers.read(self._contacts):
            self._publish_contacts(world, simulation.contact_table(), snapshot, now, shows_markers)
        if simulation.model.soft is not None:
            self._publish_soft(world, simulation, now)

    def _publish_soft(self, world: World, simulation: Simulation, now: int) -> None:
        """Publish particles as points, and their triangles as a mesh."""
        shows_mesh = (
            self._readers.read(self._soft_mesh) and self._value("publish_markers") and simulation.model.tri_count
        )
        shows_points = self._readers.read(self._soft_points)
        if not (shows_mesh or shows_points):
            return
        soft = simulation.soft_snapshot()
        if shows_points:
            self._soft_points.publish(messages.to_point_cloud(soft, _header(self._frames.world, now)))
        if shows_mesh:
            lifetime = self._lifetime(world)
            self._soft_mesh.publish(self._writers.soft_mesh(soft, self._frames.world, now, lifetime))

    def _publish_contacts(
        self, world: World, contacts: ContactTable, snapshot: Snapshot, now: int, shows_markers: bool
    ) -> None:
        step = self._step_nanoseconds * 1e-9
        self._contacts.publish(self._writers.contact_forces(contacts, snapshot, self._frames.world, now, step))
        if shows_markers:
            scale, header = self._value("marker_scale"), _header(self._frames.world, now)
            markers = messages.to_contact_markers(contacts.by_pair(), header, scale, self._lifetime(world))
            self._markers.publish(markers)

    def _lifetime(self, world: World) -> float:
        """Return the lifetime of a marker that is not renewed [s]."""
        step = self._step_nanoseconds * 1e-9
        return _MARKER_PERIODS * world.publish_rate.steps * step / (world.real_time_factor or 1.0)

    def _publish_transforms(self, snapshot: Snapshot, now: int, bases: Sequence[str]) -> None:
        """Publish the frames of all links in the world; without `publish_tf` only the single base in odometry."""
        if self._value("publish_tf"):
            names, header = snapshot.names, _header(self._frames.world, now)
        else:
            names, header = tuple(bases), _header(self._frames.odom, now)
            if len(bases) != 1:
                return
        stamped = []
        for name in names:
            row = snapshot.names.index(name)
            transform = to_transform(snapshot.positions[row], snapshot.quaternions[row])
            child = self._frames.prefix + name
            stamped.append(TransformStamped(header=header, child_frame_id=child, transform=transform))
        self._transforms.publish(self._transform_message(transforms=stamped))


def _header(frame: str, nanoseconds: int) -> Header:
    """Return a cached header with simulated time; building one takes as long as filling in a message."""
    return Header(stamp=messages.to_time(nanoseconds), frame_id=frame)


def _require_finite(snapshot: Snapshot, efforts: Mapping[str, float]) -> None:
    """Raise an error for a state that is not finite.

    Raises:
        SimulationError: A number of a body or a joint, or an energy, is not finite.
    """
    energy = snapshot.kinetic_energy + snapshot.potential_energy  # not finite if any body's state is not
    if math.isfinite(energy) and np.isfinite(snapshot.joints).all() and all(map(math.isfinite, efforts.values())):
        return
    for kind, names, rows in (
        ("body", snapshot.names, snapshot.states),
        ("joint", snapshot.joint_names, snapshot.joints),
        ("joint", tuple(efforts), np.array(list(efforts.values())).reshape(-1, 1)),
    ):
        is_lost = ~np.isfinite(rows).all(axis=1)
        if is_lost.any():
            raise SimulationError(f"{kind} {names[int(np.argmax(is_lost))]!r} is not finite")
    raise SimulationError("the energy is not finite")
