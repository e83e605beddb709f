# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The solvers, by the module that users of Newton know."""

from inertia_tools.sim.absent_solvers import NAMES, AbsentSolver, absent_solver
from inertia_tools.sim.absent_solvers import SolverMuJoCo as SolverMuJoCo
from inertia_tools.sim.model.changes import SolverNotifyFlags as SolverNotifyFlags
from inertia_tools.sim.scene.mujoco_kinds import SolrefMode
from inertia_tools.sim.solver import SolverXPBD as SolverXPBD
from inertia_tools.sim.solver_base import SolverBase as SolverBase

SOLREF_MODE_FORCE_SPACE, SOLREF_MODE_RAW, SOLREF_MODE_MJCF_DEFAULT = SolrefMode
"""What `model.mujoco.solref_mode` and `solreflimit_mode` hold: gains of force, the file's own words, or its default."""

__all__ = ["SolverBase", "SolverMuJoCo", "SolverNotifyFlags", "SolverXPBD"]


def __getattr__(name: str) -> type[AbsentSolver]:
    if name not in NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    solver = globals()[name] = absent_solver(name)
    return solver
