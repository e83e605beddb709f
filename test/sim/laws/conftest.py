# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Scenes at the default substeps, with a few more readings, for the laws of motion."""

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("warp", reason="warp-lang is not installed")
sys.path.insert(0, str(Path(__file__).parents[1]))

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
