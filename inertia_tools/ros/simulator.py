# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The node that simulates a robot description.

It is the source of /clock, so it never waits for ROS time. Physics runs in its own thread, paced by the steady clock,
and requests take effect between two steps. Services are coroutines, so that no callback blocks the executor while it
waits for that thread, and each request gets an answer, if only "busy".
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rcl_interfaces.msg import SetParametersResult
from rclpy.clock import Clock as SteadyClock
from rclpy.clock_type import ClockType
from rclpy.node import Node
from rclpy.parameter import Parameter
from std_msgs.msg import String
from std_srvs.srv import SetBool, Trigger

import inertia_tools.srv as srv
from inertia_tools.ros import parameters, simulation_control, trajectory_action
from inertia_tools.ros.live_control import ChangeControl
from inertia_tools.ros.qos import LATCHED, SERVICE
from inertia_tools.ros.running import leave_behind, run_node
from inertia_tools.ros.service_answers import Work, answering, fill_success
from inertia_tools.ros.simulation_node import SimulationNode
from inertia_tools.ros.simulation_parameters import FOLLOWING, LIVE, SPECS
from inertia_tools.ros.wrench_requests import wrench_of

_DIAGNOSTICS_PERIOD = 1.0  # Period that diagnostic_aggregator expects [s].


class Simulator(SimulationNode):
    """Runs one robot with its services, actions and parameters."""

    def __init__(self) -> None:
        """Create the node; `main` starts its loop.

        Raises:
            ValueError: A parameter has an invalid value.
            MissingDependencyError: publish_tf is set and tf2_msgs is not installed.
        """
        super().__init__()
        self._create_services()
        self._trajectories = trajectory_action.offer(self)
        text, scene = self.value("robot_description"), self.value("scene")
        if scene:
            self.loader.receive_scene(scene)
        elif text:
            self.loader.receive(text, "the parameter robot_description")
        else:
            self.create_subscription(String, "robot_description", self._on_description, LATCHED)
            self.get_logger().info(f"waiting for a robot description on {self.loader.source.topic}")
        self.add_on_set_parameters_callback(self._judge_parameters)
        self.add_post_set_parameters_callback(self._apply_parameters)

    def _create_services(self) -> None:
        offered: tuple[tuple[Any, str, Work], ...] = (
            (SetBool, "~/pause", self._pause),
            (Trigger, "~/step", self._step),
            (Trigger, "~/reset", self._reset),
            (srv.ApplyWrench, "~/apply_wrench", self._apply_wrench),
        )
        for service, name, work in offered:
            callback = answering(self, work, fill_success)
            self.create_service(service, name, callback, qos_profile=SERVICE, callback_group=self.reentrant)
        self._standard = simulation_control.offer(self)
        # Real time, since a timer on simulated time would wait for the clock that only this node publishes.
        steady = SteadyClock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(_DIAGNOSTICS_PERIOD, self.publish_diagnostics, clock=steady)
        self.create_timer(_DIAGNOSTICS_PERIOD, self.follow_entities, clock=steady)

    def _on_description(self, message: String) -> None:
        self.loader.receive(message.data, self.loader.source.topic)

    async def _pause(self, request: SetBool.Request, response: SetBool.Response) -> None:
        await self.let_run(not request.data)
        response.success, response.message = True, "paused" if request.data else "running"

    async def _step(self, request: Trigger.Request, response: Trigger.Response) -> None:
        await self.advance(1)
        response.success, response.message = True, "stepped once"

    async def _reset(self, request: Trigger.Request, response: Trigger.Response) -> None:
        await self.restart()
        response.success, response.message = True, "reset to the start"

    async def _apply_wrench(self, request: srv.ApplyWrench.Request, response: srv.ApplyWrench.Response) -> None:
        await self.run(wrench_of(request, self.world_frame, self.frame_prefix).apply)
        response.success, response.message = True, f"applying a force to {request.body}"

    # Parameters

    def _judge_parameters(self, changes: Sequence[Parameter[Any]]) -> SetParametersResult:
        """Check the values without applying them, since another callback may still refuse."""
        for parameter in changes:
            reason = parameters.refusal(SPECS, parameter)
            if parameter.name == "robot_description" and not reason:
                reason = self.loader.refusal_of(parameter.value)
            if reason:
                return SetParametersResult(successful=False, reason=reason)
        return SetParametersResult(successful=True)

    def _apply_parameters(self, changes: Sequence[Parameter[Any]]) -> None:
        names = {parameter.name for parameter in changes}
        if "robot_description" in names:
            self.loader.receive(self.value("robot_description"), "the parameter robot_description")
        if names & LIVE:
            self.follow_live_parameters()
        if names & FOLLOWING:
            self.loop.submit(ChangeControl(self.joint_control()).apply)


@contextmanager
def _loop_beside(node: Node) -> Iterator[None]:
    assert isinstance(node, Simulator)
    try:
        node.loop.start()
        yield
    finally:
        node.pool.close()
        if not node.loop.stop():
            leave_behind(sys.exc_info()[1])


def main(args: list[str] | None = None) -> int:
    """Run the node until it is interrupted; return the exit code."""
    return run_node("simulator", Simulator, args, _loop_beside)


if __name__ == "__main__":
    sys.exit(main())
