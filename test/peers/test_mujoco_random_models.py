# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Models at random under every option of MuJoCo's compiler: every body as MuJoCo has it, and every refusal found."""

import pytest
from mujoco_bodies import worst_differences

import inertia_tools as it
from fuzz.mjcf_models import ModelMaker, damaged
from inertia_tools.errors import InertiaToolsError
from inertia_tools.inertia.finding import Severity

mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")

MODELS = 120
AGREEMENT = 1e-6
"""Of the largest moment, of the mass, and of the body's size; meshes are in single precision."""


@pytest.fixture(autouse=True)
def _away(tmp_path_factory, monkeypatch):
    """Keep the log that MuJoCo leaves in the working folder out of the way."""
    monkeypatch.chdir(tmp_path_factory.mktemp("log"))


@pytest.mark.parametrize(
    "first", [0, *(pytest.param(first, marks=pytest.mark.slow) for first in range(40, MODELS, 40))]
)
def test_models_at_random(first):
    taken = 0
    for seed in range(first, first + 40):
        text = ModelMaker(seed).text()
        report = it.check(it.load_text(text), compare_geometry=False)
        try:
            compiled = mujoco.MjModel.from_xml_string(text)
        except ValueError as refusal:
            assert report.worst is Severity.ERROR, (seed, str(refusal))
            continue
        worst = worst_differences(report.robot, compiled)
        assert max(worst.values()) <= AGREEMENT, (seed, worst)
        assert report.worst is not Severity.ERROR, (seed, [finding.message for finding in report.findings])
        taken += 1
    assert taken >= 20


def has_errors(text: str) -> bool:
    try:
        return it.check(it.load_text(text), compare_geometry=False).worst is Severity.ERROR
    except InertiaToolsError:
        return True


@pytest.mark.parametrize("first", [0, *(pytest.param(first, marks=pytest.mark.slow) for first in range(80, 400, 80))])
def test_what_mujoco_refuses_of_damaged_models_is_found(first):
    refused = 0
    for seed in range(first, first + 80):
        text = damaged(ModelMaker(seed % 200).text(), seed)
        try:
            mujoco.MjModel.from_xml_string(text)
        except ValueError as refusal:
            refused += 1
            assert has_errors(text), (seed, str(refusal))
    assert refused >= 30
