# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Services of simulation_interfaces that load and unload worlds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from inertia_tools.errors import ParseError
from inertia_tools.ros.model_source import SCENE_SUFFIXES
from inertia_tools.ros.searches import SUFFIXES
from inertia_tools.ros.simulation_node import SimulationNode
from inertia_tools.ros.simulation_world import Phase
from inertia_tools.ros.standard_services import CodedError, StandardServices


class WorldServices(StandardServices):
    """Answers the services for worlds; a world is a description or a scene of several entities."""

    def __init__(self, node: SimulationNode) -> None:
        """Create the services."""
        self._present: tuple[str, str, str] = ("", "", "")
        super().__init__(node, self._load_world, self._unload_world, self._get_current_world)

    async def _load_world(self, request: Any, response: Any) -> None:
        resource = getattr(request, "world_resource", None) or getattr(request, "level_resource", None) or request
        uri, text = resource.uri, resource.resource_string
        if not uri and not text:
            raise CodedError(response.NO_RESOURCE, "uri and resource_string are both empty")
        if uri and Path(uri).suffix.lower() not in (*SUFFIXES, *SCENE_SUFFIXES):
            raise CodedError(
                response.UNSUPPORTED_FORMAT, f"{uri} has none of the suffixes {', '.join((*SUFFIXES, *SCENE_SUFFIXES))}"
            )
        world = await self.read((uri, text), response.RESOURCE_PARSE_ERROR)
        try:
            name = await self.node.load_world(world)
        except ParseError as error:
            raise CodedError(response.RESOURCE_PARSE_ERROR, str(error)) from error
        self._present = (name, uri, text)
        self._describe(response)

    async def _unload_world(self, request: Any, response: Any) -> None:
        if self.node.loop.phase is Phase.NO_WORLD:
            raise CodedError(response.NO_WORLD_LOADED, "no world is loaded")
        await self.node.unload_world()
        self._present = ("", "", "")

    async def _get_current_world(self, request: Any, response: Any) -> None:
        if self.node.loop.phase is Phase.NO_WORLD:
            raise CodedError(response.NO_WORLD_LOADED, "no world is loaded")
        self._describe(response)

    def _describe(self, response: Any) -> None:
        if hasattr(response, "world"):
            response.world.name = self.node.robot_name or self._present[0]
            if self._present[0] == response.world.name:
                resource = response.world.world_resource
                resource.uri, resource.resource_string = self._present[1:]
