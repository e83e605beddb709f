# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Base class for services of simulation_interfaces: their names, results and errors.

An unfilled response would mean "feature unsupported", so every path fills it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from inertia_tools.errors import InertiaToolsError, UnknownEntityError, UnknownLinkError
from inertia_tools.ros import failures
from inertia_tools.ros.codes import Failure
from inertia_tools.ros.qos import SERVICE
from inertia_tools.ros.service_answers import answering
from inertia_tools.ros.simulation_node import SimulationNode
from inertia_tools.ros.simulation_world import NoWorldError, Phase


class FeatureError(InertiaToolsError):
    """A request asks for an unsupported feature."""


class CodedError(InertiaToolsError):
    """A request fails with a code that its service defines."""

    def __init__(self, code: int, message: str) -> None:
        self.code = code
        super().__init__(message)


class StandardServices:
    """Offers services of simulation_interfaces; each answering method is named after its service."""

    def __init__(self, node: SimulationNode, *works: Callable[[Any, Any], Awaitable[None]]) -> None:
        """Create services under private names, the snake_case of their types.

        Args:
            node: The simulator.
            works: Methods that answer them; a service that the installed version lacks is not offered.
        """
        from simulation_interfaces import srv
        from simulation_interfaces.msg import Result

        self.node, self.result = node, Result
        for work in works:
            name = work.__name__.strip("_")
            service = getattr(srv, "".join(part.capitalize() for part in name.split("_")), None)
            if service is None:
                continue
            callback = answering(node, self._beginning_well(work), self._fill_failure)
            node.create_service(service, f"~/{name}", callback, qos_profile=SERVICE, callback_group=node.reentrant)

    def _beginning_well(self, work: Any) -> Any:
        """Wrap a method so that its response starts as a success."""

        async def with_result(request: Any, response: Any) -> None:
            if hasattr(response, "result"):
                self.fill(response, self.result.RESULT_OK)
            await work(request, response)

        with_result.__name__ = work.__name__
        return with_result

    async def read(self, resource: tuple[str, str], code: int) -> Any:
        """Return the description or the scene at a URI, or in a text.

        Args:
            resource: URI and text.
            code: The service's code if it cannot be read.

        Raises:
            CodedError: The resource cannot be read.
            InertiaToolsError: Reading takes too long.
        """
        try:
            return await self.node.read(*resource)
        except failures.CodedError as error:
            if error.code == Failure.PARSE_ERROR:
                raise CodedError(code, str(error)) from error
            raise

    def _fill_failure(self, response: Any, error: Exception, message: str) -> None:
        self.fill(response, self.code_of(error), message)

    def code_of(self, error: Exception) -> int:
        """Return the result code of simulation_interfaces for an exception."""
        if isinstance(error, CodedError):
            return error.code
        codes = {
            FeatureError: self.result.RESULT_FEATURE_UNSUPPORTED,
            UnknownLinkError: self.result.RESULT_NOT_FOUND,
            UnknownEntityError: self.result.RESULT_NOT_FOUND,
            NoWorldError: self.result.RESULT_INCORRECT_STATE,
        }
        return next((code for kind, code in codes.items() if isinstance(error, kind)), self._general_code)

    @property
    def _general_code(self) -> int:
        """Result code of failures without a specific code."""
        loads = self.node.loop.phase in (Phase.NO_WORLD, Phase.LOADING)
        return int(self.result.RESULT_INCORRECT_STATE if loads else self.result.RESULT_OPERATION_FAILED)

    def fill(self, response: Any, code: int, message: str = "") -> None:
        """Write a result into a response."""
        response.result.result, response.result.error_message = code, message
