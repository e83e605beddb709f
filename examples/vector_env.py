# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Many cart-poles as a Gymnasium VectorEnv, stepped together as worlds of one replicated scene.

    pip install gymnasium
    python examples/vector_env.py

Each world is a cart on a rail with a pole on it. Actions are forces on the cart, observations position and velocity of
the cart, angle and rate of the pole. An episode ends when the pole leans too far or the cart leaves its rail; its world
begins anew with the next step, as Gymnasium's `AutoresetMode.NEXT_STEP` says.
"""

from __future__ import annotations

import time
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

import inertia_tools as it

CART_MASS, POLE_MASS, HALF_LENGTH = 1.0, 0.1, 0.5  # [kg, kg, m], those of Barto, Sutton and Anderson (1983).
FORCE = 10.0  # Of an action of 1 [N].
STEP = 0.02  # [s]
FARTHEST, STEEPEST = 2.4, np.radians(12.0)  # Where an episode ends [m, rad].
LONGEST = 500  # Steps of an episode.
START = 0.05  # Everything begins within this of zero.

Floats = npt.NDArray[np.float64]


def cart_pole() -> it.ModelBuilder:
    """Build one world."""
    builder = it.ModelBuilder()
    cart = builder.add_link(mass=CART_MASS, inertia=np.diag([0.01, 0.01, 0.01]), name="cart")
    moment = POLE_MASS * HALF_LENGTH**2 / 3.0
    pole = builder.add_link(
        it.Pose(np.zeros(3)),
        mass=POLE_MASS,
        com=(0.0, 0.0, HALF_LENGTH),
        inertia=np.diag([moment, moment, 1e-4]),
        name="pole",
    )
    builder.add_joint_prismatic(-1, cart, axis=(1, 0, 0), name="rail")
    builder.add_joint_revolute(cart, pole, axis=(0, 1, 0), name="hinge")
    return builder


class CartPoles(VectorEnv[Floats, Floats, npt.NDArray[Any]]):
    """So many cart-poles.

    Args:
        count: Number of worlds.
        device: Where to compute, as Warp names it.
    """

    metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012 - as Gymnasium has it

    def __init__(self, count: int = 64, device: str = "cpu") -> None:
        self.num_envs = count
        highest = np.array([2.0 * FARTHEST, np.inf, 2.0 * STEEPEST, np.inf])
        self.single_observation_space = gymnasium.spaces.Box(-highest, highest, dtype=np.float64)
        self.single_action_space = gymnasium.spaces.Box(-1.0, 1.0, (1,), dtype=np.float64)
        self.observation_space = batch_space(self.single_observation_space, count)
        self.action_space = batch_space(self.single_action_space, count)
        builder = cart_pole()
        builder.replicate(count)
        self._model = builder.finalize(device, "float64")
        self._forget()
        self._steps = np.zeros(count, dtype=int)
        self._over = np.zeros(count, dtype=bool)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Floats, dict[str, Any]]:
        """Begin all episodes anew."""
        super().reset(seed=seed)
        self._forget()
        self._begin(np.ones(self.num_envs, dtype=bool))
        return self._observations(), {}

    def step(
        self, actions: Floats
    ) -> tuple[Floats, npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], dict[str, Any]]:
        """Make a step of all worlds; those whose episode is over begin anew instead."""
        forces = np.zeros((self.num_envs, 2))
        forces[:, 0] = FORCE * np.clip(np.reshape(actions, self.num_envs), -1.0, 1.0)
        self._control.joint_f.assign(forces.ravel())
        self._solver.step(self._state, self._state, self._control, None, STEP)
        began = self._over.copy()
        if began.any():
            self._begin(began)
        self._steps[~began] += 1
        seen = self._observations()
        terminated = (np.abs(seen[:, 0]) > FARTHEST) | (np.abs(seen[:, 2]) > STEEPEST)
        truncated = self._steps >= LONGEST
        self._over = terminated | truncated
        return seen, np.where(began, 0.0, 1.0), terminated, truncated, {}

    def _forget(self) -> None:
        """Start with a state and a solver that remember nothing, so that equal seeds give equal episodes."""
        self._solver = it.SolverXPBD(self._model, substeps=2)
        self._state, self._control = self._model.state(), self._model.control()

    def _observations(self) -> Floats:
        q = self._state.joint_q.numpy().reshape(self.num_envs, 2)
        qd = self._state.joint_qd.numpy().reshape(self.num_envs, 2)
        return np.stack([q[:, 0], qd[:, 0], q[:, 1], qd[:, 1]], axis=1)

    def _begin(self, which: npt.NDArray[np.bool_]) -> None:
        """Put some worlds near upright and at rest; the bodies are set, and the joints follow."""
        offsets = self.np_random.uniform(-START, START, (self.num_envs, 4))
        x, speed, angle, rate = offsets.T
        q = self._state.body_q.numpy().reshape(self.num_envs, 2, 7)
        qd = self._state.body_qd.numpy().reshape(self.num_envs, 2, 6)
        coordinates = self._state.joint_q.numpy().reshape(self.num_envs, 2)
        rates = self._state.joint_qd.numpy().reshape(self.num_envs, 2)
        q[which] = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
        q[which, :, 0] = x[which, None]
        q[which, 1, 4], q[which, 1, 6] = np.sin(0.5 * angle[which]), np.cos(0.5 * angle[which])
        qd[which] = 0.0
        qd[which, :, 0] = speed[which, None]
        qd[which, 1, 0] += rate[which] * HALF_LENGTH * np.cos(angle[which])  # of the centre of mass
        qd[which, 1, 2] = -rate[which] * HALF_LENGTH * np.sin(angle[which])
        qd[which, 1, 4] = rate[which]
        coordinates[which], rates[which] = offsets[which][:, [0, 2]], offsets[which][:, [1, 3]]
        for array, values in (
            (self._state.body_q, q.reshape(-1, 7)),
            (self._state.body_qd, qd.reshape(-1, 6)),
            (self._state.joint_q, coordinates.ravel()),
            (self._state.joint_qd, rates.ravel()),
        ):
            array.assign(values)
        self._steps[which] = 0


def balanced(observations: Floats) -> Floats:
    """Return the actions of a linear controller that keeps poles upright."""
    actions: Floats = np.clip(observations @ np.array([0.1, 0.2, 3.0, 0.6]), -1.0, 1.0)[:, None]
    return actions


def main() -> None:
    """Balance many poles, and say how fast that goes."""
    worlds = CartPoles(256)
    seen, _ = worlds.reset(seed=1)
    worlds.step(balanced(seen))  # compiles kernels
    began, total = time.perf_counter(), 0.0
    for _ in range(LONGEST):
        seen, reward, *_ = worlds.step(balanced(seen))
        total += float(reward.sum())
    steps = LONGEST * worlds.num_envs
    print(f"{steps / (time.perf_counter() - began):.0f} steps a second, upright in {total / steps:.1%} of them")


if __name__ == "__main__":
    main()
