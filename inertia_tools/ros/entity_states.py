# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Services of simulation_interfaces that get and set states of entities.

An entity is a robot or an object, or one of its bodies.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from std_msgs.msg import Header

from inertia_tools.errors import OptionError, SimulationError, UnknownEntityError
from inertia_tools.ros import simulation_messages as messages
from inertia_tools.ros.searches import names_matching
from inertia_tools.ros.simulation_node import SimulationNode
from inertia_tools.ros.simulation_world import World
from inertia_tools.ros.standard_services import CodedError, FeatureError, StandardServices
from inertia_tools.spatial import Pose, rotation_from_quaternion

if TYPE_CHECKING:
    from inertia_tools.sim.observation import Snapshot
    from inertia_tools.sim.simulation import Entity

_QUATERNION_SLACK = 1e-3  # Permitted deviation of a quaternion's squared length from one.


class EntityStates(StandardServices):
    """Answers the services that list entities and get or set their states."""

    def __init__(self, node: SimulationNode) -> None:
        """Create the services."""
        from simulation_interfaces.msg import EntityState

        self._entity_state = EntityState
        super().__init__(
            node,
            self._get_entities,
            self._get_entity_state,
            self._get_entities_states,
            self._set_entity_state,
        )

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
        if sets_pose and not is_pose(position, turn):
            raise CodedError(response.INVALID_POSE, "the pose is not a finite position with a unit quaternion")
        if sets_twist and not all(map(math.isfinite, (*linear, *angular))):
            raise OptionError("twist", (*linear, *angular), "six finite numbers")

        def command(world: World) -> None:
            simulation = world.sound
            link = self.link_of(world, request.entity)
            now, index = simulation.snapshot(), simulation.names.index(link)
            seen_from = self.pose_of_frame(world, now, frame)
            at, faces = now.positions[index], now.quaternions[index]
            if sets_pose:
                wanted = seen_from @ Pose(np.array(position), rotation_from_quaternion(turn))
                at, faces = wanted.position, wanted.quaternion
            moves, spins = now.linear_velocities[index], now.angular_velocities[index]
            if sets_twist:
                moves, spins = seen_from.rotation @ linear, seen_from.rotation @ angular
            if simulation.is_bolted(link):
                if sets_twist and any((*linear, *angular)):
                    raise SimulationError(f"{request.entity!r} is bolted to the world and takes no twist; set its pose")
                simulation.teleport(link, at, faces)
            else:
                simulation.set_body_state(link, at, faces, moves, spins)
            world.moved = True

        await self.node.run(command)

    def pose_of_frame(self, world: World, now: Snapshot, frame: str) -> Pose:
        """Return the pose of a frame in the world: the world's own, or that of an entity.

        Raises:
            UnknownEntityError: There is no such frame.
        """
        if frame in ("", self.node.world_frame):
            return Pose()
        index = now.names.index(self.link_of(world, frame.removeprefix(self.node.frame_prefix)))
        return Pose(now.positions[index], rotation_from_quaternion(now.quaternions[index]))

    def link_of(self, world: World, entity: str) -> str:
        """Return the link whose pose represents the entity: its first free root, or else its first link.

        Raises:
            UnknownEntityError: There is no such entity.
        """
        simulation = world.sound
        if entity in simulation.names:
            return entity
        for one in simulation.entities:
            if entity and entity == self.name_of(one):
                links = simulation.links_of(one.name)
                return next((root for root in simulation.free_roots if root in links), links[0])
        raise UnknownEntityError(entity, self.names_of_all(world))

    def name_of(self, entity: Entity) -> str:
        """Return the name of a robot or an object in the ROS graph."""
        return entity.name or self.node.robot_name

    def whole(self, world: World, name: str) -> Entity:
        """Return the robot or object with a name.

        Raises:
            UnknownEntityError: There is no such robot or object; bodies do not count.
        """
        for one in world.sound.entities:
            if self.name_of(one) == name:
                return one
        raise UnknownEntityError(name, [self.name_of(one) for one in world.sound.entities])

    def names_of_all(self, world: World) -> list[str]:
        """Return the names of all entities, each robot before its bodies.

        Raises:
            NoWorldError: There is no world yet.
        """
        simulation = world.sound
        groups = [(self.name_of(one), *simulation.links_of(one.name)) for one in simulation.entities]
        return list(dict.fromkeys(name for names in groups for name in names if name))

    async def _chosen(self, filters: Any) -> list[str]:
        """Return the entities whose whole name matches a filter's regular expression; an empty one matches all.

        Raises:
            FeatureError: The filter has tags or bounds.
            InertiaToolsError: The filter is not a regular expression, or takes too long.
        """
        if getattr(getattr(filters, "tags", None), "tags", None):
            raise FeatureError("entity tags are not supported")
        bounds = getattr(filters, "bounds", None)
        if bounds is not None and bounds.type != bounds.TYPE_EMPTY:
            raise FeatureError("bounds of entities are not supported; leave filters.bounds empty")
        categories = {one.category for one in getattr(filters, "categories", ())}

        def command(world: World) -> list[str]:
            if not categories:
                return self.names_of_all(world)
            return [self.name_of(one) for one in world.sound.entities if category_of(one) in categories]

        names = await self.node.run(command)
        if not filters.filter:
            return names
        return await self.node.apart(names_matching, filters.filter, names, is_urgent=True)

    async def _states(self, wanted: list[str]) -> list[Any]:
        def command(world: World) -> tuple[Any, int, list[str]]:
            links = [self.link_of(world, name) for name in wanted]
            return world.sound.snapshot(), world.step, links

        snapshot, step, links = await self.node.run(command)
        stamp = messages.to_time(self.node.nanoseconds_of(step))
        by_name = {body.name: body for body in messages.to_body_states(snapshot, Header(), step).bodies}
        header = Header(stamp=stamp, frame_id=self.node.world_frame)
        return [self._entity_state(header=header, pose=by_name[n].pose, twist=by_name[n].twist) for n in links]


def category_of(entity: Entity) -> int:
    """Return the category of a robot or an object, as EntityCategory numbers them."""
    from simulation_interfaces.msg import EntityCategory

    if any(joint.type.value not in ("fixed", "floating") for joint in entity.robot.joints.values()):
        return int(EntityCategory.CATEGORY_ROBOT)
    stays = entity.fixed_base or all(link.is_static for link in entity.robot.links.values())
    return int(EntityCategory.CATEGORY_STATIC_OBJECT if stays else EntityCategory.CATEGORY_OBJECT)


def is_pose(position: tuple[float, ...], quaternion: tuple[float, ...]) -> bool:
    """Return whether numbers are a position and a unit quaternion."""
    is_finite = all(map(math.isfinite, (*position, *quaternion)))
    return is_finite and abs(sum(value * value for value in quaternion) - 1.0) <= _QUATERNION_SLACK
