# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Verdicts as JUnit XML for build servers and colcon, with one test case per link."""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.etree import ElementTree

from inertia_tools.collection.verdict import Verdict
from inertia_tools.inertia.finding import Finding, Severity

NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_document(verdicts: Iterable[Verdict], threshold: Severity) -> bytes:
    """Render verdicts with a suite per file and a case per link, which fails for findings of at least the threshold.

    Args:
        verdicts: The verdicts.
        threshold: Lowest severity that fails a case; less severe findings appear in its output.
    """
    suites = ElementTree.Element("testsuites", name="inertia-tools")
    for verdict in verdicts:
        cases = _cases(verdict, threshold)
        failures = sum(case.find("failure") is not None for case in cases)
        counts = {"tests": str(len(cases)), "failures": str(failures), "errors": str(int(bool(verdict.reason)))}
        named = {"name": _clean(verdict.file), **counts, "skipped": "0", "time": "0"}
        suite = ElementTree.SubElement(suites, "testsuite", named)
        suite.extend(cases)
    for name in ("tests", "failures", "errors"):
        suites.set(name, str(sum(int(suite.get(name, "0")) for suite in suites)))
    ElementTree.indent(suites)
    text: bytes = ElementTree.tostring(suites, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _cases(verdict: Verdict, threshold: Severity) -> list[ElementTree.Element]:
    if verdict.reason:
        case = _case(verdict, "the file can be read")
        ElementTree.SubElement(case, "error", message=_clean(verdict.reason), type="unreadable")
        return [case]
    of_link: dict[str, list[Finding]] = {"": [], **{link: [] for link in verdict.links}}
    for finding in verdict.findings:
        of_link.setdefault(finding.link, []).append(finding)
    return [_judged(_case(verdict, link or "the document"), found, threshold) for link, found in of_link.items()]


def _case(verdict: Verdict, name: str) -> ElementTree.Element:
    return ElementTree.Element("testcase", classname=_clean(verdict.file), name=_clean(name), time="0")


def _judged(case: ElementTree.Element, findings: list[Finding], threshold: Severity) -> ElementTree.Element:
    failing = [finding for finding in findings if finding.severity >= threshold]
    if failing:
        message = "; ".join(dict.fromkeys(finding.code for finding in failing))
        failure = ElementTree.SubElement(case, "failure", message=message, type=failing[0].severity.label)
        failure.text = _clean("\n".join(map(str, failing)))
    others = [finding for finding in findings if finding.severity < threshold]
    if others:
        ElementTree.SubElement(case, "system-out").text = _clean("\n".join(map(str, others)))
    return case


def _clean(text: str) -> str:
    """Replace the characters that XML cannot represent."""
    return NOT_IN_XML.sub("?", text)
