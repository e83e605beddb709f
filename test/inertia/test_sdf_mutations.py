# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""SDFormat with values changed at random: what cannot be read is refused with a line, all else is judged and corrected."""

import json
import random
import re
import warnings
from pathlib import Path

import pytest

import inertia_tools as it
from inertia_tools.errors import ParseError

CASES = json.loads((Path(__file__).parents[1] / "description" / "sdf_cases.json").read_text())
FILES = [case["file"] for case in CASES if "file" in case]
VALUES = ["nan", "inf", "-inf", "1e308", "1e-308", "0", "-1", "", "x", "1 2", "true", "l", "__model__", "world", "::"]
PLACES = re.compile(r">([^<>]*\S[^<>]*)<|='([^']*)'")


def mutated(text: str, chance: random.Random) -> str:
    for _ in range(chance.randint(1, 3)):
        place = chance.choice(list(PLACES.finditer(text)))
        start, end = place.span(1 if place[1] is not None else 2)
        words = text[start:end].split() or [""]
        words[chance.randrange(len(words))] = chance.choice(VALUES)
        text = text[:start] + " ".join(words) + text[end:]
    return text


@pytest.mark.parametrize("seed", range(8))
def test_mutations(seed):
    chance = random.Random(seed)
    read = 0
    for _ in range(40):
        text = mutated(chance.choice(FILES), chance)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            read += _survives(text)
    assert read > 5


def _survives(text: str) -> bool:
    try:
        robot = it.load_text(text)
    except ParseError as error:
        assert error.line is not None or "empty" in error.reason, error
        return False
    it.check(robot)
    it.stats(robot)
    for scope in ("invalid", "all"):
        corrected = it.fix(robot, scope).corrected
        assert it.fix(corrected, scope).corrected is corrected
    saved = it.save_automatic(robot)
    assert it.save_automatic(saved) is saved
    return True
