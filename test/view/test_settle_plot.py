# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Samples of a settle test obey the laws of mechanics, and the figure draws them."""

import numpy as np
import pytest
from robots import joint, link, mass, tensor, urdf

import inertia_tools as it

pytest.importorskip("warp", reason="warp-lang is not installed")
pytest.importorskip("matplotlib", reason="matplotlib is not installed")

from inertia_tools.sim.settle import SettleTest, settle
from inertia_tools.view.settle_plot import settle_figure

GRAVITY = 9.81
TABLE = it.load_text(
    urdf(
        link("base", mass(6) + tensor(0.065, 0.1, 0.125), '<box size="0.4 0.3 0.2"/>'),
        link("arm", '<origin xyz="0.2 0 0"/>' + mass(1) + tensor(0.01, 0.01, 0.01)),
        joint("arm", origin="0 0 0.3").replace('axis xyz="0 0 1"', 'axis xyz="0 1 0"'),
    )
)


@pytest.fixture(scope="module")
def result():
    return settle(TABLE, seconds=1.0, drop=0.05, efforts=True)


def test_contact_forces_of_links_add_up(result):
    for sample in result.samples:
        assert sum(sample.link_forces.values()) == pytest.approx(sample.contact_force, abs=1e-9)
    assert result.samples[-1].link_forces == pytest.approx({"base": 7 * GRAVITY}, rel=1e-3)
    assert result.samples[-1].contact_points >= 3
    assert result.samples[0].contact_points == 0 and result.samples[0].link_forces == {}


def test_the_effort_that_holds_an_arm_is_its_weight_times_its_lever(result):
    efforts = [sample.efforts["arm_joint"] for sample in result.samples]
    assert abs(efforts[0]) < 1e-3, "it weighs nothing while it falls"
    assert abs(efforts[-1]) == pytest.approx(1 * GRAVITY * 0.2, rel=1e-3)


def test_energy_is_kept_until_it_touches(result):
    falling = [sample for sample in result.samples if not sample.contact_points]
    total = [sample.kinetic_energy + sample.potential_energy for sample in falling]
    assert len(total) >= 4
    assert np.ptp(total) < 1e-3 * falling[-1].kinetic_energy
    assert result.samples[-1].kinetic_energy < 1e-9


def test_a_test_that_is_watched_gives_the_same_result(result):
    test = SettleTest(TABLE, seconds=1.0, drop=0.05)
    heights = []
    while not test.is_over:
        heights.append(test.advance().height)
        assert test.last.time == pytest.approx(len(heights) / 60)
    assert heights == [sample.height for sample in result.samples]
    assert test.result().stands and result.stands
    assert test.result().samples[0].efforts == {}


def test_the_figure_draws_every_sample(result):
    figure = settle_figure(result, "table")
    axes = {axis.get_ylabel(): axis for axis in figure.axes}
    names = ["vertical force [N]", "height of the root [m]", "energy [J]", "vertical force on links [N]"]
    names += ["efforts that hold joints [N m, N]", "deepest contact [mm]", "points that touch"]
    assert set(names) == set(axes)
    (height,) = axes["height of the root [m]"].get_lines()
    assert list(height.get_ydata()) == [sample.height for sample in result.samples]
    (effort,) = axes["efforts that hold joints [N m, N]"].get_lines()
    assert effort.get_label() == "arm_joint"
    assert list(effort.get_ydata()) == [sample.efforts["arm_joint"] for sample in result.samples]
    assert len(axes["energy [J]"].get_lines()) == 2
    assert "stands" in figure.get_suptitle()
