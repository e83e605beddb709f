# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Conversion of simulation states to messages."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from builtin_interfaces.msg import Duration, Time
from geometry_msgs.msg import Twist, Wrench
from nav_msgs.msg import Odometry
from sensor_msgs.msg import JointState, PointCloud2, PointField
from std_msgs.msg import ColorRGBA, Header
from visualization_msgs.msg import Marker, MarkerArray

import inertia_tools.msg as msg
from inertia_tools.ros.conversions import to_point, to_pose, to_vector3
from inertia_tools.spatial import Array, ArrayLike, rotation_from_quaternion

if TYPE_CHECKING:
    from inertia_tools.sim.observation import BodyContact, Snapshot, SoftSnapshot

WORLD = "world"  # Name of static geometry in contacts.
NANOSECONDS_A_SECOND = 1_000_000_000
LONGEST_DURATION = 2.0**31 - 1.0  # What `builtin_interfaces/Duration` can hold [s].
_FORCE_COLOUR = ColorRGBA(r=1.0, g=0.6, b=0.0, a=1.0)
_POINT_COLOUR = ColorRGBA(r=1.0, g=0.1, b=0.1, a=1.0)
_SOFT_COLOUR = ColorRGBA(r=0.375, g=0.625, b=0.75, a=1.0)
_POINT_FIELDS = ("x", "y", "z", "vx", "vy", "vz", "radius")  # Of a point of a cloud, each a float32 [m, m/s].
_ARROW_WIDTH = 0.01  # Diameter of an arrow's shaft [m]; its head and the sphere are twice as wide.


def to_time(nanoseconds: int) -> Time:
    """Convert simulated time [ns]."""
    return Time(sec=nanoseconds // NANOSECONDS_A_SECOND, nanosec=nanoseconds % NANOSECONDS_A_SECOND)


def to_twist(linear: ArrayLike, angular: ArrayLike) -> Twist:
    """Convert velocities [m/s, rad/s]."""
    return Twist(linear=to_vector3(linear), angular=to_vector3(angular))


def to_body_states(snapshot: Snapshot, header: Header, step: int) -> msg.BodyStates:
    """Convert the state of all bodies."""
    bodies = [
        msg.BodyState(name=name, pose=to_pose(position, quaternion), twist=to_twist(linear, angular))
        for name, position, quaternion, linear, angular in zip(
            snapshot.names,
            snapshot.positions,
            snapshot.quaternions,
            snapshot.linear_velocities,
            snapshot.angular_velocities,
            strict=True,
        )
    ]
    return msg.BodyStates(
        header=header,
        step=step,
        bodies=bodies,
        kinetic_energy=float(snapshot.kinetic_energy),
        potential_energy=float(snapshot.potential_energy),
    )


def to_joint_state(snapshot: Snapshot, efforts: Mapping[str, float], stamp: Time, scope: str = "") -> JointState:
    """Convert joint positions, velocities and efforts of drives, in the order of the efforts.

    `scope` is a prefix of all joint names that is removed in the message.
    """
    names = list(efforts)
    return JointState(
        header=Header(stamp=stamp),
        name=[name.removeprefix(scope) for name in names],
        position=[float(snapshot.joint_positions[name]) for name in names],
        velocity=[float(snapshot.joint_velocities[name]) for name in names],
        effort=[float(efforts[name]) for name in names],
    )


def to_odometry(snapshot: Snapshot, header: Header, root: int, prefix: str) -> Odometry:
    """Convert the state of a root link; its twist is expressed in its own frame, as Odometry requires."""
    odometry = Odometry(header=header, child_frame_id=prefix + snapshot.names[root])
    odometry.pose.pose = to_pose(snapshot.positions[root], snapshot.quaternions[root])
    into_body = rotation_from_quaternion(snapshot.quaternions[root]).T
    odometry.twist.twist = to_twist(
        into_body @ snapshot.linear_velocities[root], into_body @ snapshot.angular_velocities[root]
    )
    return odometry


def to_contact_forces(
    contacts: Sequence[BodyContact], origins: Mapping[str, Array], header: Header, time_step: float
) -> msg.ContactForces:
    """Convert contacts.

    Args:
        contacts: Contacts of the facade.
        origins: Origin of each body's link frame in the world, by name [m].
        header: Simulated time and world frame.
        time_step: Step over which forces are averaged [s].
    """
    converted = []
    for contact in contacts:
        arms = contact.positions - origins.get(contact.body_a, np.zeros(3))
        about_origin = (np.cross(arms, contact.forces) + contact.torques).sum(axis=0)
        converted.append(to_body_contact(contact, contact.forces.sum(axis=0), about_origin))
    return msg.ContactForces(header=header, time_step=time_step, contacts=converted)


def to_body_contact(contact: BodyContact, force: Array, torque: Array) -> msg.BodyContact:
    """Convert the contact of two bodies; force and torque are the sums over all its points [N, N m]."""
    return msg.BodyContact(
        body_a=contact.body_a,
        body_b=contact.body_b,
        positions=[to_point(position) for position in contact.positions],
        normals=[to_vector3(normal) for normal in contact.normals],
        depths=[float(depth) for depth in contact.depths],
        forces=[to_vector3(force) for force in contact.forces],
        torques=[to_vector3(torque) for torque in contact.torques],
        total=Wrench(force=to_vector3(force), torque=to_vector3(torque)),
    )


def to_contact_markers(
    contacts: Sequence[BodyContact], header: Header, metres_per_newton: float, lifetime: float
) -> MarkerArray:
    """Draw an arrow for the force on the moving body and a sphere for each contact point.

    Args:
        contacts: Contacts of the facade.
        header: Simulated time and world frame.
        metres_per_newton: Length of an arrow per newton [m/N].
        lifetime: Time after which a marker that is not renewed vanishes [s].
    """
    points, tips = [], []
    for contact in contacts:
        sign = -1.0 if contact.body_a == WORLD else 1.0
        for position, force in zip(contact.positions, contact.forces, strict=True):
            points.append(to_point(position))
            tips.append(to_point(np.asarray(position) + sign * metres_per_newton * np.asarray(force)))
    vanish = _duration(lifetime)
    markers = MarkerArray()
    for number, (point, tip) in enumerate(zip(points, tips, strict=True)):
        arrow = Marker(header=header, ns="force", id=number, type=Marker.ARROW, color=_FORCE_COLOUR, lifetime=vanish)
        arrow.points = [point, tip]
        arrow.scale = to_vector3((_ARROW_WIDTH, 2 * _ARROW_WIDTH, 0.0))
        markers.markers.append(arrow)
    if points:
        spheres = Marker(header=header, ns="point", type=Marker.SPHERE_LIST, color=_POINT_COLOUR, lifetime=vanish)
        spheres.points = points
        spheres.scale = to_vector3((2 * _ARROW_WIDTH,) * 3)
        markers.markers.append(spheres)
    return markers


def to_point_cloud(soft: SoftSnapshot, header: Header) -> PointCloud2:
    """Convert particles to points with velocity and radius."""
    columns = np.hstack([soft.positions, soft.velocities, soft.radii[:, None]]).astype("<f4")
    size = columns.itemsize
    return PointCloud2(
        header=header,
        height=1,
        width=len(columns),
        fields=[
            PointField(name=name, offset=size * k, datatype=PointField.FLOAT32, count=1)
            for k, name in enumerate(_POINT_FIELDS)
        ],
        point_step=size * len(_POINT_FIELDS),
        row_step=columns.nbytes,
        data=array("B", columns.tobytes()),
        is_dense=bool(np.isfinite(columns).all()),
    )


def to_soft_mesh(corners: Array, header: Header, lifetime: float) -> Marker:
    """Draw the triangles of soft bodies.

    Args:
        corners: Three points for each triangle [m], shape (3 m, 3).
        header: Simulated time and world frame.
        lifetime: Time after which the marker vanishes if it is not renewed [s].
    """
    mesh = Marker(header=header, ns="soft", type=Marker.TRIANGLE_LIST, color=_SOFT_COLOUR, lifetime=_duration(lifetime))
    mesh.scale = to_vector3((1.0, 1.0, 1.0))
    mesh.points = [to_point(corner) for corner in corners]
    return mesh


def _duration(seconds: float) -> Duration:
    """Convert a duration [s], or the longest that a message can hold if it is longer."""
    seconds = min(seconds, LONGEST_DURATION)
    return Duration(sec=int(seconds), nanosec=int(seconds % 1.0 * 1e9))
