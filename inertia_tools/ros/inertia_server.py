# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The node that checks and corrects the inertials of a robot description.

It reads `robot_description` (topic or parameter), publishes `corrected_robot_description`, and offers the same
functions as services for any model. Worker processes do the work, so that the node itself always answers; repeated
requests about the held description are answered from a cache.
"""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from rcl_interfaces.msg import SetParametersResult
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.serialization import serialize_message
from std_msgs.msg import String
from visualization_msgs.msg import MarkerArray

import inertia_tools.srv as srv
from inertia_tools.errors import InertiaToolsError
from inertia_tools.inertia.finding import Severity
from inertia_tools.ros import parameters
from inertia_tools.ros.corrected_text import WORTH_A_WARNING, corrected_text
from inertia_tools.ros.diagnostics import array_of, model_status, summary_of
from inertia_tools.ros.failures import DefectError, message_of
from inertia_tools.ros.inertia_markers import inertia_markers
from inertia_tools.ros.inertia_parameters import SPECS
from inertia_tools.ros.inertia_work import (
    Answer,
    Held,
    Intake,
    compute,
    correct,
    intake_from,
    require_publishable,
    take_description,
    validate,
)
from inertia_tools.ros.model_source import ModelSource
from inertia_tools.ros.package_log import log_package_as
from inertia_tools.ros.qos import LATCHED, RELIABLE, SERVICE
from inertia_tools.ros.running import run_node
from inertia_tools.ros.service_answers import Work, answering, fill_success
from inertia_tools.ros.waiting import Waiting
from inertia_tools.ros.worker_pool import WorkerPool

_DIAGNOSTICS_PERIOD = 1.0  # Period that diagnostic_aggregator expects [s].
_MOST_KNOWN = 64  # Answers cached for the held description.


_SERVICES: dict[Callable[..., Answer], str] = {
    compute: "~/compute_inertials",
    validate: "~/validate_inertials",
    correct: "~/correct_model",
}
"""Name of the service for each function."""


class TopicClashError(InertiaToolsError):
    """The input topic equals the output topic, so that the node would read its own output."""

    def __init__(self, topic: str) -> None:
        self.topic = topic
        super().__init__(
            f"robot_description and corrected_robot_description are both {topic}, so this node would read its own "
            "output; remap one of them, or give the description as the parameter robot_description"
        )


class InertiaServer(Node):
    """Holds one robot description and answers requests about its inertials."""

    def __init__(self) -> None:
        """Create the node.

        Raises:
            TopicClashError: Input and output topic are the same.
            ValueError: A parameter has an invalid value.
        """
        super().__init__("inertia_server")
        log_package_as(self)
        parameters.declare(self, SPECS)
        text = self._value("robot_description")
        self._input_topic = self.resolve_topic_name("robot_description")
        output_topic = self.resolve_topic_name("corrected_robot_description")
        if not text and self._input_topic == output_topic:
            raise TopicClashError(output_topic)
        self._source = ModelSource(self._input_topic, self._value("package_path"), self._value("allowed_roots"))
        self._held: Held | None = None
        self._refused, self._told_busy = "", 0
        self._lock = threading.RLock()
        # Texts and their origins: of the latest description, and of the active one.
        self._received: tuple[str, str] | None = None
        self._accepted: tuple[str, str] | None = None
        self._is_due = self._is_stale = False
        self._intake: Future[Held] | None = None
        self._known: dict[tuple[str, bytes, str], Future[Answer]] = {}
        self.pool = WorkerPool(lambda: float(self._value("time_limit")))
        self._waiting = Waiting(self)
        self._create_publishers()
        self._create_services()
        if text:
            self._receive(text, "the parameter robot_description")
        else:
            self.create_subscription(String, "robot_description", self._on_description, LATCHED)
            self.get_logger().info(f"waiting for a robot description on {self._input_topic}")
        self.add_on_set_parameters_callback(self._judge_parameters)
        self.add_post_set_parameters_callback(self._apply_parameters)

    def _create_publishers(self) -> None:
        self._corrected = self.create_publisher(String, "corrected_robot_description", LATCHED)
        self._markers = self.create_publisher(MarkerArray, "~/inertia_markers", LATCHED)
        self._diagnostics = self.create_publisher(DiagnosticArray, "/diagnostics", RELIABLE)
        # Real time, so that diagnostics also come while a simulated clock stands still.
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(_DIAGNOSTICS_PERIOD, self._publish_diagnostics, clock=steady)

    def _create_services(self) -> None:
        group = ReentrantCallbackGroup()
        offered: tuple[tuple[Any, Callable[..., Answer], Work], ...] = (
            (srv.ComputeInertials, compute, self._compute),
            (srv.ValidateInertials, validate, self._validate),
            (srv.CorrectModel, correct, self._correct),
        )
        for service, work, callback in offered:
            answer = answering(self, callback, fill_success)
            self.create_service(service, _SERVICES[work], answer, qos_profile=SERVICE, callback_group=group)

    def _value(self, name: str) -> Any:
        return self.get_parameter(name).value

    # Input

    def _on_description(self, message: String) -> None:
        self._receive(message.data, self._input_topic)

    def _receive(self, text: str, origin: str) -> None:
        """Receive a new description; while another is processed, it replaces any waiting one."""
        with self._lock:
            self._received = text, origin
            self._request_intake()

    def _request_intake(self) -> None:
        """Process the latest description, even if it was processed before; call with the lock held."""
        self._is_due = True
        if self._intake is None:
            self._begin_next(None, None)

    def _begin_next(self, last: tuple[str, str] | None, error: BaseException | None) -> None:
        """Start processing the next waiting description, if there is one; call with the lock held.

        If a description is refused after parameters changed, the active description is processed again with the new
        ones.
        """
        if self._is_due and self._received is not None:
            self._is_due = False
            self._begin_intake(self._received)
        elif error is not None and self._is_stale and self._accepted not in (None, last):
            assert self._accepted is not None
            self._begin_intake(self._accepted)
        else:
            self._intake = None  # last, since requests wait for it

    def _begin_intake(self, description: tuple[str, str]) -> None:
        text, origin = description
        intake = intake_from(self._value)
        future = self.pool.submit(take_description, self._source, text, f"<{origin}>", intake, is_urgent=True)
        self._intake = future
        future.add_done_callback(lambda done: self._end_intake(done, description))

    def _end_intake(self, done: Future[Held], description: tuple[str, str]) -> None:
        """Activate a description; an unusable one leaves the last good one active."""
        error = done.exception()
        with self._lock:
            if error is None:
                self._held, self._accepted = done.result(), description
                self._source.held = self._held.robot
                self._known = {}
                self._is_stale = self._is_stale and self._is_due
            if description == self._received:
                self._refused = message_of(error) if isinstance(error, Exception) else ""
            self._begin_next(description, error)
        if isinstance(error, Exception):
            self._refuse(error, description[1])
        elif self._held is not None:
            self._log(self._held)
            self._publish_all(self._held)

    def _refuse(self, error: Exception, origin: str) -> None:
        if isinstance(error, DefectError) and error.details:
            self.get_logger().error(error.details)
        kept = f"; keeping {self._held.robot.name!r}" if self._held is not None else ""
        self.get_logger().error(f"cannot use the robot description from {origin}: {message_of(error)}{kept}")
        self._publish_diagnostics()

    def _log(self, held: Held) -> None:
        correction = held.correction
        changed = sum(link.changed for link in correction.report.links)
        name = correction.robot.name
        self.get_logger().info(f"{name}: {summary_of(correction.report)}, {changed} corrected")
        for finding in correction.report.findings:
            message = f"{finding.link}: {finding.message} [{finding.code}]"
            if finding.severity is Severity.INFO:
                self.get_logger().debug(message)
            else:
                self.get_logger().warning(message)
        for note in held.published.notes:
            if note.kind in WORTH_A_WARNING:
                self.get_logger().warning(str(note))
            else:
                self.get_logger().debug(str(note))

    # Parameters

    def _judge_parameters(self, changes: Sequence[Parameter[Any]]) -> SetParametersResult:
        """Check the values without applying them, since another callback may still refuse."""
        reasons = (parameters.refusal(SPECS, parameter) for parameter in changes)
        reason = next(filter(None, reasons), "")
        if not reason:
            reason = self._refusal_of({parameter.name: parameter.value for parameter in changes})
        return SetParametersResult(successful=not reason, reason=reason)

    def _refusal_of(self, wanted: dict[str, Any]) -> str:
        """Return why values contradict each other or unchanged ones; an empty text if they do not."""
        intake = intake_from(lambda name: wanted[name] if name in wanted else self._value(name))
        if "robot_description" in wanted:
            return self._description_refusal(wanted["robot_description"], intake)
        if wanted.keys() & {"output_format", "publish_corrected"}:
            return self._format_refusal(intake)
        return ""

    def _description_refusal(self, text: str, intake: Intake) -> str:
        if not text:
            return "robot_description must not become empty"
        try:
            require_publishable(self._source.read(text, "<the parameter robot_description>"), intake)
        except InertiaToolsError as error:
            return str(error)
        return ""

    def _format_refusal(self, intake: Intake) -> str:
        """Return why a usable description could not be published in a format; an empty text if it could."""
        with self._lock:
            received, held, is_working = self._received, self._held, self._intake is not None
            is_other = received != self._accepted
        if is_other and received is not None:
            reason = self._reading_refusal(*received, intake)
            if reason is not None and (is_working or not reason):
                return reason
        try:
            if held is not None and intake.output_format:
                corrected_text(held.correction, intake.output_format)
        except InertiaToolsError as error:
            return str(error)
        return ""

    def _reading_refusal(self, text: str, origin: str, intake: Intake) -> str | None:
        """Return why a description cannot be published; None if it cannot even be read."""
        try:
            robot = self._source.read(text, f"<{origin}>")
        except InertiaToolsError:
            return None
        try:
            require_publishable(robot, intake)
        except InertiaToolsError as error:
            return str(error)
        return ""

    def _apply_parameters(self, changes: Sequence[Parameter[Any]]) -> None:
        """Process the latest description again, since a refused one may be usable now."""
        names = {parameter.name for parameter in changes} & {spec.name for spec in SPECS}
        with self._lock:
            if "robot_description" in names:
                self._received = self._value("robot_description"), "the parameter robot_description"
            self._is_stale = self._is_stale or bool(names - {"robot_description"})
            if names and self._received is not None:
                self._request_intake()

    # Output

    def _publish_all(self, held: Held) -> None:
        if self._value("publish_corrected"):
            self._corrected.publish(String(data=held.published.text))
        if self._value("publish_markers"):
            now = self.get_clock().now()
            self._markers.publish(inertia_markers(held.correction.report, now, self._value("frame_prefix")))
        self._publish_diagnostics()

    def _publish_diagnostics(self) -> None:
        correction = None if self._held is None else self._held.correction
        busy = self.pool.refused_count
        new_busy, self._told_busy = busy - self._told_busy, busy
        entry = model_status(self.get_fully_qualified_name().lstrip("/"), correction, self._refused, busy, new_busy)
        self._diagnostics.publish(array_of(entry, self.get_clock().now()))

    # Services

    async def _compute(self, request: srv.ComputeInertials.Request, response: srv.ComputeInertials.Response) -> Any:
        return (await self._answer(compute, request, response)).response

    async def _validate(self, request: srv.ValidateInertials.Request, response: srv.ValidateInertials.Response) -> Any:
        return (await self._answer(validate, request, response)).response

    async def _correct(self, request: srv.CorrectModel.Request, response: srv.CorrectModel.Response) -> Any:
        root, output_format = self._value("output_root"), self._value("output_format")
        answer = await self._answer(correct, request, response, root, output_format)
        if answer.text:
            self._corrected.publish(String(data=answer.text))
        return answer.response

    async def _answer(self, work: Callable[..., Answer], request: Any, response: Any, *more: str) -> Answer:
        """Let a worker process do the work, unless its answer for the held description is cached.

        Raises:
            BusyError: Too many requests are waiting.
            Exception: The exception of the work.
        """
        is_of_held = not (request.model.uri or request.model.text)
        if is_of_held:
            await self._settle()
        key = work.__name__, serialize_message(request), "\n".join(more)
        known = self._known
        is_kept = is_of_held and not getattr(request, "output_path", "") and len(known) < _MOST_KNOWN
        future = known.get(key) if is_of_held else None
        if future is None:
            future = self.pool.submit(work, self._source, request, response, *more, is_wanted=self._has_clients(work))
            if is_kept:
                known[key] = future
        try:
            return await self._waiting.result(future, None, "")
        except Exception:  # failed answers are not cached; the client gets the exception
            known.pop(key, None)
            raise

    def _has_clients(self, work: Callable[..., Answer]) -> Callable[[], bool]:
        """Return a function for whether the client of a request may still exist.

        A request may arrive before its sender is discovered, so a missing client counts only after a client was seen.
        """
        service = self.resolve_service_name(_SERVICES[work])
        was_seen = self.count_clients(service) > 0
        return lambda: not was_seen or self.count_clients(service) > 0

    async def _settle(self) -> None:
        """Wait until received descriptions are processed."""
        while (intake := self._intake) is not None:
            with contextlib.suppress(Exception):  # its own log line has the reason
                await self._waiting.result(intake, None, "")


@contextlib.contextmanager
def _close_pool_after(node: Node) -> Iterator[None]:
    try:
        yield
    finally:
        assert isinstance(node, InertiaServer)
        node.pool.close()


def main(args: list[str] | None = None) -> int:
    """Run the node until it is interrupted; return the exit code."""
    return run_node("inertia_server", InertiaServer, args, _close_pool_after)


if __name__ == "__main__":
    sys.exit(main())
