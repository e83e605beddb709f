# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Attributes that users add to a scene."""

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.errors import OptionError, SimulationError, UndeclaredAttributeError
from inertia_tools.sim.scene.custom_attributes import AttributeAssignment, AttributeFrequency, CustomAttribute
from inertia_tools.sim.scene.notices import SceneWarning

wp = pytest.importorskip("warp", reason="warp-lang is not installed")


def two_bodies():
    builder = it.ModelBuilder()
    for _ in range(2):
        builder.add_link(mass=1.0, inertia=np.eye(3))
    return builder


@pytest.mark.parametrize(
    ("dtype", "default", "value"),
    [
        (float, 2.0, 3.0),
        (wp.float32, 2.0, 3.0),
        (wp.int32, 2, 3),
        (int, 2, 3),
        (wp.bool, False, True),
        (wp.vec2, (1, 2), (3, 4)),
        (wp.vec3, (1, 2, 3), (3, 4, 5)),
        (wp.vec4, (1, 2, 3, 4), (3, 4, 5, 6)),
        (wp.quat, (0, 0, 0, 1), (1, 0, 0, 0)),
        ("vec3", (1, 2, 3), (3, 4, 5)),
    ],
)
def test_each_type_has_its_default_and_its_values(dtype, default, value):
    builder = two_bodies()
    builder.add_custom_attribute(CustomAttribute("mine", dtype, "body", default=default, values={1: value}))
    assert np.array_equal(builder.finalize().mine.numpy(), np.array([default, value]))


def test_warp_types_stay_warp_types():
    builder = two_bodies()
    builder.add_custom_attribute(CustomAttribute("mine", wp.quat, "body"))
    array = builder.finalize().mine
    assert array.dtype is wp.quat
    assert array.numpy().tolist() == [[0, 0, 0, 1], [0, 0, 0, 1]]


def test_the_example_of_the_builder():
    builder = it.ModelBuilder()
    builder.add_custom_attribute(
        it.ModelBuilder.CustomAttribute(
            name="my_attribute",
            frequency=AttributeFrequency.BODY,
            dtype=wp.float32,
            default=20.0,
            assignment=AttributeAssignment.MODEL,
            namespace="my_namespace",
        )
    )
    builder.add_link(mass=1.0, inertia=np.eye(3), custom_attributes={"my_namespace:my_attribute": 30.0})
    builder.add_body(mass=1.0, inertia=np.eye(3))
    model = builder.finalize()
    assert model.my_namespace.my_attribute.numpy().tolist() == [30.0, 20.0]


@pytest.mark.parametrize("assignment", ["model", "state", "control", "contact"])
def test_each_assignment_has_its_object(assignment):
    builder = two_bodies()
    builder.add_custom_attribute(CustomAttribute("mine", float, "body", assignment, default=5.0))
    builder.add_custom_attribute(CustomAttribute("mine", float, "body", assignment, "room", default=6.0))
    model = builder.finalize()
    holders = {"model": model, "state": model.state(), "control": model.control(), "contact": model.contacts()}
    holder = holders.pop(assignment)
    assert holder.mine.numpy().tolist() == [5.0, 5.0]
    assert holder.room.mine.numpy().tolist() == [6.0, 6.0]
    assert not any(hasattr(other, "mine") for other in holders.values())


def ball_and_hinge():
    builder = it.ModelBuilder()
    a, b, c = (builder.add_link(mass=1.0, inertia=np.eye(3)) for _ in range(3))
    builder.add_joint_ball(-1, a)
    builder.add_joint_revolute(a, b)
    builder.add_joint_free(c)
    builder.add_shape_sphere(a)
    builder.add_articulation([0, 1], "arm")
    return builder


@pytest.mark.parametrize(
    ("frequency", "count"),
    [
        ("body", 3),
        ("joint", 3),
        ("joint_dof", 3 + 1 + 6),
        ("joint_coord", 4 + 1 + 7),
        ("joint_constraint", 3 + 5 + 0),
        ("shape", 1),
        ("articulation", 1),
        ("once", 1),
        ("world", 1),
        ("particle", 0),
        ("edge", 0),
        ("triangle", 0),
        ("tetrahedron", 0),
        ("spring", 0),
        ("constraint_mimic", 0),
    ],
)
def test_each_frequency_has_its_count(frequency, count):
    builder = ball_and_hinge()
    builder.add_custom_attribute(CustomAttribute("mine", float, frequency, default=5.0))
    assert builder.finalize().mine.numpy().tolist() == [5.0] * count


def test_every_frequency_is_tested():
    mark = test_each_frequency_has_its_count.pytestmark[0]
    assert {row[0].upper() for row in mark.args[1]} == set(AttributeFrequency.__members__)


def test_degrees_of_freedom_and_coordinates_of_a_ball_differ():
    builder = ball_and_hinge()
    for frequency in ("joint_dof", "joint_coord"):
        builder.add_custom_attribute(CustomAttribute(frequency, float, frequency, values={1: 7.0}))
    builder.custom_attributes["joint_dof"].values[0] = [1, 2, 3]
    builder.custom_attributes["joint_coord"].values[0] = [1, 2, 3, 4]
    builder.custom_attributes["joint_coord"].values[2, 6] = 9.0
    model = builder.finalize()
    assert model.joint_dof.numpy().tolist() == [1, 2, 3, 7, 0, 0, 0, 0, 0, 0]
    assert model.joint_coord.numpy().tolist() == [1, 2, 3, 4, 7, 0, 0, 0, 0, 0, 0, 9]


def test_joints_are_given_their_values_when_they_are_added():
    builder = it.ModelBuilder()
    for frequency in ("joint", "joint_dof", "joint_coord"):
        builder.add_custom_attribute(CustomAttribute(f"of_{frequency}", float, frequency))
    a, b = (builder.add_link(mass=1.0, inertia=np.eye(3)) for _ in range(2))
    values = {"of_joint": 5.0, "of_joint_dof": [1, 2, 3], "of_joint_coord": 4.0}
    builder.add_joint_ball(-1, a, custom_attributes=values)
    builder.add_joint_revolute(a, b)
    model = builder.finalize()
    assert model.of_joint.numpy().tolist() == [5, 0]
    assert model.of_joint_dof.numpy().tolist() == [1, 2, 3, 0]
    assert model.of_joint_coord.numpy().tolist() == [4, 4, 4, 4, 0]


def test_namespaces_are_independent():
    builder = two_bodies()
    builder.add_custom_attribute(CustomAttribute("mass_scale", float, "body", "model", default=1.5))
    builder.add_custom_attribute(CustomAttribute("mass_scale", float, "body", "state", "namespace_a", default=2.5))
    model = builder.finalize()
    assert model.mass_scale.numpy().tolist() == [1.5, 1.5]
    assert model.state().namespace_a.mass_scale.numpy().tolist() == [2.5, 2.5]
    assert not hasattr(model, "namespace_a")


def test_attributes_of_states_are_carried_through_steps():
    builder = two_bodies()
    builder.add_custom_attribute(CustomAttribute("target", wp.vec3, "body", "state", default=(1, 2, 3)))
    builder.add_custom_attribute(CustomAttribute("target", float, "body", "state", "room", default=4.0))
    model = builder.finalize()
    first, second = model.state(), model.state()
    first.target.fill_(7.0)
    first.room.target.fill_(8.0)
    solver = it.SolverXPBD(model)
    for _ in range(3):
        solver.step(first, second, None, None, 0.01)
        first, second = second, first
    assert first.target.numpy().tolist() == [[7, 7, 7]] * 2
    assert first.room.target.numpy().tolist() == [8, 8]
    solver.step(first, first, None, None, 0.01)
    assert first.target.numpy().tolist() == [[7, 7, 7]] * 2
    assert model.state().target.numpy().tolist() == [[1, 2, 3]] * 2


def test_merging_bodies_renumbers_values():
    builder = it.ModelBuilder()
    builder.add_custom_attribute(CustomAttribute("mine", float, "body"))
    builder.add_custom_attribute(CustomAttribute("of_joint", float, "joint"))
    bodies = [
        builder.add_link(mass=1.0, inertia=np.eye(3), custom_attributes={"mine": number}) for number in (1.0, 2.0, 3.0)
    ]
    builder.add_joint_fixed(bodies[0], bodies[1])
    builder.add_joint_revolute(bodies[1], bodies[2])
    builder.custom_attributes["of_joint"].values = {0: 4.0, 1: 5.0}
    builder.collapse_fixed_joints()
    model = builder.finalize()
    assert model.mine.numpy().tolist() == [1.0, 3.0]
    assert model.of_joint.numpy().tolist() == [5.0]


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (lambda: CustomAttribute("a b", float, "body"), "name"),
        (lambda: CustomAttribute("a", dict, "body"), "float32"),
        (lambda: CustomAttribute("a", float, 99), "joint_coord"),
        (
            lambda: two_bodies().add_custom_attribute(CustomAttribute("a", float, "galaxy")),
            "one of .*body, .*registered",
        ),
        (lambda: CustomAttribute("a", float, "body", "cupboard"), "control"),
        (lambda: CustomAttribute("a", wp.vec3, "body", default=(1, 2)), "3 numbers"),
    ],
)
def test_declarations_that_say_nothing_are_refused(fault, said):
    with pytest.raises(OptionError, match=said):
        fault()


def test_a_second_declaration_has_to_say_the_same():
    builder = two_bodies()
    builder.add_custom_attribute(CustomAttribute("mine", float, "body"))
    builder.add_custom_attribute(CustomAttribute("mine", float, "body"))
    with pytest.raises(OptionError, match="mine"):
        builder.add_custom_attribute(CustomAttribute("mine", float, "shape"))


def test_values_of_what_is_not_declared_are_refused():
    builder = two_bodies()
    with pytest.raises(UndeclaredAttributeError, match="mine"):
        builder.add_link(custom_attributes={"mine": 1.0})
    builder.add_custom_attribute(CustomAttribute("mine", float, "shape"))
    with pytest.raises(OptionError, match="frequency body"):
        builder.add_link(custom_attributes={"mine": 1.0})


CALLS = {
    "body": lambda builder, **values: builder.add_link(mass=1.0, **values),
    "shape": lambda builder, **values: builder.add_shape_box(0, **values),
    "joint": lambda builder, **values: builder.add_joint_fixed(-1, 0, **values),
    "articulation": lambda builder, **values: builder.add_articulation([0], **values),
    "particle": lambda builder, **values: builder.add_particle((0, 0, 0), (0, 0, 0), 1.0, **values),
    "particles": lambda builder, **values: builder.add_particles([(0, 0, 0)] * 2, **values),
    "triangle": lambda builder, **values: builder.add_triangle(0, 1, 2, **values),
    "edge": lambda builder, **values: builder.add_edge(2, -1, 0, 1, **values),
    "tetrahedron": lambda builder, **values: builder.add_tetrahedron(0, 1, 2, 3, **values),
    "tetrahedra": lambda builder, **values: builder.add_tetrahedra([0], [1], [2], [3], **values),
    "spring": lambda builder, **values: builder.add_spring(0, 1, 1.0, 0.0, 0.0, **values),
    "world": lambda builder, custom_attributes: builder.begin_world(attributes=custom_attributes),
}


@pytest.mark.parametrize("values", [{"unknown": 1.0}, {"mine": 2.0, "unknown": 1.0}, 1.0])
@pytest.mark.parametrize("call", list(CALLS))
def test_a_call_that_is_refused_for_its_values_adds_nothing(call, values):
    kind = {"particles": "particle", "tetrahedra": "tetrahedron"}.get(call, call)

    def counts() -> dict[str, object]:
        state = {name: len(value) for name, value in vars(builder).items() if isinstance(value, list)}
        return {**state, "mass": list(builder.body_mass), "now": builder.current_world, "values": dict(mine.values)}

    builder = two_bodies()
    builder.add_joint_free(1)
    corners = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]
    builder.add_particles(corners, mass=[1.0] * 4)
    mine = CustomAttribute("mine", float, kind)
    builder.add_custom_attribute(mine)
    before = counts()
    with pytest.raises(OptionError):
        CALLS[call](builder, custom_attributes=values)
    assert counts() == before
    CALLS[call](builder, custom_attributes={"mine": 2.0})
    assert mine.values


def test_a_shape_that_has_no_mass_leaves_its_values_to_no_other():
    builder = two_bodies()
    mine = CustomAttribute("mine", float, "shape")
    builder.add_custom_attribute(mine)
    open_mesh = it.Mesh(np.eye(3), np.array([0, 1, 2]))
    with pytest.raises(SimulationError, match="encloses no volume"):
        builder.add_shape_mesh(0, mesh=open_mesh, custom_attributes={"mine": 5.0})
    assert not mine.values


@pytest.mark.parametrize("kind", ["particles", "edges", "triangles", "springs"])
@pytest.mark.parametrize("values", [{"unknown": 1.0}, {"mine": [1.0, 2.0]}, 1.0])
def test_a_cloth_that_is_refused_for_its_values_adds_nothing(kind, values):
    builder = it.ModelBuilder()
    mine = CustomAttribute("mine", float, kind.removesuffix("s"))
    builder.add_custom_attribute(mine)
    sheet = {"pos": (0, 0, 0), "rot": (0, 0, 0, 1), "vel": (0, 0, 0), "dim_x": 2, "dim_y": 2, "mass": 0.1}
    sheet = {**sheet, "cell_x": 0.1, "cell_y": 0.1, "add_springs": True}
    with pytest.raises(OptionError):
        builder.add_cloth_grid(**sheet, **{f"custom_attributes_{kind}": values})
    assert (builder.particle_count, builder.tri_count, builder.edge_count, builder.spring_count) == (0, 0, 0, 0)
    assert not mine.values
    builder.add_cloth_grid(**sheet, **{f"custom_attributes_{kind}": {"mine": 1.0}})
    assert mine.values


@pytest.mark.parametrize(("dtype", "value"), [(float, "x"), (float, (1, 2)), (int, {}), (wp.vec3, ("a", "b", "c"))])
def test_values_of_another_type_are_refused_by_name(dtype, value):
    builder = two_bodies()
    builder.add_custom_attribute(CustomAttribute("mine", dtype, "body"))
    builder.add_link(custom_attributes={"mine": value})
    with pytest.raises(OptionError, match=r"mine must be .* as of"):
        builder.finalize()


@pytest.mark.parametrize(("name", "assignment"), [("body_q", "state"), ("gravity", "model"), ("bodies", "model")])
def test_a_name_that_is_taken_is_refused(name, assignment):
    builder = two_bodies()
    builder.add_custom_attribute(CustomAttribute(name, float, "body", assignment))
    with pytest.raises(OptionError, match=name):
        builder.finalize().state()


def test_what_nobody_added_is_no_attribute():
    with pytest.raises(AttributeError, match="mass_scale"):
        _ = two_bodies().finalize().mass_scale


def table(**options):
    """A scene with a table of sensors, each on a body."""
    builder = two_bodies()
    builder.add_custom_frequency(it.ModelBuilder.CustomFrequency("sensor", **options))
    builder.add_custom_attribute(CustomAttribute("of", int, "sensor", default=-1, references="body"))
    builder.add_custom_attribute(CustomAttribute("gain", float, "sensor", default=2.0))
    return builder


def test_tables_have_a_value_a_row():
    builder = table()
    assert builder.add_custom_values(of=1) == {"of": 0}
    assert builder.add_custom_values_batch([{"of": 0, "gain": 3.0}, {"gain": 4.0}])[1] == {"gain": 2}
    with pytest.warns(SceneWarning, match="missing values"):
        model = builder.finalize()
    assert model.get_custom_frequency_count("sensor") == 3
    assert model.of.numpy().tolist() == [1, 0, -1] and model.gain.numpy().tolist() == [2.0, 3.0, 4.0]
    with pytest.raises(KeyError):
        model.get_custom_frequency_count("camera")


def test_references_follow_what_they_refer_to():
    part = table()
    part.add_custom_values(of=1, gain=1.0)
    part.add_custom_values(of=-1, gain=1.0)
    builder = table()
    for _ in range(2):
        builder.add_builder(part)
    assert builder.finalize().of.numpy().tolist() == [3, -1, 5, -1], "behind the two bodies of the scene itself"


def test_a_function_may_say_what_becomes_of_references():
    part = table()
    shift = lambda values, context: [v + 10 * context["entity_offsets"]["body"] for v in values]  # noqa: E731
    part.add_custom_attribute(CustomAttribute("mark", int, "sensor", reference_value_transformer=shift))
    part.add_custom_values(of=0, gain=1.0, mark=1)
    builder = two_bodies()
    builder.add_builder(part)
    assert builder.finalize().mark.numpy().tolist() == [21]


def test_values_of_text_are_lists():
    builder = two_bodies()
    builder.add_custom_attribute(CustomAttribute("kind", str, "body", default="none", values={1: "wheel"}))
    assert builder.finalize().kind == ["none", "wheel"]


def test_values_of_bodies_are_no_rows():
    builder = two_bodies()
    builder.add_custom_attribute(CustomAttribute("heat", float, "body"))
    with pytest.raises(TypeError, match="custom frequency"):
        builder.add_custom_values(heat=1.0)


def test_references_that_are_by_default_move_with_their_scene():
    """What nothing says of a row refers to the first body of its own scene, wherever that goes; -1 stays none."""
    builder = two_bodies()
    builder.add_custom_frequency(it.ModelBuilder.CustomFrequency("sensor"))
    builder.add_custom_attribute(CustomAttribute("tag", int, "sensor"))
    builder.add_custom_attribute(CustomAttribute("carrier", int, "sensor", default=0, references="body"))
    builder.add_custom_attribute(CustomAttribute("ends", "vec2i", "sensor", default=(1, -1), references="body"))
    builder.add_custom_values(tag=7)
    builder.add_custom_values(tag=8, ends=(0, 1))
    both = it.ModelBuilder()
    both.add_builder(builder)
    both.add_builder(builder)
    model = both.finalize()
    assert model.carrier.numpy().tolist() == [0, 0, 2, 2]
    assert model.ends.numpy().tolist() == [[1, -1], [0, 1], [3, -1], [2, 3]]


def test_tables_without_rows_are_no_arrays():
    builder = two_bodies()
    builder.add_custom_frequency(it.ModelBuilder.CustomFrequency("sensor"))
    builder.add_custom_attribute(CustomAttribute("tag", int, "sensor"))
    assert not hasattr(builder.finalize(), "tag")
    builder.add_custom_values(tag=7)
    assert builder.finalize().tag.numpy().tolist() == [7]


def test_a_reference_of_the_whole_model_goes_with_the_scene_that_states_it():
    """Its default too, unless the scene that it comes to has one of its own."""
    source = it.ModelBuilder()
    source.add_body()
    root = {"name": "root", "dtype": int, "frequency": "once", "references": "body", "default": 0}
    source.add_custom_attribute(source.CustomAttribute(**root))
    for values, expected in ((None, 2), ({}, 0), ({0: 1}, 1)):
        scene = it.ModelBuilder()
        for _ in range(2):
            scene.add_body()
        if values is not None:
            scene.add_custom_attribute(scene.CustomAttribute(**root, values=values))
        for _ in range(2):
            scene.add_builder(source)
        assert scene.finalize().root.numpy().tolist() == [expected]
    source.custom_attributes["root"].values[0] = 0
    scene.add_builder(source)
    assert scene.finalize().root.numpy().tolist() == [4]


def test_a_type_is_kept_as_it_was_given():
    attribute = it.ModelBuilder.CustomAttribute("size", wp.vec3, "body", default=2.0)
    assert (attribute.dtype, attribute.type, attribute.width) == (wp.vec3, "vec3f", 3)
    assert attribute.is_same_as(it.ModelBuilder.CustomAttribute("size", "vec3", "body", default=2.0))


def test_values_of_a_table_are_a_list_by_row():
    builder = it.ModelBuilder()
    builder.add_custom_frequency(it.ModelBuilder.CustomFrequency(name="sensor"))
    for name in ("rate", "tag"):
        attribute = it.ModelBuilder.CustomAttribute(name=name, frequency="sensor", dtype=wp.float32, default=7.0)
        builder.add_custom_attribute(attribute)
    assert builder.custom_attributes["rate"].values == []
    builder.add_custom_values(rate=1.0)
    builder.add_custom_values(tag=5.0)
    builder.add_custom_values(rate=3.0)
    assert builder.custom_attributes["rate"].values == [1.0, None, 3.0]
    scene = it.ModelBuilder()
    scene.add_builder(builder)
    scene.add_builder(builder)
    assert scene.custom_attributes["rate"].values == [1.0, None, 3.0, 1.0, None, 3.0]
    with pytest.warns(UserWarning, match="missing values"):
        model = scene.finalize()
    assert model.rate.numpy().tolist() == [1.0, 7.0, 3.0, 1.0, 7.0, 3.0]


def test_the_default_of_a_world_refers_within_it():
    robot = it.ModelBuilder()
    robot.add_body(mass=1.0)
    robot.add_body(mass=1.0)
    root = {"name": "root", "dtype": wp.int32, "frequency": "world", "references": "body", "default": 0}
    robot.add_custom_attribute(it.ModelBuilder.CustomAttribute(**root))
    scene = it.ModelBuilder()
    for _ in range(3):
        scene.add_world(robot)
    scene.add_builder(robot)  # of all worlds: it says nothing of one
    assert scene.finalize().root.numpy().tolist() == [0, 2, 4]
