# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""One finding code explained to a first-time reader."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Explanation:
    """What a finding code means and what to do about it.

    Attributes:
        code: The code.
        severity: Its possible severities, in words.
        meaning: The fault.
        consequence: Why it matters in a simulator.
        rule: When the finding is made, with the numbers.
        repair: How to repair it, by a command where there is one.
        example: Lines of a file with the fault, or with the repair.
    """

    code: str
    severity: str
    meaning: str
    consequence: str
    rule: str
    repair: str
    example: str


ERROR, WARNING, INFO = "error", "warning", "info"

FIX = "inertia-tools fix FILE -o OUT"
FIX_IMPLAUSIBLE = "inertia-tools fix FILE --scope implausible -o OUT"
