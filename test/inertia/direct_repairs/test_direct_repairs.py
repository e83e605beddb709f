# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Repairs that a user asks for by name do that, in every format, and nothing else."""

import numpy as np
import pytest
from robots import GOOD, joint, link, mass, tensor, urdf

import inertia_tools as it
from inertia_tools.errors import NothingToRepairError, OptionError, UndecidedOptionError
from inertia_tools.geometry.primitives import solid_box
from inertia_tools.inertia.direct_repairs import ConvertUnits, Mirror, NegateProducts, SetCom
from inertia_tools.inertia.unit_table import Units, units_of
from inertia_tools.inertial import six_of_tensor
from inertia_tools.spatial import rotation_from_rpy

WEDGE = tensor(0.08, 0.1, 0.12, 0.01, -0.02, 0.005)
ORIGIN = '<origin xyz="0.1 0.2 0.3" rpy="0.1 0.2 0.3"/>'


def repaired(text: str, *repairs, name: str = "a"):
    """Return the correction, and what a link has after it."""
    correction = it.fix(it.load_text(text), repairs=repairs)
    return correction, correction.corrected.links[name].inertial


def robot(inertial: str) -> str:
    return urdf(link("base", GOOD), link("a", inertial), joint("a"))


@pytest.mark.parametrize("words", ["g,mm", "mm g", "grams;millimeters", "lb in", "kg m", "g", "cm"])
def test_units_are_read_in_any_order(words):
    assert units_of(words, "x") == units_of(" ".join(reversed(words.replace(",", " ").replace(";", " ").split())), "x")


@pytest.mark.parametrize("words", ["", "g,kg", "parsec", "g,mm,mm"])
def test_other_units_are_refused(words):
    with pytest.raises(OptionError, match="x must be"):
        units_of(words, "x")


@pytest.mark.parametrize("units", [Units("g", "mm"), Units("lb", "in"), Units("kg", "cm")])
def test_conversion_undoes_the_unit(units):
    body = solid_box((0.1, 0.2, 0.3)).scaled_to_mass(2.0)
    text = urdf(
        link(
            "a",
            f'<origin xyz="{0.1 / units.metres} 0 0" rpy="0.1 0.2 0.3"/>'
            + mass(2.0 / units.kilograms)
            + tensor(*(np.diag(body.inertia) / units.moment)),
        )
    )
    correction, after = repaired(text, ConvertUnits(units))
    assert after.isclose(body.rotate(rotation_from_rpy((0.1, 0.2, 0.3))).shift((0.1, 0, 0)), 1e-11)
    assert 'rpy="0.1 0.2 0.3"' in correction.text, "what is not a number in a unit stays"


def test_only_a_part_is_converted_and_what_is_missing_stays_missing():
    _, after = repaired(
        robot(ORIGIN + mass(2) + tensor(8, 10, 12)), ConvertUnits(Units("g", "mm"), frozenset({"tensor"}))
    )
    assert (after.mass, after.com.tolist()) == (2.0, [0.1, 0.2, 0.3])
    assert np.trace(after.inertia) == pytest.approx(30e-9)
    correction, _ = repaired(robot('<origin xyz="100 0 0"/>' + mass(2000)), ConvertUnits(Units("g", "mm")))
    assert '<origin xyz="0.1 0 0"/><mass value="2"/></inertial>' in correction.text
    assert "tensor" not in correction.changes["a"].reason


def test_a_tensor_that_no_body_has_is_converted_all_the_same():
    correction, after = repaired(robot(mass(1) + tensor(1, 1, 5)), ConvertUnits(Units("g", "mm")))
    assert six_of_tensor(after.inertia).tolist() == [1e-9, 0, 0, 1e-9, 0, 5e-9]
    assert not correction.is_complete


def test_sdformat_keeps_its_defaults_and_the_turn_of_the_pose():
    text = (
        "<sdf version='1.9'><model name='m'><link name='a'><inertial><pose>100 0 0 0.1 0.2 0.3</pose>"
        "<mass>500</mass></inertial></link></model></sdf>"
    )
    correction, _ = repaired(text, ConvertUnits(Units("g", "mm")))
    assert "<pose>0.1 0 0 0.1 0.2 0.3</pose><mass>0.5</mass></inertial>" in correction.text


def test_mjcf_keeps_the_orientation_of_the_inertial():
    text = (
        "<mujoco><worldbody><body name='a'><freejoint/><inertial pos='100 0 0' quat='1 1 0 0' mass='500' "
        "diaginertia='8 10 12'/><geom size='1'/></body></worldbody></mujoco>"
    )
    correction, after = repaired(text, ConvertUnits(Units("g", "mm")))
    assert "pos='0.1 0 0' quat='1 1 0 0' mass='0.5'" in correction.text
    assert np.diag(after.inertia) == pytest.approx([8e-9, 12e-9, 10e-9])


def test_products_are_negated_as_they_are_written_and_twice_is_nothing():
    text = robot(ORIGIN + mass(1) + WEDGE)
    once, _ = repaired(text, NegateProducts())
    assert tensor(0.08, 0.1, 0.12, -0.01, 0.02, -0.005) in once.text
    twice, _ = repaired(once.text, NegateProducts())
    assert twice.text == text
    with pytest.raises(NothingToRepairError, match="negate-products"):
        repaired(robot(GOOD), NegateProducts())


def test_the_centre_of_mass_alone_moves():
    correction, after = repaired(robot(ORIGIN + mass(1) + WEDGE), SetCom({"a": (0.5, 0, -0.25)}))
    assert correction.text == robot(ORIGIN.replace("0.1 0.2 0.3", "0.5 0 -0.25", 1) + mass(1) + WEDGE)
    assert after.com.tolist() == [0.5, 0, -0.25]
    with pytest.raises(OptionError, match="LINK=x,y,z"):
        repaired(robot(GOOD), SetCom({"a": (0, 0, float("nan"))}))
    with pytest.raises(NothingToRepairError, match="declares no complete inertial"):
        repaired(robot(""), SetCom({"a": (0, 0, 0)}))


def pair(left: str, right: str, rpy: str = "0 0 0", left_shape: str = "", right_shape: str = "") -> str:
    """Two arms at +-0.2 m, the right one's frame turned by `rpy`."""
    return urdf(
        link("base", GOOD),
        link("left_arm", left, left_shape).replace("<collision>", '<collision><origin xyz="0.1 0.02 0.03"/>'),
        link("right_arm", right, right_shape).replace("<collision>", '<collision><origin xyz="0.1 -0.02 0.03"/>'),
        joint("left_arm", origin="0 0.2 0"),
        joint("right_arm", origin="0 -0.2 0").replace('xyz="0 -0.2 0"', f'xyz="0 -0.2 0" rpy="{rpy}"'),
    )


@pytest.mark.parametrize("rpy", ["0 0 0", "3.14159265358979 0 0", "0.4 0.5 0.6"])
def test_a_mirror_holds_in_the_robots_frame_whatever_the_frames_of_links(rpy):
    text = pair(ORIGIN + mass(3) + WEDGE, mass(1) + tensor(1, 1, 1), rpy)
    correction, after = repaired(text, Mirror("left_", "right_"), name="right_arm")
    source = correction.corrected.links["left_arm"].inertial
    poses = correction.corrected.link_poses
    whole = source.transform(poses["left_arm"]) + after.transform(poses["right_arm"])
    assert whole.com[1] == pytest.approx(0.0, abs=1e-12)
    assert six_of_tensor(whole.inertia)[[1, 4]] == pytest.approx([0.0, 0.0], abs=1e-12)
    assert list(correction.changes) == ["right_arm"]
    again, _ = repaired(correction.text, Mirror("right_", "left_"), name="left_arm")
    assert again.corrected.links["left_arm"].inertial.isclose(source, 1e-10)


def test_geometry_tells_what_mirrors_and_a_part_that_is_no_mirror_image_is_refused():
    shape = '<box size="0.1 0.2 0.3"/>'
    text = pair(ORIGIN + mass(3) + WEDGE, GOOD, left_shape=shape, right_shape=shape)
    correction, after = repaired(text, Mirror("left", "right"), name="right_arm")
    assert after.com.tolist() == [0.1, -0.2, 0.3]
    assert "xz plane" in correction.changes["right_arm"].reason
    other = text.replace("0.1 -0.02 0.03", "0.9 0.9 0.9")
    with pytest.raises(UndecidedOptionError, match="--mirror-plane"):
        repaired(other, Mirror("left", "right"))
    assert repaired(other, Mirror("left", "right", "xz"), name="right_arm")[1].com.tolist() == [0.1, -0.2, 0.3]


def test_names_without_a_twin_are_refused():
    with pytest.raises(NothingToRepairError, match="no link with 'left_'"):
        repaired(robot(GOOD), Mirror("left_", "right_"))


def test_repairs_follow_one_another():
    text = robot('<origin xyz="100 0 0"/>' + mass(1000) + tensor(8, 10, 12, 1, 0, 0))
    correction, after = repaired(text, ConvertUnits(Units("g", "mm")), NegateProducts(), SetCom({"a": (0, 0, 1)}))
    assert (after.mass, after.com.tolist()) == (1.0, [0, 0, 1])
    assert after.inertia[0, 1] == -1e-9
    assert correction.changes["a"].reason.count(";") == 2


def test_only_the_links_asked_for_are_touched():
    text = urdf(link("a", mass(1) + WEDGE), link("b", mass(1) + WEDGE), joint("b", "a"))
    correction = it.fix(it.load_text(text), links=["b"], repairs=[NegateProducts()])
    assert list(correction.changes) == ["b"]


def test_a_centre_of_a_link_whose_inertial_is_computed_states_all_of_it():
    sdf = (
        "<sdf version='1.11'><model name='m'><link name='a'><inertial auto='true'/><collision name='c'><density>2</density>"
        "<geometry><box><size>1 1 1</size></box></geometry></collision></link></model></sdf>"
    )
    mjcf = "<mujoco><worldbody><body name='a'><freejoint/><geom type='box' size='.5 .5 .5' density='2'/></body></worldbody></mujoco>"
    for text in (sdf, mjcf):
        correction, _ = repaired(text, SetCom({"a": (0, 0, 0.1)}))
        after = it.stats(correction.corrected)["a"].effective.inertial
        assert (after.mass, after.com.tolist()) == (pytest.approx(2.0), [0, 0, 0.1])
        assert np.diag(after.inertia) == pytest.approx([1 / 3] * 3)
    with pytest.raises(NothingToRepairError):
        repaired(urdf(link("a", "", '<box size="1 1 1"/>')), SetCom({"a": (0, 0, 0)}))


@pytest.mark.parametrize("suffix", ["urdf", "sdf", "xml", "usda"])
def test_repairs_hold_in_every_format(tmp_path, suffix):
    source = it.load_text(robot('<origin xyz="0.1 0.2 0.3"/>' + mass(2) + WEDGE))
    if suffix == "urdf":
        (tmp_path / "r.urdf").write_bytes(source.document.data)
    else:
        it.convert(source, tmp_path / f"r.{suffix}").save(tmp_path / f"r.{suffix}")
    read = it.load(tmp_path / f"r.{suffix}")
    name = next(one for one in read.links if one.replace("::", "/").rsplit("/", 1)[-1] == "a")
    repairs = [ConvertUnits(Units("g", "cm")), NegateProducts(), SetCom({name: (0, 0, 0.5)})]
    after = it.fix(read, repairs=repairs).corrected.links[name].inertial
    assert (after.mass, after.com.tolist()) == (pytest.approx(2e-3), [0, 0, 0.5])
    expected = 1e-7 * np.array([0.08, -0.01, 0.02, 0.1, -0.005, 0.12])
    assert six_of_tensor(after.inertia) == pytest.approx(expected, rel=1e-5, abs=1e-13)
