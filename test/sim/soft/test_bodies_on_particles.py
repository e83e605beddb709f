# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Rigid bodies that press on particles, hang from them and carry them: neither sinks into the other."""

import numpy as np
import pytest

import inertia_tools as it
from test.sim.soft.scenes import GRAVITY

STEPS = [(1 / 60, 1), (1 / 240, 4), (1 / 1000, 1)]
HALF, RADIUS, STIFFNESS = 0.01, 1e-3, 1e4


def pressed(force: float, mass: float, dt: float, substeps: int, dtype: str, seconds: float = 0.6) -> float:
    """Press a plate on a slide onto a soft block by a constant force; return how far it overlaps the block [m]."""
    builder = it.ModelBuilder()
    builder.add_ground_plane()
    start = it.Pose((0.0, 0.0, 0.104 + HALF))
    plate = builder.add_link(xform=start, mass=mass, inertia=1e-3 * mass * np.eye(3), lock_inertia=True)
    builder.add_shape_box(plate, hx=0.08, hy=0.08, hz=HALF)
    builder.add_joint_prismatic(-1, plate, axis=(0, 0, 1), parent_xform=start)
    place = {"pos": (-0.05, -0.05, RADIUS), "rot": (0, 0, 0, 1), "vel": (0, 0, 0), "particle_radius": RADIUS}
    cells = {"dim_x": 3, "dim_y": 3, "dim_z": 3, "cell_x": 0.1 / 3, "cell_y": 0.1 / 3, "cell_z": 0.1 / 3}
    builder.add_soft_grid(**place, **cells, density=500.0, k_mu=4e4, k_lambda=6e4, k_damp=400.0)
    model = builder.finalize(dtype=dtype)
    solver, state, control, contacts = it.SolverXPBD(model, substeps=substeps), *parts(model)
    control.joint_f.assign(np.array([-force]))
    for _ in range(round(seconds / dt)):
        solver.step(state, state, control, contacts, dt)
    return float(state.particle_q.numpy()[:, 2].max() + RADIUS - (state.body_q.numpy()[plate, 2] - HALF))


def parts(model):
    return model.state(), model.control(), model.contacts()


@pytest.mark.sweep
@pytest.mark.parametrize(("dt", "substeps"), STEPS[1:])
@pytest.mark.parametrize(
    ("force", "mass", "dtype"),
    [(10.0, 0.5, "float64"), (10.0, 0.1, "float32"), (50.0, 0.1, "float64"), (50.0, 0.1, "float32")],
)
def test_a_plate_rests_on_the_block_that_it_is_pressed_on(force, mass, dt, substeps, dtype):
    """It sank in by 2 F h^2 / m, and went through where that was the radius of particles: 50 N on 0.1 kg."""
    assert abs(pressed(force, mass, dt, substeps, dtype)) < 2e-5


def test_a_plate_rests_on_the_block_at_long_steps():
    """It went through."""
    assert abs(pressed(10.0, 0.5, 1 / 60, 1, "float64", 1.5)) < 1e-4


@pytest.mark.sweep
@pytest.mark.parametrize(("dt", "substeps"), STEPS)
@pytest.mark.parametrize("mass", [0.05, 1.0])
def test_what_hangs_from_a_particle_hangs_where_that_is(mass, dt, substeps):
    """It hung 2 g h^2 too low: 5 mm at 1/60 s."""
    builder = it.ModelBuilder()
    body = builder.add_link(xform=it.Pose((0.0, 0.0, -0.1)), mass=mass, inertia=1e-3 * mass * np.eye(3))
    builder.add_joint_free(body)
    weight = (mass + 0.01) * GRAVITY
    for height, of_particle in ((0.1 + weight / STIFFNESS, 0.0), (0.0, 0.01)):
        builder.add_particle((0, 0, height), (0, 0, 0), of_particle, radius=0.0)
    builder.add_spring(0, 1, STIFFNESS, 20.0, 0)
    builder.spring_rest_length[0] = 0.1
    builder.add_attachment_particle_body(1, body, body_point=(0.0, 0.0, 0.1), stiffness=float("inf"))
    model = builder.finalize(dtype="float64")
    solver, state, control, contacts = it.SolverXPBD(model, substeps=substeps), *parts(model)
    for _ in range(round(0.5 / dt)):
        solver.step(state, state, control, contacts, dt)
    assert abs(state.body_q.numpy()[body, 2] + 0.1) < 1e-6


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_box_that_is_laid_on_cloth_is_not_thrown(dtype):
    """At 1/60 s it rose 56 m within a second."""
    builder = it.ModelBuilder()
    box = builder.add_link(xform=it.Pose((0, 0, 0.0351)), mass=0.5, inertia=3e-4 * np.eye(3), lock_inertia=True)
    builder.add_shape_box(box, hx=0.03, hy=0.03, hz=0.03)
    builder.add_joint_free(box)
    sides = dict.fromkeys(("fix_left", "fix_right", "fix_top", "fix_bottom"), True)
    material = {"mass": 0.002, "tri_ke": 2e3, "tri_ka": 2e3, "tri_kd": 2.0, "edge_ke": 1e-3, "edge_kd": 1e-4}
    grid = {"dim_x": 16, "dim_y": 16, "cell_x": 0.025, "cell_y": 0.025, "particle_radius": 5e-3}
    pose = {"pos": (-0.2, -0.2, 0.0), "rot": (0, 0, 0, 1), "vel": (0, 0, 0)}
    builder.add_cloth_grid(**pose, **grid, **material, **sides)
    model = builder.finalize(dtype=dtype)
    solver, state, control, contacts = it.SolverXPBD(model, substeps=1), *parts(model)
    heights = []
    for _ in range(36):
        solver.step(state, state, control, contacts, 1 / 60)
        heights.append(state.body_q.numpy()[box, 2])
    assert max(heights) < 0.0352 and min(heights) > -0.02
    used = int(contacts.soft_contact_count.numpy()[0])
    force = -contacts.soft_contact_force.numpy()[:used, 2].sum()
    assert force == pytest.approx(0.5 * GRAVITY, rel=0.05)


@pytest.mark.sweep
@pytest.mark.parametrize(("dt", "substeps"), STEPS)
@pytest.mark.parametrize("mass", [0.05, 1.0])
@pytest.mark.parametrize("ways", ["hangs", "lies"])
def test_pinned_particles_hold_a_body(ways, mass, dt, substeps):
    """It fell as if they were not there."""
    builder = it.ModelBuilder()
    body = builder.add_link(xform=it.Pose((0.0, 0.0, 0.06)), mass=mass, inertia=1e-3 * mass * np.eye(3))
    builder.add_joint_free(body)
    if ways == "hangs":
        builder.add_particle((0.0, 0.0, 0.16), (0, 0, 0), 0.0, radius=0.0)
        builder.add_attachment_particle_body(0, body, body_point=(0.0, 0.0, 0.1), stiffness=float("inf"))
    else:
        builder.add_shape_box(body, hx=0.1, hy=0.1, hz=0.05, cfg=it.ShapeConfig(density=0.0))
        for x, y in ((-0.05, -0.05), (-0.05, 0.05), (0.05, -0.05), (0.05, 0.05)):
            builder.add_particle((x, y, 0.0), (0, 0, 0), 0.0, radius=0.01)
    model = builder.finalize(dtype="float64")
    solver, state, control, contacts = it.SolverXPBD(model, substeps=substeps), *parts(model)
    for _ in range(round(0.5 / dt)):
        solver.step(state, state, control, contacts, dt)
    assert abs(state.body_q.numpy()[body, 2] - 0.06) < 1e-9
    assert np.abs(state.body_qd.numpy()).max() < 1e-6


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("dt", "substeps"), [(1 / 60, 4), (1 / 240, 4), (1 / 240, 20)])
@pytest.mark.parametrize(("mass", "lightest"), [(10.0, 1e-2), (10.0, 1e-3), (70.0, 5e-3)])
def test_a_box_lies_on_particles_however_light_they_are(mass, lightest, dt, substeps, dtype):
    """10 kg on four of 10 g jittered at 3 cm/s; on four of 1 g it jumped, and ended on the floor."""
    builder, radius = it.ModelBuilder(), 5e-3
    builder.add_ground_plane()
    box = builder.add_link(xform=it.Pose((0.01, 0.0, 2 * radius + 0.05)))
    builder.add_shape_box(box, hx=0.1, hy=0.1, hz=0.05, cfg=it.ShapeConfig(density=mass / 0.004))
    builder.add_joint_free(box)
    for x, y in ((-0.08, -0.08), (-0.08, 0.08), (0.08, -0.08), (0.08, 0.08)):
        builder.add_particle((x, y, radius), mass=lightest, radius=radius)
    model = builder.finalize(dtype=dtype)
    solver, state, control, contacts = it.SolverXPBD(model, substeps=substeps), *parts(model)
    for _ in range(round(0.5 / dt)):
        solver.step(state, state, control, contacts, dt)
        assert state.body_q.numpy()[box, :3] == pytest.approx([0.01, 0.0, 2 * radius + 0.05], abs=1e-6)
    assert np.abs(state.body_qd.numpy()).max() < 1e-5


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("dt", "substeps", "dtype"), [(1 / 60, 1, "float64"), (1 / 60, 4, "float64"), (1 / 240, 4, "float32")]
)
@pytest.mark.parametrize("lightest", [1e-2, 1e-4])
@pytest.mark.parametrize("ways", ["joint", "tie"])
def test_two_bodies_swing_on_a_light_particle_that_joins_them(ways, lightest, dt, substeps, dtype):
    """With 1 g they gained 1e4 J and more, of 20 J that they have."""
    builder, hard = it.ModelBuilder(), float("inf")
    bodies = [builder.add_link(mass=1.0, inertia=0.05 * np.eye(3), xform=it.Pose((x, 0.0, 0.0))) for x in (0.5, 1.5)]
    joint = builder.add_particle((1.0, 0.0, 0.0), mass=lightest, radius=0.0)
    if ways == "joint":
        builder.add_joint_revolute(-1, bodies[0], axis=(0, 1, 0), child_xform=it.Pose((-0.5, 0.0, 0.0)))
    else:
        pin = builder.add_particle((0.0, 0.0, 0.0), mass=0.0, radius=0.0)
        builder.add_attachment_particle_body(pin, bodies[0], body_point=(-0.5, 0.0, 0.0), stiffness=hard)
    for body, x in zip(bodies, (0.5, -0.5), strict=True):
        builder.add_attachment_particle_body(joint, body, body_point=(x, 0.0, 0.0), stiffness=hard)
    model = builder.finalize(dtype=dtype)
    solver, state, control, contacts = it.SolverXPBD(model, substeps=substeps), *parts(model)
    for _ in range(round(1.0 / dt)):
        solver.step(state, state, control, contacts, dt)
        v, height = state.body_qd.numpy().astype(float), state.body_q.numpy()[:, 2].sum()
        energy = 0.5 * (v[:, :3] ** 2).sum() + 0.025 * (v[:, 3:] ** 2).sum() + GRAVITY * height
        rate, place = state.particle_qd.numpy()[joint], state.particle_q.numpy()[joint]
        energy += lightest * (0.5 * rate @ rate + GRAVITY * place[2])
        assert -0.5 < energy < 0.05
