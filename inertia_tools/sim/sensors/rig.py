# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The sensors of a simulation, and their measurements.

Accelerations and forces are means over the last step, like contact forces, so that they are consistent with each other.
Their axes are those of the middle of that step (`step_motion`); poses and angular velocities are those of its end.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace

import numpy as np

from inertia_tools.description.types import Joint
from inertia_tools.errors import ParseError
from inertia_tools.inertia.effective import resolve
from inertia_tools.inertial import Inertial
from inertia_tools.sim.importing.rules import WITHOUT_WARP
from inertia_tools.sim.observation import BodyContact
from inertia_tools.sim.scene.bodies import WORLD_NAME
from inertia_tools.sim.scene.body_motion import BodyMotion
from inertia_tools.sim.scene.given import need
from inertia_tools.sim.sensors.carried_links import all_joints, carried_links
from inertia_tools.sim.sensors.sensor import ContactSensor, ForceTorque, Imu, Lidar, Sensor, read_sensor
from inertia_tools.sim.sensors.step_motion import StepMotion
from inertia_tools.sim.simulation import Entity, Simulation
from inertia_tools.spatial import Array, Pose

LOG = logging.getLogger(__name__)

LOOP = (
    "%s: force-torque sensor %r is omitted: joint %r is in a loop; the motion of the links does not tell how the "
    "joints of a loop share its forces"
)


@dataclass(frozen=True, eq=False)
class ImuReading:
    """Measurement of an inertial measurement unit, in its own axes.

    Attributes:
        quaternion: Orientation in the world (x, y, z, w) at the end of the step, shape (4,).
        angular_velocity: Angular velocity at the end of the step [rad/s], shape (3,).
        acceleration: Specific force, the acceleration minus that of gravity, in the middle of the step [m/s^2], shape
            (3,): at rest it points up.
    """

    quaternion: Array
    angular_velocity: Array
    acceleration: Array


@dataclass(frozen=True, eq=False)
class WrenchReading:
    """Force and torque in the frame of `SensorRig.frame_of`, about its origin, in the middle of the step.

    Attributes:
        force: Force [N], shape (3,).
        torque: Torque [N m], shape (3,).
    """

    force: Array
    torque: Array


@dataclass(eq=False)
class SensorRig:
    """The current sensors of a simulation; after entities are added or removed, make a new rig.

    Attributes:
        simulation: The simulation.
        sensors: Its sensors, with the names of the simulation.
    """

    simulation: Simulation
    sensors: tuple[Sensor, ...] = field(init=False)
    _inertials: dict[str, Inertial] = field(init=False, default_factory=dict)
    _last: StepMotion = field(init=False)
    _step: int = field(init=False)

    def __post_init__(self) -> None:
        """Read the sensors; invalid ones, and those of unsupported kinds, are named in the log.

        Raises:
            OptionTypeError: `simulation` is not a simulation.
        """
        need("simulation", self.simulation, Simulation, "Simulation(robot)")
        self.sensors = tuple(sensor for one in self.simulation.entities for sensor in _sensors(one))
        if any(isinstance(sensor, ForceTorque) for sensor in self.sensors):
            for one in self.simulation.entities:
                for name, link in resolve(one.robot, params=WITHOUT_WARP).links.items():
                    if link.declared is not None and link.declared.inertial is not None:
                        self._inertials[one.scoped(name)] = link.declared.inertial
        self.forget()

    @property
    def needs_steps(self) -> bool:
        """Whether a sensor measures changes, so that `observe` must be called after every step."""
        return any(isinstance(sensor, Imu | ForceTorque) for sensor in self.sensors)

    def observe(self) -> None:
        """Update the measurements after a step.

        After several steps, accelerations are means over all of them, and contact forces those of the last one.
        """
        steps = self.simulation.step_count - self._step
        if steps < 1:
            self.forget()
            return
        self._step += steps
        self._last = StepMotion(self._last.after, self.simulation.motion(), steps * self.simulation.dt)

    def forget(self) -> None:
        """Update the measurements after any other change of the simulation."""
        now = self.simulation.motion()
        self._step = self.simulation.step_count
        self._last = StepMotion(now, now, self.simulation.dt)

    def frame_of(self, sensor: Sensor) -> tuple[str, Pose]:
        """Return the link (or the name of the world) that carries the frame of a sensor's readings, and its pose there.

        The frame is that of the sensor. For a force-torque sensor it has the axes that the sensor asks for; with axes
        of the parent, its origin is the position of the sensor on the parent at joint position zero.
        """
        if not isinstance(sensor, ForceTorque) or sensor.axes == "sensor":
            return sensor.link, sensor.pose
        if sensor.axes == "child":
            return sensor.link, Pose(sensor.pose.position)
        entity, joint = self._joint(sensor)
        parent = entity.scoped(joint.parent)
        place = (joint.pose_parent_child @ sensor.pose).position
        return parent if parent in self.simulation.places else WORLD_NAME, Pose(place)

    def imu(self, sensor: Imu) -> ImuReading:
        """Return the measurement of an inertial measurement unit."""
        pose = self._pose(sensor.link, self._last.after) @ sensor.pose
        spin = self._last.after.spin(self._body(sensor.link))
        then = self._pose(sensor.link, self._last) @ sensor.pose
        specific = self._last.middle(self._body(sensor.link)).acceleration_at(then.position) - self.simulation.gravity
        return ImuReading(pose.quaternion, pose.rotation.T @ spin, then.rotation.T @ specific)

    def force_torque(self, sensor: ForceTorque) -> WrenchReading:
        """Return the wrench that a joint transmits.

        It is the rate of momentum of the links beyond the joint, minus gravity, contacts and applied wrenches on them.
        The joint may be a fixed one that is not a joint of the simulation. Sensors on joints in loops are omitted.
        Only wrenches of `Simulation.apply_wrench` are known; values written to `state.body_f` belong to no link. Soft
        bodies count with their forces in the last substep.
        """
        link, pose_link_frame = self.frame_of(sensor)
        frame = self._pose(link, self._last) @ pose_link_frame
        wrench, (beyond, is_child_side) = np.zeros((2, 3)), self._beyond(sensor)
        for name in beyond:
            wrench += self._rate_of_momentum(name, frame.position)
            wrench -= self._applied(name, frame.position)
            for contact in self._touching(name):
                if contact.body_b not in beyond:
                    wrench -= self._wrench_of(contact, frame.position)
        if sensor.on_parent == is_child_side:
            wrench = -wrench
        return WrenchReading(*(wrench @ frame.rotation))

    def contact(self, sensor: ContactSensor) -> list[BodyContact]:
        """Return the contacts of a sensor's link with links and soft bodies; the link comes first in each."""
        return self._touching(sensor.link)

    def lidar(self, sensor: Lidar) -> Array:
        """Return the distances of the rays [m], shape (rays,); infinite beyond the range, and -infinite below it."""
        pose = self._pose(sensor.link, self.simulation.motion()) @ sensor.pose
        angles = sensor.first + sensor.increment * np.arange(sensor.count)
        rays = np.stack([np.cos(angles), np.sin(angles), np.zeros(sensor.count)], axis=1) @ pose.rotation.T
        body = self._body(sensor.link)
        own = [name for name, place in self.simulation.places.items() if place.body == body]
        hits = self.simulation.ray_cast(pose.position, rays, sensor.farthest, own)
        return np.where(hits.distances < sensor.nearest, -np.inf, hits.distances)

    # Inside

    def _body(self, link: str) -> int:
        return self.simulation.places[link].body

    def _touching(self, link: str) -> list[BodyContact]:
        """Return the contacts of a link with links and soft bodies; the link comes first in each."""
        return [*self.simulation.contacts(link), *self.simulation.soft_contacts(link)]

    def _pose(self, link: str, motion: BodyMotion | StepMotion) -> Pose:
        if link == WORLD_NAME and link not in self.simulation.places:
            return Pose()
        place = self.simulation.places[link]
        return motion.pose(place.body) @ place.pose_body_link

    def _rate_of_momentum(self, link: str, about: Array) -> Array:
        """Return the rates of linear [N] and angular [N m] momentum of a link, without gravity."""
        inertial = self._inertials.get(link)
        if inertial is None or not inertial.mass > 0.0:
            return np.zeros((2, 3))
        body, pose = self._last.middle(self._body(link)), self._pose(link, self._last)
        com, tensor = pose.transform_points(inertial.com), pose.rotation @ inertial.inertia @ pose.rotation.T
        force = inertial.mass * (body.acceleration_at(com) - self.simulation.fall_of(link))
        turning = tensor @ body.angular_acceleration + np.cross(body.spin, tensor @ body.spin)
        return np.stack([force, np.cross(com - about, force) + turning])

    def _applied(self, link: str, about: Array) -> Array:
        """Return force [N] and torque [N m] of `Simulation.apply_wrench` on a link."""
        force, torque = np.reshape(self.simulation.applied_wrenches().get(link, np.zeros(6)), (2, 3))
        arm = self._last.middle(self._body(link)).com - about
        return np.stack([force, torque + np.cross(arm, force)])

    def _wrench_of(self, contact: BodyContact, about: Array) -> Array:
        """Return force [N] and torque [N m] of a contact on its first link, at the mid-step positions of its points."""
        link = contact.body_a
        moved = self._pose(link, self._last) @ self._pose(link, self._last.after).inverse()
        arms = moved.transform_points(contact.positions) - about
        return np.stack([contact.force, (np.cross(arms, contact.forces) + contact.torques).sum(axis=0)])

    def _joint(self, sensor: ForceTorque) -> tuple[Entity, Joint]:
        """Return the joint of a sensor in its description, and the entity of the joint."""
        joints = ((one, joint) for one in self.simulation.entities for joint in all_joints(one.robot))
        return next((one, joint) for one, joint in joints if one.scoped(joint.name) == sensor.joint)

    def _beyond(self, sensor: ForceTorque) -> tuple[frozenset[str], bool]:
        """Return the links that a sensor's joint carries, and whether its child is among them, else its parent."""
        entity, joint = self._joint(sensor)
        carried = carried_links(entity, joint.name)
        assert carried is not None, "sensors in loops are omitted"
        return frozenset(map(entity.scoped, carried)), joint.child in carried


def _sensors(entity: Entity) -> list[Sensor]:
    found: list[Sensor] = []
    for block in entity.robot.sensors:
        try:
            sensor = read_sensor(block)
        except ParseError as error:
            LOG.warning("a sensor is omitted: %s", error)
            continue
        if sensor is None:
            kind = block.element.attributes.get("type", "")
            LOG.warning("%s: a sensor of type %r is not simulated", block.element.place, kind)
            continue
        if isinstance(sensor, ForceTorque):
            if carried_links(entity, sensor.joint) is None:
                LOG.warning(LOOP, block.element.place, sensor.name, sensor.joint)
                continue
            sensor = replace(sensor, joint=entity.scoped(sensor.joint))
        found.append(replace(sensor, link=entity.scoped(sensor.link)))
    return found
