# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Newton's other solvers by name, so that a script which offers a choice of them runs with the one that is here."""

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
"""Solvers of Newton that are not here."""


class AbsentSolver(SolverBase):
    """A solver of Newton that is not here; making one is an error that says so."""

    def __init__(self, *_: Any, **__: Any) -> None:
        raise OptionError("solver", type(self).__name__, "SolverXPBD, the one solver of this package")

    @staticmethod
    def register_custom_attributes(builder: ModelBuilder) -> None:
        """Declare nothing: what only another solver reads has no use here."""


class SolverMuJoCo(AbsentSolver):
    """Newton's solver by MuJoCo, which is not here; its attributes are, so that what files state of them is kept."""

    EqType = mujoco_kinds.EqType
    TrnType = mujoco_kinds.TrnType
    CtrlSource = mujoco_kinds.CtrlSource
    CtrlType = mujoco_kinds.CtrlType

    @staticmethod
    def register_custom_attributes(builder: ModelBuilder) -> None:
        """Declare MuJoCo's attributes, which importers then fill; see `inertia_tools.sim.scene.mujoco_attributes`."""
        mujoco_attributes.declare_mujoco(builder)

    @staticmethod
    def import_mujoco() -> tuple[ModuleType, ModuleType | None]:
        """Return the modules `mujoco` and, where it is installed, `mujoco_warp`, for scripts that compare with them.

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
    """Return the stand-in of that name."""
    return type(name, (AbsentSolver,), {"__doc__": AbsentSolver.__doc__, "__module__": "inertia_tools.solvers"})
