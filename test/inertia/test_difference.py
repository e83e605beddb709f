# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Differences of mass properties do not depend on formats and frames."""

import numpy as np
import pytest
from robots import BOX, GOOD, joint, link, mass, tensor, urdf

import inertia_tools as it
from inertia_tools.inertia.difference import Tolerances
from inertia_tools.spatial import rotation_from_rpy


def robot(inertial: str = GOOD, kind: str = "revolute", extra: str = "") -> it.Description:
    return it.load_text(urdf(link("base", GOOD, BOX), link("a", inertial, BOX), joint("a", type_=kind), extra))


def test_a_robot_does_not_differ_from_itself_in_any_format(tmp_path):
    first = robot()
    for suffix in ("sdf", "xml", "usda"):
        it.convert(first, tmp_path / f"r.{suffix}").save(tmp_path / f"r.{suffix}")
        other = it.load(tmp_path / f"r.{suffix}")
        for one in (it.diff(first, other), it.diff(other, first)):
            assert not one.differs, suffix
            assert len(one.links) == 2


def test_the_frame_of_the_inertial_does_not_matter():
    turn = rotation_from_rpy((0.1, 0.2, 0.3))
    six = (turn @ np.diag([0.08, 0.1, 0.12]) @ turn.T)[np.triu_indices(3)]
    turned = robot('<origin rpy="0.1 0.2 0.3"/>' + mass(1) + tensor(0.08, 0.1, 0.12))
    assert not it.diff(turned, robot(mass(1) + tensor(six[0], six[3], six[5], six[1], six[2], six[4]))).differs


def test_each_difference_is_measured():
    found = it.diff(robot(), robot('<origin xyz="0 0.03 0.04"/>' + mass(2) + tensor(0.08, 0.1, 0.12)))
    (one,) = found.differing
    assert (one.link, one.mass_change, one.com, one.moments, one.inertia) == ("a", 0.5, pytest.approx(0.05), 0, 0)
    assert found.total.before.mass == 2.0
    assert found.total.after.mass == 3.0


def test_turned_axes_have_the_same_moments_and_an_angle():
    found = it.diff(robot(), robot('<origin rpy="0 0 0.2"/>' + mass(1) + tensor(0.08, 0.1, 0.12)))
    (one,) = found.differing
    assert one.moments < 1e-12
    assert one.axes == pytest.approx(0.2)
    assert one.inertia > 0.01


def test_tolerances():
    other = robot('<origin xyz="0.001 0 0"/>' + mass(1.01) + tensor(0.0808, 0.101, 0.1212))
    assert it.diff(robot(), other).differs
    assert not it.diff(robot(), other, tolerances=Tolerances(mass=0.02, com=0.002, inertia=0.02)).differs


def test_links_that_only_one_has():
    found = it.diff(robot(extra=link("b", GOOD) + joint("b")), robot())
    assert [(one.link, one.after) for one in found.differing] == [("b", None)]
    assert it.diff(robot(), robot(extra=link("b", GOOD) + joint("b"))).differing[0].before is None


def test_a_fixed_link_that_the_other_file_has_as_a_part():
    apart = robot(kind="fixed")
    joined = it.load_text(urdf(link("base", mass(2) + '<origin xyz="0 0 0.5"/>' + tensor(0.66, 0.7, 0.24), BOX)))
    found = it.diff(apart, joined)
    assert not found.differs
    assert found.links[0].lumped == ("a",)


def test_the_place_of_a_link_shows_in_the_totals():
    moved = it.load_text(urdf(link("base", GOOD, BOX), link("a", GOOD, BOX), joint("a", origin="0 0 2")))
    found = it.diff(robot(), moved)
    assert found.differing == ()
    assert found.differs
    assert it.diff(robot(), moved, in_robot_frame=True).differing[0].link == "a"
