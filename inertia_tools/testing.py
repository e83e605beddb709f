# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""For the tests of description packages: one assertion on the inertials of a file.

from inertia_tools.testing import assert_inertials

def test_inertials():
    assert_inertials("urdf/robot.urdf.xacro", fail_on="warning", ignore=["mass-ratio"])
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Literal

from inertia_tools.collection.verdict import Rules, Verdict, judge_files, refuse_undeclared
from inertia_tools.description.load import folders_of
from inertia_tools.errors import OptionError
from inertia_tools.inertia.baseline import Baseline
from inertia_tools.inertia.explanations import known_codes
from inertia_tools.inertia.finding import Severity
from inertia_tools.inertia.given import names_of

PathLike = str | os.PathLike[str]


def assert_inertials(
    *files: PathLike,
    fail_on: Literal["error", "warning", "info"] = "error",
    ignore: Iterable[str] = (),
    baseline: PathLike | None = None,
    package_path: Iterable[PathLike] = (),
    xacro_arguments: Mapping[str, str] | None = None,
) -> list[Verdict]:
    """Check the inertials of files, as `inertia-tools check` does.

    Args:
        files: Robot descriptions.
        fail_on: Lowest severity that fails.
        ignore: Finding codes that are left out.
        baseline: A report whose findings are left out.
        package_path: Folders that are searched first for packages and models.
        xacro_arguments: Values for the files' `<xacro:arg>`.

    Returns:
        What was found, a verdict a file.

    Raises:
        AssertionError: A file has such a finding, or cannot be read; the message has a line each.
        OptionError: A severity or code is unknown.
        ParseError: The baseline cannot be read.
        UndeclaredArgumentError: A value is given for an argument of xacro that no file declares.
    """
    if fail_on not in ("error", "warning", "info"):
        raise OptionError("fail_on", fail_on, "error, warning or info")
    rules = Rules(
        tuple(map(os.fspath, folders_of("package_path", package_path))),
        dict(xacro_arguments or {}),
        ignored=known_codes(names_of("ignore", ignore), "ignore"),
        baseline=Baseline() if baseline is None else Baseline.read(os.fspath(baseline)),
    )
    verdicts = judge_files((os.fspath(file) for file in files), rules)
    refuse_undeclared(verdicts, rules, rules.xacro_arguments)
    lines = [verdict.reason for verdict in verdicts if verdict.reason]
    lines += [str(finding) for verdict in verdicts for finding in verdict.at_least(Severity[fail_on.upper()])]
    if lines:
        raise AssertionError("\n".join(["inertials:", *lines]))
    return verdicts
