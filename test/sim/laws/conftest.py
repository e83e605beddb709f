# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A scene that runs itself, for tests of the laws of motion."""

import numpy as np
import pytest

warp = pytest.importorskip("warp", reason="warp-lang is not installed")

from inertia_tools.sim.builder import ModelBuilder  # noqa: E402
from inertia_tools.sim.solver import SolverXPBD  # noqa: E402

DT = 1.0 / 240.0


class Scene:
    """A builder's scene, its state, and a solver."""

    def __init__(self, builder: ModelBuilder, dtype: str = "float64", **options):
        self.model = builder.finalize(dtype=dtype)
        self.state, self.control = self.model.state(), self.model.control()
        self.contacts = self.model.contacts()
        self.solver = SolverXPBD(self.model, **{"substeps": 20, **options})

    def run(self, seconds: float, dt: float = DT) -> "Scene":
        for _ in range(round(seconds / dt)):
            self.solver.step(self.state, self.state, self.control, self.contacts, dt)
        return self

    def set_velocity(self, body: int, linear=(0, 0, 0), angular=(0, 0, 0)) -> None:
        qd = self.qd
        qd[body] = [*linear, *angular]
        self.state.body_qd.assign(qd)

    def drive(self, **fields) -> None:
        for name, values in fields.items():
            getattr(self.control.data, name).assign(np.asarray(values, dtype=self.model.precision.numpy))

    @property
    def q(self) -> np.ndarray:
        return self.state.body_q.numpy()

    @property
    def qd(self) -> np.ndarray:
        return self.state.body_qd.numpy()

    @property
    def joint_q(self) -> np.ndarray:
        return self.state.data.joint_q.numpy()

    @property
    def floor_force(self) -> np.ndarray:
        forces = self.contacts.data.force.numpy()[: self.model.slot_count]
        on_floor = self.model.slot_bodies[:, 1] < 0
        return forces[on_floor].sum(axis=0)

    def momentum(self) -> tuple[np.ndarray, np.ndarray]:
        """Total momentum, and angular momentum about the origin."""
        linear, angular = np.zeros(3), np.zeros(3)
        for body, inertial in enumerate(self.model.inertials):
            turn = warp.quat_to_matrix(warp.quatd(*self.q[body, 3:].tolist()))
            turn = np.array(turn).reshape(3, 3)
            com = turn @ inertial.com + self.q[body, :3]
            p = inertial.mass * self.qd[body, :3]
            linear += p
            angular += np.cross(com, p) + turn @ inertial.inertia @ turn.T @ self.qd[body, 3:]
        return linear, angular


@pytest.fixture
def scene():
    return Scene
