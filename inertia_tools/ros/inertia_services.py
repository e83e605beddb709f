# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Functions that answer inertia_server's services by calls of the library."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import inertia_tools.srv as srv
from inertia_tools.description.types import Description, link_count
from inertia_tools.inertia.compute import LinkInertial, compute
from inertia_tools.inertia.correct import fix
from inertia_tools.inertia.correction import Correction
from inertia_tools.inertia.finding import Finding, Severity, most_severe_first
from inertia_tools.inertia.report import check
from inertia_tools.inertia.unknown_geometry import UNKNOWN
from inertia_tools.ros.codes import Failure
from inertia_tools.ros.conversions import to_findings, to_link_inertial, to_link_report
from inertia_tools.ros.diagnostics import summary_of
from inertia_tools.ros.model_source import ModelSource
from inertia_tools.ros.output_root import require_all_inside, require_inside
from inertia_tools.ros.requests import Options, options_of, scope_of
from inertia_tools.wording import counted


def answer_compute(
    source: ModelSource, request: srv.ComputeInertials.Request, response: srv.ComputeInertials.Response
) -> None:
    """Derive mass properties from geometry.

    Raises:
        InertiaToolsError: The model or an option is invalid; the caller writes it into the response.
    """
    robot, options = source.resolve(request.model), options_of(request.options)
    values = compute(
        robot,
        density=options.density,
        geometry=options.geometry,  # type: ignore[arg-type]
        mass_policy=options.mass_policy,  # type: ignore[arg-type]
        open_mesh=options.open_mesh,  # type: ignore[arg-type]
        links=options.links,
    )
    notes = most_severe_first([note for value in values.values() for note in value.notes])
    response.inertials = [to_link_inertial(link, value) for link, value in values.items()]
    response.findings = to_findings(notes)
    lacking = _without_value(robot, values, options)
    response.success = not lacking
    links, known = link_count(values, robot.format), sum(value.inertial is not None for value in values.values())
    response.message = f"{counted(links, 'link')}, {known} with a value"
    if lacking:
        response.message += "; none for " + ", ".join(lacking)
        response.error.value = int(_reason_for_lack(lacking, notes))


def _without_value(robot: Description, values: Mapping[str, LinkInertial], options: Options) -> list[str]:
    """Return the links without a value that should have one: the requested ones, else those with geometry."""
    return [
        link
        for link, value in values.items()
        if value.inertial is None and (options.links is not None or robot.links[link].shapes)
    ]


def _reason_for_lack(lacking: Iterable[str], notes: Iterable[Finding]) -> Failure:
    missing = {note.link for note in notes if note.code == "missing-mesh"}
    return Failure.MISSING_MESH if missing.intersection(lacking) else Failure.NOT_CORRECTABLE


def answer_validate(
    source: ModelSource, request: srv.ValidateInertials.Request, response: srv.ValidateInertials.Response
) -> None:
    """Check declared mass properties.

    Raises:
        InertiaToolsError: The model or an option is invalid.
    """
    robot = source.resolve(request.model)
    report = check(
        robot,
        compare_geometry=request.compare_geometry,
        density_min=request.density_min,
        density_max=request.density_max,
    )
    response.links = [to_link_report(entry) for entry in report.links]
    response.valid = report.worst is not Severity.ERROR
    response.success, response.message = True, summary_of(report)


def answer_correct(
    source: ModelSource, request: srv.CorrectModel.Request, response: srv.CorrectModel.Response, output_root: str
) -> Correction:
    """Correct a model, write it if requested, and return the correction.

    Raises:
        InertiaToolsError: The model or an option is invalid, or the file cannot be written or is outside of the
            permitted folder.
    """
    robot, scope, options = source.resolve(request.model), scope_of(request.scope), options_of(request.options)
    path = require_inside(request.output_path, output_root) if request.output_path else None
    correction = correct(robot, scope, options)
    response.model_text = correction.text
    response.links = [to_link_report(entry) for entry in correction.report.links]
    if path is not None:
        require_all_inside(correction.included, output_root)
        correction.save(path)
    changed = sum(entry.changed for entry in correction.report.links)
    response.message = f"{summary_of(correction.report)}; {changed} corrected"
    response.success = correction.is_complete
    if not correction.is_complete:
        left = sorted({f.link for f in correction.after.findings if f.severity is Severity.ERROR})
        response.message += "; errors remain in " + ", ".join(left)
        is_unknown = any(finding.code == UNKNOWN for finding in correction.after.findings)
        response.error.value = int(Failure.MISSING_MESH if is_unknown else Failure.NOT_CORRECTABLE)
    return correction


def correct(robot: Description, scope: str, options: Options) -> Correction:
    """Correct a description with options from a request or from parameters.

    Raises:
        InertiaToolsError: An option is invalid.
    """
    return fix(
        robot,
        scope,  # type: ignore[arg-type]
        density=options.density,
        geometry=options.geometry,  # type: ignore[arg-type]
        open_mesh=options.open_mesh,  # type: ignore[arg-type]
        mass_policy=options.mass_policy,  # type: ignore[arg-type]
        links=options.links,
    )
