# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Joints whose gains and damping are too stiff for their inertia at a time step; and the longest stable step."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from inertia_tools.description.types import Description, Joint
from inertia_tools.diagnosis.reason import Reason, reason_at, score_beyond
from inertia_tools.diagnosis.stated_step import has_implicit_drives, has_implicit_joints
from inertia_tools.diagnosis.step_stability import (
    StableStep,
    effective_inertias,
    longest_stable_step,
    longest_step,
)
from inertia_tools.inertia.finding import Severity
from inertia_tools.sim.simulation import Simulation
from inertia_tools.sim.simulation.knowing import DofGains
from inertia_tools.spatial import Array

SAFETY = 0.5
"""Ratio of a suggested step to the stable bound: there, the stiffest mode is damped and not only bounded."""

ROUND_STEPS = (1.0, 2.0, 5.0)
"""Leading digits of suggested steps."""


@dataclass(frozen=True)
class ControllerGains:
    """Gains of a controller outside the file, for every joint with one degree of freedom and no drive.

    Attributes:
        stiffness: Position gain [N m/rad or N/m].
        damping: Velocity gain [N m s/rad or N s/m].
    """

    stiffness: float = 0.0
    damping: float = 0.0


@dataclass(frozen=True)
class JointStep:
    """The effective inertia of a joint, and the longest step that it permits.

    Attributes:
        joint: Name of the degree of freedom: the joint, with a number after it if that has several.
        inertia: Effective inertia [kg m^2 or kg] for an effort at the joint while the others are free.
        stiffness: Sum of springs and position gains [N m/rad or N/m].
        damping: Sum of damping and velocity gains that are evaluated at the start of the step [N m s/rad or N s/m].
        longest: Longest stable step [s] while the other joints are free; infinite if unbounded.
        largest_stiffness: Position gain [N m/rad or N/m] permitted at the requested step by half of the stability
            bound.
        largest_damping: Velocity gain [N m s/rad or N s/m] likewise.
    """

    joint: str
    inertia: float
    stiffness: float
    damping: float
    longest: float
    largest_stiffness: float
    largest_damping: float


@dataclass(frozen=True, eq=False)
class StepStudy:
    """The bounds on the time step of a robot.

    Attributes:
        step: The requested step [s].
        joints: Each degree of freedom of a joint.
        whole: Bound of all together, and the share of each of `joints` in the mode that becomes unstable first.
    """

    step: float
    joints: tuple[JointStep, ...]
    whole: StableStep

    @property
    def suggested(self) -> float:
        """The suggested step [s]: the requested one if it is at most half of the bound, else a round one that is."""
        wanted = SAFETY * self.whole.longest
        if self.step <= wanted:
            return self.step
        power = 10.0 ** math.floor(math.log10(wanted))
        return max(digit * power for digit in (ROUND_STEPS[0], *ROUND_STEPS) if digit * power <= wanted * (1 + 1e-9))


def study_step(
    robot: Description, simulation: Simulation, step: float, controller: ControllerGains = ControllerGains()
) -> StepStudy:
    """Compute the effective inertia of every joint in the initial configuration, and the steps that its gains permit.

    Damping that MuJoCo evaluates at the end of the step permits longer steps: that of joints by default, and also that
    of actuators if its integrator is implicit.

    Args:
        robot: The description.
        simulation: A simulation of it before its first step.
        step: The requested time step [s].
        controller: Gains of a controller outside the file.
    """
    names, matrix = simulation.dof_names, simulation.mass_matrix()
    gains = _with_controller(simulation, controller)
    stiffness = gains.spring + gains.drive_stiffness
    stiffness = np.where(np.isfinite(stiffness), stiffness, 0.0)  # a rigid hold is not a spring
    damping, implicit = _dampers(robot, gains)
    inertias = effective_inertias(matrix)
    whole = longest_stable_step(matrix, stiffness, damping - implicit)
    of_joints = [index for index, name in enumerate(names) if _joint_of(robot, name) is not None]
    joints = tuple(
        JointStep(
            names[i],
            float(inertias[i]),
            float(stiffness[i]),
            float(damping[i]),
            longest_step(inertias[i], stiffness[i], damping[i] - implicit[i]),
            largest_stiffness=4.0 * float(inertias[i]) * (SAFETY / step) ** 2,
            largest_damping=2.0 * float(inertias[i]) * SAFETY / step,
        )
        for i in of_joints
    )
    return StepStudy(step, joints, replace(whole, shares=whole.shares[of_joints]))


def _dampers(robot: Description, gains: DofGains) -> tuple[Array, Array]:
    """Return the damping evaluated at the start of the step, and that at its end, along each degree of freedom."""
    end = gains.damping * has_implicit_joints(robot) + gains.drive_damping * has_implicit_drives(robot)
    return gains.damping + gains.drive_damping - end, end


def _with_controller(simulation: Simulation, controller: ControllerGains) -> DofGains:
    """Give the gains of a controller to joints with one degree of freedom and no drive of their own."""
    gains = simulation.dof_gains()
    driven = np.array([name in set(simulation.joint_names) for name in simulation.dof_names], dtype=bool)
    idle: Array = driven & (gains.drive_stiffness == 0.0) & (gains.drive_damping == 0.0)
    return replace(
        gains,
        drive_stiffness=np.where(idle, controller.stiffness, gains.drive_stiffness),
        drive_damping=np.where(idle, controller.damping, gains.drive_damping),
    )


def _joint_of(robot: Description, name: str) -> Joint | None:
    """Return the joint of a degree of freedom; None for a free body."""
    known = _joints(robot)
    return known.get(name) or known.get(name.rpartition(".")[0])


def _joints(robot: Description) -> Mapping[str, Joint]:
    return {one.name: one for first in robot.joints.values() for one in first.row}


def step_reasons(robot: Description, study: StepStudy) -> Iterator[Reason]:
    """Report joints for which the step is too long, and the robot if it is too long only for all of them together."""
    if study.whole.longest >= study.step:
        return
    found = [one for one in study.joints if one.longest < study.step]
    for one in found:
        yield _too_stiff(robot, one, study.step)
    if not found:
        worst = study.joints[int(np.argmax(study.whole.shares))]
        yield _too_stiff(robot, replace(worst, longest=study.whole.longest), study.step, together=True)


def _too_stiff(robot: Description, one: JointStep, step: float, *, together: bool = False) -> Reason:
    joint = _joint_of(robot, one.joint)
    assert joint is not None
    is_spring = longest_step(one.inertia, one.stiffness, 0.0) <= longest_step(one.inertia, 0.0, one.damping)
    code = "gains-exceed-step" if is_spring else "damping-exceeds-step"
    said = [f"stiffness {one.stiffness:.4g}"] if one.stiffness > 0.0 else []
    said += [f"damping {one.damping:.4g}"] if one.damping > 0.0 else []
    others = " with the other joints" if together else ""
    message = (
        f"{' and '.join(said)} on an effective inertia of {one.inertia:.3g}{others} stay stable in explicit steps of "
        f"at most {one.longest:.3g} s, and the step is {step:g} s, {step / one.longest:.3g} times that"
    )
    limits = [f"stiffness {one.largest_stiffness:.2g}"] if one.stiffness > 0.0 else []
    limits += [f"damping {one.largest_damping:.2g}"] if one.damping > 0.0 else []
    armature = one.inertia * (step / one.longest / SAFETY)
    remedy = (
        f"step at {SAFETY * one.longest:.2g} s; or at most {' and '.join(limits)}; or the inertia of the rotor as "
        f"armature, {armature:.2g} or more; or use a simulator with implicit drives"
    )
    return reason_at(
        joint.place,
        Severity.WARNING,
        code,
        message,
        remedy,
        score=score_beyond(step, one.longest),
        joint=one.joint,
        value=step,
        bound=one.longest,
    )
