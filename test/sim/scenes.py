# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Small scenes for the tests of the simulator, and a loop that steps them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import inertia_tools as it
from inertia_tools.spatial import rotation_from_quaternion, rotation_from_rpy

G = 9.81
DT = 1.0 / 240.0
DRIVES = {
    "target": "joint_target_pos",
    "target_rate": "joint_target_vel",
    "stiffness": "joint_target_ke",
    "damping": "joint_target_kd",
    "effort": "joint_f",
}


@dataclass
class Scene:
    """A finished scene, stepped by hand."""

    builder: it.ModelBuilder
    dtype: str = "float64"
    substeps: int = 10
    iterations: int = 3
    dt: float = DT

    def __post_init__(self) -> None:
        self.model = self.builder.finalize(dtype=self.dtype)
        self.state = self.model.state()
        self.control = self.model.control()
        self.contacts = self.model.contacts()
        self.solver = it.SolverXPBD(self.model, iterations=self.iterations, substeps=self.substeps)

    def run(self, seconds: float) -> Scene:
        for _ in range(round(seconds / self.dt)):
            self.solver.step(self.state, self.state, self.control, self.contacts, self.dt)
        return self

    @property
    def q(self) -> np.ndarray:
        return self.state.body_q.numpy().astype(float)

    @property
    def qd(self) -> np.ndarray:
        return self.state.body_qd.numpy().astype(float)

    def set_velocity(self, body: int, linear: Any = (0, 0, 0), angular: Any = (0, 0, 0)) -> None:
        qd = self.qd
        qd[body] = [*linear, *angular]
        self.state.body_qd.assign(qd.astype(self.dtype))

    def set_drive(self, **fields: dict[int, float]) -> None:
        for short, values in fields.items():
            name = DRIVES.get(short, short)
            array = getattr(self.control if hasattr(self.control, name) else self.model, name)
            numbers = array.numpy()
            for body, value in values.items():
                numbers[self.dof_above(body)] = value
            array.assign(numbers)

    def dof_above(self, body: int) -> int:
        """Where the degrees of freedom of the joint that a body hangs on begin."""
        joints = self.model.built_joints
        return self.model.first_dof(next(i for i, joint in enumerate(joints) if joint.child == body))

    def force_on(self, body: int, other: int) -> np.ndarray:
        """Sum of the contact forces that `other` (-1 is the world) exerts on `body` [N]."""
        slots = self.contacts.slot_bodies
        forces = self.contacts.data.force.numpy()[: len(slots)].astype(float)
        on_a = (slots[:, 0] == body) & (slots[:, 1] == other)
        on_b = (slots[:, 1] == body) & (slots[:, 0] == other)
        return forces[on_a].sum(axis=0) - forces[on_b].sum(axis=0)

    def momenta(self) -> tuple[np.ndarray, np.ndarray]:
        """Linear momentum [N s] and angular momentum about the world's origin [N m s] of all bodies."""
        linear, angular = np.zeros(3), np.zeros(3)
        for inertial, q, qd in zip(self.model.inertials, self.q, self.qd, strict=True):
            rotation = rotation_from_quaternion(q[3:])
            com = q[:3] + rotation @ inertial.com
            p = inertial.mass * qd[:3]
            linear += p
            angular += np.cross(com, p) + rotation @ inertial.inertia @ rotation.T @ qd[3:]
        return linear, angular

    def energy(self) -> float:
        """Kinetic and potential energy of all bodies [J]."""
        total = 0.0
        for inertial, q, qd in zip(self.model.inertials, self.q, self.qd, strict=True):
            rotation = rotation_from_quaternion(q[3:])
            spin = rotation.T @ qd[3:]
            total += 0.5 * inertial.mass * qd[:3] @ qd[:3] + 0.5 * spin @ inertial.inertia @ spin
            total -= inertial.mass * self.model.gravity_vector @ (q[:3] + rotation @ inertial.com)
        return float(total)


def box_inertia(mass: float, hx: float, hy: float, hz: float) -> np.ndarray:
    return mass / 3.0 * np.diag([hy * hy + hz * hz, hx * hx + hz * hz, hx * hx + hy * hy])


def add_box(
    builder: it.ModelBuilder, mass: float, half: float, position: Any, mu: float = 0.5, rpy: Any = (0, 0, 0)
) -> int:
    """Add a cube of that mass [kg] and half edge [m]."""
    pose = it.Pose(np.array(position, dtype=float), rotation_from_rpy(rpy))
    body = builder.add_link(xform=pose)
    builder.add_shape_box(body, hx=half, hy=half, hz=half, cfg=it.ShapeConfig(density=mass / (2 * half) ** 3, mu=mu))
    return body


def heap(count: int, seed: int) -> it.ModelBuilder:
    """Return cubes that lean all ways, dropped into a pit; what stands on one corner does not spin for ever."""
    random = np.random.default_rng(seed)
    builder = it.ModelBuilder()
    builder.add_ground_plane()
    for axis in range(2):
        for side in (-1.0, 1.0):
            at = np.zeros(3)
            at[axis], at[2] = side * 0.32, 0.5
            half = np.full(3, 0.5)
            half[axis] = 0.05
            builder.add_shape_box(-1, xform=it.Pose(at), hx=half[0], hy=half[1], hz=half[2])
    for n in range(count):
        q = random.normal(size=4)
        at = np.array([*random.uniform(-0.14, 0.14, 2), 0.2 + 0.24 * n])
        body = builder.add_link(xform=it.Pose(at, rotation_from_quaternion(q / np.linalg.norm(q))))
        cfg = it.ShapeConfig(density=1000.0, mu_torsional=1e-3)
        builder.add_shape_box(body, hx=0.05, hy=0.05, hz=0.05, cfg=cfg)
    return builder


def rod(length: float = 1.0, mass: float = 1.0) -> dict[str, Any]:
    """Mass properties of a thin rod that hangs from its frame's origin along -z, round enough to be a solid."""
    across = mass * length**2 / 12.0
    return {"mass": mass, "com": [0.0, 0.0, -0.5 * length], "inertia": np.diag([across, across, 1e-2 * across])}


def pendulum(axis: Any = (0.0, 1.0, 0.0), angle: float = 0.0, **joint: Any) -> it.ModelBuilder:
    """A rod on a hinge at the world's origin, turned by an angle about the axis at the start."""
    builder = it.ModelBuilder()
    unit = np.array(axis, dtype=float) / np.linalg.norm(axis)
    q = [*(np.sin(0.5 * angle) * unit), np.cos(0.5 * angle)]
    body = builder.add_link(**rod(), xform=it.Pose(rotation=rotation_from_quaternion(q)), name="rod")
    builder.add_joint_revolute(-1, body, axis=axis, name="hinge", **joint)
    return builder
