# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Control of a simulation's time and state by simulation_interfaces, if that package is installed."""

from __future__ import annotations

import importlib.util
from typing import Any

from inertia_tools.ros.entity_states import EntityStates
from inertia_tools.ros.simulation_node import SimulationNode
from inertia_tools.ros.simulation_world import Phase, World, WrongPhaseError
from inertia_tools.ros.spawning import FORMATS, Spawning
from inertia_tools.ros.standard_services import CodedError, FeatureError, StandardServices
from inertia_tools.ros.world_services import WorldServices

_FEATURES = (
    "SPAWNING",
    "DELETING",
    "SPAWNING_RESOURCE_STRING",
    "SPAWNING_ENTITIES",
    "SPAWNABLES",
    "ENTITY_CATEGORIES",
    "ENTITY_INFO_GETTING",
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
    "WORLD_LOADING",
    "WORLD_RESOURCE_STRING",
    "WORLD_UNLOADING",
    "WORLD_INFO_GETTING",
)


def offer(node: SimulationNode) -> tuple[StandardServices, ...]:
    """Create the services on a simulator node; none if simulation_interfaces is not installed."""
    if importlib.util.find_spec("simulation_interfaces") is None:
        node.get_logger().info("simulation_interfaces is not installed; use the services ~/pause, ~/step and ~/reset")
        return ()
    states = EntityStates(node)
    return SimulationControl(node), states, Spawning(node, states), WorldServices(node)


class SimulationControl(StandardServices):
    """Answers the services for time and state."""

    def __init__(self, node: SimulationNode) -> None:
        """Create the services."""
        from simulation_interfaces.msg import SimulationState, SimulatorFeatures

        self._state, self._features = SimulationState, SimulatorFeatures
        super().__init__(
            node,
            self._get_simulator_features,
            self._get_simulation_state,
            self._set_simulation_state,
            self._step_simulation,
            self._reset_simulation,
        )
        self._stepping = self._offer_steps()

    async def _get_simulator_features(self, request: Any, response: Any) -> None:
        names = [name for name in _FEATURES if hasattr(self._features, name)]
        response.features.features = [getattr(self._features, name) for name in names]
        response.features.spawn_formats = list(FORMATS)
        response.features.custom_info = "inertia_tools simulator; an entity is a robot, an object, or one of its bodies"

    async def _get_simulation_state(self, request: Any, response: Any) -> None:
        response.state.state = self._present_state()

    def _present_state(self) -> int:
        """Return the state for simulation_interfaces; a failed simulation counts as paused until it is reset."""
        states = {
            Phase.NO_WORLD: self._state.STATE_NO_WORLD,
            Phase.LOADING: self._state.STATE_LOADING_WORLD,
            Phase.PLAYING: self._state.STATE_PLAYING,
            Phase.PAUSED: self._state.STATE_PAUSED,
            Phase.STOPPED: self._state.STATE_STOPPED,
            Phase.FAILED: self._state.STATE_PAUSED,
            Phase.QUITTING: self._state.STATE_QUITTING,
        }
        return int(states[self.node.loop.phase])

    async def _set_simulation_state(self, request: Any, response: Any) -> None:
        target, present = request.state.state, self._present_state()
        settable = (self._state.STATE_STOPPED, self._state.STATE_PLAYING, self._state.STATE_PAUSED)
        if target == self._state.STATE_QUITTING:
            self.node.set_playing(False)
            self.node.quit()
            return
        if target not in settable:
            raise FeatureError(
                "this simulator supports stop, play, pause and quit; a robot description loads its world"
            )
        if present in (self._state.STATE_NO_WORLD, self._state.STATE_LOADING_WORLD):
            raise WrongPhaseError(f"the simulation is {self.node.loop.phase.value}")
        if target == present:
            raise CodedError(response.ALREADY_IN_TARGET_STATE, "already in the requested state")
        if target != self._state.STATE_STOPPED and self.node.loop.phase is Phase.FAILED:
            reason = "the simulation has failed; stop or reset it first"
            raise CodedError(response.STATE_TRANSITION_ERROR, reason)
        if target == self._state.STATE_STOPPED:
            await self.node.stop()
        else:
            self.node.set_playing(target == self._state.STATE_PLAYING)
            await self.node.run(World.leave_stop)

    async def _step_simulation(self, request: Any, response: Any) -> None:
        if self.node.loop.phase is Phase.STOPPED:
            raise WrongPhaseError("the simulation is stopped; pause it first")
        await self.node.advance(int(request.steps))

    async def _reset_simulation(self, request: Any, response: Any) -> None:
        scope = request.SCOPE_ALL if request.scope == request.SCOPE_DEFAULT else request.scope
        time, state, spawned = (
            bool(scope & bit) for bit in (request.SCOPE_TIME, request.SCOPE_STATE, request.SCOPE_SPAWNED)
        )
        if not (time or state or spawned):
            raise FeatureError(f"the scope {scope} contains none of time, state and spawned")
        if self.node.loop.phase in (Phase.NO_WORLD, Phase.LOADING):
            raise WrongPhaseError(f"the simulation is {self.node.loop.phase.value}")
        await self.node.restart(time, state, spawned)

    def _offer_steps(self) -> Any:
        """Offer the action SimulateSteps, which reports progress and can be cancelled."""
        try:
            from simulation_interfaces.action import SimulateSteps
        except ImportError:
            return None
        from inertia_tools.ros.steps_action import StepsAction

        return StepsAction(self.node, SimulateSteps, self.result)
