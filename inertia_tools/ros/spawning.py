# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Services of simulation_interfaces that add and remove entities while a simulation runs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from inertia_tools.description.types import Description
from inertia_tools.ros.entity_states import EntityStates, category_of, is_pose
from inertia_tools.ros.searches import SUFFIXES, descriptions_in
from inertia_tools.ros.simulation_node import SimulationNode
from inertia_tools.ros.simulation_world import World
from inertia_tools.ros.standard_services import CodedError, StandardServices
from inertia_tools.spatial import Pose, rotation_from_quaternion
from inertia_tools.wording import counted

FORMATS = ("urdf", "sdf", "mjcf", "usd")

_NAME = re.compile(r"[A-Za-z0-9_.\-]+")
_NAMESPACE = re.compile(r"/?[A-Za-z_][A-Za-z0-9_]*(/[A-Za-z_][A-Za-z0-9_]*)*")


class Spawning(StandardServices):
    """Answers the services that add, remove and describe entities."""

    def __init__(self, node: SimulationNode, states: EntityStates) -> None:
        """Create the services.

        Args:
            node: The simulator.
            states: Finds entities by their names.
        """
        self._states = states
        super().__init__(
            node,
            self._spawn_entity,
            self._spawn_entities,
            self._delete_entity,
            self._get_spawnables,
            self._get_entity_info,
        )

    async def _spawn_entity(self, request: Any, response: Any) -> None:
        from simulation_interfaces.srv import SpawnEntity

        response.entity_name = await self._spawn(request, SpawnEntity.Response)

    async def _spawn_entities(self, request: Any, response: Any) -> None:
        from simulation_interfaces.msg import SpawnResult
        from simulation_interfaces.srv import SpawnEntity

        for one in request.spawn_requests:
            outcome = SpawnResult()
            self.fill(outcome, self.result.RESULT_OK)
            try:
                outcome.entity_name = await self._spawn(one, SpawnEntity.Response)
            except Exception as error:  # each entity has its own outcome
                self._fill_failure(outcome, error, str(error))
            response.results.append(outcome)
        failed = [one for one in response.results if one.result.result != self.result.RESULT_OK]
        if failed:
            message = f"{len(failed)} of {len(response.results)} were not spawned"
            self.fill(response, response.ENTITIES_SPAWN_FAILED, message)

    async def _spawn(self, request: Any, codes: Any) -> str:
        """Add an entity and return its name.

        Raises:
            InertiaToolsError: The entity cannot be added.
        """
        namespace = request.entity_namespace.strip("/")
        if request.entity_namespace and not _NAMESPACE.fullmatch(request.entity_namespace):
            raise CodedError(codes.NAMESPACE_INVALID, f"{request.entity_namespace!r} is not a namespace")
        robot = await self._read(_resource_of(request), codes)
        position, turn = _numbers_of(request.initial_pose.pose)
        if not is_pose(position, turn):
            raise CodedError(codes.INVALID_POSE, "the pose is not a finite position with a unit quaternion")
        pose = Pose(np.array(position), rotation_from_quaternion(turn))
        frame = request.initial_pose.header.frame_id

        def command(world: World) -> str:
            from inertia_tools.sim.simulation.entity import SCOPE, Entity

            names = self._states.names_of_all(world)
            scopes = (name.partition(SCOPE)[0] for name in names)  # a model in a model is a scope, too
            taken = {self.node.world_frame, *names, *scopes}
            name = _unique_name(request, robot.name, namespace, taken, codes)
            seen_from = self._states.pose_of_frame(world, world.sound.snapshot(), frame)
            world.spawn(Entity(name, robot, seen_from @ pose), self.node.hold_joints)
            return name

        name = await self.node.finished(self.node.loop.submit(command))
        self.node.follow_entities()
        self.node.get_logger().info(f"spawned {name}: {counted(robot.link_count, 'link')}")
        return name

    async def _read(self, resource: tuple[str, str], codes: Any) -> Description:
        """Read the description of a resource.

        Raises:
            CodedError: There is no resource, it cannot be read, or a collision mesh or an included model is missing.
        """
        uri, text = resource
        if not uri and not text:
            raise CodedError(codes.NO_RESOURCE, "uri and resource_string are both empty")
        if uri and Path(uri).suffix.lower() not in SUFFIXES:
            raise CodedError(codes.UNSUPPORTED_FORMAT, f"{uri} has none of the suffixes {', '.join(SUFFIXES)}")
        robot: Description = await self.read(resource, codes.RESOURCE_PARSE_ERROR)
        for link in robot.links.values():
            for shape in link.collisions:
                if (mesh := shape.missing_mesh) is not None:
                    raise CodedError(codes.MISSING_ASSETS, f"{shape.place}: {mesh.uri!r}: {mesh.absence}")
        for remark in robot.missing_models:
            raise CodedError(codes.MISSING_ASSETS, f"{remark.place}: {remark.message}")
        return robot

    async def _delete_entity(self, request: Any, response: Any) -> None:
        await self.node.finished(
            self.node.loop.submit(lambda world: world.delete(self._states.whole(world, request.entity).name))
        )
        self.node.follow_entities()

    async def _get_spawnables(self, request: Any, response: Any) -> None:
        from simulation_interfaces.msg import Spawnable

        sources = [source for source in (*self.node.value("spawnable_folders"), *request.sources) if source]
        unknown = [source for source in sources if not self.node.loader.may_search(source)]
        known = [source for source in sources if source not in unknown]
        for name, uri in await self.node.apart(descriptions_in, known):
            one = Spawnable(description=name)
            resource = one.entity_resource if hasattr(one, "entity_resource") else one
            resource.uri = uri
            response.spawnables.append(one)
        if unknown:
            self.fill(response, self.result.RESULT_OK, f"no readable folder: {', '.join(unknown)}")

    async def _get_entity_info(self, request: Any, response: Any) -> None:
        entity = await self.node.run(lambda world: self._entity_of(world, request.entity))
        robot = entity.robot
        moving = [joint for joint in robot.joints.values() if joint.type.value != "fixed"]
        response.info.category.category = category_of(entity)
        response.info.description = (
            f"{robot.name}: {counted(robot.link_count, 'link')}, {counted(len(moving), 'joint')}"
        )

    def _entity_of(self, world: World, name: str) -> Any:
        """Return the robot or object with a name, or the one that has a body of that name."""
        simulation = world.sound
        for one in simulation.entities:
            if name in simulation.links_of(one.name):
                return one
        return self._states.whole(world, name)


def _resource_of(request: Any) -> tuple[str, str]:
    """Return URI and text of the resource to spawn; before version 2 they are fields of the request itself."""
    if hasattr(request, "entity_resource"):
        return request.entity_resource.uri, request.entity_resource.resource_string
    return request.uri, request.resource_string


def _numbers_of(pose: Any) -> tuple[tuple[float, ...], tuple[float, ...]]:
    at, turn = pose.position, pose.orientation
    return (at.x, at.y, at.z), (turn.x, turn.y, turn.z, turn.w)


def _unique_name(request: Any, own: str, namespace: str, taken: set[str], codes: Any) -> str:
    """Return the name of a new entity, with its namespace.

    Raises:
        CodedError: The name is invalid or in use, and renaming is not allowed.
    """
    wanted = request.name or own
    if not request.name and not own and not request.allow_renaming:
        raise CodedError(codes.NAME_INVALID, "the name is empty and allow_renaming is false")
    if wanted and not _NAME.fullmatch(wanted):
        if not request.allow_renaming:
            raise CodedError(codes.NAME_INVALID, f"{wanted!r} has characters other than letters, digits, '_', '-', '.'")
        wanted = re.sub(r"[^A-Za-z0-9_.\-]", "_", wanted)
    scope = f"{namespace}/" if namespace else ""
    name = scope + (wanted or "entity")
    if name not in taken:
        return name
    if not request.allow_renaming:
        raise CodedError(codes.NAME_NOT_UNIQUE, f"there is an entity named {name!r}")
    number = next(number for number in range(1, len(taken) + 2) if f"{name}_{number}" not in taken)
    return f"{name}_{number}"
