# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The services and the action of simulation_interfaces, offered where that package is installed.

An entity is the robot, or one of its bodies. A response left unfilled would read as "feature unsupported", so that
every path below fills it.
"""

from __future__ import annotations

import importlib.util
import math
import re
from typing import TYPE_CHECKING, Any

import numpy as np
from std_msgs.msg import Header

from inertia_tools.errors import InertiaToolsError, OptionError, UnknownLinkError
from inertia_tools.ros import simulation_messages as messages
from inertia_tools.ros.qos import SERVICE
from inertia_tools.ros.service_answers import answering
from inertia_tools.ros.simulation_world import NoWorldError, Phase, World, WrongPhaseError
from inertia_tools.spatial import Pose, rotation_from_quaternion

if TYPE_CHECKING:
    from inertia_tools.ros.simulator import Simulator
    from inertia_tools.sim.observation import Snapshot

_FEATURES = (
    "ENTITY_STATE_GETTING",
    "ENTITY_STATE_SETTING",
    "SIMULATION_RESET",
    "SIMULATION_RESET_TIME",
    "SIMULATION_RESET_STATE",
    "SIMULATION_RESET_SPAWNED",
    "SIMULATION_STATE_GETTING",
    "SIMULATION_STATE_SETTING",
    "SIMULATION_STATE_PAUSE",
    "STEP_SIMULATION_SINGLE",
    "STEP_SIMULATION_MULTIPLE",
    "STEP_SIMULATION_ACTION",
)

_QUATERNION_SLACK = 1e-3  # How far the squared length of a quaternion may be from one.
_WHOLE_ROBOT = 0  # The robot as an entity stands where its first root link does.


class _FeatureError(InertiaToolsError):
    """A request asks for something that this simulator does not do."""


class _CodedError(InertiaToolsError):
    """A request fails with a code that its service defines."""

    def __init__(self, code: int, message: str) -> None:
        self.code = code
        super().__init__(message)


def offer(node: Simulator) -> bool:
    """Create the services on a simulator node; return False where simulation_interfaces is not installed."""
    if importlib.util.find_spec("simulation_interfaces") is None:
        node.get_logger().info("simulation_interfaces is not installed; ~/pause, ~/step and ~/reset control time")
        return False
    node.control = SimulationControl(node)
    return True


class SimulationControl:
    """Answers the services; each method is named after its service."""

    def __init__(self, node: Simulator) -> None:
        """Create the services under private names, the snake_case of their types."""
        from simulation_interfaces import srv
        from simulation_interfaces.msg import EntityState, Result, SimulationState, SimulatorFeatures

        self._node = node
        self._result, self._state = Result, SimulationState
        self._entity_state, self._features = EntityState, SimulatorFeatures
        for work in (
            self._get_simulator_features,
            self._get_simulation_state,
            self._set_simulation_state,
            self._step_simulation,
            self._reset_simulation,
            self._get_entities,
            self._get_entity_state,
            self._get_entities_states,
            self._set_entity_state,
        ):
            name = work.__name__.strip("_")
            service = getattr(srv, "".join(part.capitalize() for part in name.split("_")))
            callback = answering(node, self._beginning_well(work), self._fill_failure)
            node.create_service(service, f"~/{name}", callback, qos_profile=SERVICE, callback_group=node.reentrant)
        self._stepping = self._offer_steps()

    def _beginning_well(self, work: Any) -> Any:
        """Make work begin with a response that says that all is well."""

        async def with_result(request: Any, response: Any) -> None:
            self._fill(response, self._result.RESULT_OK)
            await work(request, response)

        with_result.__name__ = work.__name__
        return with_result

    def _fill_failure(self, response: Any, error: Exception, message: str) -> None:
        self._fill(response, self._code_of(error), message)

    def _code_of(self, error: Exception) -> int:
        """Return the standard's code for an exception."""
        codes = {
            _FeatureError: self._result.RESULT_FEATURE_UNSUPPORTED,
            UnknownLinkError: self._result.RESULT_NOT_FOUND,
            NoWorldError: self._result.RESULT_INCORRECT_STATE,
        }
        if isinstance(error, _CodedError):
            return error.code
        return next((code for kind, code in codes.items() if isinstance(error, kind)), self._general_code)

    @property
    def _general_code(self) -> int:
        """The code of what has failed for no reason that has one of its own."""
        loads = self._node.loop.phase in (Phase.NO_WORLD, Phase.LOADING)
        return int(self._result.RESULT_INCORRECT_STATE if loads else self._result.RESULT_OPERATION_FAILED)

    def _fill(self, response: Any, code: int, message: str = "") -> None:
        response.result.result, response.result.error_message = code, message

    # Simulator and time

    async def _get_simulator_features(self, request: Any, response: Any) -> None:
        names = [name for name in _FEATURES if hasattr(self._features, name)]
        response.features.features = [getattr(self._features, name) for name in names]
        response.features.spawn_formats = []
        response.features.custom_info = "inertia_tools simulator; an entity is the robot, or one of its bodies"
        if hasattr(response, "result"):
            self._fill(response, self._result.RESULT_OK)

    async def _get_simulation_state(self, request: Any, response: Any) -> None:
        response.state.state = self._present_state()

    def _present_state(self) -> int:
        """Return the standard's state; a failed simulation is paused until it is reset."""
        states = {
            Phase.NO_WORLD: self._state.STATE_NO_WORLD,
            Phase.LOADING: self._state.STATE_LOADING_WORLD,
            Phase.PLAYING: self._state.STATE_PLAYING,
            Phase.PAUSED: self._state.STATE_PAUSED,
            Phase.STOPPED: self._state.STATE_STOPPED,
            Phase.FAILED: self._state.STATE_PAUSED,
            Phase.QUITTING: self._state.STATE_QUITTING,
        }
        return int(states[self._node.loop.phase])

    async def _set_simulation_state(self, request: Any, response: Any) -> None:
        target, present = request.state.state, self._present_state()
        settable = (self._state.STATE_STOPPED, self._state.STATE_PLAYING, self._state.STATE_PAUSED)
        if target == self._state.STATE_QUITTING:
            self._node.set_playing(False)
            self._node.quit()
            return
        if target not in settable:
            raise _FeatureError("this simulator can stop, play, pause and quit; a description loads its world")
        if present in (self._state.STATE_NO_WORLD, self._state.STATE_LOADING_WORLD):
            raise WrongPhaseError(f"the simulation is {self._node.loop.phase.value}")
        if target == present:
            raise _CodedError(response.ALREADY_IN_TARGET_STATE, "nothing to do")
        if target != self._state.STATE_STOPPED and self._node.loop.phase is Phase.FAILED:
            reason = "the simulation has failed; stop or reset it first"
            raise _CodedError(response.STATE_TRANSITION_ERROR, reason)
        if target == self._state.STATE_STOPPED:
            await self._node.stop()
        else:
            self._node.set_playing(target == self._state.STATE_PLAYING)
            await self._node.run(World.leave_stop)

    async def _step_simulation(self, request: Any, response: Any) -> None:
        if self._node.loop.phase is Phase.STOPPED:
            raise WrongPhaseError("the simulation is stopped; pause it first")
        await self._node.advance(int(request.steps))

    async def _reset_simulation(self, request: Any, response: Any) -> None:
        everything = (request.SCOPE_DEFAULT, request.SCOPE_ALL)
        both = request.SCOPE_TIME | request.SCOPE_STATE
        if request.scope == request.SCOPE_SPAWNED:
            return  # nothing was spawned
        if request.scope not in everything and request.scope & both != both:
            raise _FeatureError("time and state can only be reset together")
        if self._node.loop.phase in (Phase.NO_WORLD, Phase.LOADING):
            raise WrongPhaseError(f"the simulation is {self._node.loop.phase.value}")
        await self._node.restart()

    def _offer_steps(self) -> Any:
        """Offer the action SimulateSteps, which tells how far it is and can be cancelled."""
        try:
            from simulation_interfaces.action import SimulateSteps
        except ImportError:
            return None
        from inertia_tools.ros.steps_action import StepsAction

        return StepsAction(self._node, SimulateSteps, self._result)

    # Entities

    async def _get_entities(self, request: Any, response: Any) -> None:
        response.entities = await self._chosen(request.filters)

    async def _get_entity_state(self, request: Any, response: Any) -> None:
        (response.state,) = await self._states([request.entity])

    async def _get_entities_states(self, request: Any, response: Any) -> None:
        names = await self._chosen(request.filters)
        response.entities, response.states = names, await self._states(names)

    async def _set_entity_state(self, request: Any, response: Any) -> None:
        pose, twist = request.state.pose, request.state.twist
        position = (pose.position.x, pose.position.y, pose.position.z)
        turn = (pose.orientation.x, pose.orientation.y, pose.orientation.z, pose.orientation.w)
        linear = (twist.linear.x, twist.linear.y, twist.linear.z)
        angular = (twist.angular.x, twist.angular.y, twist.angular.z)
        sets_pose, sets_twist = getattr(request, "set_pose", True), getattr(request, "set_twist", True)
        frame = request.state.header.frame_id
        if sets_pose and not _is_pose(position, turn):
            raise _CodedError(response.INVALID_POSE, "the pose is no finite position with a unit quaternion")
        if sets_twist and not all(map(math.isfinite, (*linear, *angular))):
            raise OptionError("twist", (*linear, *angular), "six finite numbers")

        def command(world: World) -> None:
            simulation = world.sound
            link = self._link_of(world, request.entity)
            now, index = simulation.snapshot(), simulation.names.index(link)
            seen_from = self._pose_of_frame(world, now, frame)
            at, faces = now.positions[index], now.quaternions[index]
            if sets_pose:
                wanted = seen_from @ Pose(np.array(position), rotation_from_quaternion(turn))
                at, faces = wanted.position, wanted.quaternion
            moves, spins = now.linear_velocities[index], now.angular_velocities[index]
            if sets_twist:
                moves, spins = seen_from.rotation @ linear, seen_from.rotation @ angular
            simulation.set_body_state(link, at, faces, moves, spins)

        await self._node.run(command)

    def _pose_of_frame(self, world: World, now: Snapshot, frame: str) -> Pose:
        """Return where a frame is: the world's, or that of an entity.

        Raises:
            UnknownLinkError: There is no such frame.
        """
        if frame in ("", self._node.world_frame):
            return Pose()
        index = now.names.index(self._link_of(world, frame.removeprefix(self._node.frame_prefix)))
        return Pose(now.positions[index], rotation_from_quaternion(now.quaternions[index]))

    def _link_of(self, world: World, entity: str) -> str:
        """Return the link that an entity stands where.

        Raises:
            UnknownLinkError: There is no such entity.
        """
        simulation = world.sound
        if entity in simulation.names:
            return entity
        if entity and entity == self._node.robot_name:
            return (simulation.free_roots or simulation.names)[_WHOLE_ROBOT]
        raise UnknownLinkError(entity, self._entities_of(world))

    def _entities_of(self, world: World) -> list[str]:
        """Return the names of all entities, the robot first.

        Raises:
            NoWorldError: There is nothing yet.
        """
        names = list(world.sound.names)
        robot = self._node.robot_name
        return names if not robot or robot in names else [robot, *names]

    async def _chosen(self, filters: Any) -> list[str]:
        """Return the entities whose whole name a filter's regular expression matches; an empty one means all.

        Raises:
            OptionError: The filter is no regular expression.
        """
        if getattr(filters, "categories", None) or getattr(getattr(filters, "tags", None), "tags", None):
            raise _FeatureError("entities have no categories and no tags here")
        try:
            pattern = re.compile(filters.filter) if filters.filter else None
        except re.error as error:
            raise OptionError("filter", filters.filter, f"a regular expression ({error})") from None
        names = await self._node.run(self._entities_of)
        return [name for name in names if pattern is None or pattern.fullmatch(name)]

    async def _states(self, wanted: list[str]) -> list[Any]:
        def command(world: World) -> tuple[Any, int, list[str]]:
            links = [self._link_of(world, name) for name in wanted]
            return world.sound.snapshot(), world.step, links

        snapshot, step, links = await self._node.run(command)
        stamp = messages.to_time(self._node.nanoseconds_of(step))
        by_name = {body.name: body for body in messages.to_body_states(snapshot, Header(), step).bodies}
        header = Header(stamp=stamp, frame_id=self._node.world_frame)
        return [self._entity_state(header=header, pose=by_name[n].pose, twist=by_name[n].twist) for n in links]


def _is_pose(position: tuple[float, ...], quaternion: tuple[float, ...]) -> bool:
    is_finite = all(map(math.isfinite, (*position, *quaternion)))
    return is_finite and abs(sum(value * value for value in quaternion) - 1.0) <= _QUATERNION_SLACK
