# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A slice of `benchmarks/causes.py`: mistakes in sound links of real robots are named, and hardly ever wrongly."""

import random

import pytest
from robots import example_robots
from seeded_faults import LOSES_NOTHING, WRONG, Fault, faults, is_vouched_for, sound_links

from inertia_tools.inertia.causes import Diagnosis, diagnose

ROBOTS = ("a1_description", "anymal_c_simple_description", "hyq_description", "solo_description", "xarm_description")

pytestmark = pytest.mark.skipif(example_robots() is None, reason="example-robot-data is not installed")


@pytest.fixture(scope="module")
def judged() -> list[tuple[Fault, Diagnosis]]:
    paths = [path for robot in ROBOTS for path in sorted((example_robots() / robot).rglob("*.urdf"))]
    found = [
        (fault, diagnose(fault.evidence, population.noise))
        for index, (_, evidence, population) in enumerate(sound_links(paths))
        if is_vouched_for(evidence)
        for fault in faults(evidence, random.Random(index))
    ]
    return [(fault, diagnosis) for fault, diagnosis in found if fault.change > 0.05]


def is_named(fault: Fault, diagnosis: Diagnosis) -> bool:
    """Tell whether the mistake is named, for this link or for one of a pair."""
    causes = [cause for cause in (diagnosis.proven, *diagnosis.possible) if cause and (cause.is_proven or cause.rival)]
    return any(fault.cause in (cause.code, *cause.also) or is_undone(fault, cause) for cause in causes)


def is_undone(fault: Fault, cause) -> bool:
    return fault.cause in LOSES_NOTHING and cause.restores and restores(fault, cause)


def restores(fault: Fault, cause) -> bool:
    return cause.after is None or cause.after.isclose(fault.original.declared, 1e-6)


def test_every_kind_is_made(judged):
    assert len(judged) > 200
    assert {fault.cause for fault, _ in judged} == set(WRONG)


def test_mistakes_are_named(judged):
    assert sum(is_named(*one) for one in judged) >= 0.85 * len(judged)


def test_wrong_causes_are_hardly_ever_asserted(judged):
    wrong = [one for one in judged if one[1].proven is not None and not is_named(*one)]
    assert len(wrong) <= 0.01 * len(judged)


def test_what_is_named_is_restored(judged):
    named = [(fault, one.proven) for fault, one in judged if one.proven and fault.cause == one.proven.code]
    kept = [(fault, cause) for fault, cause in named if fault.cause in LOSES_NOTHING]
    assert len(kept) > 50
    assert sum(restores(*one) for one in kept) >= 0.95 * len(kept)
    for fault, cause in named:
        if fault.cause not in LOSES_NOTHING:
            geometry = fault.evidence.geometry.at_mass(fault.evidence.declared.mass)
            assert cause.after.isclose(geometry)
