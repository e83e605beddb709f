# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A robot damaged at random: whatever the damage, a clear error or a correction that leaves none."""

import random
import re
from pathlib import Path

import pytest

import inertia_tools as it
from inertia_tools.errors import InertiaToolsError

TEXT = (Path(__file__).parents[2] / "examples/broken_quadruped.urdf").read_text()
NUMBERS = re.compile(r'"(-?[\d.]+(?:e-?\d+)?(?: -?[\d.]+)*)"')
STRANGE = ["nan", "inf", "-inf", "1e308", "-1e308", "1e-320", "0", "-0", "-1", "1e999", "", "abc", "0x10", "1e5", "1,5"]
OF_SHAPES = {"invalid-size", "invalid-origin"}
"""Faults of shapes, which no correction of inertials removes."""


def damaged(seed: int) -> str:
    rng, text = random.Random(seed), TEXT
    for _ in range(rng.randint(1, 4)):
        kind = rng.random()
        at = rng.randrange(len(text))
        if kind < 0.6:
            found = rng.choice(list(NUMBERS.finditer(text)))
            words = found.group(1).split()
            words[rng.randrange(len(words))] = rng.choice(STRANGE)
            text = text[: found.start(1)] + " ".join(words) + text[found.end(1) :]
        elif kind < 0.8:
            lines = text.split("\n")
            del lines[rng.randrange(len(lines))]
            text = "\n".join(lines)
        elif kind < 0.9:
            text = text[:at] + chr(rng.randrange(1, 300)) + text[at:]
        else:
            text = text[:at] + text[at + rng.randrange(60) :]
    return text


@pytest.mark.parametrize("block", range(4))
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_damage_is_an_error_or_is_corrected(block):
    read = 0
    for seed in range(40 * block, 40 * block + 40):
        try:
            correction = it.fix(it.load_text(damaged(seed)))
        except InertiaToolsError:
            continue
        read += 1
        left = {f.code for f in correction.after.findings if f.severity is it.Severity.ERROR}
        assert left <= OF_SHAPES, f"seed {seed}"
        assert it.fix(correction.corrected).data == correction.data, f"seed {seed}"
    assert read > 0
