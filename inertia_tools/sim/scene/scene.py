# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A scene in NumPy: bodies, shapes, joints, particles and worlds, and the settings of `finalize`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from inertia_tools.sim.scene.axis import Axis
from inertia_tools.sim.scene.equalities import SceneEqualities
from inertia_tools.sim.scene.mujoco_attributes import declare_mujoco
from inertia_tools.sim.scene.mujoco_kinds import NAMESPACE
from inertia_tools.sim.scene.soft_solids import SceneSoftSolids
from inertia_tools.sim.scene.worlds import SceneWorlds


@dataclass
class Scene(SceneEqualities, SceneWorlds, SceneSoftSolids):
    """A scene; bodies, shapes, joints, particles and what deforms between them are named by their index.

    Attributes:
        balance_inertia: `finalize` repairs violations of the triangle inequality; otherwise it only warns of them.
        bound_mass: Smallest mass of a body with mass [kg]; None for no bound.
        bound_inertia: Smallest principal moment of a body with mass [kg m^2]; None for no bound.
        validate_inertia_detailed: `finalize` names each body it corrects, the rule, and the values before and after;
            otherwise it says how many there were.
        inertia_repair: "relative" repairs go by the size of the body itself; "absolute" ones add the constants of
            Newton, 1e-6 kg m^2, whatever the body.
        inertia_relative_tolerance: Least ratio of the smallest to the largest moment that absolute repairs leave alone;
            None for 1e-6. One of this and the next two makes repairs absolute.
        inertia_absolute_tolerance: Least moment that they leave alone [kg m^2]; None for 1e-10.
        inertia_correction: What they add beyond that [kg m^2]; None for 1e-6.
        friction_combine: Combination rule for the friction coefficients of two shapes: "mean", "min",
            "product" or "max".
        restitution_combine: Combination rule for their restitution coefficients.
        broad_phase: "list" all pairs of shapes at `finalize`, which is fast for few; "search" those that are near in
            each step, which thousands need; "auto" goes by their number.
        requested_attributes: Additional arrays of states and contacts.
    """

    balance_inertia: bool = True
    bound_mass: float | None = None
    bound_inertia: float | None = None
    validate_inertia_detailed: bool = False
    inertia_repair: str = "relative"
    inertia_relative_tolerance: float | None = None
    inertia_absolute_tolerance: float | None = None
    inertia_correction: float | None = None
    friction_combine: str = "mean"
    restitution_combine: str = "mean"
    broad_phase: str = "auto"
    requested_attributes: set[str] = field(default_factory=set, init=False)

    @property
    def up_vector(self) -> tuple[float, float, float]:
        """Unit vector that points up."""
        return Axis.from_any(self.up_axis).to_vector()

    def add_custom_values(self, **values: Any) -> dict[str, int]:
        """Add rows to tables, as `SceneTables.add_custom_values` says; MuJoCo's are declared when they are first used.

        Raises:
            OptionError: There is no such attribute.
            TypeError: It is none of a custom frequency.
        """
        if any(key.startswith(f"{NAMESPACE}:") and key not in self.custom_attributes for key in values):
            declare_mujoco(self)
        return super().add_custom_values(**values)
