# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The sensors of a simulation, and what they measure.

Accelerations and forces are means over the last step, as contact forces are, so that they fit together. They are given
in axes as these stood in the middle of that step (`step_motion`); poses and angular velocities are those of its end.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from inertia_tools.description.types import Description, Joint
from inertia_tools.errors import ParseError
from inertia_tools.inertia.effective import resolve
from inertia_tools.inertial import Inertial
from inertia_tools.sim.importing.rules import WITHOUT_WARP
from inertia_tools.sim.observation import BodyContact
from inertia_tools.sim.scene.bodies import WORLD_NAME
from inertia_tools.sim.scene.body_motion import BodyMotion
from inertia_tools.sim.scene.given import need
from inertia_tools.sim.sensors.sensor import ContactSensor, ForceTorque, Imu, Lidar, Sensor, read_sensor
from inertia_tools.sim.sensors.step_motion import StepMotion
from inertia_tools.sim.simulation import Entity, Simulation
from inertia_tools.spatial import Array, Pose

LOG = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class ImuReading:
    """What an inertial measurement unit measures, in its own axes.

    Attributes:
        quaternion: Its orientation in the world (x, y, z, w) at the end of the step, shape (4,).
        angular_velocity: At the end of the step [rad/s], shape (3,).
        acceleration: Acceleration beside that of free fall in the middle of the step [m/s^2], shape (3,): at rest it
            points up.
    """

    quaternion: Array
    angular_velocity: Array
    acceleration: Array


@dataclass(frozen=True, eq=False)
class WrenchReading:
    """Force and torque in the frame of `SensorRig.frame_of`, about its origin, as it stood in the middle of the step.

    Attributes:
        force: [N], shape (3,).
        torque: [N m], likewise.
    """

    force: Array
    torque: Array


@dataclass(eq=False)
class SensorRig:
    """The sensors of a simulation as it is now; entities that come or go need another rig.

    Attributes:
        simulation: The simulation.
        sensors: Its sensors, with the names of the simulation.
    """

    simulation: Simulation
    sensors: tuple[Sensor, ...] = field(init=False)
    _inertials: dict[str, Inertial] = field(init=False, default_factory=dict)
    _last: StepMotion = field(init=False)

    def __post_init__(self) -> None:
        """Read the sensors; those that make no sense, or whose kind is not measured, are named in the log.

        Raises:
            OptionTypeError: It is no simulation.
        """
        need("simulation", self.simulation, Simulation, "Simulation(robot)")
        self.sensors = tuple(sensor for one in self.simulation.entities for sensor in _sensors(one.robot, one.scoped))
        if any(isinstance(sensor, ForceTorque) for sensor in self.sensors):
            for one in self.simulation.entities:
                for name, link in resolve(one.robot, params=WITHOUT_WARP).links.items():
                    if link.declared is not None and link.declared.inertial is not None:
                        self._inertials[one.scoped(name)] = link.declared.inertial
        self.forget()

    @property
    def needs_steps(self) -> bool:
        """Tell whether a sensor measures changes, so that `observe` is called after every step."""
        return any(isinstance(sensor, Imu | ForceTorque) for sensor in self.sensors)

    def observe(self) -> None:
        """Look at the simulation after a step."""
        self._last = StepMotion(self._last.after, self.simulation.motion(), self.simulation.dt)

    def forget(self) -> None:
        """Look at the simulation after something else than a step."""
        now = self.simulation.motion()
        self._last = StepMotion(now, now, self.simulation.dt)

    def frame_of(self, sensor: Sensor) -> tuple[str, Pose]:
        """Return the link to which the frame of a sensor's readings is fixed, or the world's name, and its pose there.

        It is the sensor's own frame. That of a force-torque sensor has the axes that it asks for. In axes of the parent
        its origin is where the sensor is on the parent at joint position zero.
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
        """Return what an inertial measurement unit measures."""
        pose = self._pose(sensor.link, self._last.after) @ sensor.pose
        spin = self._last.after.spin(self._body(sensor.link))
        then = self._pose(sensor.link, self._last) @ sensor.pose
        specific = self._last.middle(self._body(sensor.link)).acceleration_at(then.position) - self.simulation.gravity
        return ImuReading(pose.quaternion, pose.rotation.T @ spin, then.rotation.T @ specific)

    def force_torque(self, sensor: ForceTorque) -> WrenchReading:
        """Return what a joint transmits: what moves the links beyond it, beside gravity, contacts and wrenches on them.

        It is right for joints whose links no loop closes, fixed ones too, which are not joints of the simulation. Of
        wrenches those of `Simulation.apply_wrench` are known; what is written to `state.body_f` is on no link. Soft
        bodies count with what they did in the last substep.
        """
        link, pose_link_frame = self.frame_of(sensor)
        frame = self._pose(link, self._last) @ pose_link_frame
        wrench, beyond = np.zeros((2, 3)), self._beyond(sensor)
        for name in beyond:
            wrench += self._rate_of_momentum(name, frame.position)
            wrench -= self._applied(name, frame.position)
            for contact in self._touching(name):
                if contact.body_b not in beyond:
                    wrench -= self._wrench_of(contact, frame.position)
        if sensor.on_parent:
            wrench = -wrench
        return WrenchReading(*(wrench @ frame.rotation))

    def contact(self, sensor: ContactSensor) -> list[BodyContact]:
        """Return the contacts of a sensor's link, which comes first in each, with links and soft bodies."""
        return self._touching(sensor.link)

    def lidar(self, sensor: Lidar) -> Array:
        """Return distances [m], infinite where there is nothing in reach, and -infinite where it is too near."""
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
        """Return the contacts of a link, which comes first in each, with links and soft bodies."""
        return [*self.simulation.contacts(link), *self.simulation.soft_contacts(link)]

    def _pose(self, link: str, motion: BodyMotion | StepMotion) -> Pose:
        if link == WORLD_NAME and link not in self.simulation.places:
            return Pose()
        place = self.simulation.places[link]
        return motion.pose(place.body) @ place.pose_body_link

    def _rate_of_momentum(self, link: str, about: Array) -> Array:
        """Return how fast the momentum of a link changes beside gravity [N], and its angular momentum [N m]."""
        inertial = self._inertials.get(link)
        if inertial is None or not inertial.mass > 0.0:
            return np.zeros((2, 3))
        body, pose = self._last.middle(self._body(link)), self._pose(link, self._last)
        com, tensor = pose.transform_points(inertial.com), pose.rotation @ inertial.inertia @ pose.rotation.T
        force = inertial.mass * (body.acceleration_at(com) - self.simulation.fall_of(link))
        turning = tensor @ body.angular_acceleration + np.cross(body.spin, tensor @ body.spin)
        return np.stack([force, np.cross(com - about, force) + turning])

    def _applied(self, link: str, about: Array) -> Array:
        """Return force [N] and torque [N m] that `Simulation.apply_wrench` has put on a link."""
        force, torque = np.reshape(self.simulation.applied_wrenches().get(link, np.zeros(6)), (2, 3))
        arm = self._last.middle(self._body(link)).com - about
        return np.stack([force, torque + np.cross(arm, force)])

    def _wrench_of(self, contact: BodyContact, about: Array) -> Array:
        """Return force [N] and torque [N m] of a contact on its first link, its points where this was at mid-step."""
        link = contact.body_a
        moved = self._pose(link, self._last) @ self._pose(link, self._last.after).inverse()
        arms = moved.transform_points(contact.positions) - about
        return np.stack([contact.force, (np.cross(arms, contact.forces) + contact.torques).sum(axis=0)])

    def _joint(self, sensor: ForceTorque) -> tuple[Entity, Joint]:
        """Return the joint of a sensor as its description has it, and the entity that it is of."""
        joints = ((one, joint) for one in self.simulation.entities for joint in one.robot.joints.values())
        return next((one, joint) for one, joint in joints if one.scoped(joint.name) == sensor.joint)

    def _beyond(self, sensor: ForceTorque) -> frozenset[str]:
        """Return the links that a sensor's joint carries."""
        entity, joint = self._joint(sensor)
        return frozenset(map(entity.scoped, _carried(entity.robot, joint.child)))


def _sensors(robot: Description, scoped: Callable[[str], str]) -> list[Sensor]:
    found: list[Sensor] = []
    for block in robot.sensors:
        try:
            sensor = read_sensor(block)
        except ParseError as error:
            LOG.warning("a sensor is left out: %s", error)
            continue
        if sensor is None:
            kind = block.element.attributes.get("type", "")
            LOG.warning("%s: a sensor of type %r is not simulated", block.element.place, kind)
            continue
        if isinstance(sensor, ForceTorque):
            sensor = replace(sensor, joint=scoped(sensor.joint))
        found.append(replace(sensor, link=scoped(sensor.link)))
    return found


def _carried(robot: Description, link: str) -> list[str]:
    """Return a link and all that it carries."""
    found = [link]
    for name in found:
        found += [joint.child for joint in robot.child_joints[name]]
    return found
