# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""MuJoCo Warp: copies of a scene of `MuJoCo`, as worlds on one device; a step is captured as one graph."""

from __future__ import annotations

import mujoco
import mujoco_warp
import numpy as np
import warp as wp

from benchmarks.physics.engine import FRAME
from benchmarks.physics.with_mujoco import MuJoCo
from benchmarks.physics.world import World

SETTLED = 0.25
"""Simulated by MuJoCo before worlds are made, so that there is room for as many contacts as there are then [s]."""


class MuJoCoWarp(MuJoCo):
    """Worlds that all begin where the scene is after a quarter of a second."""

    name = "MuJoCo Warp"

    def __init__(self, world: World, h: float, frame: float = FRAME, *, copies: int = 1, device: str = "cpu") -> None:
        self.copies, self.device = copies, device
        super().__init__(world, h, frame)

    def _build(self) -> None:
        super()._build()
        mujoco.mj_step(self.model, self.data, nstep=round(SETTLED / self.h))
        room = {"nconmax": 2 * self.data.ncon + 8, "njmax": 2 * self.data.nefc + 16}
        with wp.ScopedDevice(self.device):
            self.on_device = mujoco_warp.put_model(self.model)
            self.worlds = mujoco_warp.put_data(self.model, self.data, nworld=self.copies, **room)
            mujoco_warp.step(self.on_device, self.worlds)  # compiles
            with wp.ScopedCapture() as capture:
                mujoco_warp.step(self.on_device, self.worlds)
        self._graph = capture.graph

    def _step_frame(self) -> None:
        for _ in range(self.steps_per_frame):
            wp.capture_launch(self._graph)

    def _see(self) -> None:
        for name in ("qpos", "qvel", "xfrc_applied", "qacc_warmstart"):
            getattr(self.look, name)[:] = np.asarray(getattr(self.worlds, name).numpy()[0])
        mujoco.mj_forward(self.model, self.look)
