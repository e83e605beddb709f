# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The result of checking one file, as plain data that can be sent between processes and machines."""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain
from pathlib import Path
from typing import Any

from inertia_tools.description import Description, load
from inertia_tools.description.files import files_of
from inertia_tools.description.load import read_declared
from inertia_tools.description.types import Format, link_count
from inertia_tools.description.xacro import is_xacro
from inertia_tools.errors import InertiaToolsError
from inertia_tools.geometry.mesh.batch import Wanted
from inertia_tools.geometry.mesh.file import companions
from inertia_tools.inertia.baseline import Baseline
from inertia_tools.inertia.compute import WATER, GeometryChoice
from inertia_tools.inertia.finding import Finding, Severity, most_severe_first
from inertia_tools.inertia.ignore_comments import without_commented
from inertia_tools.inertia.report import check, wanted_meshes
from inertia_tools.inertia.report_json import file_entry, unreadable_entry

CLEAN, FOUND, COULD_NOT_RUN = 0, 1, 2
"""Exit codes; a higher one is worse."""

OF_FILES = frozenset({"broken-composition", "missing-include", "mujoco-refuses"})
"""Codes of findings that a file which appears later may settle."""


@dataclass(frozen=True)
class Rules:
    """How files are read and judged.

    Attributes:
        package_path: Folders to search first for packages and models.
        xacro_arguments: Values for `<xacro:arg>` of the files.
        xacro: Whether to expand files with xacro; None decides by file name.
        density: Density for computed inertials [kg/m^3].
        geometry: Shapes to integrate if a link has both kinds.
        include_static: Whether to check static models too.
        ignored: Codes of findings to omit.
        baseline: Known findings to omit.
    """

    package_path: tuple[str, ...] = ()
    xacro_arguments: Mapping[str, str] = field(default_factory=dict)
    xacro: bool | None = None
    density: float = WATER
    geometry: GeometryChoice = "collision"
    include_static: bool = False
    ignored: frozenset[str] = frozenset()
    baseline: Baseline = field(default_factory=Baseline)


@dataclass(frozen=True)
class Verdict:
    """Result of checking one file.

    Attributes:
        file: The file, as the user named it.
        entry: Its part of the JSON report, or the reason why it could not be read.
        sources: All files that were read for it.
        unplaced: Name of its expansion, if the line numbers of findings refer to that.
        meshes_not_found: Number of its meshes that were not found.
        undeclared: xacro arguments that it does not declare; they were not passed to it.
        lacks_files: A file that it names was not found, or may not have been, so that the verdict may change without a
            change of its sources.
    """

    file: str
    entry: dict[str, Any]
    sources: tuple[str, ...] = ()
    unplaced: str = ""
    meshes_not_found: int = 0
    undeclared: tuple[str, ...] = ()
    lacks_files: bool = field(default=False, compare=False)

    @property
    def format(self) -> Format:
        """Its format; URDF if it could not be read."""
        return Format(self.entry["format"] or Format.URDF.value)

    @property
    def reason(self) -> str:
        """Why the file could not be read; empty if it was read."""
        return str(self.entry["error"] or "")

    @property
    def links(self) -> list[str]:
        """Names of its links."""
        return [link["link"] for link in self.entry["links"]]

    @property
    def link_count(self) -> int:
        """Number of its links, without the world."""
        return link_count(self.links, self.format)

    @property
    def computed(self) -> frozenset[str]:
        """Names of the links whose geometry could be integrated."""
        return frozenset(link["link"] for link in self.entry["links"] if link["computed"] is not None)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """Findings for the document and all links, most severe first."""
        whole = [_finding("", found) for found in self.entry["findings"]]
        of_links = [_finding(link["link"], found) for link in self.entry["links"] for found in link["findings"]]
        return most_severe_first([*whole, *of_links])

    def at_least(self, severity: Severity) -> list[Finding]:
        """Return the findings of at least a severity."""
        return [finding for finding in self.findings if finding.severity >= severity]

    def count(self, severity: Severity) -> int:
        """Count the findings of a severity, without those that another finding explains."""
        return sum(finding.severity is severity and not finding.explained_by for finding in self.findings)

    def exit_code(self, threshold: Severity) -> int:
        """Return the exit code of a check of this file alone."""
        if self.reason:
            return COULD_NOT_RUN
        return FOUND if self.at_least(threshold) else CLEAN


def judge(file: str, robot: Description, rules: Rules) -> Verdict:
    """Check a description from a file, and return the verdict."""
    whole = check(robot, density=rules.density, geometry=rules.geometry, include_static=rules.include_static)
    report = rules.baseline.without_known(file, without_commented(whole.without_codes(rules.ignored)))
    document = robot.document
    is_unplaced = document.generated and any(finding.file == document.name for finding in report.findings)
    read_for = chain.from_iterable((path, *companions(str(path))) for path in files_of(robot))
    sources = dict.fromkeys(map(str, read_for))
    unplaced, lost = document.name if is_unplaced else "", len(report.meshes_not_found)
    lacks_files = lost > 0 or any(finding.code in OF_FILES for finding in whole.findings)
    return Verdict(file, file_entry(file, report), tuple(sources), unplaced, lost, lacks_files=lacks_files)


def wanted(robot: Description, rules: Rules) -> Iterator[Wanted]:
    """Yield the mesh integrals that judging a description needs."""
    return wanted_meshes(robot, rules.geometry, include_static=rules.include_static)


def unreadable(file: str, reason: str) -> Verdict:
    """Return the verdict of a file that could not be read."""
    return Verdict(file, unreadable_entry(file, reason))


def judge_files(files: Iterable[str], rules: Rules) -> list[Verdict]:
    """Read and check files one by one; an error in a file is reported in its own verdict."""
    return [_judge_file(file, rules) for file in files]


def _judge_file(file: str, rules: Rules) -> Verdict:
    try:
        robot, undeclared = read_declared(partial(_load, file, rules), rules.xacro_arguments)
        return replace(judge(file, robot, rules), undeclared=undeclared)
    except InertiaToolsError as error:
        return unreadable(file, str(error))
    except Exception as error:  # a defect that one file triggers must not lose the other verdicts
        where = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(where.filename).name}:{where.lineno}"
        return unreadable(file, f"{file}: internal error, please report it: {type(error).__name__}: {error} ({place})")


def refuse_undeclared(verdicts: Sequence[Verdict], rules: Rules, given: Mapping[str, str]) -> None:
    """Raise an error for xacro arguments that no file declares; unreadable xacro files may declare any.

    Args:
        verdicts: Verdicts of the files.
        rules: How they were read and judged.
        given: The arguments among those in the rules that at least one file must declare.

    Raises:
        UndeclaredArgumentError: No file declares one of the arguments.
    """
    asked = [one for one in verdicts if rules.xacro or is_xacro(Path(one.file))] or verdicts
    nowhere = set(given).intersection(*(one.undeclared for one in asked))
    if asked and nowhere and not any(one.reason for one in asked):
        _load(asked[0].file, rules, {name: given[name] for name in nowhere})


def _load(file: str, rules: Rules, arguments: Mapping[str, str]) -> Description:
    return load(file, package_path=rules.package_path, xacro_arguments=arguments, xacro=rules.xacro)


def _finding(link: str, found: Mapping[str, Any]) -> Finding:
    severity = Severity[found["severity"].upper()]
    place = (found["file"], found["line"], found["path"] or "")
    return Finding(severity, found["code"], link, found["message"], *place, explained_by=found.get("explained_by", ""))
