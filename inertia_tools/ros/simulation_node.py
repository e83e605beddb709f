# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Base class of the simulator node: its loop, publishers and subscriptions, and commands between steps.

Other modules add services and actions that await its commands; `simulator` combines them.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock as SteadyClock
from rclpy.clock_type import ClockType
from rclpy.node import Node
from rclpy.parameter import Parameter

from inertia_tools.description.types import Description
from inertia_tools.ros import parameters, simulation_setup
from inertia_tools.ros.command_inputs import CommandInputs, Rejections
from inertia_tools.ros.diagnostics import array_of
from inertia_tools.ros.entity_topics import EntityTopics
from inertia_tools.ros.joint_control import JointControl
from inertia_tools.ros.model_source import ModelSource
from inertia_tools.ros.package_log import log_package_as
from inertia_tools.ros.qos import RELIABLE
from inertia_tools.ros.rates import Rate
from inertia_tools.ros.running import end_node
from inertia_tools.ros.simulation_diagnostics import Health
from inertia_tools.ros.simulation_loop import SimulationLoop
from inertia_tools.ros.simulation_parameters import SPECS
from inertia_tools.ros.simulation_publishers import Frames, SimulationPublishers
from inertia_tools.ros.simulation_world import Phase, World
from inertia_tools.ros.waiting import Waiting
from inertia_tools.ros.worker_pool import WorkerPool
from inertia_tools.ros.world_loader import WorldLoader

if TYPE_CHECKING:
    from inertia_tools.sim.simulation import Entity, Simulation

_Result = TypeVar("_Result")

_PATIENCE = 5.0  # Time after which a waiting command is cancelled, and answered with "busy" [s].


class SimulationNode(Node):
    """Runs one robot, and executes commands for it.

    Attributes:
        loop: The thread that steps.
        loader: Loads worlds.
        pool: The processes that read files and search for requests.
        entity_topics: Topics of entities with namespaces of their own.
        reentrant: Callbacks of this group may run while others wait.
        world_frame: Name of the world's frame.
        frame_prefix: Prefix of link names in frame names.
    """

    def __init__(self) -> None:
        """Create the node; `loop.start` starts it.

        Raises:
            SimulationError: This machine has no such device.
            ValueError: A parameter has an invalid value.
            MissingDependencyError: publish_tf is set and tf2_msgs is not installed.
        """
        super().__init__("simulator")
        log_package_as(self)
        parameters.declare(self, SPECS)
        self._step_nanoseconds: int = round(self.value("dt") * 1e9)
        self._settings = self._read_settings()
        simulation_setup.require_device(self._settings.device)
        topic = self.resolve_topic_name("robot_description")
        source, self._reader = (
            ModelSource(topic, self.value("package_path"), self.value("allowed_roots")) for _ in range(2)
        )
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
        self.pool = WorkerPool(lambda: float(self.value("time_limit")))
        self._rejections = Rejections()
        control = self.joint_control
        open_inputs = partial(CommandInputs, self, self.loop, control, self._rejections, frames.prefix)
        self._inputs = open_inputs()
        self.entity_topics = EntityTopics(self, self.loop, open_inputs)
        outputs.entities = self.entity_topics
        self.loader = WorldLoader(
            source, self._settings, self.loop, self.joint_control, self.get_logger(), self.publish_diagnostics
        )

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
        """Name of the simulated robot; empty for none."""
        return self.loader.name

    def _read_settings(self) -> simulation_setup.SimulationSettings:
        names = (
            *("substeps", "gravity", "device", "ground", "fixed_base", "hold_joints", "start_noise", "seed", "dtype"),
            "enable_restitution",
        )
        values = {name: self.value(name) for name in names}
        return simulation_setup.SimulationSettings(dt=self._step_nanoseconds * 1e-9, **values)

    async def read(self, uri: str, text: str) -> Description | list[Entity]:
        """Read the description or the scene of a request.

        Raises:
            InertiaToolsError: There is no description, or it cannot be read, or reading takes too long.
        """
        return await self.apart(self._reader.read_world, uri, text)

    async def load_world(self, what: Description | list[Entity]) -> str:
        """Restart with a robot or a scene in the stopped state, and return its name.

        Raises:
            InertiaToolsError: It cannot be simulated; nothing changes then.
        """
        name = await self.finished(self.loader.load(what))
        self.set_playing(False)
        self.entity_topics.follow(self._world)
        return name

    async def unload_world(self) -> None:
        """Remove the world."""
        await self.run(self.loader.unload)
        self.entity_topics.follow(self._world)

    def hold_joints(self, simulation: Simulation, names: list[str]) -> None:
        """Hold joints at their current positions, if the parameter `hold_joints` is set."""
        if self.value("hold_joints") and names:
            self.joint_control().hold(simulation, names)

    def follow_entities(self) -> None:
        """Create the topics of entities in their own namespaces."""
        self.entity_topics.follow(self._world)

    # Commands between steps

    async def run(self, command: Callable[[World], _Result]) -> _Result:
        """Run a command between two steps and wait for it.

        Raises:
            BusyError: The command did not start in time, and will not run.
            InertiaToolsError: The command failed.
        """
        doing = f"a command while {self.loop.phase.value}"
        return await self._waiting.result(self.loop.submit(command), _PATIENCE, doing)

    async def advance(self, steps: int) -> None:
        """Step a paused simulation, however long it takes.

        Raises:
            InertiaToolsError: The simulation is not paused, cannot step, or did not make all steps.
        """
        await self.finished(self.loop.advance(steps).finished)

    async def finished(self, future: Future[_Result]) -> _Result:
        """Wait for the result of a future without limit."""
        return await self._waiting.result(future, None, "")

    async def apart(self, function: Callable[..., _Result], *arguments: Any, is_urgent: bool = False) -> _Result:
        """Call a function in a worker process, which is ended if it takes too long.

        Args:
            function: The function.
            arguments: Its arguments.
            is_urgent: Whether it precedes other waiting work.

        Raises:
            InertiaToolsError: The function failed, or took longer than the parameter `time_limit`.
        """
        return await self.finished(self.pool.submit(function, *arguments, is_urgent=is_urgent))

    async def restart(self, time: bool = True, state: bool = True, spawned: bool = False) -> None:
        """Reset to the start: time, poses, velocities, drives and wrenches; spawned entities are removed.

        Raises:
            BusyError: The reset did not start in time, for example while a large description was loaded, and is
                cancelled.
            InertiaToolsError: There is nothing to reset, or nothing would remain.
        """
        await self.run(lambda world: world.reset(time, state, spawned))
        if spawned:
            self.follow_entities()

    async def stop(self) -> None:
        """Reset to the start and stop."""
        self.set_playing(False)
        await self.run(World.stop)

    def set_playing(self, playing: bool) -> None:
        """Start or stop time; the parameter `paused` follows."""
        self.set_parameters([Parameter("paused", value=not playing)])

    async def let_run(self, playing: bool) -> None:
        """Start or stop time, and wait until the loop has done so, unless it is loading.

        Raises:
            BusyError: The loop was too busy, and will do so later.
        """
        self.set_playing(playing)
        if self.loop.phase is not Phase.LOADING:
            await self.run(lambda world: None)

    def quit(self) -> None:
        """End the process once pending answers are sent."""
        self.create_timer(0.2, end_node, clock=SteadyClock(clock_type=ClockType.STEADY_TIME))

    def joint_control(self) -> JointControl:
        """Return the current joint control."""
        return JointControl(self.value("joint_stiffness"), self.value("joint_damping"), self.value("limit_commands"))

    def follow_live_parameters(self) -> None:
        """Apply changes of live parameters between two steps."""
        values = World()
        self._set_live_values(values)
        self.loop.submit(partial(_take_live_values, values))

    def _set_live_values(self, world: World) -> None:
        world.playing, world.real_time_factor = not self.value("paused"), self.value("real_time_factor")
        world.publish_rate = Rate.of(self.value("publish_rate"), self._step_nanoseconds)
        world.clock_rate = Rate.of(self.value("clock_rate"), self._step_nanoseconds)

    # Diagnostics

    def _report_failure(self, reason: str) -> None:
        self.get_logger().error(f"the simulation has failed: {reason}; reset it or load a description")
        self.publish_diagnostics()

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
            rejected=self._rejections.count,
            last_rejection=self._rejections.last,
            overflow=overflow,
            new_overflow=new_overflow,
        )

    def _notice_other_clocks(self) -> None:
        clocks = self.count_publishers("/clock") if self.value("publish_clock") else 1
        if clocks > 1:
            said = f"/clock has {clocks} publishers, so that the time of this graph jumps"
            remedy = "set publish_clock to false in all simulators but one"
            self.get_logger().warning(f"{said}; {remedy}", once=True)

    def publish_diagnostics(self) -> None:
        """Publish the diagnostic status of the simulation."""
        self._notice_other_clocks()
        entry = self._health().status(self.get_fully_qualified_name().lstrip("/"))
        self._diagnostics.publish(array_of(entry, self.get_clock().now()))


def _take_live_values(values: World, world: World) -> None:
    for name in ("playing", "real_time_factor", "publish_rate", "clock_rate"):
        setattr(world, name, getattr(values, name))
    world.stopped = world.stopped and not world.playing
