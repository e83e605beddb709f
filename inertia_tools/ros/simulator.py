# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The node that simulates a robot description.

It is the source of /clock, so it never waits for ROS time: physics runs in a thread of its own at the pace of the
steady clock, and what arrives from the graph takes effect between two steps. No callback waits for that thread with
the executor in its hands: services are coroutines, so that each is answered, or told "busy", whatever else goes on.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from diagnostic_msgs.msg import DiagnosticArray
from rcl_interfaces.msg import SetParametersResult
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock as SteadyClock
from rclpy.clock_type import ClockType
from rclpy.node import Node
from rclpy.parameter import Parameter
from std_msgs.msg import String
from std_srvs.srv import SetBool, Trigger

import inertia_tools.srv as srv
from inertia_tools.description.types import Description
from inertia_tools.ros import parameters, simulation_control, simulation_setup, trajectory_action
from inertia_tools.ros.command_inputs import CommandInputs
from inertia_tools.ros.diagnostics import array_of
from inertia_tools.ros.entity_topics import EntityTopics
from inertia_tools.ros.joint_commands import JointControl
from inertia_tools.ros.model_source import ModelSource
from inertia_tools.ros.qos import LATCHED, RELIABLE, SERVICE
from inertia_tools.ros.running import leave_behind, run_node
from inertia_tools.ros.service_answers import Work, answering, fill_success
from inertia_tools.ros.simulation_diagnostics import Health
from inertia_tools.ros.simulation_loop import SimulationLoop
from inertia_tools.ros.simulation_parameters import LIVE, SPECS
from inertia_tools.ros.simulation_publishers import Frames, SimulationPublishers
from inertia_tools.ros.simulation_world import World
from inertia_tools.ros.waiting import Waiting
from inertia_tools.ros.world_loader import WorldLoader
from inertia_tools.ros.wrench_requests import wrench_of

if TYPE_CHECKING:
    from inertia_tools.sim.simulation import Simulation

_Result = TypeVar("_Result")

_DIAGNOSTICS_PERIOD = 1.0  # What diagnostic_aggregator expects [s].
_PATIENCE = 5.0  # After which a command that has not had its turn is taken back, and answered with "busy" [s].


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
        topic = self.resolve_topic_name("robot_description")
        source = ModelSource(topic, self.value("package_path"), self.value("allowed_roots"))
        self._seen_overflow = 0
        frames = Frames(self.value("world_frame"), self.value("odom_frame"), self.value("frame_prefix"))
        self.world_frame, self.frame_prefix = frames.world, frames.prefix
        self._world = World()
        self._set_live_values(self._world)
        self._diagnostics = self.create_publisher(DiagnosticArray, "/diagnostics", RELIABLE)
        outputs = SimulationPublishers(self, frames, self._step_nanoseconds, self.value, self._report_failure)
        self.loop = SimulationLoop(self._world, self._step_nanoseconds, outputs)
        if self.value("viewer"):
            from inertia_tools.ros.viewer_page import ViewerPage

            outputs.page = ViewerPage(self.value("viewer_port"), self.loop, self._step_nanoseconds)
            self.get_logger().info(f"the simulation is shown at http://localhost:{outputs.page.port}")
        self.reentrant = ReentrantCallbackGroup()
        self._waiting = Waiting(self)
        self._inputs = CommandInputs(self, self.loop, self._joint_control, frame_prefix=frames.prefix)
        self.entity_topics = EntityTopics(self, self.loop, self._joint_control)
        outputs.entities = self.entity_topics
        self.loader = WorldLoader(
            source, self._settings, self.loop, self._joint_control, self.get_logger(), self._publish_diagnostics
        )
        self._create_services()
        self._trajectories = trajectory_action.offer(self, self._joint_control)
        text, scene = self.value("robot_description"), self.value("scene")
        if scene:
            self.loader.receive_scene(scene)
        elif text:
            self.loader.receive(text, "the parameter robot_description")
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

    @property
    def step_count(self) -> int:
        """Steps since the start or the last reset."""
        return self._world.step

    @property
    def robot_name(self) -> str:
        """Name of what is simulated; empty for nothing."""
        return self.loader.name

    def _read_settings(self) -> simulation_setup.SimulationSettings:
        names = (
            *("substeps", "gravity", "device", "ground", "fixed_base", "hold_joints", "start_noise", "seed", "dtype"),
            "enable_restitution",
        )
        values = {name: self.value(name) for name in names}
        return simulation_setup.SimulationSettings(dt=self._step_nanoseconds * 1e-9, **values)

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
        # Real time: a timer on simulated time would wait for the clock that only this node drives.
        steady = SteadyClock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(_DIAGNOSTICS_PERIOD, self._publish_diagnostics, clock=steady)
        self.create_timer(_DIAGNOSTICS_PERIOD, self.follow_entities, clock=steady)

    # Descriptions

    def _on_description(self, message: String) -> None:
        self.loader.receive(message.data, self.loader.source.topic)

    def read(self, uri: str, text: str) -> Description:
        """Read a description that a request brings; raises as `WorldLoader.read` does."""
        return self.loader.read(uri, text)

    async def load_world(self, uri: str, text: str) -> str:
        """Start anew, stopped, with what a request brings, and return its name.

        Raises:
            InertiaToolsError: It cannot be simulated; then nothing has changed.
        """
        name = await self.finished(self.loader.load(uri, text))
        self.set_playing(False)
        self.entity_topics.follow(self._world)
        return name

    async def unload_world(self) -> None:
        """Have nothing simulated."""
        await self.run(self.loader.unload)
        self.entity_topics.follow(self._world)

    def hold_joints(self, simulation: Simulation, names: list[str]) -> None:
        """Have joints held where they are, if that is what joints do here."""
        if self.value("hold_joints") and names:
            self._joint_control().hold(simulation, names)

    def follow_entities(self) -> None:
        """Offer the topics of entities that have namespaces of their own."""
        self.entity_topics.follow(self._world)

    # Commands

    async def run(self, command: Callable[[World], _Result]) -> _Result:
        """Have a command run between two steps and wait for it.

        Raises:
            BusyError: It had no turn in time, and will not be run.
            InertiaToolsError: The command could not be carried out.
        """
        doing = f"a command while {self.loop.phase.value}"
        return await self._waiting.result(self.loop.submit(command), _PATIENCE, doing)

    async def advance(self, steps: int) -> None:
        """Step a paused simulation, however long it takes.

        Raises:
            InertiaToolsError: It is not paused, or cannot step, or was kept from making all steps.
        """
        await self.finished(self.loop.advance(steps).finished)

    async def finished(self, future: Future[_Result]) -> _Result:
        """Wait for the result of a future without limit."""
        return await self._waiting.result(future, None, "")

    async def restart(self, time: bool = True, state: bool = True, spawned: bool = False) -> None:
        """Go back to the start: time; poses, velocities, drives and pushes; what has come since goes."""
        await self.finished(self.loop.submit(lambda world: world.reset(time, state, spawned)))
        if spawned:
            self.follow_entities()

    async def stop(self) -> None:
        """Go back to the start and stay there."""
        self.set_playing(False)
        await self.run(World.stop)

    def set_playing(self, playing: bool) -> None:
        """Let time run, or stop it; the parameter `paused` follows."""
        self.set_parameters([Parameter("paused", value=not playing)])

    def quit(self) -> None:
        """End the process once what has been answered is on its way."""
        self.create_timer(0.2, self.context.try_shutdown, clock=SteadyClock(clock_type=ClockType.STEADY_TIME))

    def _joint_control(self) -> JointControl:
        return JointControl(self.value("joint_stiffness"), self.value("joint_damping"), self.value("limit_commands"))

    async def _pause(self, request: SetBool.Request, response: SetBool.Response) -> None:
        self.set_playing(not request.data)
        response.success, response.message = True, "paused" if request.data else "running"

    async def _step(self, request: Trigger.Request, response: Trigger.Response) -> None:
        await self.advance(1)
        response.success, response.message = True, "stepped once"

    async def _reset(self, request: Trigger.Request, response: Trigger.Response) -> None:
        await self.restart()
        response.success, response.message = True, "back at the start"

    async def _apply_wrench(self, request: srv.ApplyWrench.Request, response: srv.ApplyWrench.Response) -> None:
        await self.run(wrench_of(request, self.world_frame).apply)
        response.success, response.message = True, f"pushing {request.body}"

    # Parameters

    def _judge_parameters(self, changes: Sequence[Parameter[Any]]) -> SetParametersResult:
        """Judge only: another callback may still refuse."""
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
            values = World()
            self._set_live_values(values)
            self.loop.submit(partial(_take_live_values, values))

    def _set_live_values(self, world: World) -> None:
        world.playing, world.real_time_factor = not self.value("paused"), self.value("real_time_factor")
        world.steps_per_publish = self._stride(self.value("publish_rate"))
        clock_rate = self.value("clock_rate")
        world.steps_per_tick = self._stride(clock_rate) if clock_rate > 0.0 else 1

    def _stride(self, rate: float) -> int:
        """Return the steps between two messages of a rate [Hz]."""
        return max(1, round(1e9 / (rate * self._step_nanoseconds)))

    # Diagnostics

    def _report_failure(self, reason: str) -> None:
        self.get_logger().error(f"the simulation has failed: {reason}; reset it or load a description")
        self._publish_diagnostics()

    def _health(self) -> Health:
        world, pacing, overflow = self._world, self.loop.pacing, self.loop.overflow_count
        new_overflow, self._seen_overflow = overflow - self._seen_overflow, overflow
        return Health(
            phase=self.loop.phase,
            robot=self.loader.name,
            failure=world.failure,
            refused=self.loader.refused,
            wanted_factor=world.real_time_factor,
            achieved_factor=pacing.achieved_factor,
            given_up=pacing.given_up,
            step_cost=pacing.step_cost,
            publish_cost=pacing.publish_cost,
            step=world.step,
            time=world.step * self._step_nanoseconds * 1e-9,
            rejected=self._inputs.rejected_count,
            last_rejection=self._inputs.last_rejection,
            overflow=overflow,
            new_overflow=new_overflow,
        )

    def _publish_diagnostics(self) -> None:
        entry = self._health().status(self.get_fully_qualified_name().lstrip("/"))
        self._diagnostics.publish(array_of(entry, self.get_clock().now()))


def _take_live_values(values: World, world: World) -> None:
    for name in ("playing", "real_time_factor", "steps_per_publish", "steps_per_tick"):
        setattr(world, name, getattr(values, name))
    world.stopped = world.stopped and not world.playing


@contextmanager
def _stop_loop_after(node: Node) -> Iterator[None]:
    try:
        yield
    finally:
        assert isinstance(node, Simulator)
        if not node.loop.stop():
            leave_behind(sys.exc_info()[1])


def main(args: list[str] | None = None) -> int:
    """Run the node until it is interrupted; return the exit code."""
    return run_node("simulator", Simulator, args, _stop_loop_after)


if __name__ == "__main__":
    sys.exit(main())
