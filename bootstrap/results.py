# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Sum up JUnit files so that a person or a runner sees the outcome in one line."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree


@dataclass
class Summary:
    """Outcome of a test run.

    Attributes:
        passed: Number of tests that passed.
        failed: Names of tests that failed or could not run.
        skipped: Name and reason of each skipped test.
    """

    passed: int = 0
    failed: list[str] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Nothing failed and something passed: a run without tests proves nothing."""
        return not self.failed and self.passed > 0

    def line(self) -> str:
        """Return the outcome as ``N passed, M failed, K skipped``."""
        return f"{self.passed} passed, {len(self.failed)} failed, {len(self.skipped)} skipped"


def read(folder: Path) -> Summary:
    """Read every JUnit file below a folder; a file that cannot be read counts as a failure."""
    summary = Summary()
    for path in sorted(folder.rglob("*.xml")):
        try:
            cases = list(ElementTree.parse(path).iter("testcase"))
        except ElementTree.ParseError as error:
            summary.failed.append(f"{path.name}: {error}")
            continue
        for case in cases:
            _count(case, summary)
    return summary


def _count(case: ElementTree.Element, summary: Summary) -> None:
    name = f"{case.get('classname', '')}.{case.get('name', '')}".strip(".")
    skipped = case.find("skipped")
    if case.find("failure") is not None or case.find("error") is not None:
        summary.failed.append(name)
    elif skipped is not None:
        summary.skipped.append((name, skipped.get("message") or ""))
    else:
        summary.passed += 1


def show(summary: Summary) -> None:
    """Print failures, the distinct reasons for skipping, and the outcome line last."""
    print()
    for name in summary.failed:
        print(f"FAILED  {name}")
    reasons: dict[str, int] = {}
    for _, reason in summary.skipped:
        reasons[reason] = reasons.get(reason, 0) + 1
    for reason, count in reasons.items():
        print(f"skipped {count}: {reason}")
    if not summary.passed and not summary.failed:
        print("No test ran, which counts as a failure.")
    print(summary.line(), flush=True)
