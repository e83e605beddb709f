# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Arguments are taken in every form that says the same: arrays, Warp's vectors, generators, NumPy's scalars."""

import math
import re

import numpy as np
import pytest
import warp as wp
from robots import link, mass, tensor, urdf

import inertia_tools as it
from inertia_tools.errors import OptionError, OptionTypeError
from inertia_tools.sim.simulation.soft_body import Cloth, Particles, SoftBody, SoftBox

ROBOT = urdf(link("a", mass(1) + tensor(1, 1, 1)))
PLACES = np.array([(0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), (2.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)])


def hinges():
    scene = it.ModelBuilder()
    for _ in range(2):
        body = scene.add_link(mass=1.0, inertia=np.eye(3))
        scene.add_shape_sphere(body, radius=0.1)
        scene.add_joint_revolute(-1, body)
    return scene


def falling():
    scene = it.ModelBuilder()
    body = scene.add_body(xform=(0.0, 0.0, 1.0))
    scene.add_shape_sphere(body, radius=0.1)
    return scene


def stepped(model, dt):
    solver, state = it.SolverXPBD(model), model.state()
    solver.step(state, state, None, None, dt)
    return float(state.body_q.numpy()[0, 2])


@pytest.mark.parametrize("form", [tuple, np.array], ids=["tuple", "array"])
def test_sizes_and_cells_of_soft_bodies_may_be_arrays(form):
    """An array was refused as not being that many numbers."""
    builder = it.ModelBuilder()
    SoftBox(size=form([0.4, 0.2, 0.1]), cells=form([2, 2, 1])).add_to(builder, it.Pose())
    Cloth(size=form([0.4, 0.2]), cells=form([2, 1])).add_to(builder, it.Pose())
    Particles(count=form([2, 1, 1]), spacing=form([0.1, 0.1, 0.1])).add_to(builder, it.Pose())
    assert builder.particle_count == 18 + 6 + 2


def test_soft_bodies_of_a_generator_are_kept():
    entity = it.Entity("e", it.load_text(ROBOT), soft=(one for one in [SoftBody("x", SoftBox())]))
    assert [one.name for one in entity.soft] == ["x"]


@pytest.mark.parametrize("width", [7, 3])
def test_copies_stand_at_the_rows_of_an_array(width):
    scene = it.ModelBuilder()
    scene.replicate(falling(), 2, xforms=PLACES[:, :width])
    assert [pose.position.tolist() for pose in scene.body_pose] == [[0.0, 0.0, 2.0], [2.0, 0.0, 2.0]]


def test_a_wrong_row_adds_no_copy():
    scene, places = it.ModelBuilder(), PLACES.copy()
    places[1, 0] = math.nan
    with pytest.raises(OptionError, match="xform"):
        scene.replicate(falling(), 2, xforms=list(places))
    assert scene.body_count == 0


@pytest.mark.parametrize("name", ["limit_ke", "limit_kd"])
def test_limits_may_be_rigid(name):
    scene = it.ModelBuilder()
    body = scene.add_link(mass=1.0, inertia=np.eye(3))
    with pytest.raises(OptionError, match=name):
        scene.add_joint_revolute(-1, body, **{name: math.nan})
    scene.add_joint_revolute(-1, body, **{name: math.inf})
    assert scene.joint_count == 1


def test_precision_may_be_of_numpy():
    """In turn with plain texts, as kernels that are cached by one must fit what is made by the other."""
    given = ("float64", np.str_("float64"), np.dtype("float64"), "float64", np.str_("float32"), "float64")
    heights = [stepped(falling().finalize(dtype=dtype), 0.01) for dtype in given]
    assert heights == pytest.approx([heights[0]] * len(heights), abs=1e-6)
    assert falling().finalize(dtype=np.dtype("float64")).precision.name == "float64"


@pytest.mark.parametrize("coeffs", [wp.vec2(0.5, 2.0), np.array([[0.5, 2.0]]), iter([0.5, 2.0])])
def test_joints_follow_by_vectors_of_numbers(coeffs):
    scene = hinges()
    scene.set_joint_mimic(1, 0, coeffs=coeffs)
    assert [(mimic.offset, mimic.ratio) for mimic in scene.mimics] == [(0.5, 2.0)]


def test_equalities_take_vectors_of_numbers():
    scene = hinges()
    scene.add_equality_constraint_joint(1, 0, polycoef=wp.vec4(0.5, 2.0, 0.0, 0.0))
    assert [(mimic.offset, mimic.ratio) for mimic in scene.mimics] == [(0.5, 2.0)]
    with pytest.raises(OptionError, match="polycoef"):
        scene.add_equality_constraint_joint(1, 0, polycoef=("0", "1"))


@pytest.mark.parametrize("scale", [[[0.1, 0.2, 0.3]], tuple(np.array([[0.1], [0.2], [0.3]]))])
def test_sizes_may_be_nested(scale):
    scene = hinges()
    scene.add_shape(0, it.GeoType.BOX, scale)
    assert scene.shapes[-1].scale == (0.1, 0.2, 0.3)


def test_a_plane_of_infinite_size_has_no_end():
    scene = hinges()
    scene.add_shape(-1, it.GeoType.PLANE, (math.inf, math.inf, 0.0))
    assert scene.shapes[-1].scale == (0.0, 0.0, 0.0)
    with pytest.raises(OptionError, match="scale"):
        scene.add_shape(-1, it.GeoType.PLANE, (math.inf, 1.0, 0.0))


def test_indices_may_be_whole_floats():
    scene = hinges()
    scene.add_articulation(np.array([0.0, 1.0]))
    assert scene.articulation_joints == [(0, 1)]
    scene.add_shape_collision_filter_pair(np.float32(1.0), 0.0)
    assert scene.shape_collision_filter_pairs == {(0, 1)}
    assert scene.approximate_meshes("bounding_box", [1.0]) == set()
    group = scene.shapes[scene.add_shape_sphere(0, radius=0.1, cfg=it.ShapeConfig(collision_group=2.0))]
    assert type(group.config.collision_group) is int
    with pytest.raises(OptionTypeError, match="joints"):
        hinges().add_articulation(np.array([0.0, 0.5]))


@pytest.mark.parametrize("form", [float, np.float32, np.int8, np.array, bool])
def test_indices_of_bodies_and_joints_may_have_any_form_of_a_whole_number(form):
    builder = it.ModelBuilder()
    links = [builder.add_link(mass=1.0, inertia=np.eye(3)) for _ in range(3)]
    zero, one = form(links[0]), form(links[1])
    builder.add_shape_sphere(one)
    first = builder.add_joint_revolute(-1, zero)
    second = builder.add_joint_revolute(zero, one)
    builder.add_joint_free(links[2])
    builder.add_mimic(form(second), form(first), dof=form(0))
    builder.add_equality_constraint_connect(one, links[2])
    builder.add_equality_constraint_weld(links[2], zero)
    particle = builder.add_particle((0, 0, 0), (0, 0, 0), 1.0)
    builder.add_attachment_particle_body(particle, one)
    model = builder.finalize()
    assert model.shape_body.numpy().tolist() == [1]
    assert model.joint_parent.numpy().tolist() == [-1, 0, -1, 1, 2]
    assert builder.attachment_particle_body_body == [1]


def test_an_infinite_foresight_lists_all_pairs():
    scene = falling()
    scene.add_shape_sphere(scene.add_body(xform=(50.0, 0.0, 1.0)), radius=0.1)
    model = scene.finalize()
    assert len(model.collide(model.state(), foresight=0.5).geometry) == 0
    assert len(model.collide(model.state(), foresight=math.inf).geometry) == 1


def test_links_may_be_keys():
    simulation = it.Simulation(it.load_text(ROBOT))
    assert simulation.centre_of_mass({"a": 1.0}) == pytest.approx(simulation.centre_of_mass(["a"]))
    assert simulation.momentum({"a": 1.0})[0] == pytest.approx(np.zeros(3))


def test_the_length_of_a_step_may_be_an_array_without_axes():
    model = falling().finalize(dtype="float64")
    assert stepped(model, np.array(0.01)) == stepped(model, 0.01)
    simulation = it.Simulation(it.load_text(ROBOT), dt=np.array(0.004))
    simulation.step()
    assert simulation.time == pytest.approx(0.004)


def test_rows_that_must_be_there_are_asked_for():
    with pytest.raises(OptionTypeError, match="entries"):
        hinges().add_custom_values_batch(None)
    with pytest.raises(OptionTypeError, match="frequencies"):
        hinges().get_custom_attributes_by_frequency(None)


TWO = """<mujoco><default><default class="ab"/></default><worldbody>
<body name="ab"><geom size="1" class="ab"/></body><body name="b"><geom size="1"/></body>
</worldbody></mujoco>"""


def test_a_single_expression_may_stand_for_a_list_of_one():
    for names in ("ab", ["ab"], (re.compile("ab"),)):
        builder = it.ModelBuilder()
        builder.add_mjcf(TWO, ignore_names=names)
        assert builder.body_label == ["worldbody/b"]
    builder = it.ModelBuilder()
    builder.add_mjcf(TWO, visual_classes="ab")
    assert builder.body_mass[0] == builder.body_mass[1]
    assert [shape.config.has_shape_collision for shape in builder.shapes] == [False, True]


@pytest.mark.parametrize("option", ["ignore_names", "ignore_classes", "visual_classes", "collider_classes"])
@pytest.mark.parametrize("value", [None, 5, [5], "("])
def test_expressions_that_are_none_are_refused_by_name(option, value):
    with pytest.raises(OptionError, match=option):
        it.ModelBuilder().add_mjcf(TWO, **{option: value})


def test_a_single_folder_may_stand_for_a_list_of_one(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    (tmp_path / "arm").mkdir()
    trimesh.creation.box([1.0, 1.0, 1.0]).export(tmp_path / "arm" / "box.stl")
    mesh = '<collision><geometry><mesh filename="package://arm/box.stl"/></geometry></collision>'
    text = f'<robot name="r"><link name="a">{mesh}</link></robot>'
    for folders in (tmp_path, str(tmp_path), [tmp_path]):
        for option in ("package_path", "package_dirs"):
            builder = it.ModelBuilder()
            builder.add_urdf(text, **{option: folders})
            assert builder.body_mass == pytest.approx([1000.0])
        assert it.compute(it.load_text(text, package_path=folders))["a"].inertial.mass == pytest.approx(1000.0)
    assert it.load_text(text, package_path=None).links
    for wrong in (5, [5]):
        with pytest.raises(OptionTypeError, match="package_path"):
            it.load_text(text, package_path=wrong)


@pytest.mark.parametrize(
    ("option", "value"),
    [("parent_body", "a"), ("parent_body", None), ("base_joint", 5), ("base_joint", True), ("armature_scale", "2")],
)
def test_options_of_importers_are_refused_by_name(option, value):
    builder = it.ModelBuilder()
    with pytest.raises(OptionError, match=option):
        builder.add_mjcf(TWO, **{option: value})
    assert builder.body_count == 0


def test_a_world_at_no_pose_is_not_begun():
    builder = hinges()
    with pytest.raises(OptionError, match="xform"):
        builder.add_world(hinges(), xform="up")
    assert not builder.world_label
