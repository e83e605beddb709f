# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Diagnostic status of a simulation: failed, refused, late, overrun, or healthy."""

from __future__ import annotations

from dataclasses import dataclass

from diagnostic_msgs.msg import DiagnosticStatus

from inertia_tools.ros.diagnostics import status
from inertia_tools.ros.simulation_world import Phase

KEPT_FACTOR = 0.95
"""An achieved real-time factor below this fraction of the requested one causes a warning."""


@dataclass(frozen=True)
class Health:
    """The condition of a simulation.

    Attributes:
        phase: Its phase.
        robot: Name of the simulated robot; empty for none.
        failure: Reason for its failure; empty without one.
        refused: Why the last description was refused; empty if it was not.
        wanted_factor: Requested real-time factor; 0 for as fast as possible.
        achieved_factor: Achieved real-time factor; NaN while time stands still.
        given_up: Total real time that was given up instead of caught up [s].
        step_cost: CPU time of a step [s]; NaN while time stands still.
        publish_cost: CPU time of publishing, per step [s].
        step: Steps since the start.
        time: Simulated time [s].
        rejected: Number of refused commands so far.
        last_rejection: Reason for the last refusal.
        overflow: Number of commands that found the queue full so far.
        new_overflow: Number of those since the last status.
    """

    phase: Phase
    robot: str = ""
    failure: str = ""
    refused: str = ""
    wanted_factor: float = 1.0
    achieved_factor: float = float("nan")
    given_up: float = 0.0
    step_cost: float = float("nan")
    publish_cost: float = float("nan")
    step: int = 0
    time: float = 0.0
    rejected: int = 0
    last_rejection: str = ""
    overflow: int = 0
    new_overflow: int = 0

    @property
    def is_late(self) -> bool:
        """Whether time runs slower than requested."""
        return self.phase is Phase.PLAYING and self.achieved_factor < KEPT_FACTOR * self.wanted_factor

    def verdict(self) -> tuple[bytes, str]:
        """Return the level and message of the worst condition."""
        if self.phase is Phase.FAILED:
            return DiagnosticStatus.ERROR, f"failed: {self.failure}; reset or load a description"
        if self.refused:
            return DiagnosticStatus.ERROR, f"last description refused: {self.refused}"
        if self.phase in (Phase.NO_WORLD, Phase.LOADING):
            return DiagnosticStatus.STALE, self.phase.value
        if self.new_overflow:
            return DiagnosticStatus.WARN, f"{self.phase.value}; {self.new_overflow} commands lost to a full queue"
        if self.is_late:
            factor = f"a real time factor of {self.achieved_factor:.3f} instead of {self.wanted_factor:g}"
            return DiagnosticStatus.WARN, f"{self.phase.value}, with {factor}"
        return DiagnosticStatus.OK, self.phase.value

    def status(self, name: str) -> DiagnosticStatus:
        """Return the complete status under the name of a node."""
        level, message = self.verdict()
        values = {
            "robot": self.robot,
            "state": self.phase.value,
            "failure": self.failure,
            "refused description": self.refused,
            "real time factor": f"{self.achieved_factor:.3f}",
            "real time given up [s]": f"{self.given_up:.3f}",
            "CPU time of a step [ms]": f"{1e3 * self.step_cost:.3f}",
            "CPU time of publishing, per step [ms]": f"{1e3 * self.publish_cost:.3f}",
            "simulated time [s]": f"{self.time:.3f}",
            "steps": self.step,
            "rejected commands": self.rejected,
            "last rejection": self.last_rejection,
            "queue overflows": self.overflow,
        }
        return status(name, level, message, values)
