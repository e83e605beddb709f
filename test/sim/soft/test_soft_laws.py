# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Laws that soft bodies obey: closed forms, finite elements, momentum, balance of forces."""

import numpy as np
import pytest

import inertia_tools as it
from test.sim.soft.laws import cantilever, free_momenta, hanging_spring, hung_cloth, sagging_cube, slippery_cube
from test.sim.soft.scenes import GRAVITY, force_on_ground, run, soft_box, watch


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_hanging_spring_swings_as_its_closed_form(dtype):
    place, rate = hanging_spring(dtype)
    assert place < (3e-7 if dtype == "float64" else 3e-6)
    assert rate < 2e-5


def test_the_damper_of_a_spring_damps_as_its_closed_form():
    k, c, m = 50.0, 2.0, 1.0
    builder = it.ModelBuilder(gravity=(0, 0, 0))
    builder.add_particle((0, 0, 0), (0, 0, 0), 0.0, radius=0.0)
    builder.add_particle((1, 0, 0), (0.3, 0, 0), m, radius=0.0)
    builder.add_spring(0, 1, k, c, 0)
    seen = watch(builder.finalize(dtype="float64"), 2.0, lambda s: s.particle_q.numpy()[1, 0] - 1.0)
    t = np.arange(1, len(seen) + 1) / 120
    decay, omega = c / (2 * m), np.sqrt(k / m - (c / (2 * m)) ** 2)
    assert seen == pytest.approx(0.3 / omega * np.exp(-decay * t) * np.sin(omega * t), abs=3e-5 * 0.3 / omega)


@pytest.mark.parametrize(("mu", "lam", "smooth"), [(0.0, 0.0, False), (0.0, 0.0, True), (0.0, 1e4, True)])
def test_a_solid_without_shear_stiffness_falls_freely(mu, lam, smooth):
    """Its rest volume was 0 / 0 times another number, and all particles became NaN."""
    builder = it.ModelBuilder()
    soft_box(builder, (2, 2, 2), (0.1, 0.1, 0.1), k=(mu, lam, 0.0), radius=0.0, smooth_strain=smooth)
    model = builder.finalize(dtype="float64")
    state, _, _ = run(model, 0.5, touch=False)
    fallen = state.particle_q.numpy() - model.particle_q.numpy()
    assert fallen == pytest.approx(np.tile([0.0, 0.0, -GRAVITY / 8], (27, 1)), abs=1e-6)


def test_a_tetrahedron_of_damping_alone_is_a_dashpot():
    """A corner one metre above the others, of 1 kg, moves on with exp(-2 V c t)."""
    builder, c, duration = it.ModelBuilder(gravity=(0, 0, 0)), 4.0, 0.5
    for corner in [(0, 0, 0), (1, 0, 0), (0, 1, 0)]:
        builder.add_particle(corner, (0, 0, 0), 0.0, radius=0.0)
    builder.add_particle((0, 0, 1), (0, 0, 0.01), 1.0, radius=0.0)
    builder.add_tetrahedron(0, 1, 2, 3, k_mu=0.0, k_lambda=0.0, k_damp=c)
    state, _, _ = run(builder.finalize(dtype="float64"), duration, touch=False)
    assert state.particle_qd.numpy()[3, 2] == pytest.approx(0.01 * np.exp(-2 / 6 * c * duration), rel=2e-3)


@pytest.mark.parametrize(("stiffness", "damping"), [(0.0, 2.0), (20.0, 0.0), (20.0, 2.0)])
def test_a_hinge_swings_and_damps_as_its_closed_form(stiffness, damping):
    """A particle of 1 kg one metre off the edge. Without stiffness, damping had no effect."""
    builder, duration, rate = it.ModelBuilder(gravity=(0, 0, 0)), 0.5, 0.1
    for corner in [(0, -1, 0), (0, 1, 0), (1, 0, 0)]:
        builder.add_particle(corner, (0, 0, 0), 0.0, radius=0.0)
    builder.add_particle((-1, 0, 0), (0, 0, rate), 1.0, radius=0.0)
    builder.add_edge(3, 2, 0, 1, edge_ke=stiffness, edge_kd=damping)
    state, _, _ = run(builder.finalize(dtype="float64"), duration, dt=1 / 240, touch=False)
    slow, fast = np.roots([1.0, damping, stiffness]).astype(complex)
    expected = rate * (slow * np.exp(slow * duration) - fast * np.exp(fast * duration)) / (slow - fast)
    assert state.particle_qd.numpy()[3, 2] == pytest.approx(expected.real, abs=5e-3 * rate)


@pytest.mark.parametrize(("dt", "substeps"), [(1 / 60, 4), (1 / 60, 1), (1 / 1000, 1)])
@pytest.mark.parametrize("kind", ["grain", "spring", "solid"])
def test_no_particle_is_faster_than_the_limit(kind, dt, substeps):
    """A spring threw its end at 29 m/s, and the velocity that a falling solid read grew although it fell at 2 m/s."""
    builder, limit, duration = it.ModelBuilder(), 2.0, 0.6
    if kind == "solid":
        soft_box(builder, (1, 1, 1), (0.1, 0.1, 0.1), radius=0.0)
    else:
        builder.add_particle((0, 0, 0), (0, 0, 0), 1.0, radius=0.0)
        builder.add_particle((0, 0, 0.5), (0, 0, 0), 0.0, radius=0.0)
    if kind == "spring":
        builder.add_spring(0, 1, 1e5, 0.0, 0)
        builder.spring_rest_length[0] = 1.0
    model = builder.finalize(dtype="float64")
    model.particle_max_velocity = limit
    seen = watch(model, duration, lambda s: np.array([s.particle_q.numpy(), s.particle_qd.numpy()]), dt, substeps)
    x = np.concatenate([[model.particle_q.numpy()], seen[:, 0]])
    assert np.linalg.norm(np.diff(x, axis=0), axis=2).max() <= limit * dt * (1 + 1e-9)
    assert np.linalg.norm(seen[:, 1], axis=2).max() <= limit * (1 + 1e-9)
    if kind != "spring":
        assert seen[-1, 1, 0, 2] == pytest.approx(-limit, rel=0.1)  # it falls at the limit


@pytest.mark.parametrize("kind", ["cloth", "solid"])
def test_what_nothing_touches_keeps_its_momenta(kind):
    assert free_momenta(kind) < 1e-12


@pytest.mark.sweep
@pytest.mark.parametrize(("dt", "substeps"), [(1 / 240, 4), (1 / 1000, 1)])
@pytest.mark.parametrize("kind", ["box", "soft"])
def test_what_a_soft_cube_flies_at_takes_the_momentum_that_it_loses(kind, dt, substeps):
    """0.15 % of it was lost at 1/240 s: rates of stiff and of soft parts of the cube are not of one instant."""
    builder = it.ModelBuilder(gravity=(0, 0, 0))
    cube = {"dim_x": 3, "dim_y": 3, "dim_z": 3, "cell_x": 0.1, "cell_y": 0.1, "cell_z": 0.1, "density": 1000.0}
    elastic = {"k_mu": 1e5, "k_lambda": 1e5, "k_damp": 0.0, "particle_radius": 0.005}
    builder.add_soft_grid(pos=(-0.15, -0.15, 0.2), vel=(0, 0, -2.0), **cube, **elastic)
    if kind == "soft":
        builder.add_soft_grid(pos=(-0.05, -0.1, -0.15), **cube, **elastic)
    else:
        body = builder.add_link(xform=it.Pose(np.array([0.05, 0.02, 0.05])))
        builder.add_shape_box(body, hx=0.2, hy=0.2, hz=0.1, cfg=it.ShapeConfig(mu=0.5, density=1500.0))
    model = builder.finalize(dtype="float64")
    state, _, _ = run(model, 0.4, dt=dt, substeps=substeps)
    momentum = (model.particle_mass.numpy()[:, None] * state.particle_qd.numpy()).sum(axis=0)
    if kind == "box":
        momentum += model.body_mass.numpy()[0] * state.body_qd.numpy()[0, :3]
    assert momentum == pytest.approx([0.0, 0.0, -54.0], abs=1e-4)
    assert state.particle_qd.numpy()[:, 2].max() > -1.5  # they have met


@pytest.mark.sweep
@pytest.mark.parametrize("nu", [0.3, 0.45])
@pytest.mark.parametrize("cells", [(8, 1, 1), (10, 2, 2), (12, 3, 3)])
def test_a_cantilever_bends_as_linear_finite_elements_of_the_same_mesh(cells, nu):
    assert cantilever(cells, nu) < 2e-3


@pytest.mark.parametrize("k", [2e4, 1e5, 3e5])
def test_a_cube_sags_under_its_weight_as_finite_elements_of_the_same_mesh(k):
    sag, expected, _ = sagging_cube(k, 1.0)
    assert expected == pytest.approx(1000 * GRAVITY * 0.2**2 / 2 / (2.5 * k), rel=0.02)  # of a column, E = 2.5 k
    assert sag == pytest.approx(expected, rel=0.05)


def test_a_soft_cube_without_friction_stays_on_the_floor():
    model = slippery_cube(2e4)
    solver, state, contacts = it.SolverXPBD(model, substeps=10), model.state(), model.contacts()
    for frame in range(180):
        solver.step(state, state, None, contacts, 1 / 60)
        if frame > 120:  # it let go, fell for a substep and bounced
            assert force_on_ground(contacts) == pytest.approx(GRAVITY * model.particle_mass.numpy().sum(), rel=1e-3)
            assert state.particle_q.numpy()[:, 2].min() > -1e-6


@pytest.mark.sweep
@pytest.mark.parametrize("inverted", [False, True])
@pytest.mark.parametrize("k", [1e5, 1e7, 1e9])
def test_nothing_explodes_and_what_was_turned_inside_out_recovers(k, inverted):
    builder = it.ModelBuilder()
    builder.add_ground_plane()
    soft_box(builder, (3, 3, 3), (0.15, 0.15, 0.15), at=(0, 0, 0.1), k=(k, k, 0.0), radius=0.0)
    model = builder.finalize(dtype="float64")
    rest = model.particle_q.numpy()
    solver, state, contacts = it.SolverXPBD(model, substeps=20), model.state(), model.contacts()
    if inverted:
        state.particle_q.assign(rest * [1, 1, -1] + [0, 0, 0.5])
    for _ in range(60):
        solver.step(state, state, None, contacts, 1 / 60)
        assert state.particle_q.numpy()[:, 2].max() < 0.5
    x, tets = state.particle_q.numpy(), model.tet_indices.numpy()
    edges = np.stack([x[tets[:, c]] - x[tets[:, 0]] for c in (1, 2, 3)], axis=2)
    ratios = np.linalg.det(edges) / 6 / model.tet_volumes.numpy()
    assert ratios == pytest.approx(1.0, abs=0.1)


def test_a_particle_lands_and_its_weight_is_borne():
    builder = it.ModelBuilder()
    builder.add_ground_plane()
    builder.add_particle((0, 0, 0.3), (0, 0, 0), 2.0, radius=0.1)
    state, contacts, _ = run(builder.finalize(dtype="float64"), 1.0)
    assert state.particle_q.numpy()[0, 2] == pytest.approx(0.1, abs=1e-8)
    assert state.particle_qd.numpy()[0] == pytest.approx(0.0, abs=1e-6)
    assert force_on_ground(contacts) == pytest.approx(2.0 * GRAVITY, rel=3e-6)


@pytest.mark.parametrize(("degrees", "mu"), [(20.0, 0.2), (20.0, 0.5)])
def test_a_particle_on_an_incline_slides_as_coulomb_says_or_sticks(degrees, mu):
    angle = np.radians(degrees)
    builder = it.ModelBuilder(gravity=(GRAVITY * np.sin(angle), 0, -GRAVITY * np.cos(angle)))
    builder.add_ground_plane(cfg=it.ModelBuilder.ShapeConfig(mu=mu))
    builder.add_particle((0, 0, 0.05), (0, 0, 0), 0.3, radius=0.05)
    model = builder.finalize(dtype="float64")
    model.soft_contact_mu = mu
    state, _, _ = run(model, 1.0)
    slides = max(np.sin(angle) - mu * np.cos(angle), 0.0) * GRAVITY
    assert state.particle_qd.numpy()[0, 0] == pytest.approx(slides, abs=2e-3 * slides + 1e-9)
    assert state.particle_q.numpy()[0, 0] == pytest.approx(0.5 * slides, abs=3e-3 * slides + 1e-7)


COMBINED = [("min", 0.1, 0.0), ("mean", 0.2, 0.15), ("product", 0.03, 0.0), ("max", 0.3, 0.3)]


@pytest.mark.parametrize(("rule", "first", "second"), COMBINED)
def test_friction_of_particles_follows_the_rule_and_what_is_set_later(rule, first, second):
    """In each copy of a scene, of which every other ground is without friction."""
    angle = np.radians(20.0)
    world = it.ModelBuilder(gravity=(GRAVITY * np.sin(angle), 0, -GRAVITY * np.cos(angle)), friction_combine=rule)
    world.add_particle((0, 0, 0.05), (0, 0, 0), 0.3, radius=0.05)
    world.add_shape_sphere(-1, xform=it.Pose([0.0, 0.0, -9.0]), radius=0.1)
    world.add_ground_plane(cfg=it.ModelBuilder.ShapeConfig(mu=0.9))
    builder = it.ModelBuilder(friction_combine=rule)
    builder.replicate(world, 2)
    model = builder.finalize(dtype="float64")
    model.soft_contact_mu = 0.3
    model.shape_material_mu.assign([0.0, 0.1, 0.0, 0.0])
    state, _, _ = run(model, 0.2)
    for velocity, mu in zip(state.particle_qd.numpy(), (first, second), strict=True):
        along = (np.sin(angle) - mu * np.cos(angle)) * GRAVITY * 0.2
        assert velocity[0] == pytest.approx(along, abs=2e-3 * along)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_soft_block_on_a_rigid_box_weighs_on_the_ground_in_full(dtype):
    builder = it.ModelBuilder()
    builder.add_ground_plane()
    body = builder.add_body(xform=(0, 0, 0.1, 0, 0, 0, 1))
    builder.add_shape_box(body, hx=0.3, hy=0.3, hz=0.1, cfg=it.ModelBuilder.ShapeConfig(density=100.0))
    soft_box(builder, (3, 3, 3), (0.2, 0.2, 0.2), at=(-0.1, -0.1, 0.205), k=(1e5, 1e5, 500.0))
    model = builder.finalize(dtype=dtype)
    state, contacts, _ = run(model, 1.0)
    weight = GRAVITY * (model.particle_mass.numpy().sum() + model.body_mass.numpy().sum())
    assert abs(contacts.data.force.numpy()[:, 2].sum()) == pytest.approx(weight, rel=1e-4)
    assert state.body_q.numpy()[0, :3] == pytest.approx([0, 0, 0.1], abs=1e-5)


@pytest.mark.parametrize("layers", [10, 30])
def test_a_stack_of_particles_comes_to_rest_with_its_weight_on_the_ground(layers):
    builder = it.ModelBuilder()
    builder.add_ground_plane()
    builder.add_particles([(0, 0, 0.0505 + 0.101 * n) for n in range(layers)], mass=0.01, radius=0.05)
    model = builder.finalize(dtype="float64")
    state, contacts, _ = run(model, 5.0, dt=1 / 60, substeps=1)
    assert force_on_ground(contacts) == pytest.approx(0.01 * layers * GRAVITY, rel=1e-5)
    assert state.particle_qd.numpy() == pytest.approx(0.0, abs=1e-4)


def test_a_pile_of_particles_weighs_on_the_ground_in_full():
    builder = it.ModelBuilder()
    builder.add_ground_plane()
    for x, y, hx, hy in ((-0.4, 0, 0.2, 1), (0.4, 0, 0.2, 1), (0, -0.4, 1, 0.2), (0, 0.4, 1, 0.2)):
        builder.add_shape_box(-1, xform=(x, y, 0.5, 0, 0, 0, 1), hx=hx, hy=hy, hz=1.0)
    pose = {"pos": (-0.16, -0.16, 0.05), "rot": (0, 0, 0, 1), "vel": (0, 0, 0)}
    cells = {"dim_x": 5, "dim_y": 5, "dim_z": 5, "cell_x": 0.08, "cell_y": 0.08, "cell_z": 0.08}
    builder.add_particle_grid(**pose, **cells, mass=0.01, jitter=0.004, radius_mean=0.035)
    model = builder.finalize(dtype="float64")
    state, contacts, _ = run(model, 2.0)
    assert np.linalg.norm(state.particle_qd.numpy(), axis=1).max() < 1e-2
    assert force_on_ground(contacts) == pytest.approx(GRAVITY * model.particle_mass.numpy().sum(), rel=1e-2)
    x, radius = state.particle_q.numpy(), model.particle_radius.numpy()
    apart = np.linalg.norm(x[:, None] - x[None], axis=2) - radius[:, None] - radius[None]
    assert apart[np.triu_indices(len(x), 1)].min() > -1e-4


def test_a_cloth_hung_by_two_corners_hardly_stretches():
    strain, change = hung_cloth()
    assert strain < 0.01
    assert change < 5e-3


def test_worlds_of_soft_bodies_are_alike_and_apart():
    builder = it.ModelBuilder()
    builder.add_ground_plane()
    soft_box(builder, (2, 2, 2), (0.1, 0.1, 0.1), at=(0, 0, 0.02))
    alone, _, _ = run(builder.finalize(dtype="float64"), 0.3)
    builder.replicate(2)
    both, _, _ = run(builder.finalize(dtype="float64"), 0.3)
    x = both.particle_q.numpy().reshape(2, -1, 3)
    assert x[0] == pytest.approx(alone.particle_q.numpy(), abs=1e-9)
    assert x[1] == pytest.approx(x[0], abs=1e-12)


def test_two_runs_agree_to_the_bit():
    builder = it.ModelBuilder()
    builder.add_ground_plane()
    soft_box(builder, (2, 2, 2), (0.1, 0.1, 0.1), at=(0, 0, 0.02))
    model = builder.finalize()
    runs = [run(model, 0.3)[0].particle_q.numpy() for _ in range(2)]
    assert (runs[0] == runs[1]).all()


@pytest.mark.parametrize("stiffness", [np.inf, 1e4])
def test_a_particle_attached_to_a_body_hangs_from_it(stiffness):
    builder = it.ModelBuilder()
    body = builder.add_body(xform=(0, 0, 1, 0, 0, 0, 1), is_kinematic=True)
    builder.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1)
    builder.add_particle((0.1, 0, 0.5), (0, 0, 0), 0.2, radius=0.0)
    builder.add_attachment_particle_body(
        0, body, body_point=(0.1, 0, -0.5), stiffness=stiffness, damping=5.0 if np.isfinite(stiffness) else 0.0
    )
    state, _, _ = run(builder.finalize(dtype="float64"), 1.0)
    sag = 0.2 * GRAVITY / stiffness
    assert state.particle_q.numpy()[0] == pytest.approx([0.1, 0, 0.5 - sag], abs=1e-8)


@pytest.mark.slow
def test_a_cloth_carries_a_rigid_ball():
    builder, n = it.ModelBuilder(), 8
    material = {
        "tri_ke": 2e3,
        "tri_ka": 2e3,
        "tri_kd": 200.0,
        "edge_ke": 1e-3,
        "edge_kd": 1e-5,
        "particle_radius": 0.02,
    }
    sides = dict.fromkeys(("fix_left", "fix_right", "fix_top", "fix_bottom"), True)
    pose = {"pos": (-0.5, -0.5, 1), "rot": (0, 0, 0, 1), "vel": (0, 0, 0)}
    builder.add_cloth_grid(**pose, dim_x=n, dim_y=n, cell_x=1 / n, cell_y=1 / n, mass=1e-3, **material, **sides)
    ball = builder.add_body(xform=(0.01, 0.02, 1.18, 0, 0, 0, 1))
    builder.add_shape_sphere(ball, radius=0.15, cfg=it.ModelBuilder.ShapeConfig(density=70.0))
    model = builder.finalize(dtype="float64")
    state, contacts, _ = run(model, 1.5)
    weight = GRAVITY * float(model.body_mass.numpy()[0])
    used = int(contacts.soft_contact_count.numpy()[0])
    assert -contacts.soft_contact_force.numpy()[:used, 2].sum() == pytest.approx(weight, rel=2e-2)
    assert 0.9 < state.body_q.numpy()[0, 2] < 1.18


def test_a_gripper_lifts_a_soft_cube_and_does_not_let_it_creep():
    builder = it.ModelBuilder()
    builder.add_ground_plane()
    soft_box(builder, (3, 3, 3), (0.1, 0.1, 0.1), at=(-0.05, -0.05, 0.006), k=(3e4, 3e4, 100.0))
    palm = builder.add_link(xform=(0, 0, 0.3, 0, 0, 0, 1), mass=1.0, inertia=0.01 * np.eye(3))
    rail = {"axis": (0, 0, 1), "parent_xform": (0, 0, 0.3, 0, 0, 0, 1), "target_ke": 5e4, "target_kd": 5e2}
    builder.add_joint_prismatic(-1, palm, **rail)
    for side in (-1, 1):
        finger = builder.add_link(xform=(0.08 * side, 0, 0.056, 0, 0, 0, 1))
        material = it.ModelBuilder.ShapeConfig(density=2000.0, mu=0.8)
        builder.add_shape_box(finger, hx=0.01, hy=0.04, hz=0.03, cfg=material)
        place = (0.08 * side, 0, -0.244, 0, 0, 0, 1)
        builder.add_joint_prismatic(palm, finger, axis=(-side, 0, 0), parent_xform=place, target_ke=0.0, target_kd=5.0)
    model = builder.finalize(dtype="float64")
    solver, state, contacts, control = it.SolverXPBD(model), model.state(), model.contacts(), model.control()
    control.joint_f.assign(np.array([0.0, 20.0, 20.0]))
    heights = []
    for step in range(150):
        control.joint_target_pos.assign(np.array([0.2 * min(max(step / 120 - 0.3, 0.0), 0.5), 0.0, 0.0]))
        solver.step(state, state, control, contacts, 1 / 120)
        heights.append(state.particle_q.numpy()[:, 2].mean() - state.body_q.numpy()[1:, 2].mean())
    lifted = state.particle_q.numpy()[:, 2].mean()
    assert lifted == pytest.approx(0.055 + 0.1, abs=5e-3)
    assert np.ptp(heights[-20:]) < 1e-5


@pytest.mark.sweep
@pytest.mark.parametrize(("dt", "substeps"), [(1 / 60, 1), (1 / 60, 4), (1 / 600, 1)])
@pytest.mark.parametrize("restitution", [0.0, 0.5, 0.8, 1.0])
def test_a_particle_bounces_by_its_restitution(restitution, dt, substeps):
    """It turned round above the floor with the restitution of its speed there, 3 % of the height too high."""
    builder = it.ModelBuilder()
    builder.add_ground_plane()
    builder.add_particle((0, 0, 0.6), (0, 0, 0), 0.2, radius=0.1)
    model = builder.finalize(dtype="float64")
    model.soft_contact_restitution = restitution
    solver = it.SolverXPBD(model, substeps=substeps, enable_restitution=True)
    state, contacts, apexes, rises = model.state(), model.contacts(), [], False
    for _ in range(round(1.4 / dt)):
        solver.step(state, state, None, contacts, dt)
        energy = state.particle_q.numpy()[0, 2] - 0.1 + state.particle_qd.numpy()[0, 2] ** 2 / (2.0 * GRAVITY)
        was, rises = rises, state.particle_qd.numpy()[0, 2] > 0.0
        if was and not rises:
            apexes.append(energy)
    high = [0.5 * restitution ** (2 * n) for n in range(1, 6) if restitution ** (2 * n) > 0.01]
    assert restitution == 0.0 or len(apexes) > 1
    assert np.abs(np.subtract(apexes[: len(high)], high[: len(apexes)])).max(initial=0.0) < 1e-5
    assert max(apexes[len(high) :], default=0.0) < 0.005


def test_cohesive_particles_hang_on_each_other_and_others_fall():
    builder = it.ModelBuilder()
    builder.add_particle((0, 0, 1), (0, 0, 0), 0.0, radius=0.05)
    builder.add_particle((0, 0, 0.895), (0, 0, 0), 0.01, radius=0.05)
    model = builder.finalize(dtype="float64")
    fallen, _, _ = run(model, 0.3)
    model.particle_cohesion = 0.01
    held, _, _ = run(model, 0.3)
    assert fallen.particle_q.numpy()[1, 2] == pytest.approx(0.895 - 0.5 * GRAVITY * 0.3**2, abs=1e-6)
    assert held.particle_q.numpy()[1, 2] == pytest.approx(0.9, abs=1e-6)


@pytest.mark.sweep
@pytest.mark.parametrize("slope", [0.0, 0.2])
@pytest.mark.parametrize(("dt", "substeps"), [(1 / 60, 1), (1 / 240, 4)])
@pytest.mark.parametrize("kind", ["block", "cloth", "two particles"])
def test_what_rests_reads_no_velocity(kind, dt, substeps, slope):
    """What held together read that of free fall for half a substep: 0.08 m/s at 1/60 s."""
    builder = it.ModelBuilder(gravity=(GRAVITY * np.sin(slope), 0.0, -GRAVITY * np.cos(slope)))
    builder.add_ground_plane(cfg=it.ShapeConfig(mu=0.5))
    if kind == "block":
        soft_box(builder, (2, 2, 1), (0.2, 0.2, 0.1), (0.0, 0.0, 0.02), (1e5, 1e5, 500.0), 1000.0, 0.02)
    elif kind == "cloth":
        cells = {"dim_x": 3, "dim_y": 3, "cell_x": 0.05, "cell_y": 0.05, "mass": 0.01, "particle_radius": 0.02}
        builder.add_cloth_grid(pos=(0, 0, 0.02), **cells, tri_ke=1e3, tri_ka=1e3, tri_kd=1.0, edge_ke=1e-3)
    else:
        for x in (0.0, 0.1):
            builder.add_particle((x, 0.0, 0.02), mass=0.1, radius=0.02)
        builder.add_spring(0, 1, 1e3, 1.0, 0)
    model = builder.finalize(dtype="float64")
    model.soft_contact_mu = 0.5
    state, _, _ = run(model, 2.0, dt, substeps)
    assert np.abs(np.average(state.particle_qd.numpy(), axis=0, weights=model.particle_mass.numpy())).max() < 1e-4


def test_a_sheet_in_air_falls_at_its_terminal_speed():
    builder, drag, side, mass = it.ModelBuilder(), 0.5, 0.2, 0.02
    pose = {"pos": (0, 0, 0), "rot": (0, 0, 0, 1), "vel": (0, 0, 0)}
    builder.add_cloth_grid(
        **pose, dim_x=2, dim_y=2, cell_x=side / 2, cell_y=side / 2, mass=mass / 9, tri_drag=drag, particle_radius=0.0
    )
    state, _, _ = run(builder.finalize(dtype="float64"), 3.0, dt=1 / 60, touch=False)
    terminal = np.sqrt(mass * GRAVITY / (drag * side**2))
    speed = np.average(state.particle_qd.numpy()[:, 2])
    assert -speed == pytest.approx(terminal, rel=0.02)


def test_particles_touch_each_other_unless_they_are_told_not_to():
    builder = it.ModelBuilder(gravity=(0, 0, 0))
    for x, speed in ((0.0, 1.0), (0.5, -1.0)):
        builder.add_particle((x, 0, 1), (speed, 0, 0), mass=1.0, radius=0.1)
    builder.add_particle((3.0, 0, 0.2), (0, 0, -1.0), mass=1.0, radius=0.1)
    builder.add_ground_plane()
    model = builder.finalize(dtype="float64")
    met, _, _ = run(model, 0.5)
    apart, _, _ = run(model, 0.5, particle_enable_self_contact=False)
    assert met.particle_q.numpy()[1, 0] - met.particle_q.numpy()[0, 0] == pytest.approx(0.2, abs=1e-6)
    assert apart.particle_q.numpy()[:2, 0] == pytest.approx([0.5, 0.0], abs=1e-9)
    assert apart.particle_q.numpy()[2, 2] == pytest.approx(0.1, abs=1e-6)  # shapes are touched in any case


@pytest.mark.parametrize("count", [2, 3])
def test_particles_that_start_at_one_point_separate(count):
    """Their distance of zero had no normal, and they lay inside each other on the floor."""
    builder, radius = it.ModelBuilder(), 0.05
    builder.add_ground_plane()
    for _ in range(count):
        builder.add_particle((0, 0, 0.2), (0, 0, 0), 1.0, radius=radius)
    model = builder.finalize(dtype="float64")
    state, contacts, _ = run(model, 1.0, dt=1 / 60, substeps=4)
    x = state.particle_q.numpy()
    assert np.sort(x[:, 2]) == pytest.approx(radius * (1 + 2 * np.arange(count)), abs=1e-4)
    assert force_on_ground(contacts) == pytest.approx(count * GRAVITY, rel=1e-4)
