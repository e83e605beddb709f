# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The services of simulation_interfaces, offered where that package is installed.

An entity is a body of the robot. A response left unfilled would read as "feature unsupported", so that every path
below fills it.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from std_msgs.msg import Header

from inertia_tools.errors import InertiaToolsError, UnknownLinkError
from inertia_tools.ros import simulation_messages as messages
from inertia_tools.ros.simulation_loop import World

if TYPE_CHECKING:
    from inertia_tools.ros.simulator import Simulator

_FEATURES = (
    "ENTITY_STATE_GETTING",
    "ENTITY_STATE_SETTING",
    "SIMULATION_RESET",
    "SIMULATION_RESET_TIME",
    "SIMULATION_RESET_STATE",
    "SIMULATION_STATE_GETTING",
    "SIMULATION_STATE_SETTING",
    "SIMULATION_STATE_PAUSE",
    "STEP_SIMULATION_SINGLE",
    "STEP_SIMULATION_MULTIPLE",
)

_QUATERNION_SLACK = 1e-3  # How far the squared length of a quaternion may be from one.


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
            node.create_service(service, f"~/{name}", self._answer(work))

    def _answer(self, work: Callable[[Any, Any], None]) -> Callable[[Any, Any], Any]:
        def callback(request: Any, response: Any) -> Any:
            try:
                self._fill(response, self._result.RESULT_OK)
                work(request, response)
            except UnknownLinkError as error:
                self._fill(response, self._result.RESULT_NOT_FOUND, str(error))
            except Exception as error:
                self._fill(response, self._result.RESULT_OPERATION_FAILED, str(error))
            return response

        return callback

    def _fill(self, response: Any, code: int, message: str = "") -> None:
        if hasattr(response, "result"):
            response.result.result, response.result.error_message = code, message

    # Simulator and time

    def _get_simulator_features(self, request: Any, response: Any) -> None:
        names = [name for name in _FEATURES if hasattr(self._features, name)]
        response.features.features = [getattr(self._features, name) for name in names]
        response.features.spawn_formats = []
        response.features.custom_info = "inertia_tools simulator; an entity is a body of the robot"

    def _get_simulation_state(self, request: Any, response: Any) -> None:
        response.state.state = self._node.run(self._state_of)

    def _state_of(self, world: World) -> int:
        if world.playing:
            return int(self._state.STATE_PLAYING)
        return int(self._state.STATE_STOPPED if world.step == 0 else self._state.STATE_PAUSED)

    def _set_simulation_state(self, request: Any, response: Any) -> None:
        target = request.state.state
        if target == self._node.run(self._state_of):
            self._fill(response, response.ALREADY_IN_TARGET_STATE, "nothing to do")
        elif target == self._state.STATE_STOPPED:
            self._node.set_playing(False)
            self._node.restart()
        elif target in (self._state.STATE_PLAYING, self._state.STATE_PAUSED):
            self._node.set_playing(target == self._state.STATE_PLAYING)
        else:
            reason = "this simulator can stop, play and pause"
            self._fill(response, self._result.RESULT_FEATURE_UNSUPPORTED, reason)

    def _step_simulation(self, request: Any, response: Any) -> None:
        self._node.advance(int(request.steps))

    def _reset_simulation(self, request: Any, response: Any) -> None:
        both = request.SCOPE_TIME | request.SCOPE_STATE
        if request.scope not in (request.SCOPE_DEFAULT, request.SCOPE_ALL) and request.scope & both != both:
            reason = "time and state can only be reset together"
            self._fill(response, self._result.RESULT_FEATURE_UNSUPPORTED, reason)
            return
        self._node.restart()

    # Entities

    def _get_entities(self, request: Any, response: Any) -> None:
        response.entities = self._chosen(request.filters)

    def _get_entity_state(self, request: Any, response: Any) -> None:
        (response.state,) = self._states([request.entity])

    def _get_entities_states(self, request: Any, response: Any) -> None:
        names = self._chosen(request.filters)
        response.entities, response.states = names, self._states(names)

    def _set_entity_state(self, request: Any, response: Any) -> None:
        pose, twist = request.state.pose, request.state.twist
        position = (pose.position.x, pose.position.y, pose.position.z)
        turn = (pose.orientation.x, pose.orientation.y, pose.orientation.z, pose.orientation.w)
        linear = (twist.linear.x, twist.linear.y, twist.linear.z)
        angular = (twist.angular.x, twist.angular.y, twist.angular.z)

        def command(world: World) -> None:
            names, now = _names_of(world), world.simulation.snapshot()
            if request.entity not in names:
                raise UnknownLinkError(request.entity, names)
            index = names.index(request.entity)
            place = (
                (position, turn)
                if getattr(request, "set_pose", True)
                else (now.positions[index], now.quaternions[index])
            )
            motion = (
                (linear, angular)
                if getattr(request, "set_twist", True)
                else (now.linear_velocities[index], now.angular_velocities[index])
            )
            world.simulation.set_body_state(request.entity, *place, *motion)

        if getattr(request, "set_pose", True) and abs(sum(value * value for value in turn) - 1.0) > _QUATERNION_SLACK:
            self._fill(response, response.INVALID_POSE, "the orientation is no unit quaternion")
            return
        self._node.run(command)

    def _chosen(self, filters: Any) -> list[str]:
        """Return the bodies whose whole name a filter's regular expression matches; an empty one means all."""
        names = self._node.run(_names_of)
        pattern = re.compile(filters.filter) if filters.filter else None
        return [name for name in names if pattern is None or pattern.fullmatch(name)]

    def _states(self, wanted: list[str]) -> list[Any]:
        def command(world: World) -> tuple[Any, int]:
            names = _names_of(world)
            for name in wanted:
                if name not in names:
                    raise UnknownLinkError(name, names)
            return world.simulation.snapshot(), world.step

        snapshot, step = self._node.run(command)
        stamp = messages.to_time(self._node.nanoseconds_of(step))
        bodies = messages.to_body_states(snapshot, Header(), step).bodies
        by_name = {body.name: body for body in bodies}
        header = Header(stamp=stamp, frame_id=self._node.world_frame)
        return [self._entity_state(header=header, pose=by_name[n].pose, twist=by_name[n].twist) for n in wanted]


def _names_of(world: World) -> list[str]:
    """Return the names of all bodies.

    Raises:
        InertiaToolsError: There is no robot yet.
    """
    if world.simulation is None:
        raise InertiaToolsError("no robot description has arrived yet")
    return list(world.simulation.names)
