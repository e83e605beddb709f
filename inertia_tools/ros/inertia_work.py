# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The heavy work of inertia_server as functions for worker processes; all arguments and results can be pickled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from inertia_tools.description.types import Description, Format
from inertia_tools.inertia.correction import Correction
from inertia_tools.ros import inertia_services
from inertia_tools.ros.corrected_text import CorrectedText, corrected_text
from inertia_tools.ros.inertia_parameters import options_from
from inertia_tools.ros.model_source import ModelSource
from inertia_tools.ros.requests import Options


@dataclass(frozen=True, eq=False)
class Held:
    """A description held by a node, and its correction.

    Attributes:
        robot: The description.
        correction: Its correction.
        published: The text to publish.
    """

    robot: Description
    correction: Correction
    published: CorrectedText


@dataclass(frozen=True)
class Intake:
    """How a node processes a description.

    Attributes:
        scope: Which links are corrected.
        options: How inertials are computed.
        output_format: Format of the published text; empty if nothing is published.
    """

    scope: str
    options: Options
    output_format: str


def intake_from(value: Callable[[str], Any]) -> Intake:
    """Read the settings from parameters, given a function from name to value."""
    return Intake(value("scope"), options_from(value), value("output_format") if value("publish_corrected") else "")


@dataclass(frozen=True)
class Answer:
    """The answer of a service.

    Attributes:
        response: The message.
        text: The corrected description, to publish if the request asks for it; empty for none.
    """

    response: Any
    text: str = ""


def take_description(source: ModelSource, text: str, name: str, intake: Intake) -> Held:
    """Read and correct a description.

    Raises:
        InertiaToolsError: The description is unusable.
    """
    robot = source.read(text, name)
    correction = inertia_services.correct(robot, intake.scope, intake.options)
    published = CorrectedText(correction.text)
    if intake.output_format:
        published = corrected_text(correction, intake.output_format)
    return Held(robot, correction, published)


def require_publishable(robot: Description, intake: Intake) -> None:
    """Raise an error for a description that cannot be published in the requested format.

    Raises:
        InertiaToolsError: The description cannot be published.
    """
    stays = robot.format is not Format.SDF and intake.output_format == "urdf"
    if intake.output_format and not stays:
        corrected_text(inertia_services.correct(robot, intake.scope, intake.options), intake.output_format)


def compute(source: ModelSource, request: Any, response: Any) -> Answer:
    """Answer ComputeInertials.

    Raises:
        InertiaToolsError: The model or an option is invalid.
    """
    inertia_services.answer_compute(source, request, response)
    return Answer(response)


def validate(source: ModelSource, request: Any, response: Any) -> Answer:
    """Answer ValidateInertials; for errors see `compute`."""
    inertia_services.answer_validate(source, request, response)
    return Answer(response)


def correct(source: ModelSource, request: Any, response: Any, output_root: str, output_format: str) -> Answer:
    """Answer CorrectModel; for errors see `compute`, and `WriteError` if the file cannot be written."""
    correction = inertia_services.answer_correct(source, request, response, output_root)
    if not request.publish:
        return Answer(response)
    if request.model.uri or request.model.text:
        response.message += "; not published: only corrections of this node's own description are published"
        return Answer(response)
    return Answer(response, corrected_text(correction, output_format).text)
