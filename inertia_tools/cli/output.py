# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Reports for people: lines in a compiler's style, and tables."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from inertia_tools.inertia.compute import LinkInertial
from inertia_tools.inertia.finding import Finding, Severity
from inertia_tools.inertia.report import ModelTotals, Report
from inertia_tools.inertial import Inertial, six_of_tensor
from inertia_tools.wording import counted

INERTIAL_COLUMNS = ("mass [kg]", "com [m]", "ixx ixy ixz iyy iyz izz [kg m^2]")


def print_json(document: dict[str, Any]) -> None:
    """Print a document as indented JSON."""
    print(json.dumps(document, indent=2, allow_nan=False))


def print_findings(findings: Iterable[Finding]) -> None:
    """Print one line a finding: file:line: severity: link: message [code]."""
    for finding in findings:
        print(finding)


def summary(report: Report) -> str:
    """Say in one line how a report came out."""
    counts = {severity: report.count(severity) for severity in (Severity.ERROR, Severity.WARNING, Severity.INFO)}
    return f"{counted(len(report.links), 'link')}, " + ", ".join(
        f"{count} {_noun(severity, count)}" for severity, count in counts.items()
    )


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table; numbers never wrap away, the terminal decides the width."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text  # which takes brackets, as units and names have them, for what they are

    table = Table(title=Text(title, style="table.title"), title_justify="left", show_lines=False)
    for column in columns:
        table.add_column(Text(column), overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    console = Console(soft_wrap=False)
    if not console.is_terminal:
        console.width = 200
    console.print(table)


def inertial_cells(value: LinkInertial | None) -> tuple[str, str, str]:
    """Return the cells of a value under `INERTIAL_COLUMNS`."""
    return numbers_of(None if value is None else value.inertial)


def totals_cells(totals: ModelTotals | None) -> tuple[str, str, str]:
    """Return the cells of a model's totals under `INERTIAL_COLUMNS`."""
    return numbers_of(None if totals is None else totals.inertial)


def numbers_of(inertial: Inertial | None) -> tuple[str, str, str]:
    """Return mass, centre of mass and tensor as text; dashes where there is nothing."""
    if inertial is None:
        return "-", "-", "-"
    com = " ".join(f"{value:.5g}" for value in inertial.com)
    six = " ".join(f"{value:.4g}" for value in six_of_tensor(inertial.inertia))
    return f"{inertial.mass:.6g}", com, six


def _noun(severity: Severity, count: int) -> str:
    word = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "remark"}[severity]
    return word if count == 1 else f"{word}s"
