# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The action SimulateSteps: many steps of a paused simulation, with feedback, and cancellable at any time."""

from __future__ import annotations

from typing import Any

from inertia_tools.ros.failures import message_of
from inertia_tools.ros.long_actions import served, told
from inertia_tools.ros.simulation_loop import Stepping
from inertia_tools.ros.simulation_node import SimulationNode


class StepsAction:
    """Serves the action.

    Args:
        node: The simulator.
        action: The type SimulateSteps.
        result: The type Result, for its codes.
    """

    def __init__(self, node: SimulationNode, action: Any, result: Any) -> None:
        self._node, self._action, self._result = node, action, result
        self._server = served(node, action, "~/simulate_steps", self._execute)

    async def _execute(self, goal: Any) -> Any:
        answer = self._action.Result()
        stepping = self._node.loop.advance(int(goal.request.steps))
        try:
            with told(self._node, lambda: self._tell(goal, stepping)):
                await self._node.finished(stepping.finished)
        except Exception as error:
            answer.result.result = self._result.RESULT_OPERATION_FAILED
            answer.result.error_message = message_of(error)
            goal.abort()
            return answer
        self._tell(goal, stepping)
        answer.result.result = self._result.RESULT_OK
        if stepping.done < stepping.wanted:
            answer.result.error_message = f"cancelled after {stepping.done} of {stepping.wanted} steps"
            goal.canceled()
        else:
            goal.succeed()
        return answer

    def _tell(self, goal: Any, stepping: Stepping) -> None:
        """Report progress, and pass on a request to cancel."""
        if goal.is_cancel_requested:
            stepping.cancel()
        if goal.is_active:
            done = stepping.done
            feedback = self._action.Feedback(completed_steps=done, remaining_steps=stepping.wanted - done)
            goal.publish_feedback(feedback)
