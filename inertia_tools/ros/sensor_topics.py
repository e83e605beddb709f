# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Topics of the sensors on links and joints of descriptions."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Quaternion, TransformStamped, Wrench, WrenchStamped
from rclpy.exceptions import InvalidTopicNameException
from rclpy.node import Node
from sensor_msgs.msg import Imu as ImuMessage
from sensor_msgs.msg import LaserScan
from std_msgs.msg import Header

import inertia_tools.msg as msg
from inertia_tools.ros import simulation_messages as messages
from inertia_tools.ros.conversions import to_transform, to_vector3
from inertia_tools.ros.ending import end_publisher
from inertia_tools.ros.qos import LATCHED, RELIABLE
from inertia_tools.ros.rates import Rate
from inertia_tools.ros.running import RCLError
from inertia_tools.ros.simulation_world import World
from inertia_tools.spatial import Pose
from inertia_tools.wording import listed

if TYPE_CHECKING:
    from inertia_tools.sim.sensors.rig import SensorRig
    from inertia_tools.sim.sensors.sensor import ContactSensor, ForceTorque, Imu, Lidar, Sensor
    from inertia_tools.sim.simulation import Simulation


@dataclass(eq=False)
class _Outlet:
    """A sensor with its publisher, measurement and message."""

    sensor: Sensor
    publisher: Any
    message_of: Callable[[Any, Header], Any]
    rate: Rate
    frame: str


class SensorTopics:
    """Measures and publishes; called in the thread of the loop."""

    def __init__(self, node: Node, step_nanoseconds: int, world_frame: str, prefix: str) -> None:
        """Start without sensors.

        Args:
            node: The node that publishes.
            step_nanoseconds: Length of a step [ns].
            world_frame: Frame of the world.
            prefix: Prefix of link names in the names of frames.
        """
        self._node, self._step_nanoseconds = node, step_nanoseconds
        self._world_frame, self._prefix = world_frame, prefix
        self._rig: SensorRig | None = None
        self._model: Any = None
        self._outlets: list[_Outlet] = []
        self._frames: dict[str, TransformStamped] = {}
        self._transforms: Any = None
        self._named: set[str] = set()
        self._spare: list[Any] = []

    def look(self, world: World) -> None:
        """Read a world that something other than a step has moved; later changes are relative to this state."""
        simulation = world.simulation
        if simulation is None:
            return
        if simulation.model is not self._model:
            self._begin(simulation)
        elif self._rig is not None:
            self._rig.forget()

    def sense(self, world: World) -> None:
        """Read a world after a step, and publish due readings."""
        if self._rig is None:
            return
        if self._rig.needs_steps:
            self._rig.observe()
        stamp: Time | None = None
        for outlet in self._outlets:
            if outlet.rate.is_due(world.step):
                stamp = stamp or messages.to_time(world.step * self._step_nanoseconds)
                outlet.publisher.publish(outlet.message_of(outlet.sensor, Header(stamp=stamp, frame_id=outlet.frame)))

    def _begin(self, simulation: Simulation) -> None:
        """Replace the sensors by those of another simulation; topics that go on keep their publishers."""
        from inertia_tools.sim.sensors.rig import SensorRig

        self._spare = [outlet.publisher for outlet in self._outlets]
        self._outlets, self._frames, self._model, self._rig = [], {}, simulation.model, None
        if any(one.robot.sensors for one in simulation.entities):
            self._rig = SensorRig(simulation)
            self._outlets = [outlet for outlet in map(self._outlet, self._rig.sensors) if outlet is not None]
            self._send_frames()
            self._name_shared_topics()
        for publisher in self._spare:
            end_publisher(self._node, publisher)
        self._spare = []

    def _name_shared_topics(self) -> None:
        """Warn once about each topic with the readings of several sensors."""
        sensors: dict[str, list[str]] = {}
        for outlet in self._outlets:
            sensor = f"{outlet.sensor.name!r} of {outlet.sensor.link!r}"
            sensors.setdefault(outlet.publisher.topic_name, []).append(sensor)
        for topic in {topic for topic, names in sensors.items() if len(names) > 1} - self._named:
            self._named.add(topic)
            self._node.get_logger().warning(
                f"{topic} is the topic of {listed(sensors[topic])}, so their readings mix; give each "
                "sensor its own <topic>"
            )

    def _outlet(self, sensor: Sensor) -> _Outlet | None:
        """Return the topic of a sensor; None if its name in the file is invalid, or in use with another type."""
        from inertia_tools.sim.sensors import sensor as kinds

        said: tuple[tuple[type[Sensor], Any, Callable[[Any, Header], Any]], ...] = (
            (kinds.Imu, ImuMessage, self._imu),
            (kinds.ForceTorque, WrenchStamped, self._wrench),
            (kinds.ContactSensor, msg.ContactForces, self._contacts),
            (kinds.Lidar, LaserScan, self._scan),
        )
        message_type, message_of = next((kind, work) for of, kind, work in said if isinstance(sensor, of))
        scope = sensor.link.rpartition("::")[0].partition("::")[0].rpartition("/")[0]
        topic = sensor.topic if sensor.topic.startswith("/") or not scope else f"{scope}/{sensor.topic}"
        try:
            publisher = self._publisher(message_type, topic)
        except (InvalidTopicNameException, RCLError) as error:
            self._node.get_logger().warning(f"sensor {sensor.name!r} has no topic: {error}")
            return None
        frame = self._world_frame if message_type is msg.ContactForces else self._frame(sensor)
        return _Outlet(sensor, publisher, message_of, Rate.of(sensor.rate, self._step_nanoseconds), frame)

    def _publisher(self, message_type: Any, topic: str) -> Any:
        """Return a publisher, one of the last simulation if possible, which subscribers know already."""
        name = self._node.resolve_topic_name(topic)
        for publisher in self._spare:
            if publisher.msg_type is message_type and publisher.topic_name == name:
                self._spare.remove(publisher)
                return publisher
        return self._node.create_publisher(message_type, topic, RELIABLE)

    def _frame(self, sensor: Sensor) -> str:
        """Return the frame of a sensor's readings: the one named in the file, the link's, or one fixed to the link."""
        if sensor.frame:
            return sensor.frame
        assert self._rig is not None
        link, pose = self._rig.frame_of(sensor)
        fixed_to = self._prefix + link if link in self._rig.simulation.places else self._world_frame
        if pose.isclose(Pose()):
            return fixed_to
        name, header = f"{fixed_to}/{sensor.name}", Header(frame_id=fixed_to)
        transform = to_transform(pose.position, pose.quaternion)
        self._frames[name] = TransformStamped(header=header, child_frame_id=name, transform=transform)
        return name

    def _send_frames(self) -> None:
        """Publish the frames of sensors that have their own, also for late subscribers."""
        if not self._frames:
            return
        try:
            from tf2_msgs.msg import TFMessage
        except ImportError:
            remedy = "apt install ros-$ROS_DISTRO-tf2-msgs"
            self._node.get_logger().warning(f"/tf_static has no sensor frames, as tf2_msgs is not installed: {remedy}")
            return
        self._transforms = self._transforms or self._node.create_publisher(TFMessage, "/tf_static", LATCHED)
        self._transforms.publish(TFMessage(transforms=list(self._frames.values())))

    def _imu(self, sensor: Imu, header: Header) -> ImuMessage:
        assert self._rig is not None
        reading = self._rig.imu(sensor)
        x, y, z, w = map(float, reading.quaternion)
        return ImuMessage(
            header=header,
            orientation=Quaternion(x=x, y=y, z=z, w=w),
            angular_velocity=to_vector3(reading.angular_velocity),
            linear_acceleration=to_vector3(reading.acceleration),
        )

    def _wrench(self, sensor: ForceTorque, header: Header) -> WrenchStamped:
        assert self._rig is not None
        reading = self._rig.force_torque(sensor)
        return WrenchStamped(
            header=header, wrench=Wrench(force=to_vector3(reading.force), torque=to_vector3(reading.torque))
        )

    def _contacts(self, sensor: ContactSensor, header: Header) -> msg.ContactForces:
        assert self._rig is not None
        snapshot = self._rig.simulation.snapshot()
        origins = dict(zip(snapshot.names, snapshot.positions, strict=True))
        return messages.to_contact_forces(self._rig.contact(sensor), origins, header, self._step_nanoseconds * 1e-9)

    def _scan(self, sensor: Lidar, header: Header) -> LaserScan:
        assert self._rig is not None
        return LaserScan(
            header=header,
            angle_min=sensor.first,
            angle_max=sensor.last,
            angle_increment=sensor.increment,
            scan_time=max(1.0 / sensor.rate if sensor.rate > 0.0 else 0.0, self._step_nanoseconds * 1e-9),
            range_min=sensor.nearest,
            range_max=sensor.farthest if math.isfinite(sensor.farthest) else float(np.finfo(np.float32).max),
            ranges=self._rig.lidar(sensor).astype(np.float32).tolist(),
        )
