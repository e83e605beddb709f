# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What the guided fuzzer starts from and how it changes that; where Atheris is installed, a short run."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from fuzz.readers import READERS
from inertia_tools.errors import InertiaToolsError

ROOT = Path(__file__).parents[2]
RUNS = 400

BREAK = """
import sys
from fuzz import guided
guided._import_watched()
from fuzz.readers import READERS
import dataclasses
def read(data):
    raise KeyError("broken")
READERS["off"] = dataclasses.replace(READERS["off"], read=read)
sys.argv[1:] = {arguments!r}
guided.main()
"""
"""A run of a reader that raises what it must not."""


def guided(tmp_path, *command):
    if importlib.util.find_spec("atheris") is None:
        pytest.skip("Atheris is not installed: make fuzz-guided installs it")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    run = subprocess.run([sys.executable, *command], cwd=tmp_path, env=environment, capture_output=True, text=True)
    lines = [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]
    assert lines, run.stdout[-1000:] + run.stderr[-2000:]
    return run.returncode, lines[-1]


def test_a_short_run_reads_and_keeps_what_reaches_more(tmp_path):
    code, counts = guided(tmp_path, "-m", "fuzz.guided", "off", "--runs", str(RUNS))
    assert (code, counts["runs"], counts["failed"]) == (0, RUNS, 0)
    assert counts["read"] > 0.4
    assert len(list(READERS["off"].sound())) < len(list((tmp_path / "out/fuzz/corpus/off").iterdir())) < RUNS


def test_an_exception_that_is_not_ours_fails_the_run_and_its_input_is_saved(tmp_path):
    code, counts = guided(tmp_path, "-c", BREAK.format(arguments=["off", "--runs", "50"]))
    assert (code, counts["failed"]) == (1, 50)
    assert len(list((tmp_path / "out/fuzz").glob("off-*"))) == len(counts["failures"]) == 1


@pytest.mark.parametrize("name", sorted(READERS.keys() - {"usda", "usdc"}))
def test_half_of_the_changes_are_read(name):
    """Stages take too long for every run of the tests."""
    reader, taken, changed = READERS[name], 0, set()
    sound = [one.data for one in reader.sound()]
    for n in range(300):
        random = Random(n)
        data = reader.change(random.choice(sound), random)
        changed.add(data)
        try:
            reader.read(data)
            taken += 1
        except InertiaToolsError:
            pass
    assert taken >= 150
    assert len(changed) > 150


def test_a_crate_whose_names_are_no_utf8_has_no_text():
    pytest.importorskip("pxr")
    from fuzz.structure.crate import crate_of, text_of

    crate = crate_of(b'#usda 1.0\ndef Qzjxkvwy "m" {\n}\n')
    assert b"Qzjxkvwy" in text_of(crate) and b"Qzjxkvwy" in crate
    assert text_of(crate.replace(b"Qzjxkvwy", b"Qzj\xf2kvwy")) is None
