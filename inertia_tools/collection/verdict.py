# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What became of one file, as plain data that other processes and machines can send."""

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
from inertia_tools.description.types import Format
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
"""Exit codes, the worse the higher."""


@dataclass(frozen=True)
class Rules:
    """How files are read and judged.

    Attributes:
        package_path: Folders that are searched first for packages and models.
        xacro_arguments: Values for the files' `<xacro:arg>`.
        xacro: Whether files are expanded; by their names when None.
        density: Density at which `computed` is given [kg/m^3].
        geometry: Which shapes are integrated where a link has both.
        include_static: Whether static models are judged too.
        ignored: Codes of findings that are left out.
        baseline: Findings that were there before, and are left out.
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
    """What became of one file.

    Attributes:
        file: The file as it was named.
        entry: Its part of the JSON report, which also says why it could not be read.
        sources: Every file that was read for it.
        unplaced: The name of its expansion, if lines of findings count in that.
        meshes_not_found: How many of its meshes were not found.
        undeclared: Arguments for xacro that it does not declare, and was read without.
    """

    file: str
    entry: dict[str, Any]
    sources: tuple[str, ...] = ()
    unplaced: str = ""
    meshes_not_found: int = 0
    undeclared: tuple[str, ...] = ()

    @property
    def format(self) -> Format:
        """Its format; that of URDF when it could not be read."""
        return Format(self.entry["format"] or Format.URDF.value)

    @property
    def reason(self) -> str:
        """Why the file could not be read; empty when it was."""
        return str(self.entry["error"] or "")

    @property
    def links(self) -> list[str]:
        """The names of its links."""
        return [link["link"] for link in self.entry["links"]]

    @property
    def computed(self) -> frozenset[str]:
        """The names of the links whose geometry could be integrated."""
        return frozenset(link["link"] for link in self.entry["links"] if link["computed"] is not None)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """Findings over the document and all links, most severe first."""
        whole = [_finding("", found) for found in self.entry["findings"]]
        of_links = [_finding(link["link"], found) for link in self.entry["links"] for found in link["findings"]]
        return most_severe_first([*whole, *of_links])

    def at_least(self, severity: Severity) -> list[Finding]:
        """Return the findings of that severity or a higher one."""
        return [finding for finding in self.findings if finding.severity >= severity]

    def count(self, severity: Severity) -> int:
        """Count the findings of that severity; what a cause explains counts as one with it."""
        return sum(finding.severity is severity and not finding.explained_by for finding in self.findings)

    def exit_code(self, threshold: Severity) -> int:
        """Return what the file alone would make a check exit with."""
        if self.reason:
            return COULD_NOT_RUN
        return FOUND if self.at_least(threshold) else CLEAN


def judge(file: str, robot: Description, rules: Rules) -> Verdict:
    """Check a description that was read from a file."""
    report = check(robot, density=rules.density, geometry=rules.geometry, include_static=rules.include_static)
    report = rules.baseline.without_known(file, without_commented(report.without_codes(rules.ignored)))
    document = robot.document
    is_unplaced = document.generated and any(finding.file == document.name for finding in report.findings)
    read_for = chain.from_iterable((path, *companions(str(path))) for path in files_of(robot))
    sources = dict.fromkeys(map(str, read_for))
    unplaced, lost = document.name if is_unplaced else "", len(report.meshes_not_found)
    return Verdict(file, file_entry(file, report), tuple(sources), unplaced, lost)


def wanted(robot: Description, rules: Rules) -> Iterator[Wanted]:
    """List what judging a description wants of its meshes."""
    return wanted_meshes(robot, rules.geometry, include_static=rules.include_static)


def unreadable(file: str, reason: str) -> Verdict:
    """Return the verdict of a file that could not be read."""
    return Verdict(file, unreadable_entry(file, reason))


def judge_files(files: Iterable[str], rules: Rules) -> list[Verdict]:
    """Read and check files, one after the other; whatever goes wrong with one is said of that one."""
    return [_judge_file(file, rules) for file in files]


def _judge_file(file: str, rules: Rules) -> Verdict:
    try:
        robot, undeclared = read_declared(partial(_load, file, rules), rules.xacro_arguments)
        return replace(judge(file, robot, rules), undeclared=undeclared)
    except InertiaToolsError as error:
        return unreadable(file, str(error))
    except Exception as error:  # a fault of ours in one file must not lose the verdicts on the others
        where = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(where.filename).name}:{where.lineno}"
        return unreadable(file, f"{file}: internal error, please report it: {type(error).__name__}: {error} ({place})")


def refuse_undeclared(verdicts: Sequence[Verdict], rules: Rules, given: Mapping[str, str]) -> None:
    """Refuse values for arguments of xacro that no file declares; what an unreadable xacro declares is not known.

    Args:
        verdicts: What became of the files.
        rules: How they were judged.
        given: The values that one of them has to declare, of those in the rules.

    Raises:
        UndeclaredArgumentError: There is such an argument.
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
