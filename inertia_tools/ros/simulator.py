# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The node that simulates a robot description.

It is the source of /clock, so it never waits for ROS time: physics runs in a thread of its own at the pace of the
steady clock, and what arrives from the graph takes effect between two steps.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import contextmanager
from typing import Any, TypeVar

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rcl_interfaces.msg import SetParametersResult
from rclpy.clock import Clock as SteadyClock
from rclpy.clock_type import ClockType
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos_overriding_options import QoSOverridingOptions
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import SetBool, Trigger

import inertia_tools.srv as srv
from inertia_tools.description.types import Description
from inertia_tools.errors import InertiaToolsError
from inertia_tools.ros import parameters, simulation_commands, simulation_control
from inertia_tools.ros.diagnostics import array_of, status
from inertia_tools.ros.model_source import ModelSource
from inertia_tools.ros.qos import LATCHED, RELIABLE
from inertia_tools.ros.running import run_node
from inertia_tools.ros.simulation_loop import SimulationLoop, World
from inertia_tools.ros.simulation_parameters import SPECS
from inertia_tools.ros.simulation_publishers import Frames, SimulationPublishers
from inertia_tools.wording import counted

_Result = TypeVar("_Result")

_DIAGNOSTICS_PERIOD = 1.0  # What diagnostic_aggregator expects [s].
_ANSWER_TIMEOUT = 120.0  # The first step may have to compile kernels before a command gets its turn [s].
_LIVE = ("real_time_factor", "paused", "publish_rate")  # Parameters that change the running loop.


class Simulator(Node):
    """Runs one robot and is its face in the graph."""

    def __init__(self) -> None:
        """Create the node and start its loop.

        Raises:
            ValueError: A parameter has a value that it may not have.
            MissingDependencyError: publish_tf is set and tf2_msgs is not installed.
        """
        super().__init__("simulator")
        parameters.declare(self, SPECS)
        self._step_nanoseconds = round(self.value("dt") * 1e9)
        self._settings = self._read_settings()
        self._unknown_joints: set[str] = set()
        topic = self.resolve_topic_name("robot_description")
        self._source = ModelSource(topic, self.value("package_path"), self.value("allowed_roots"))
        self._robot_name = ""
        frames = Frames(self.value("world_frame"), self.value("odom_frame"), self.value("frame_prefix"))
        self._outputs = SimulationPublishers(self, frames, self._step_nanoseconds, self.value)
        self.world_frame = frames.world
        self._world = World(playing=not self.value("paused"), real_time_factor=self.value("real_time_factor"))
        self._world.steps_per_publish = self._steps_per_publish()
        outputs = self._outputs
        self.loop = SimulationLoop(self._world, self._step_nanoseconds, outputs.publish, self._report_failure)
        self.control: simulation_control.SimulationControl | None = None
        self._create_inputs()
        text = self.value("robot_description")
        if text:
            self._receive(text, "the parameter robot_description")
        else:
            self.create_subscription(String, "robot_description", self._on_description, LATCHED)
        self.add_on_set_parameters_callback(self._judge_parameters)
        self.add_post_set_parameters_callback(self._apply_parameters)
        self.loop.start()

    def value(self, name: str) -> Any:
        """Return the value of a parameter."""
        return self.get_parameter(name).value

    def nanoseconds_of(self, step: int) -> int:
        """Return the simulated time of a step [ns]."""
        return step * self._step_nanoseconds

    def _read_settings(self) -> simulation_commands.SimulationSettings:
        names = (
            *("substeps", "gravity", "device", "ground", "fixed_base", "hold_joints", "start_noise", "seed", "dtype"),
            "enable_restitution",
        )
        values = {name: self.value(name) for name in names}
        return simulation_commands.SimulationSettings(dt=self._step_nanoseconds * 1e-9, **values)

    def _create_inputs(self) -> None:
        overridable = QoSOverridingOptions.with_default_policies()
        self.create_subscription(
            JointState, "joint_commands", self._on_joint_command, RELIABLE, qos_overriding_options=overridable
        )
        self.create_service(SetBool, "~/pause", self._on_pause)
        self.create_service(Trigger, "~/step", self._on_step)
        self.create_service(Trigger, "~/reset", self._on_reset)
        self.create_service(srv.ApplyWrench, "~/apply_wrench", self._on_apply_wrench)
        simulation_control.offer(self)
        self._diagnostics = self.create_publisher(DiagnosticArray, "/diagnostics", RELIABLE)
        # Real time: a timer on simulated time would wait for the clock that only this node drives.
        steady = SteadyClock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(_DIAGNOSTICS_PERIOD, self._publish_diagnostics, clock=steady)

    def _steps_per_publish(self) -> int:
        return max(1, round(1e9 / (self.value("publish_rate") * self._step_nanoseconds)))

    # Descriptions

    def _on_description(self, message: String) -> None:
        self._receive(message.data, self._source.topic)

    def _receive(self, text: str, origin: str) -> None:
        """Have the loop start anew with a description; one that is of no use, or in force already, changes nothing."""
        held = self._source.held
        if held is not None and held.document.data == text.encode():
            return
        try:
            robot = self._source.read(text, f"<{origin}>")
        except InertiaToolsError as error:
            self.get_logger().error(f"cannot use the robot description from {origin}: {error}")
            return
        self.loop.submit(lambda world: self._load(world, robot, origin))

    def _load(self, world: World, robot: Description, origin: str) -> None:
        """Runs in the loop's thread."""
        try:
            simulation_commands.load(world, robot, self._settings)
        except Exception as error:
            kept = f"; keeping {self._robot_name!r}" if self._robot_name else ""
            self.get_logger().error(f"cannot simulate the robot description from {origin}: {error}{kept}")
            return
        self._source.held, self._robot_name = robot, robot.name
        simulation = world.simulation
        self.get_logger().info(
            f"simulating {robot.name}: {counted(len(simulation.names), 'body', 'bodies')}, "
            f"{counted(len(simulation.joint_names), 'joint')}, "
            f"{simulation.weight:.3f} N, on {self._settings.device}"
        )
        self._outputs.publish(world)

    # Commands

    def run(self, command: Callable[[World], _Result]) -> _Result:
        """Have a command run between two steps and wait for it.

        Raises:
            InertiaToolsError: The command could not be carried out, or not in time.
        """
        try:
            return self.loop.submit(command).result(timeout=_ANSWER_TIMEOUT)
        except FutureTimeoutError:
            raise InertiaToolsError(f"the simulation did not answer within {_ANSWER_TIMEOUT:g} s") from None

    def advance(self, steps: int) -> None:
        """Step a paused simulation and publish.

        Raises:
            InertiaToolsError: It is not paused, or cannot step.
        """

        def command(world: World) -> None:
            if world.playing:
                raise InertiaToolsError("the simulation is running; pause it first")
            world.advance(steps)
            self._outputs.publish(world)

        self.run(command)

    def restart(self) -> None:
        """Go back to the start: time, state and pushes."""

        def command(world: World) -> None:
            world.reset()
            self._outputs.publish(world)

        self.run(command)

    def set_playing(self, playing: bool) -> None:
        """Let time run, or stop it; the parameter `paused` follows."""
        self.set_parameters([Parameter("paused", value=not playing)])

    def _gains(self) -> simulation_commands.Gains:
        return simulation_commands.Gains(self.value("joint_stiffness"), self.value("joint_damping"))

    def _on_joint_command(self, message: JointState) -> None:
        try:
            targets = simulation_commands.targets_of(message, self._gains())
        except InertiaToolsError as error:
            self.get_logger().warning(str(error), throttle_duration_sec=5.0)
            return
        self.loop.submit(targets.apply).add_done_callback(self._warn_of_unknown_joints)

    def _warn_of_unknown_joints(self, future: Future[list[str]]) -> None:
        if future.exception() is not None:
            self.get_logger().error(f"joint command: {future.exception()}", throttle_duration_sec=5.0)
            return
        for name in set(future.result()) - self._unknown_joints:
            self._unknown_joints.add(name)
            self.get_logger().warning(f"joint command for {name!r}, which the robot does not have; ignored from now on")

    def _on_pause(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        self.set_playing(not request.data)
        response.success, response.message = True, "paused" if request.data else "running"
        return response

    def _on_step(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        return self._answer(response, lambda: self.advance(1), "stepped once")

    def _on_reset(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        return self._answer(response, self.restart, "back at the start")

    def _on_apply_wrench(
        self, request: srv.ApplyWrench.Request, response: srv.ApplyWrench.Response
    ) -> srv.ApplyWrench.Response:
        def apply() -> None:
            self.run(simulation_commands.wrench_of(request, self.world_frame).apply)

        return self._answer(response, apply, f"pushing {request.body}")

    def _answer(self, response: Any, work: Callable[[], None], done: str) -> Any:
        try:
            work()
        except Exception as error:
            response.success, response.message = False, str(error)
        else:
            response.success, response.message = True, done
        return response

    # Parameters

    def _judge_parameters(self, changes: Sequence[Parameter[Any]]) -> SetParametersResult:
        for parameter in changes:
            reason = parameters.refusal(SPECS, parameter)
            if parameter.name == "robot_description":
                try:
                    self._source.read(parameter.value, "<the parameter robot_description>")
                except InertiaToolsError as error:
                    reason = str(error)
            if reason:
                return SetParametersResult(successful=False, reason=reason)
        return SetParametersResult(successful=True)

    def _apply_parameters(self, changes: Sequence[Parameter[Any]]) -> None:
        names = {parameter.name for parameter in changes}
        if "robot_description" in names:
            self._receive(self.value("robot_description"), "the parameter robot_description")
        if names.intersection(_LIVE):
            playing, factor = not self.value("paused"), self.value("real_time_factor")
            stride = self._steps_per_publish()

            def command(world: World) -> None:
                world.playing, world.real_time_factor, world.steps_per_publish = playing, factor, stride

            self.run(command)

    # Diagnostics

    def _report_failure(self, reason: str) -> None:
        self.get_logger().error(f"the simulation is paused because a step failed: {reason}")

    def _publish_diagnostics(self) -> None:
        world = self._world
        if world.simulation is None:
            level, message = DiagnosticStatus.STALE, "waiting for a robot description"
        else:
            level, message = DiagnosticStatus.OK, "running" if world.playing else "paused"
        values = {
            "robot": self._robot_name,
            "real time factor": f"{self.loop.achieved_factor:.3f}",
            "simulated time [s]": f"{world.step * self._step_nanoseconds * 1e-9:.3f}",
            "steps": world.step,
        }
        entry = status(self.get_fully_qualified_name().lstrip("/"), level, message, values)
        self._diagnostics.publish(array_of(entry, self.get_clock().now()))


@contextmanager
def _stop_loop_after(node: Node) -> Iterator[None]:
    try:
        yield
    finally:
        assert isinstance(node, Simulator)
        node.loop.stop()


def main(args: list[str] | None = None) -> int:
    """Run the node until it is interrupted; return the exit code."""
    return run_node("simulator", Simulator, args, _stop_loop_after)


if __name__ == "__main__":
    sys.exit(main())
