# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Parameters of a solver, validated."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass

from inertia_tools.errors import OptionError
from inertia_tools.sim.scene.given import as_count, as_finite, as_positive
from inertia_tools.sim.scene.notices import SceneWarning

JOINT_SOLVERS = ("direct", "sweeps")
CONTACT_SOLVERS = ("auto", "direct")

TO_CALLER = 3
"""Frames between a warning given here and the line that made the solver."""

_SOFT = ("soft_body_relaxation", "soft_contact_relaxation")
_RATIOS = (*_SOFT, "joint_linear_relaxation", "joint_angular_relaxation", "rigid_contact_relaxation")
_NOT_NEGATIVE = ("joint_linear_compliance", "joint_angular_compliance", "angular_damping")
_SWEEPS_ONLY = (*_RATIOS, "rigid_contact_con_weighting")
"""Parameters of Gauss-Seidel sweeps only; those of soft bodies have no effect."""

_IMPACTS = ("rigid_contact_restitution_iterations",)
"""Parameters without effect: impacts are solved until they converge."""

LIVE = ("iterations", "substeps", *_SWEEPS_ONLY, *_NOT_NEGATIVE, *_IMPACTS, "joint_turn_limit", "enable_restitution")
"""Parameters that may be set between steps."""


@dataclass(frozen=True)
class SolverParameters:
    """Parameters of `SolverXPBD`, by the names it has for them."""

    iterations: int = 2
    soft_body_relaxation: float = 0.9
    soft_contact_relaxation: float = 0.9
    joint_linear_relaxation: float = 0.7
    joint_angular_relaxation: float = 0.4
    joint_linear_compliance: float = 0.0
    joint_angular_compliance: float = 0.0
    rigid_contact_relaxation: float = 0.8
    rigid_contact_con_weighting: bool = True
    rigid_contact_restitution_iterations: int = 2
    angular_damping: float = 0.0
    enable_restitution: bool = False
    particle_enable_self_contact: bool = True
    substeps: int = 10
    joint_turn_limit: float = 0.1
    joint_solver: str = "direct"
    contact_solver: str = "auto"
    check_finite: bool = False

    def __post_init__(self) -> None:
        for name in ("iterations", "substeps", *_IMPACTS):
            object.__setattr__(self, name, as_count(name, getattr(self, name)))
        if self.joint_solver not in JOINT_SOLVERS:
            raise OptionError("joint_solver", self.joint_solver, " or ".join(JOINT_SOLVERS))
        if self.contact_solver not in CONTACT_SOLVERS:
            raise OptionError("contact_solver", self.contact_solver, " or ".join(CONTACT_SOLVERS))
        for name in _RATIOS:
            if not 0.0 < as_finite(name, getattr(self, name)) <= 1.0:
                raise OptionError(name, getattr(self, name), "above 0, at most 1")
        for name in _NOT_NEGATIVE:
            if as_finite(name, getattr(self, name)) < 0.0:
                raise OptionError(name, getattr(self, name), "a finite number, zero or more")
        as_positive("joint_turn_limit", self.joint_turn_limit)

    def warn_of_unused(self, names: Iterable[str] = LIVE) -> None:
        """Warn of parameters among `names` that were given and have no effect."""
        unused = (*(_SWEEPS_ONLY if self.joint_solver == "direct" else _SOFT), *_IMPACTS)
        named = [name for name in unused if name in names and getattr(self, name) != _default(name)]
        if named:
            why = "all constraints are solved at once, which has nothing to relax"
            if self.joint_solver == "sweeps":
                why = "soft bodies and impacts are solved at once"
            warnings.warn(f"no use for {', '.join(named)}: {why}", SceneWarning, stacklevel=TO_CALLER)


def _default(name: str) -> object:
    return SolverParameters.__dataclass_fields__[name].default
