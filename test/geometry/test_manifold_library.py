# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""One of several processes that share the work keeps manifold3d to one core; the system still places it anywhere."""

import os
import subprocess
import sys

import pytest

from inertia_tools.geometry.cores import THREADS_VARIABLE

LINUX_CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1

UNION = """
import os
from inertia_tools.geometry.manifold_library import manifold_library
allowed = os.sched_getaffinity(0)
library = manifold_library()
before = len(os.listdir("/proc/self/task"))
ball = library.Manifold.sphere(1.0, 400)
assert (ball + ball.translate([0.5, 0.0, 0.0])).volume() > 4.0
print(len(os.listdir("/proc/self/task")) - before, os.sched_getaffinity(0) == allowed)
"""


@pytest.mark.skipif(LINUX_CORES < 2, reason="there is one core to work on anyway")
@pytest.mark.parametrize(("told", "is_alone"), [("1", False), ("", True)])
def test_a_process_that_is_one_of_many_starts_no_threads_for_unions(told, is_alone):
    environment = os.environ | {THREADS_VARIABLE: told}
    run = subprocess.run([sys.executable, "-c", UNION], env=environment, capture_output=True, text=True, check=True)
    more, is_placed_anywhere = run.stdout.split()
    assert (int(more) > 0) is is_alone
    assert is_placed_anywhere == "True"
