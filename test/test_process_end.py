# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
import subprocess
import sys

import pytest

PROGRAM = """
import sys

class Kept:
    def __del__(self):
        print("collected")

kept = Kept()
kept.itself = kept
del kept
sys.argv[1:] = {words}
from inertia_tools.__main__ import start
sys.exit(start())
"""


@pytest.mark.parametrize(("words", "code"), [(["explain", "missing-mass"], 0), (["explain", "--unknown"], 2)])
def test_a_program_that_ends_does_not_collect_its_memory(words, code):
    """Half a second of unloading kernels was the end of each simulation."""
    command = [sys.executable, "-c", "import gc; gc.disable()\n" + PROGRAM.format(words=words)]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert ended.returncode == code
    assert "collected" not in ended.stdout
