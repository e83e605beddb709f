# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Placeholders for Newton's other solvers, so that scripts that offer a choice of solvers run with SolverXPBD."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

from inertia_tools.errors import MissingDependencyError, OptionError
from inertia_tools.sim.builder import ModelBuilder
from inertia_tools.sim.scene import mujoco_attributes, mujoco_kinds
from inertia_tools.sim.solver_base import SolverBase

NAMES = (
    "SolverFeatherstone",
    "SolverImplicitMPM",
    "SolverKamino",
    "SolverSemiImplicit",
    "SolverSteel",
    "SolverStyle3D",
    "SolverVBD",
)
"""Names of Newton's solvers that this package does not implement."""


class AbsentSolver(SolverBase):
    """A solver of Newton that this package does not implement; its constructor raises `OptionError`."""

    def __init__(self, *_: Any, **__: Any) -> None:
        raise OptionError("solver", type(self).__name__, "SolverXPBD, the one solver of this package")

    @staticmethod
    def register_custom_attributes(builder: ModelBuilder) -> None:
        """Declare nothing: SolverXPBD does not read attributes of other solvers."""


class SolverMuJoCo(AbsentSolver):
    """Placeholder for Newton's MuJoCo solver; declares its custom attributes, so that importers keep their values."""

    EqType = mujoco_kinds.EqType
    TrnType = mujoco_kinds.TrnType
    CtrlSource = mujoco_kinds.CtrlSource
    CtrlType = mujoco_kinds.CtrlType

    @staticmethod
    def register_custom_attributes(builder: ModelBuilder) -> None:
        """Declare MuJoCo's custom attributes, which importers fill; see `inertia_tools.sim.scene.mujoco_attributes`."""
        mujoco_attributes.declare_mujoco(builder)

    @staticmethod
    def import_mujoco() -> tuple[ModuleType, ModuleType | None]:
        """Return the modules `mujoco` and `mujoco_warp` (None if not installed), for scripts that compare with them.

        Raises:
            MissingDependencyError: MuJoCo is not installed.
        """
        try:
            mujoco = importlib.import_module("mujoco")
        except ImportError as error:
            raise MissingDependencyError("mujoco", "comparing with MuJoCo", "pip install mujoco") from error
        try:
            return mujoco, importlib.import_module("mujoco_warp")
        except ImportError:
            return mujoco, None


def absent_solver(name: str) -> type[AbsentSolver]:
    """Return the placeholder class of that name."""
    return type(name, (AbsentSolver,), {"__doc__": AbsentSolver.__doc__, "__module__": "inertia_tools.solvers"})
