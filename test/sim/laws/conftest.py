# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Scenes at the default substeps, with a few more readings, for the laws of motion."""

from dataclasses import dataclass

import numpy as np
import pytest

pytest.importorskip("warp", reason="warp-lang is not installed")

import scenes


@dataclass
class LawScene(scenes.Scene):
    """A scene that is driven by body and read by law."""

    substeps: int = 20

    def drive(self, **fields) -> None:
        for name, values in fields.items():
            self.set_drive(**{name: dict(enumerate(values))})

    @property
    def joint_q(self) -> np.ndarray:
        return self.state.data.joint_q.numpy()

    @property
    def floor_force(self) -> np.ndarray:
        return sum((self.force_on(body, -1) for body in range(self.model.body_count)), np.zeros(3))


@pytest.fixture
def scene():
    return LawScene
