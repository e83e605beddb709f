# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Findings as SARIF 2.1.0, which code-hosting sites show next to the lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from inertia_tools.inertia.explanations import EXPLANATIONS
from inertia_tools.inertia.finding import Finding, Severity, with_explained

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LEVEL = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def sarif_document(findings: Iterable[Finding], unreadable: Iterable[tuple[str, str]], version: str) -> dict[str, Any]:
    """Render findings, and files that could not be read, as one SARIF run.

    Findings that another one explains are in the result of that one, as related locations.

    Args:
        findings: The findings.
        unreadable: File and reason for each file that could not be read.
        version: Version of this package.
    """
    listed = with_explained(findings)
    codes = sorted({head.code for head, _ in listed})
    notices = [
        {"level": "error", "message": {"text": reason}, "locations": [_location(file, stated_line(file, reason))]}
        for file, reason in unreadable
    ]
    run = {
        "tool": {"driver": {"name": "inertia-tools", "version": version, "rules": [_rule(code) for code in codes]}},
        "invocations": [{"executionSuccessful": not notices, "toolExecutionNotifications": notices}],
        "results": [_result(head, explained, codes.index(head.code)) for head, explained in listed],
    }
    return {"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(code: str) -> dict[str, Any]:
    """Return a code with its meaning and repair, if it has an explanation."""
    if code not in EXPLANATIONS:
        return {"id": code}
    one = EXPLANATIONS[code]
    text = f"{one.meaning} {one.consequence}\n\nRule: {one.rule}\n\nRepair: {one.repair}\n\nExample: {one.example}"
    return {"id": code, "shortDescription": {"text": one.meaning}, "help": {"text": text}}


def _result(finding: Finding, explained: Sequence[Finding], rule: int) -> dict[str, Any]:
    related = [_location(one.file, one.line) | {"message": {"text": f"{one.code}: {one.message}"}} for one in explained]
    return {
        "ruleId": finding.code,
        "ruleIndex": rule,
        "level": LEVEL[finding.severity],
        "message": {"text": f"{finding.link}: {finding.message}" if finding.link else finding.message},
        "locations": [_location(finding.file, finding.line) | _named(finding)],
        **({"relatedLocations": related} if related else {}),
    }


def stated_line(file: str, reason: str) -> int | None:
    """Return the line that a reason names, why a file could not be read; None for a line of another file."""
    found = re.match(r":(\d+): ", reason.removeprefix(file)) if reason.startswith(file) else None
    return int(found[1]) if found else None


def _location(file: str, line: int | None) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": quote(Path(file).as_posix(), errors="surrogateescape")}}
    if line is not None:
        place["region"] = {"startLine": line}
    return {"physicalLocation": place}


def _named(finding: Finding) -> dict[str, Any]:
    """Return the link, and the element of the document that a finding refers to."""
    named = {"name": finding.link, "kind": "object"} if finding.link else {}
    element = {"fullyQualifiedName": finding.path, "kind": "element"} if finding.path else {}
    return {"logicalLocations": [{**element, **named}]} if named or element else {}
