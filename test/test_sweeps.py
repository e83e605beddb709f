# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Which tests run by default: sweeps with each value of each parameter, slow ones only where asked for."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = """
import pytest

@pytest.mark.sweep
@pytest.mark.parametrize("a", range(3))
@pytest.mark.parametrize(("b", "c"), [(0, 0), (1, 0), (2, 1), (3, 2)])
def test_sweep(a, b, c):
    pass

@pytest.mark.slow
def test_slow():
    pass

@pytest.mark.parametrize("a", range(5))
def test_other(a):
    pass
"""


@pytest.mark.parametrize(
    ("arguments", "counts"),
    [
        (["test_it.py"], (4, 0, 5)),
        (["test_it.py", "--sweep"], (12, 1, 5)),
        (["test_it.py::test_sweep", "test_it.py::test_slow"], (12, 1, 0)),
    ],
)
def test_each_value_occurs_and_all_run_where_asked_for(arguments, counts, tmp_path):
    shutil.copy(Path(__file__).with_name("conftest.py"), tmp_path)
    (tmp_path / "test_it.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n  slow\n  sweep\n")
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *arguments]
    listed = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True).stdout.split()
    tests = [word for word in listed if word.startswith("test_it.py::")]
    assert tuple(sum(name in test for test in tests) for name in ("test_sweep", "test_slow", "test_other")) == counts
    chosen = [test.partition("[")[2].rstrip("]").split("-") for test in tests if "test_sweep" in test]
    if chosen:
        assert [set(values) for values in zip(*chosen, strict=True)] == [set("0123"), set("012"), set("012")]
