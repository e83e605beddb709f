# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""All links and joints of a scene read at once, in arrays: who watches a simulation asks for them at every step."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from inertia_tools.inertial import Inertial
from inertia_tools.sim.device.model import Model
from inertia_tools.sim.importing.articulation import Articulation
from inertia_tools.sim.named_joints import NamedJoints
from inertia_tools.sim.observation import Snapshot
from inertia_tools.sim.scene.body_motion import BodyMotion
from inertia_tools.sim.scene.joint_kind import ANGULAR_X
from inertia_tools.spatial import Array, cross_products, quaternion_products, rotations_from_quaternions

AT_ORIGIN = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
"""Position and quaternion of the world's frame, and of what has left the finite numbers while the rest is reckoned."""


@dataclass(frozen=True, eq=False)
class _Masses:
    """Mass properties of the bodies as arrays.

    Attributes:
        source: What they are of.
        mass: [kg], zero for what does not move, shape (n,).
        com: Centres of mass in the frames of the bodies, and that of the world, [m], shape (n + 1, 3).
        inertia: Tensors about those [kg m^2], zero for what does not move, shape (n, 3, 3).
    """

    source: tuple[Inertial, ...]
    mass: Array
    com: Array
    inertia: Array


@dataclass(frozen=True, eq=False)
class _Moving:
    """Frames of all bodies and of the world, which is the last one, -1: so `WORLD` finds it.

    Attributes:
        x: Origins [m], shape (n + 1, 3).
        q: Quaternions (x, y, z, w), shape (n + 1, 4).
        turn: Rotations, shape (n + 1, 3, 3).
        com: Centres of mass in the world [m], shape (n + 1, 3).
        v: Velocities of those [m/s], shape (n + 1, 3).
        omega: Angular velocities [rad/s], shape (n + 1, 3).
    """

    x: Array
    q: Array
    turn: Array
    com: Array
    v: Array
    omega: Array

    def velocity_at(self, bodies: Array, points: Array) -> Array:
        """Return the velocities of bodies' material at points of the world [m/s], shape (k, 3)."""
        return self.v[bodies] + cross_products(self.omega[bodies], points - self.com[bodies])


class Observer:
    """Reads snapshots of a scene."""

    def __init__(self, articulation: Articulation, joints: NamedJoints, model: Model) -> None:
        """Take apart what stays the same.

        Args:
            articulation: The links and the bodies that they are part of.
            joints: The joints.
            model: The scene; its mass properties may change.
        """
        self._model, self._joints = model, joints
        places = articulation.links.values()
        self.names = tuple(articulation.links)
        self._body = np.array([place.body for place in places], dtype=int)
        self._offset = np.reshape([place.pose_body_link.position for place in places], (-1, 3))
        self._turn = np.reshape([place.pose_body_link.quaternion for place in places], (-1, 4))
        read = [joints.built[name] for name in joints.names]
        self._child = np.array([joint.child for joint in read], dtype=int)
        self._parent = np.array([joint.parent for joint in read], dtype=int)
        self._axis = np.reshape([joint.pose_parent.rotation[:, 0] for joint in read], (-1, 3))
        self._anchor = np.reshape([joint.pose_child.position for joint in read], (-1, 3))
        self._turns = np.array([joint.coordinate == ANGULAR_X for joint in read], dtype=bool)
        self._masses: _Masses | None = None

    def snapshot(self, motion: BodyMotion, joint_q: Array, time: float) -> Snapshot:
        """Return all as it is; what has left the finite numbers is NaN, the rest is as true as ever.

        Args:
            motion: How the bodies lie and move.
            joint_q: `State.joint_q`.
            time: Simulated time [s].
        """
        is_lost = np.asarray(~(np.isfinite(motion.q).all(axis=1) & np.isfinite(motion.qd).all(axis=1)))
        masses = self._masses_of(motion.inertials)
        moving = _moving(motion, is_lost, masses)
        positions, quaternions, linear, angular = self._links(moving)
        rates, unknown = self._rates(moving), 0.0
        if is_lost.any():
            lost = np.append(is_lost, False)
            rates[lost[self._child] | lost[self._parent]], unknown = math.nan, math.nan
            for values in (positions, quaternions, linear, angular):
                values[lost[self._body]] = math.nan
        kinetic, potential = _energies(moving, masses, self._model.gravity_vector)
        return Snapshot(
            time=time,
            names=self.names,
            positions=positions,
            quaternions=quaternions,
            linear_velocities=linear,
            angular_velocities=angular,
            joint_positions=self._joints.positions(joint_q),
            joint_velocities=dict(zip(self._joints.names, rates.tolist(), strict=True)),
            kinetic_energy=unknown + kinetic,
            potential_energy=unknown + potential,
        )

    def _links(self, moving: _Moving) -> tuple[Array, Array, Array, Array]:
        """Return positions, quaternions, linear and angular velocities of all links, as `Snapshot` has them."""
        body = self._body
        positions = moving.x[body] + _turned(moving.turn[body], self._offset)
        quaternions = quaternion_products(moving.q[body], self._turn)
        quaternions[quaternions[:, 3] < 0.0] *= -1.0
        return positions, quaternions, moving.velocity_at(body, positions), moving.omega[body]

    def _rates(self, moving: _Moving) -> Array:
        """Return the rates of the joints [rad/s or m/s], shape (joints,)."""
        child, parent = self._child, self._parent
        axis = _turned(moving.turn[parent], self._axis)
        point = moving.x[child] + _turned(moving.turn[child], self._anchor)
        along = moving.velocity_at(child, point) - moving.velocity_at(parent, point)
        about = moving.omega[child] - moving.omega[parent]
        return np.asarray((axis * np.where(self._turns[:, None], about, along)).sum(axis=1))

    def _masses_of(self, inertials: tuple[Inertial, ...]) -> _Masses:
        """Return mass properties as arrays, made anew where they have changed."""
        if self._masses is None or self._masses.source is not inertials:
            moves = self._model.moves
            self._masses = _Masses(
                source=inertials,
                mass=np.where(moves, [one.mass for one in inertials], 0.0),
                com=np.reshape([*(one.com for one in inertials), np.zeros(3)], (-1, 3)),
                inertia=np.where(moves[:, None, None], np.reshape([one.inertia for one in inertials], (-1, 3, 3)), 0.0),
            )
        return self._masses


def _moving(motion: BodyMotion, is_lost: np.ndarray, masses: _Masses) -> _Moving:
    """Return frames and velocities; what is lost rests at the origin."""
    q, qd = np.empty((len(is_lost) + 1, 7)), np.empty((len(is_lost) + 1, 6))
    q[:-1], q[-1], qd[:-1], qd[-1] = motion.q, AT_ORIGIN, motion.qd, 0.0
    if is_lost.any():
        q[:-1][is_lost], qd[:-1][is_lost] = AT_ORIGIN, 0.0
    turn = rotations_from_quaternions(q[:, 3:])
    com = q[:, :3] + _turned(turn, masses.com)
    return _Moving(x=q[:, :3], q=q[:, 3:], turn=turn, com=com, v=qd[:, :3], omega=qd[:, 3:])


def _energies(moving: _Moving, masses: _Masses, gravity: Array) -> tuple[float, float]:
    """Return kinetic energy and that in gravity, zero at the world's origin [J]."""
    v, omega, turn = moving.v[:-1], moving.omega[:-1], moving.turn[:-1]
    spin = (turn * omega[:, :, None]).sum(axis=1)  # R^T omega
    kinetic = 0.5 * (masses.mass @ (v * v).sum(axis=1) + (spin * _turned(masses.inertia, spin)).sum())
    return float(kinetic), -float(masses.mass @ (moving.com[:-1] @ gravity))


def _turned(turns: Array, vectors: Array) -> Array:
    """Return each vector turned, or multiplied, by its matrix, shape (k, 3)."""
    return np.asarray((turns @ vectors[:, :, None])[:, :, 0])
