# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The node that judges and corrects the inertials of a robot description.

It reads `robot_description` (topic or parameter), publishes `corrected_robot_description`, and offers the same work
as services on any model.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from rcl_interfaces.msg import SetParametersResult
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.node import Node
from rclpy.parameter import Parameter
from std_msgs.msg import String
from visualization_msgs.msg import MarkerArray

import inertia_tools.srv as srv
from inertia_tools.description.types import Description
from inertia_tools.errors import InertiaToolsError
from inertia_tools.inertia.correction import Correction
from inertia_tools.inertia.finding import Severity
from inertia_tools.ros import inertia_services, parameters
from inertia_tools.ros.codes import Failure
from inertia_tools.ros.corrected_text import WORTH_A_WARNING, CorrectedText, corrected_text
from inertia_tools.ros.diagnostics import array_of, model_status, summary_of
from inertia_tools.ros.failures import failure_of
from inertia_tools.ros.inertia_markers import inertia_markers
from inertia_tools.ros.inertia_parameters import SPECS, options_from
from inertia_tools.ros.model_source import ModelSource
from inertia_tools.ros.qos import LATCHED, RELIABLE
from inertia_tools.ros.running import run_node

_DIAGNOSTICS_PERIOD = 1.0  # What diagnostic_aggregator expects [s].


class TopicClashError(InertiaToolsError):
    """The node would read its own output."""

    def __init__(self, topic: str) -> None:
        self.topic = topic
        super().__init__(
            f"robot_description and corrected_robot_description are both {topic}, so this node would read what it "
            "writes; remap one of them, or give the description as the parameter robot_description"
        )


class InertiaServer(Node):
    """Holds one robot description and answers for its inertials."""

    def __init__(self) -> None:
        """Create the node.

        Raises:
            TopicClashError: Input and output topic are the same.
            ValueError: A parameter has a value that it may not have.
        """
        super().__init__("inertia_server")
        parameters.declare(self, SPECS)
        text = self._value("robot_description")
        self._input_topic = self.resolve_topic_name("robot_description")
        output_topic = self.resolve_topic_name("corrected_robot_description")
        if not text and self._input_topic == output_topic:
            raise TopicClashError(output_topic)
        self._source = ModelSource(self._input_topic, self._value("package_path"), self._value("allowed_roots"))
        self._correction: Correction | None = None
        self._text = CorrectedText("")
        self._refused = ""
        self._create_publishers()
        self._create_services()
        if text:
            self._receive(text, "the parameter robot_description")
        else:
            self.create_subscription(String, "robot_description", self._on_description, LATCHED)
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
        self.create_service(srv.ComputeInertials, "~/compute_inertials", self._answer(self._compute))
        self.create_service(srv.ValidateInertials, "~/validate_inertials", self._answer(self._validate))
        self.create_service(srv.CorrectModel, "~/correct_model", self._answer(self._correct))

    def _value(self, name: str) -> Any:
        return self.get_parameter(name).value

    # Input

    def _on_description(self, message: String) -> None:
        self._receive(message.data, self._input_topic)

    def _receive(self, text: str, origin: str) -> None:
        """Take a new description; one that is of no use leaves the last good one in force."""
        try:
            robot = self._source.read(text, f"<{origin}>")
            correction = self._correct_held(robot)
            published = self._published(correction)
        except InertiaToolsError as error:
            self._refuse(str(error), origin)
        except Exception as error:
            self.get_logger().debug(traceback.format_exc())
            self._refuse(f"internal error, {type(error).__name__}: {error}", origin)
        else:
            self._source.held = robot
            self._correction, self._text, self._refused = correction, published, ""
            self._log(correction, published)
            self._publish_all()

    def _refuse(self, reason: str, origin: str) -> None:
        self._refused = reason
        held = self._source.held
        kept = f"; keeping {held.name!r}" if held is not None else ""
        self.get_logger().error(f"cannot use the robot description from {origin}: {reason}{kept}")
        self._publish_diagnostics()

    def _correct_held(self, robot: Description) -> Correction:
        return inertia_services.correct(robot, self._value("scope"), options_from(self._value))

    def _published(self, correction: Correction) -> CorrectedText:
        """Return what is to be published, where something is."""
        if not self._value("publish_corrected"):
            return CorrectedText(correction.text)
        return corrected_text(correction, self._value("output_format"))

    def _log(self, correction: Correction, published: CorrectedText) -> None:
        changed = sum(link.changed for link in correction.report.links)
        name = correction.robot.name
        self.get_logger().info(f"{name}: {summary_of(correction.report)}, {changed} corrected")
        for finding in correction.report.findings:
            message = f"{finding.link}: {finding.message} [{finding.code}]"
            if finding.severity is Severity.INFO:
                self.get_logger().debug(message)
            else:
                self.get_logger().warning(message)
        for note in published.notes:
            if note.kind in WORTH_A_WARNING:
                self.get_logger().warning(str(note))
            else:
                self.get_logger().debug(str(note))

    # Parameters

    def _judge_parameters(self, changes: Sequence[Parameter[Any]]) -> SetParametersResult:
        """Judge only: another callback may still refuse."""
        for parameter in changes:
            reason = parameters.refusal(SPECS, parameter)
            if parameter.name == "output_format" and not reason:
                reason = self._format_refusal(parameter.value)
            if parameter.name == "robot_description" and not reason:
                reason = self._description_refusal(parameter.value)
            if reason:
                return SetParametersResult(successful=False, reason=reason)
        return SetParametersResult(successful=True)

    def _format_refusal(self, wanted: str) -> str:
        """Say why what is held cannot be published in a format; an empty text when it can."""
        if self._correction is None:
            return ""
        try:
            corrected_text(self._correction, wanted)
        except InertiaToolsError as error:
            return str(error)
        return ""

    def _description_refusal(self, text: str) -> str:
        if not text:
            return "robot_description must not become empty"
        try:
            self._source.read(text, "<the parameter robot_description>")
        except InertiaToolsError as error:
            return str(error)
        return ""

    def _apply_parameters(self, changes: Sequence[Parameter[Any]]) -> None:
        names = {parameter.name for parameter in changes}
        if "robot_description" in names:
            self._receive(self._value("robot_description"), "the parameter robot_description")
        elif names & {spec.name for spec in SPECS} and self._source.held is not None:
            self._receive(self._source.held.document.data.decode(), "the last description, after a parameter changed")

    # Output

    def _publish_all(self) -> None:
        correction = self._correction
        if correction is not None and self._value("publish_corrected"):
            self._corrected.publish(String(data=self._text.text))
        if correction is not None and self._value("publish_markers"):
            now = self.get_clock().now()
            self._markers.publish(inertia_markers(correction.report, now, self._value("frame_prefix")))
        self._publish_diagnostics()

    def _publish_diagnostics(self) -> None:
        entry = model_status(self.get_fully_qualified_name().lstrip("/"), self._correction, self._refused)
        self._diagnostics.publish(array_of(entry, self.get_clock().now()))

    # Services

    def _answer(self, work: Callable[[Any, Any], None]) -> Callable[[Any, Any], Any]:
        """Make a service callback of work: whatever goes wrong becomes an answer, and the node lives on."""

        def callback(request: Any, response: Any) -> Any:
            try:
                work(request, response)
            except InertiaToolsError as error:
                response.success, response.message = False, str(error)
                response.error.value = int(failure_of(error))
            except Exception as error:
                self.get_logger().error(traceback.format_exc())
                response.success, response.message = False, f"internal error, {type(error).__name__}: {error}"
                response.error.value = int(Failure.PARSE_ERROR)
            if not response.success:
                self.get_logger().warning(f"{work.__name__.strip('_')} request: {response.message}")
            return response

        return callback

    def _compute(self, request: srv.ComputeInertials.Request, response: srv.ComputeInertials.Response) -> None:
        inertia_services.answer_compute(self._source, request, response)

    def _validate(self, request: srv.ValidateInertials.Request, response: srv.ValidateInertials.Response) -> None:
        inertia_services.answer_validate(self._source, request, response)

    def _correct(self, request: srv.CorrectModel.Request, response: srv.CorrectModel.Response) -> None:
        root = self._value("output_root")
        correction = inertia_services.answer_correct(self._source, request, response, root)
        if request.publish and (request.model.uri or request.model.text):
            response.message += "; not published: only corrections of the description that this node holds are"
        elif request.publish:
            text = corrected_text(correction, self._value("output_format"))
            self._corrected.publish(String(data=text.text))


def main(args: list[str] | None = None) -> int:
    """Run the node until it is interrupted; return the exit code."""
    return run_node("inertia_server", InertiaServer, args, nullcontext)


if __name__ == "__main__":
    sys.exit(main())
