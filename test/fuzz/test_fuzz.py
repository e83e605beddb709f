# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A slice of `make fuzz`, and what its harness must notice: foreign exceptions, hangs, memory, crashes."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from random import Random

import numpy as np
import pytest

from fuzz import outcome
from fuzz.case import Case, draw
from fuzz.crew import run_cases
from fuzz.outcome import Outcome
from fuzz.reduction import reduced
from fuzz.text_damage import damaged_bytes, damaged_text
from fuzz.xml_damage import damaged_xml

ROOT = Path(__file__).parents[2]

SLICE = 5.0
"""Time after which the slice starts no more cases [s]."""

DOCUMENT = b'<robot name="r"><link name="a"><inertial><mass value="1"/></inertial></link><link name="b"/></robot>'


def test_a_slice_of_the_run_has_no_failure(tmp_path):
    command = [sys.executable, "-m", "fuzz", "--seconds", str(SLICE), "--save", str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-3000:]
    counts = re.search(r"^\| all \| (\d+) \| (\d+) \| 0 \| 0 \| 0 \| 0 \| (\d+) \|$", run.stdout, re.MULTILINE)
    assert counts is not None, run.stdout
    assert int(counts[1]) > 0 < int(counts[2])


class Doing(Case):
    """A case that does something of its own."""

    def run(self, folder):
        {"read": lambda: None, **ACTIONS}[self.action]()


def fill():
    """Take 512 MiB of address space in pieces, without the processor time of touching them."""
    return [np.empty(64 << 20, np.uint8) for _ in range(8)]


def hang():
    while True:
        pass


def raise_foreign():
    raise KeyError("world")


ACTIONS = {
    "foreign": raise_foreign,
    "memory": fill,
    "hang": hang,
    "crash": lambda: os.kill(os.getpid(), signal.SIGSEGV),
}


def test_every_way_to_fail_is_noticed_and_the_rest_goes_on(monkeypatch):
    monkeypatch.setattr(outcome, "MOST_TIME", 2.0)
    monkeypatch.setattr(outcome, "MOST_GROWTH", 256 << 20)
    wanted = ["read", "foreign", "read", "crash", "hang", "read", "memory", "read"]
    cases = [Doing("xml", "made", {}, action, "") for action in wanted]
    found = {one.number: one.outcome for one in run_cases(lambda n: cases[n], range(len(cases)), 2, lambda: True)}
    known = {"read": Outcome.READ, "foreign": Outcome.FOREIGN, "crash": Outcome.CRASH, "hang": Outcome.HANG}
    assert [found[n] for n in range(len(cases))] == [known.get(word, Outcome.MEMORY) for word in wanted]


def test_a_case_follows_from_its_number():
    assert draw(3, 17) == draw(3, 17)
    assert len({draw(3, n).choice for n in range(20)}) == 20


@pytest.mark.parametrize("damage", [lambda data, rng: damaged_xml(data, data, rng), damaged_text, damaged_bytes])
def test_damage_changes_the_document(damage):
    damaged = [damage(DOCUMENT, Random(seed)) for seed in range(200)]
    assert sum(one != DOCUMENT for one in damaged) > 120
    assert damaged == [damage(DOCUMENT, Random(seed)) for seed in range(200)]


class Failing(Case):
    """A case that fails as long as its file holds a word."""

    def run(self, folder):
        if b"bad" in self.files["a"]:
            raise KeyError


def test_a_failing_case_is_made_smaller():
    case = Failing("xml", "made", {"a": b"much around " * 4 + b"bad" + b" and after" * 4}, "", "")
    (result,) = run_cases(lambda _: case, range(1), 1, lambda: True)
    assert reduced(case, result.signature).files["a"] == b"bad"
