# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Leave what takes long to sweeps, and let examples take their time.

`make test` runs a test that is marked as a sweep with some combinations of its parameters, in which each value of each
parameter occurs, and leaves out those that are marked as slow. With ``--sweep``, or where a test is named, all run.
"""

from collections import defaultdict

import pytest
from hypothesis import settings

# How long an example takes tells how loaded the machine is, and folders of tests run at the same time.
settings.register_profile("without deadline", deadline=None)
settings.load_profile("without deadline")


def pytest_addoption(parser):
    parser.addoption("--sweep", action="store_true", help="run slow tests, and sweeps with all their parameters")


def pytest_collection_modifyitems(config, items):
    if config.getoption("sweep") or any("::" in argument for argument in config.args):
        return
    left_out = {item for item in items if item.get_closest_marker("slow")}
    sweeps = defaultdict(list)
    for item in items:
        if item.get_closest_marker("sweep"):
            sweeps[item.nodeid.partition("[")[0]].append(item)
    for sweep in sweeps.values():
        left_out.update(set(sweep) - set(each_value_once(sweep)))
    config.hook.pytest_deselected(items=list(left_out))
    items[:] = [item for item in items if item not in left_out]


def each_value_once(tests: list[pytest.Function]) -> list[pytest.Function]:
    """Return few of the tests in which each value of each parameter occurs, the one with most new values first."""
    values = {test: set(test.callspec.indices.items()) for test in tests}
    missing = set().union(*values.values())
    chosen = []
    while missing:
        chosen.append(max(tests, key=lambda test: len(values[test] & missing)))
        missing -= values[chosen[-1]]
    return chosen
