# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What the links of a URDF weigh in a scene: the rules of Newton's page, and a finding for each assumption."""

import numpy as np
import pytest
from robots import GOOD, joint, link, mass, tensor, urdf

import inertia_tools as it
from inertia_tools.errors import OptionError, ParseError, SimulationError
from inertia_tools.inertial import Inertial
from inertia_tools.sim.scene.notices import InertiaWarning, SceneWarning

CUBE = '<box size="0.2 0.2 0.2"/>'
CUBE_MASS = 8.0
ORIGIN = '<origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/>'


def one(*parts: str, **options) -> tuple[Inertial, tuple[it.Finding, ...]]:
    """Add a robot of one link and return what it weighs, and what was found."""
    builder = it.ModelBuilder()
    density = options.pop("density", None)
    if density is not None:
        builder.default_shape_density = density
    articulation = builder.add_urdf(urdf(*parts), **options)
    return builder.inertial(0), articulation.findings


def codes(findings) -> list[tuple[str, str]]:
    return [(finding.severity.label, finding.code) for finding in findings]


def both(inertial: str = "") -> str:
    """A link with a cube as collision and a larger one as visual."""
    return link("base", inertial, CUBE).replace(
        "</link>", '<visual><geometry><box size="0.4 0.4 0.4"/></geometry></visual></link>'
    )


def test_what_is_stated_wins():
    inertial, findings = one(link("base", ORIGIN + mass(3) + tensor(0.1, 0.2, 0.25), CUBE))
    pose = it.Pose.from_xyz_rpy([0.1, 0.2, 0.3], [0.4, 0.5, 0.6])
    assert findings == ()
    assert inertial.isclose(Inertial(3.0, inertia=np.diag([0.1, 0.2, 0.25])).transform(pose))


def test_without_an_inertial_the_colliders_count_at_the_default_density():
    inertial, findings = one(both())
    assert inertial.mass == pytest.approx(CUBE_MASS)
    assert codes(findings) == [("warning", "missing-inertial")]
    assert "8 kg" in findings[0].message and findings[0].link == "base" and findings[0].line == 2
    assert one(both(), density=500.0)[0].mass == pytest.approx(CUBE_MASS / 2)


def test_inertials_can_be_ignored():
    inertial, findings = one(both(mass(3) + tensor(1, 1, 1)), ignore_inertial_definitions=True)
    assert inertial.mass == pytest.approx(CUBE_MASS)
    assert findings == (), "that was asked for"


def test_visuals_weigh_nothing_unless_asked():
    inertial, findings = one(link("base", "", CUBE, tag="visual"))
    assert inertial.mass == 0.0
    assert codes(findings) == [("error", "missing-inertial")]
    assert "parse_visuals_as_colliders" in findings[0].message
    inertial, findings = one(link("base", "", CUBE, tag="visual"), parse_visuals_as_colliders=True)
    assert inertial.mass == pytest.approx(CUBE_MASS)
    assert codes(findings) == [("info", "visual-fallback"), ("warning", "missing-inertial")]


def test_visuals_take_the_place_of_collisions_when_asked():
    assert one(both(), parse_visuals_as_colliders=True)[0].mass == pytest.approx(64.0)
    builder = it.ModelBuilder()
    builder.add_urdf(urdf(both()), parse_visuals_as_colliders=True)
    assert builder.shapes[0].scale == (0.2, 0.2, 0.2) and builder.shape_count == 1
    assert one(link("base", "", CUBE), parse_visuals_as_colliders=True)[0].mass == pytest.approx(CUBE_MASS)


def test_a_mass_without_tensor_scales_what_the_colliders_give():
    inertial, findings = one(link("base", mass(3), CUBE))
    assert inertial.mass == 3.0
    assert np.allclose(inertial.inertia, 3.0 * 0.04 / 6.0 * np.eye(3))
    assert codes(findings) == [("warning", "missing-tensor")]


def test_a_mass_without_tensor_and_colliders_is_a_ball():
    inertial, findings = one(link("base", ORIGIN + mass(3)))
    radius = np.cbrt(3 * 3 / (4 * np.pi * 1000))
    assert inertial.mass == 3.0 and np.allclose(inertial.com, [0.1, 0.2, 0.3])
    assert np.allclose(inertial.inertia, 0.4 * 3 * radius**2 * np.eye(3))
    assert codes(findings) == [("warning", "assumed-inertial")]


@pytest.mark.parametrize(
    ("inertial", "code", "weight"),
    [
        (tensor(1, 1, 1), "missing-mass", CUBE_MASS),
        (mass("nan") + tensor(1, 1, 1), "non-finite", CUBE_MASS),
        (mass(3) + tensor("inf", 1, 1), "non-finite", 3.0),
    ],
)
def test_what_is_of_no_use_comes_from_the_colliders(inertial, code, weight):
    value, findings = one(link("base", inertial, CUBE))
    assert value.mass == pytest.approx(weight) and value.is_valid()
    assert codes(findings) == [("warning", code)]
    value, findings = one(link("base", mass("nan") + tensor(1, 1, 1)))
    assert value.mass == 0.0 and codes(findings) == [("error", "non-finite")]


def test_masses_that_are_zero_or_negative_are_named():
    value, findings = one(link("base", mass(0) + tensor(1, 1, 1), CUBE))
    assert value.mass == 0.0 and not value.inertia.any() and codes(findings) == [("warning", "zero-mass")]
    builder = it.ModelBuilder()
    articulation = builder.add_urdf(urdf(link("base", mass(-1) + tensor(1, 1, 1), CUBE)))
    assert codes(articulation.findings) == [("error", "negative-mass")]
    with pytest.warns(InertiaWarning):
        assert builder.finalize().inertials[0].mass == 0.0


def test_frames_that_carry_nothing_are_no_finding():
    _, findings = one(link("base", GOOD), link("tool"), joint("tool", type_="fixed"))
    assert findings == ()
    builder = it.ModelBuilder()
    moved = builder.add_urdf(urdf(link("base", GOOD), link("tool"), joint("tool")))
    assert codes(moved.findings) == [("error", "missing-inertial")]
    with pytest.warns(InertiaWarning, match="tool"):
        builder.finalize()


def test_a_mesh_that_is_missing_is_named():
    with pytest.warns(
        SceneWarning,
        match="link 'base': a shape is omitted: .*gone.stl does not exist or is not a regular file; correct the path",
    ) as caught:
        value, findings = one(link("base", "", '<mesh filename="gone.stl"/>'))
    assert value.mass == 0.0
    assert codes(findings) == [("error", "missing-inertial")]
    assert {warning.filename for warning in caught} == {__file__}


def test_a_package_that_is_nowhere_is_named():
    with pytest.warns(SceneWarning, match='Could not resolve package "gone", searched in .*; name the folder'):
        one(link("base", "", '<mesh filename="package://gone/base.stl"/>'))


@pytest.mark.parametrize(("scale", "said"), [(0.0, "nonzero"), (-1.0, "a positive number"), (np.nan, "a positive")])
def test_a_scale_that_leaves_nothing_is_refused(scale, said):
    with pytest.raises(OptionError, match=f"scale must be {said}"):
        one(link("base", mass(1.0), CUBE), scale=scale)


def test_lengths_scale_and_stated_masses_stay():
    text = urdf(
        link("base", ORIGIN + mass(3) + tensor(0.1, 0.2, 0.25), CUBE),
        link("arm", "", CUBE),
        joint("arm", type_="prismatic", origin="0 0 1"),
    )
    builder = it.ModelBuilder()
    builder.add_urdf(text, scale=2.0)
    small = it.ModelBuilder()
    small.add_urdf(text)
    before, after = small.inertial(0), builder.inertial(0)
    assert after.mass == before.mass
    assert np.allclose(after.com, 2 * before.com) and np.allclose(after.inertia, 4 * before.inertia)
    assert builder.body_mass[1] == pytest.approx(8 * small.body_mass[1]), "from colliders: volume grows"
    slide = builder.joints[1]
    assert np.allclose(slide.pose_parent.position, [0, 0, 2])
    assert (slide.lower, slide.upper) == (-2.0, 2.0)
    assert builder.shapes[0].scale == (0.2, 0.2, 0.2)
    for scale in (0.0, -1.0, np.nan):
        with pytest.raises(OptionError, match="scale"):
            builder.add_urdf(text, scale=scale)


def test_it_takes_a_file_its_text_and_what_was_read(tmp_path):
    text = urdf(link("base", GOOD, CUBE))
    file = tmp_path / "robot.urdf"
    file.write_text(text)
    for source in (file, str(file), text, text.encode(), "\n " + text, it.load(file)):
        builder = it.ModelBuilder()
        builder.add_urdf(source)
        assert builder.body_mass == [1.0]
    with pytest.raises(ParseError):
        it.ModelBuilder().add_urdf(tmp_path / "none.urdf")


def test_its_base_is_fixed_unless_told_otherwise():
    builder = it.ModelBuilder()
    builder.add_urdf(urdf(link("base", GOOD, CUBE)))
    builder.add_urdf(urdf(link("base", GOOD, CUBE)), xform=[1, 2, 3, 0, 0, 0, 1], floating=True)
    builder.add_urdf(urdf(link("base", GOOD, CUBE)), xform=(1, 0, 0), base_joint={"joint_type": it.JointType.BALL})
    assert [pose.position.tolist() for pose in builder.body_pose] == [[0, 0, 0], [1, 2, 3], [1, 0, 0]]
    assert [kind.name for kind in builder.joint_type] == ["FIXED", "FREE", "BALL"]


def test_a_description_is_refused_where_a_urdf_is_completed():
    robot = it.load_text(urdf(link("base", mass(3), CUBE)))
    with pytest.raises(SimulationError, match="inertia-tools fix"):
        it.ModelBuilder().add_description(robot)
    it.ModelBuilder().add_urdf(robot)
    articulation = it.ModelBuilder().add_description(it.load_text(urdf(link("base", "", CUBE))))
    assert codes(articulation.findings) == [("warning", "missing-inertial")]


def test_robots_touch_each_other_and_not_themselves():
    text = urdf(
        link("base", GOOD, CUBE), link("arm", GOOD, CUBE), link("hand", GOOD, CUBE), joint("arm"), joint("hand")
    )
    builder = it.ModelBuilder()
    builder.add_urdf(text, enable_self_collisions=False, floating=True)
    assert builder.finalize().slot_count == 0
    builder.add_urdf(text, enable_self_collisions=False, floating=True)
    assert builder.finalize().slot_count > 0
    touching = it.ModelBuilder()
    touching.add_urdf(text, floating=True)
    assert touching.finalize().slot_count > 0, "arm and hand, which no joint joins"


def test_a_chain_of_a_thousand_links_can_be_added():
    links = [link(f"l{i}", GOOD) for i in range(1000)]
    joints = [joint(f"l{i}", f"l{i - 1}", "fixed" if i % 2 else "revolute") for i in range(1, 1000)]
    builder = it.ModelBuilder()
    builder.add_urdf(urdf(*links, *joints), collapse_fixed_joints=True, floating=True)
    assert builder.body_count == 500 and sum(builder.body_mass) == pytest.approx(1000.0)


def test_the_shapes_of_other_formats_are_placed_and_scaled():
    """Geometry that URDF has no words for, which other readers fill in."""
    from dataclasses import replace

    from inertia_tools.description import types
    from inertia_tools.sim.importing.geometry_shape import shape_of_link
    from inertia_tools.sim.importing.options import scaled

    robot = it.load_text(urdf(link("base", GOOD, CUBE)))
    square = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
    geometries = [
        types.Cone(0.1, 0.4),
        types.Ellipsoid((0.1, 0.2, 0.3)),
        types.Prism((square,), 2.0),
        types.Plane((1.0, 0.0, 0.0)),
    ]
    shape = robot.links["base"].collisions[0]
    base = replace(robot.links["base"], collisions=tuple(replace(shape, geometry=g) for g in geometries))
    robot = scaled(replace(robot, links={"base": base}), 2.0)
    cone, ellipsoid, prism, plane = (
        shape_of_link(one, it.ShapeConfig(), "base") for one in robot.links["base"].collisions
    )
    assert (cone.kind, cone.scale) == (it.GeoType.CONE, (0.2, 0.4, 0.0))
    assert (ellipsoid.kind, ellipsoid.scale) == (it.GeoType.ELLIPSOID, (0.2, 0.4, 0.6))
    assert prism.source.mass == pytest.approx(2.0 * 2.0 * 4.0)
    assert np.allclose(plane.pose.rotation[:, 2], [1, 0, 0])
    with pytest.raises(SimulationError, match="heightmap"):
        shape_of_link(replace(shape, geometry=types.Heightmap()), it.ShapeConfig(), "base")


CYCLE = """<robot name="r"><link name="a"/><link name="b"/><link name="c"/>
<joint name="p" type="prismatic"><parent link="a"/><child link="b"/><axis xyz="1 0 0"/>
<limit lower="-1" upper="1" velocity="0.4" effort="9"/><mimic joint="q"/></joint>
<joint name="q" type="revolute"><parent link="b"/><child link="c"/><axis xyz="1 0 0"/>
<limit lower="-1" upper="1" velocity="0.4" effort="9"/>MIMIC</joint></robot>"""


def test_joints_that_follow_one_another_in_a_cycle_are_refused():
    """None of them leads; the message has the place, and the joints."""
    with pytest.raises(ParseError, match=r"<text>:\d+: cyclic mimic: 'p' follows 'q', 'q' follows 'p'"):
        it.ModelBuilder().add_urdf(CYCLE.replace("MIMIC", '<mimic joint="p"/>'))


def test_speeds_of_slides_grow_with_the_lengths():
    """A factor on lengths is one on speeds of slides, and none on rates of turns."""
    builder = it.ModelBuilder()
    builder.add_urdf(CYCLE.replace("MIMIC", "").replace('<mimic joint="q"/>', ""), scale=2.0)
    slide, turn = (builder.joint_qd_start[builder.joint_label.index(f"r/{name}")] for name in "pq")
    assert builder.joint_velocity_limit[slide] == pytest.approx(0.8)
    assert builder.joint_velocity_limit[turn] == pytest.approx(0.4)


def test_a_moving_link_without_mass_is_refused_with_its_place():
    robot = it.load_text(urdf(link("base", GOOD), link("tip"), joint("tip")))
    with pytest.raises(SimulationError, match=r"^<text>:\d+: link 'tip' moves, but .* 0 kg.*; run: inertia-tools fix$"):
        it.ModelBuilder().add_description(robot)
