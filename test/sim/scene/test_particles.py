# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Particles, springs and attachments of a scene, and the model that they become."""

import math

import numpy as np
import pytest
import warp as wp
from scenes import add_box
from soft_bodies import soft_box

import inertia_tools as it
from inertia_tools.errors import OptionError, SimulationError
from inertia_tools.sim.device.soft_model import ARRAYS


def pair() -> it.ModelBuilder:
    builder = it.ModelBuilder()
    builder.add_particle((0, 0, 0))
    builder.add_particle((0, 3, 4), (1, 0, 0), 2.0, radius=0.02)
    return builder


def grid(**options) -> it.ModelBuilder:
    builder = it.ModelBuilder()
    given = {"dim_x": 2, "dim_y": 3, "dim_z": 4, "cell_x": 0.1, "cell_y": 0.2, "cell_z": 0.3, "mass": 0.5}
    builder.add_particle_grid(**(given | options))
    return builder


def test_particles_keep_what_they_are_given():
    model = pair().finalize()
    assert model.particle_count == 2
    assert np.array_equal(model.particle_q.numpy(), [(0, 0, 0), (0, 3, 4)])
    assert np.array_equal(model.particle_qd.numpy(), [(0, 0, 0), (1, 0, 0)])
    assert np.array_equal(model.particle_mass.numpy(), [1.0, 2.0])
    assert np.array_equal(model.particle_inv_mass.numpy(), [1.0, 0.5])
    assert np.array_equal(model.particle_radius.numpy(), [0.1, 0.02])
    assert model.particle_q.dtype is wp.vec3d
    assert model.particle_mass.dtype is wp.float64
    assert model.particle_flags.dtype is wp.int32


def test_without_mass_or_flag_a_particle_is_pinned():
    builder = it.ModelBuilder()
    builder.add_particles(np.eye(3), np.zeros((3, 3)), [0.0, 1.0, 1.0], flags=[1, 0, 1])
    builder.add_particle((0, 0, 0))
    builder.particle_mass[3] = 0.0  # as scripts for Newton do
    assert np.array_equal(builder.finalize().particle_inv_mass.numpy(), [0.0, 0.0, 1.0, 0.0])


def test_a_grid_has_y_slowest_and_z_fastest():
    builder = grid()
    assert builder.particle_count == 24
    assert np.allclose(builder.particle_q[1], (0.0, 0.0, 0.3))
    assert np.allclose(builder.particle_q[4], (0.1, 0.0, 0.0))
    assert np.allclose(builder.particle_q[8], (0.0, 0.2, 0.0))


def test_jitter_and_radii_stay_within_their_bounds_and_repeat():
    plain, first, second = grid(), grid(jitter=0.01, radius_std=0.5), grid(jitter=0.01, radius_std=0.5)
    moved = np.abs(np.subtract(first.particle_q, plain.particle_q))
    assert 0.0 < moved.max() <= 0.01
    assert np.array_equal(first.particle_q, second.particle_q)
    assert min(first.particle_radius) > 0.0
    assert np.std(first.particle_radius) > 0.01


def test_a_spring_rests_at_the_distance_of_its_ends():
    builder = pair()
    assert builder.add_spring(0, 1, 10.0, 0.5, 0.0) == 0
    model = builder.finalize()
    assert model.spring_rest_length.numpy() == pytest.approx([5.0])
    assert np.array_equal(model.spring_indices.numpy(), [0, 1])
    assert (model.spring_stiffness.numpy()[0], model.spring_damping.numpy()[0]) == (10.0, 0.5)


def test_an_attachment_names_its_particle_body_and_point():
    builder = pair()
    body = add_box(builder, 1.0, 0.05, (0.0, 0.0, 0.05))
    builder.add_attachment_particle_body(1, body, body_point=(0.1, 0.2, 0.3), stiffness=math.inf)
    builder.add_attachment_particle_body(0, body, enabled=False, damping=2.0)
    builder.replicate(2)
    soft = builder.finalize().soft
    assert np.array_equal(soft.attachment_particle.numpy(), [1, 0, 3, 2])
    assert np.array_equal(soft.attachment_body.numpy(), [0, 0, 1, 1])
    assert np.array_equal(soft.attachment_point.numpy()[:2], [(0.1, 0.2, 0.3), (0, 0, 0)])
    assert np.array_equal(soft.attachment_stiffness.numpy()[:2], [math.inf, 1e4])
    assert np.array_equal(soft.attachment_enabled.numpy()[:2], [1, 0])


def test_a_scene_of_particles_only_becomes_a_model():
    model = pair().finalize(dtype="float32")
    assert (model.body_count, model.joint_count, model.particle_count) == (0, 0, 2)
    assert model.tet_count == model.tri_count == model.edge_count == model.spring_count == 0
    assert model.tri_indices.shape == (0, 3)


def test_a_model_without_particles_has_counts_of_zero_and_empty_arrays():
    model = it.ModelBuilder().finalize()
    assert model.soft is None
    assert model.particle_count == model.tet_count == model.attachment_particle_body_count == 0
    for name in ARRAYS:
        assert len(getattr(model, name)) == 0, name
    assert (model.particle_mu, model.soft_contact_mu, model.particle_max_velocity) == (0.5, 0.5, 1e5)


def test_numbers_of_a_model_can_be_set_and_are_checked():
    model = pair().finalize()
    model.particle_mu = 0.25
    assert model.soft.particle_mu == 0.25
    with pytest.raises(OptionError, match="particle_cohesion"):
        model.particle_cohesion = -1.0
    builder = pair()
    builder.particle_max_velocity = 3.0
    assert builder.finalize().particle_max_velocity == 3.0


def test_worlds_have_particles_of_their_own():
    builder = soft_box((1, 1, 1))
    builder.add_spring(0, 7, 1.0)
    one = builder.finalize().soft
    builder.replicate(3)
    model = builder.finalize()
    soft, count = model.soft, one.particle_count
    assert (model.particle_count, model.tet_count) == (3 * count, 3 * one.tet_count)
    assert np.array_equal(soft.particle_world.numpy(), np.repeat([0, 1, 2], count))
    for name in ("tet_indices", "tri_indices", "edge_indices", "spring_indices"):
        copies = getattr(soft, name).numpy().reshape(3, *getattr(one, name).shape)
        for world in range(3):
            assert np.array_equal(copies[world], getattr(one, name).numpy() + world * count), name
    assert np.allclose(soft.tet_volumes.numpy(), np.tile(one.tet_volumes.numpy(), 3))


def test_boundary_edges_stay_boundary_edges_in_all_worlds():
    builder = it.ModelBuilder()
    builder.add_particle((5, 5, 5))
    builder.add_cloth_mesh(vertices=np.eye(3), indices=[0, 1, 2], density=1.0)
    builder.replicate(2)
    assert np.array_equal(builder.finalize().edge_indices.numpy()[:, 1], [-1] * 6)


def test_control_has_activations_of_its_own():
    model = soft_box((1, 1, 1)).finalize()
    control = model.control()
    assert control.tet_activations.shape == (5,)
    assert control.tri_activations.shape == (12,)
    control.tet_activations.fill_(1.0)
    assert not model.tet_activations.numpy().any()


def test_attributes_of_particles_and_elements_reach_the_model():
    builder = it.ModelBuilder()
    for name, frequency in (("heat", "particle"), ("age", "tetrahedron"), ("ply", "triangle"), ("seam", "edge")):
        builder.add_custom_attribute(it.ModelBuilder.CustomAttribute(name, "float", frequency))
    builder.add_particles(np.vstack([np.zeros(3), np.eye(3)]), custom_attributes={"heat": [1.0, 2.0, 3.0, 4.0]})
    builder.add_tetrahedron(0, 1, 2, 3, custom_attributes={"age": 7.0})
    builder.add_triangle(0, 1, 2, custom_attributes={"ply": 5.0})
    builder.add_edge(3, -1, 0, 1, custom_attributes={"seam": 6.0})
    model = builder.finalize()
    assert np.array_equal(model.heat.numpy(), [1, 2, 3, 4])
    assert (model.age.numpy()[0], model.ply.numpy()[0], model.seam.numpy()[0]) == (7.0, 5.0, 6.0)
    with pytest.raises(OptionError, match="heat"):
        builder.add_particles(np.eye(3), custom_attributes={"heat": [1.0, 2.0]})


def test_shapes_touch_particles_unless_they_say_otherwise():
    assert it.ShapeConfig().has_particle_collision
    assert not it.ShapeConfig(is_site=True).settled().has_particle_collision


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"pos": (0, 0)}, "pos"),
        ({"pos": (0, 0, np.inf)}, "pos"),
        ({"vel": (0, "a", 0)}, "vel"),
        ({"mass": -1.0}, "mass"),
        ({"mass": np.nan}, "mass"),
        ({"radius": -0.1}, "radius"),
        ({"flags": 8}, "flags"),
        ({"flags": 0.5}, "flags"),
        ({"custom_attributes": {"heat": 1.0}}, "heat"),
    ],
)
def test_a_wrong_particle_is_refused(wrong, named):
    builder = it.ModelBuilder()
    with pytest.raises(OptionError, match=named):
        builder.add_particle(**({"pos": (0, 0, 0)} | wrong))
    assert builder.particle_count == 0


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"vel": np.zeros((2, 3))}, "vel"),
        ({"mass": [1.0, 2.0]}, "mass"),
        ({"radius": [1.0, 2.0]}, "radius"),
        ({"flags": [1, 1]}, "flags"),
        ({"pos": [(0, 0, 0), (1, 1)]}, "pos"),
    ],
)
def test_lists_of_another_length_are_refused(wrong, named):
    with pytest.raises(OptionError, match=named):
        it.ModelBuilder().add_particles(**({"pos": np.eye(3)} | wrong))


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"dim_z": 0}, "dim_z"),
        ({"cell_x": -0.1}, "cell_x"),
        ({"jitter": -1.0}, "jitter"),
        ({"radius_std": np.nan}, "radius_std"),
        ({"mass": -1.0}, "mass"),
    ],
)
def test_a_wrong_grid_is_refused(wrong, named):
    with pytest.raises(OptionError, match=named):
        grid(**wrong)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [((0, 2, 1.0), "index below 2"), ((0, -1, 1.0), "index below 2"), ((1, 1, 1.0), "different"),
     ((0, 1, -1.0), "ke"), ((0, 1, 1.0, np.nan), "kd"), ((0, 1, 1.0, 0.0, np.inf), "control")],
)  # fmt: skip
def test_a_wrong_spring_is_refused(arguments, named):
    with pytest.raises(OptionError, match=named):
        pair().add_spring(*arguments)


@pytest.mark.parametrize("wrong", [[0, 1], [[0, 1], [2]], [[0], [1]]], ids=["list", "ragged", "column"])
@pytest.mark.parametrize("corners", [2, 3, 4], ids=["spring", "triangle", "tetrahedron"])
def test_a_list_is_no_particle_of_one_element(corners, wrong):
    """Two ends got the stiffness of one spring, two triangles or tetrahedra were added, or NumPy's error was raised."""
    builder = it.ModelBuilder()
    builder.add_particles(np.eye(4, 3), np.zeros((4, 3)), [1.0] * 4, None)
    one, several = {
        2: (lambda i: builder.add_spring(i, 2, 1.0), lambda i: builder.add_springs([i, 0], [2, 1], 1.0)),
        3: (lambda i: builder.add_triangle(i, 2, 3), lambda i: builder.add_triangles([i, 0], [2, 1], [3, 3])),
        4: (
            lambda i: builder.add_tetrahedron(i, 2, 3, 1),
            lambda i: builder.add_tetrahedra([i, 0], [2, 1], [3, 2], [1, 3]),
        ),
    }[corners]
    for add in (one, several):
        with pytest.raises(OptionError, match=r"^i"):
            add(wrong)
    assert (builder.spring_count, builder.tri_count, builder.tet_count) == (0, 0, 0)


def test_a_wrong_attachment_is_refused():
    builder = pair()
    add_box(builder, 1.0, 0.05, (0.0, 0.0, 0.05))
    for arguments, named in (
        ({"particle": 2}, "particle"), ({"stiffness": -1.0}, "stiffness"), ({"stiffness": np.nan}, "stiffness"),
        ({"damping": np.inf}, "damping"), ({"body_point": (0, 0)}, "body_point"),
    ):  # fmt: skip
        with pytest.raises(OptionError, match=named):
            builder.add_attachment_particle_body(**({"particle": 0, "body": 0} | arguments))
    with pytest.raises(SimulationError, match="body 1"):
        builder.add_attachment_particle_body(0, 1)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda b: b.particle_mass.append(1.0), "particle_mass must be of length 2; it is 'of length 3'"),
        (lambda b: b.particle_q.__setitem__(1, (0, np.nan, 0)), r"particle_q\[1\]"),
        (lambda b: b.particle_radius.__setitem__(0, -1.0), r"particle_radius\[0\]"),
        (lambda b: b.spring_indices.__setitem__(0, 5), "spring_indices"),
        (lambda b: b.spring_indices.pop(), "spring_indices"),
        (lambda b: b.particle_flags.pop(), "particle_flags"),
        (lambda b: setattr(b, "particle_max_velocity", 0.0), "particle_max_velocity"),
    ],
)
def test_lists_that_were_written_to_are_checked_when_the_scene_is_finished(change, named):
    builder = pair()
    builder.add_spring(0, 1, 1.0)
    change(builder)
    with pytest.raises(OptionError, match=named):
        builder.finalize()


def test_flags_are_those_of_newton():
    assert (int(it.ParticleFlags.ACTIVE), int(it.ParticleFlags.PROXY)) == (1, 2)


def test_a_scene_that_is_added_brings_its_particles():
    inner = soft_box((1, 1, 1), fix_left=True)
    inner.add_custom_attribute(it.ModelBuilder.CustomAttribute("heat", "float", "particle"))
    body = add_box(inner, 1.0, 0.05, (0.0, 0.0, 0.05))
    inner.add_attachment_particle_body(7, body, body_point=(0.1, 0.0, 0.0))
    inner.add_cloth_grid(
        dim_x=1, dim_y=1, cell_x=1.0, cell_y=1.0, mass=1.0, vel=(1, 0, 0), add_springs=True,
        custom_attributes_particles={"heat": 5.0},
    )  # fmt: skip
    pose = it.Pose.from_xyz_rpy((1.0, 2.0, 3.0), (0.3, -0.2, 1.0))
    outer = pair()
    add_box(outer, 1.0, 0.05, (0.0, 0.0, 0.05))
    outer.add_builder(inner, xform=pose)
    assert outer.particle_count == 2 + inner.particle_count
    assert np.allclose(outer.particle_q[2:], pose.transform_points(np.array(inner.particle_q)))
    assert np.allclose(outer.particle_qd[-1], pose.rotation[:, 0])
    assert outer.particle_mass[2:] == inner.particle_mass
    for name in ("tet_indices", "tri_indices", "spring_indices"):
        assert np.array_equal(np.array(getattr(outer, name)), np.array(getattr(inner, name)) + 2), name
    edges, theirs = np.array(outer.edge_indices), np.array(inner.edge_indices)
    assert np.array_equal(edges, np.where(theirs < 0, -1, theirs + 2))
    assert (outer.attachment_particle_body_particle, outer.attachment_particle_body_body) == ([9], [1])
    heat = outer.finalize().heat.numpy()
    assert np.array_equal(heat, [0.0] * 10 + [5.0] * 4)
    assert inner.particle_count == 12


def test_particles_of_worlds_that_were_begun_one_by_one_are_kept_apart():
    """In each world one falls onto a box of that world, and both lie in the same places."""
    builder = it.ModelBuilder()
    common = builder.add_particle((0.0, 0.0, 2.0), (0.0, 0.0, 0.0), 1.0, radius=0.1)
    for height in (0.2, 0.6):
        builder.begin_world(gravity=(0, 0, -10 * height))
        builder.add_shape_box(-1, hx=1.0, hy=1.0, hz=height)
        builder.add_particle((0.0, 0.0, height + 0.12), (0.0, 0.0, 0.0), 1.0, radius=0.1)
        builder.end_world()
    model = builder.finalize()
    assert model.particle_world.numpy().tolist() == [-1, 0, 1]
    state, contacts, solver = model.state(), model.contacts(), it.SolverXPBD(model)
    for step in range(60):
        if step == 1:
            assert state.particle_qd.numpy()[:, 2] == pytest.approx([-0.0981, -0.02, -0.06], rel=1e-5)
        solver.step(state, state, None, contacts, 0.01)
    heights = state.particle_q.numpy()[:, 2]
    assert heights[1:] == pytest.approx([0.3, 0.7], abs=1e-3)
    assert heights[common] == pytest.approx(0.9, abs=2e-3), "what is in no world lies on all: on the other particle"


def test_particles_near_shapes_are_found_without_a_step():
    builder = it.ModelBuilder()
    builder.add_ground_plane()
    box = builder.add_body((0.0, 0.0, 1.0))
    side = builder.add_shape_box(box, hx=0.2, hy=0.2, hz=0.2)
    for x, z in ((0.0, 0.04), (0.5, 0.3), (0.1, 1.21)):
        builder.add_particle((x, 0.0, z), (0.0, 0.0, 0.0), 1.0, radius=0.05)
    model = builder.finalize()
    state, contacts = model.state(), model.contacts()
    for _ in range(2):
        it.CollisionPipeline(model).collide(state, contacts)
        found = int(contacts.soft_contact_count.numpy()[0])
        assert sorted(contacts.soft_contact_particle.numpy()[:found].tolist()) == [0, 2]
    shape = dict(zip(contacts.soft_contact_particle.numpy().tolist(), range(found), strict=False))
    assert contacts.soft_contact_shape.numpy()[shape[0]] == 0 and contacts.soft_contact_shape.numpy()[shape[2]] == side
    assert np.allclose(contacts.soft_contact_body_pos.numpy()[shape[2]], (0.1, 0.0, 0.2), atol=1e-6)
    assert np.allclose(contacts.soft_contact_normal.numpy()[:found], (0, 0, 1), atol=1e-6)
    assert not contacts.soft_contact_force.numpy().any()
    twin, solver = model.state(), it.SolverXPBD(model)
    for one, touched, looks in ((state, model.contacts(), True), (twin, model.contacts(), False)):
        for _ in range(20):
            if looks:
                model.collide(one, touched)
            solver.step(one, one, None, touched, 0.01)
    assert np.array_equal(state.particle_q.numpy(), twin.particle_q.numpy()), "looking changes nothing"


def test_copies_of_worlds_with_particles_are_refused():
    builder = it.ModelBuilder()
    builder.replicate(pair(), 2)
    assert builder.particle_world == [0, 0, 1, 1]
    assert builder.finalize().particle_count == 4
    builder.replicate(2)
    with pytest.raises(SimulationError, match="replicate"):
        builder.finalize()


def test_arrays_of_a_model_take_other_values():
    model = grid().finalize()
    flags = model.particle_flags.numpy()
    flags[0] = 0
    model.particle_flags = wp.array(flags)
    state, solver = model.state(), it.SolverXPBD(model)
    solver.step(state, state, None, None, 0.1)
    speeds = state.particle_qd.numpy()[:, 2]
    assert speeds[0] == 0.0 and np.allclose(speeds[1:], -0.981, rtol=1e-5)
    with pytest.raises(OptionError, match="particle_flags"):
        model.particle_flags = flags[1:]


def test_cloth_and_solids_have_names_and_ranges_in_all_worlds():
    builder = it.ModelBuilder()
    builder.add_particle((0, 0, 0))
    builder.add_cloth_grid(dim_x=2, dim_y=1, cell_x=1.0, cell_y=1.0, mass=1.0, label="flag")
    builder.add_soft_grid(dim_x=1, dim_y=1, dim_z=1, cell_x=1.0, cell_y=1.0, cell_z=1.0, density=1.0)
    builder.replicate(2)
    model = builder.finalize()
    assert (model.surface_label, model.volume_label) == (("flag",) * 2, ("volume_0",) * 2)
    assert (model.surface_count, model.volume_count) == (2, 2)
    ranges = {
        "surface_particle_start": [1, 16], "surface_particle_end": [7, 22], "surface_tri_start": [0, 16],
        "surface_tri_end": [4, 20], "surface_edge_start": [0, 27], "surface_edge_end": [9, 36],
        "volume_particle_start": [7, 22], "volume_particle_end": [15, 30], "volume_tet_start": [0, 5],
        "volume_tet_end": [5, 10],
    }  # fmt: skip
    for name, expected in ranges.items():
        assert getattr(model, name).numpy().tolist() == expected, name


def test_a_scene_that_is_added_brings_the_names_of_its_soft_bodies():
    outer = soft_box((1, 1, 1))
    outer.add_builder(soft_box((1, 1, 1), label="cube"), label_prefix="left")
    assert outer.volume_label == ["volume_0", "left/cube"]
    assert (outer.volume_particle_start, outer.volume_tet_end) == ([0, 8], [5, 10])


def test_stiffness_of_contacts_is_kept_and_has_no_effect():
    model = pair().finalize()
    assert (model.soft_contact_ke, model.soft_contact_kd, model.soft_contact_kf) == (1e3, 10.0, 1e3)
    model.soft_contact_ke = 5.0
    assert model.soft_contact_ke == 5.0
