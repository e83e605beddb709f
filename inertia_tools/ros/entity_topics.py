# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Topics of entities in their own namespaces, where joints have the names in their descriptions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from rclpy.exceptions import InvalidTopicNameException
from rclpy.node import Node
from sensor_msgs.msg import JointState

from inertia_tools.errors import OptionError
from inertia_tools.ros import simulation_messages as messages
from inertia_tools.ros.command_inputs import CommandInputs
from inertia_tools.ros.ending import end_publisher
from inertia_tools.ros.qos import RELIABLE
from inertia_tools.ros.running import RCLError
from inertia_tools.ros.simulation_loop import SimulationLoop
from inertia_tools.ros.simulation_world import World

if TYPE_CHECKING:
    from inertia_tools.sim.observation import Snapshot
    from inertia_tools.sim.simulation.entity import Entity


@dataclass(frozen=True, eq=False)
class _Topics:
    """The topics of a namespace."""

    states: Any
    inputs: CommandInputs


class EntityTopics:
    """Publishes and subscribes for entities whose names have a namespace: `left/arm` in `left/`."""

    def __init__(
        self, node: Node, loop: SimulationLoop, open_inputs: Callable[[str, tuple[str, ...]], CommandInputs]
    ) -> None:
        """Start without entities.

        Args:
            node: The node that publishes.
            loop: Publishes, and executes commands.
            open_inputs: Subscribes to commands in a namespace for entities with the given scopes.
        """
        self._node, self._loop, self._open_inputs = node, loop, open_inputs
        self._topics: dict[str, _Topics | None] = {}

    def follow(self, world: World) -> None:
        """Create the topics of the current entities, and end all others. For the executor's thread."""
        entities = () if world.simulation is None else world.simulation.entities
        wanted = _scopes(entities)
        gone = {name: topics for name, topics in self._topics.items() if name not in wanted}
        new = {name: self._open(name, scopes) for name, scopes in wanted.items() if name not in self._topics}
        self._topics = {name: topics for name, topics in self._topics.items() if name in wanted} | new
        for name, topics in self._topics.items():
            if topics is not None:
                topics.inputs.scopes = wanted[name]
        for topics in filter(None, gone.values()):
            topics.inputs.close()
            self._loop.submit(partial(self._end, topics))  # between steps, while nothing is published

    def _end(self, topics: _Topics, world: World) -> None:
        end_publisher(self._node, topics.states)

    def publish(
        self, entities: Iterable[Entity], snapshot: Snapshot, efforts: Mapping[str, float], nanoseconds: int
    ) -> frozenset[str]:
        """Publish joint states in the namespaces; return the joints that belong there. For the loop's thread.

        Args:
            entities: The entities; the topics of new ones may not exist yet.
            snapshot: The robots.
            efforts: Efforts of their drives, by the names of joints.
            nanoseconds: Simulated time [ns].
        """
        apart: set[str] = set()
        for namespace, scopes in _scopes(entities).items():
            topics = self._topics.get(namespace)
            if topics is None and namespace in self._topics:
                continue
            for scope in scopes:
                own = {name: effort for name, effort in efforts.items() if name.startswith(scope)}
                if own and topics is not None:
                    stamp = messages.to_time(nanoseconds)
                    topics.states.publish(messages.to_joint_state(snapshot, own, stamp, scope))
                apart.update(own)
        return frozenset(apart)

    def _open(self, namespace: str, scopes: tuple[str, ...]) -> _Topics | None:
        """Return the topics of a namespace; None if its name, quality of service or types are invalid."""
        try:
            inputs = self._open_inputs(namespace, scopes)
            states = self._node.create_publisher(JointState, namespace + "joint_states", RELIABLE)
        except (InvalidTopicNameException, OptionError, RCLError) as error:
            self._node.get_logger().warning(f"entities in {namespace!r} have no topics of their own: {error}")
            return None
        return _Topics(states, inputs)


def _scopes(entities: Iterable[Entity]) -> dict[str, tuple[str, ...]]:
    """Return the scopes of the entities in each namespace."""
    scopes: dict[str, tuple[str, ...]] = {}
    for one in entities:
        if "/" in one.name:
            namespace = one.name.rpartition("/")[0] + "/"
            scopes[namespace] = (*scopes.get(namespace, ()), one.scoped(""))
    return scopes
