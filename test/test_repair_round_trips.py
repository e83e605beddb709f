# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A slice of the robots at random of `repair_round_trips.py`, which takes thousands, and what it must not overlook."""

from collections import Counter

import pytest
from random_models import FORMATS, random_model, write_meshes
from repair_round_trips import Tally, left_of, try_model

import inertia_tools as it

SLICE = 15
"""Models of each format."""


@pytest.fixture(scope="module", params=FORMATS)
def tally(request, tmp_path_factory) -> Tally:
    folder = tmp_path_factory.mktemp(request.param)
    write_meshes(folder)
    found = Tally()
    for seed in range(SLICE):
        found.add(try_model(seed, request.param, folder))
    return found


def test_nothing_goes_wrong(tally):
    assert tally.wrong == []


def test_the_models_have_what_it_takes(tally):
    assert tally.figures["models"] == SLICE
    assert tally.figures["refused"] <= SLICE // 4
    assert tally.figures["errors found"] > SLICE
    assert tally.figures["links corrected"] > SLICE
    assert tally.figures["converted"] > SLICE


def test_models_are_the_same_for_a_seed_and_differ_from_one_to_the_next():
    texts = [random_model(seed, format_) for format_ in FORMATS for seed in range(5)]
    assert len(set(texts)) == len(texts)
    assert texts == [random_model(seed, format_) for format_ in FORMATS for seed in range(5)]


def test_what_is_raised_and_what_is_left_would_be_seen(tmp_path, monkeypatch):
    write_meshes(tmp_path)
    monkeypatch.setattr(it, "check", lambda robot: 1 / 0)
    assert "ZeroDivisionError" in try_model(0, "urdf", tmp_path).wrong[0]
    monkeypatch.undo()
    bad = it.load_text("<robot name='r'><link name='l'><inertial><mass value='-1'/></inertial></link></robot>")
    assert Counter(one.code for one in left_of(it.fix(bad), it.check(bad))) == {"negative-mass": 1}
