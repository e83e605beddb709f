# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Newton's other solvers by name, so that a script which offers a choice of them runs with the one that is here."""

from __future__ import annotations

from typing import Any

from inertia_tools.errors import OptionError
from inertia_tools.sim.builder import ModelBuilder
from inertia_tools.sim.solver_base import SolverBase

NAMES = (
    "SolverFeatherstone",
    "SolverImplicitMPM",
    "SolverKamino",
    "SolverMuJoCo",
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


def absent_solver(name: str) -> type[AbsentSolver]:
    """Return the stand-in of that name."""
    return type(name, (AbsentSolver,), {"__doc__": AbsentSolver.__doc__, "__module__": "inertia_tools.solvers"})
