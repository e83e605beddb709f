# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The action FollowJointTrajectory, if control_msgs is installed."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Collection, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from inertia_tools.errors import InertiaToolsError, MimicJointError, SimulationError, UnknownJointError
from inertia_tools.ros import simulation_messages as messages
from inertia_tools.ros.failures import message_of
from inertia_tools.ros.long_actions import served, told
from inertia_tools.ros.simulation_node import SimulationNode
from inertia_tools.ros.simulation_world import World
from inertia_tools.ros.trajectories import Guide
from inertia_tools.ros.trajectory_commands import guide_along, trajectory_of
from inertia_tools.spatial import Array

if TYPE_CHECKING:
    from inertia_tools.sim.simulation import Simulation


@dataclass(frozen=True)
class Outcome:
    """How a trajectory ended: a code of FollowJointTrajectory, and the reason."""

    code: int
    reason: str = ""


@dataclass(eq=False)
class WatchedGuide(Guide):
    """An active trajectory with tolerances.

    Attributes:
        on_path: Maximum position errors along the trajectory, by joint [rad or m].
        at_goal: Maximum position errors at its end, by joint [rad or m].
        patience: Time after the end in which the goal tolerances may be reached [s].
        codes: The constants of FollowJointTrajectory.
        outcome: How it ended.
        desired: Target positions of the last step [rad or m].
        actual: Joint positions after it [rad or m].
    """

    on_path: Mapping[str, float] = field(default_factory=dict)
    at_goal: Mapping[str, float] = field(default_factory=dict)
    patience: float = math.inf
    codes: Any = None
    outcome: Future[Outcome] = field(default_factory=Future)
    desired: Array = field(default_factory=lambda: np.zeros(0))
    actual: Array = field(default_factory=lambda: np.zeros(0))

    def without(self, joints: Collection[str]) -> None:
        """Return None: a goal without all its joints has been lost."""

    def lead(self, simulation: Simulation, step: int) -> bool:
        """Set the targets of the next step, after checking the tolerances in the last one."""
        time = step * simulation.dt - self.begins
        now = simulation.snapshot().joint_positions
        self.actual = np.array([now[name] for name in self.trajectory.names])
        self.desired = self.trajectory.at(max(time, 0.0))[0]
        is_over = time >= self.trajectory.times[-1]
        late = self._worst(self.at_goal) if is_over else self._worst(self.on_path)
        if is_over and not late:
            return self._end(self.codes.SUCCESSFUL)
        if is_over and time > self.trajectory.times[-1] + self.patience:
            return self._end(self.codes.GOAL_TOLERANCE_VIOLATED, late)
        if not is_over and time > 0.0 and late:
            return self._end(self.codes.PATH_TOLERANCE_VIOLATED, late)
        super().lead(simulation, step)
        return True

    def _worst(self, tolerances: Mapping[str, float]) -> str:
        """Return a message about a joint outside of its tolerance; an empty text if there is none."""
        for name, wanted, actual in zip(self.trajectory.names, self.desired, self.actual, strict=True):
            if name in tolerances and abs(wanted - actual) > tolerances[name]:
                return (
                    f"joint {name!r} is {abs(wanted - actual):.4g} from the trajectory, above the "
                    f"tolerance of {tolerances[name]:.4g}"
                )
        return ""

    def _end(self, code: int, reason: str = "") -> bool:
        if not self.outcome.done():
            self.outcome.set_result(Outcome(code, reason))
        return False


class TrajectoryAction:
    """Serves the action under `follow_joint_trajectory`."""

    def __init__(self, node: SimulationNode) -> None:
        """Offer the action."""
        from control_msgs.action import FollowJointTrajectory

        self._node, self._action = node, FollowJointTrajectory
        self._server = served(node, FollowJointTrajectory, "follow_joint_trajectory", self._execute)

    async def _execute(self, goal: Any) -> Any:
        codes, answer = self._action.Result, self._action.Result()
        try:
            guide = await self._node.run(lambda world: self._begin(world, goal.request))
        except (UnknownJointError, MimicJointError) as error:
            return self._refuse(goal, codes.INVALID_JOINTS, error)
        except InertiaToolsError as error:
            return self._refuse(goal, codes.INVALID_GOAL, error)
        with told(self._node, lambda: self._tell(goal, guide)):
            outcome = await self._node.finished(guide.outcome)
        answer.error_code, answer.error_string = outcome.code, outcome.reason
        if outcome.code == codes.SUCCESSFUL and not outcome.reason:
            goal.succeed()
        elif goal.is_cancel_requested:
            goal.canceled()
        else:
            goal.abort()
        return answer

    def _begin(self, world: World, request: Any) -> WatchedGuide:
        """Start following a goal.

        Raises:
            InertiaToolsError: The goal is invalid, or there is no working simulation.
        """
        if len(request.multi_dof_trajectory.points):
            raise SimulationError(
                "trajectories of joints with several degrees of freedom are not supported; omit multi_dof_trajectory"
            )
        trajectory = trajectory_of(request.trajectory)
        if trajectory is None:
            raise SimulationError("the trajectory has no points")
        on_path, at_goal = (_tolerances(given) for given in (request.path_tolerance, request.goal_tolerance))
        plain = guide_along(world, trajectory, self._node.joint_control())
        wait = request.goal_time_tolerance.sec + 1e-9 * request.goal_time_tolerance.nanosec
        guide = WatchedGuide(
            plain.trajectory,
            plain.control,
            plain.begins,
            on_path=on_path,
            at_goal=at_goal,
            patience=wait if wait > 0.0 else math.inf,
            codes=self._action.Result,
        )
        world.follow(guide)
        return guide

    def _refuse(self, goal: Any, code: int, error: Exception) -> Any:
        answer = self._action.Result(error_code=code, error_string=message_of(error))
        goal.abort()
        return answer

    def _tell(self, goal: Any, guide: WatchedGuide) -> None:
        """Publish feedback, and end the goal if it was cancelled or another command took its joints."""
        if goal.is_cancel_requested:
            self._node.loop.submit(lambda world: _drop(world, guide, "cancelled"))
        else:
            self._node.loop.submit(lambda world: end_if_lost(world, guide))
        if goal.is_active and len(guide.desired) and not guide.outcome.done():
            self._publish(goal, guide)

    def _publish(self, goal: Any, guide: WatchedGuide) -> None:
        desired, actual = guide.desired, guide.actual
        feedback = self._action.Feedback(joint_names=list(guide.trajectory.names))
        feedback.header.stamp = messages.to_time(self._node.nanoseconds_of(self._node.step_count))
        for point, values in (
            (feedback.desired, desired),
            (feedback.actual, actual),
            (feedback.error, desired - actual),
        ):
            point.positions = values.tolist()
        goal.publish_feedback(feedback)


def offer(node: SimulationNode) -> TrajectoryAction | None:
    """Offer the action on a simulator node; None if control_msgs is not installed."""
    return None if importlib.util.find_spec("control_msgs") is None else TrajectoryAction(node)


def _tolerances(given: Any) -> dict[str, float]:
    """Return position tolerances by joint; zero means unspecified, and a negative value removes the tolerance.

    Raises:
        SimulationError: A tolerance is not finite.
    """
    if not all(math.isfinite(one.position) for one in given):
        raise SimulationError("tolerances must be finite numbers")
    return {one.name: one.position for one in given if one.position > 0.0}


def _drop(world: World, guide: WatchedGuide, reason: str) -> None:
    if guide in world.guides:
        world.drop_guides(guide.names)
    if not guide.outcome.done():
        guide.outcome.set_result(Outcome(guide.codes.SUCCESSFUL, reason))


def end_if_lost(world: World, guide: WatchedGuide) -> None:
    """End a goal whose simulation has failed, or whose trajectory has been replaced."""
    if (world.failure or guide not in world.guides) and not guide.outcome.done():
        reason = world.failure or "another command or a reset replaced it"
        guide.outcome.set_result(Outcome(guide.codes.INVALID_GOAL, reason))
