# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Forces that set in and end while particles move: impulse and work are those of closed forms."""

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.errors import OptionError
from test.sim.soft.scenes import momenta, soft_box

STEPS = [(1 / 60, 1), (1 / 60, 4), (1 / 240, 1), (1 / 240, 4)]
FORCE, MASS, RADIUS = 4.0, 1.0, 0.05


def stepping(builder, dt, substeps, dtype, mu=0.0):
    """Return the state of a scene, and what goes on for a time under a force along x on the last particle."""
    model = builder.finalize(dtype=dtype)
    model.soft_contact_mu = mu
    solver, state, contacts = it.SolverXPBD(model, substeps=substeps), model.state(), model.contacts()

    def go_on(seconds, force):
        applied = np.zeros((model.particle_count, 3), dtype=dtype)
        applied[-1, 0] = force
        state.particle_f.assign(applied)
        for _ in range(round(seconds / dt)):
            solver.step(state, state, None, contacts, dt)

    return state, go_on


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("dt", "substeps"), STEPS)
@pytest.mark.parametrize("place", ["in space", "on the floor"])
def test_a_force_that_sets_in_and_ends_gives_its_impulse(place, dt, substeps, dtype):
    """It gave F h / 2 more or less, 2.033 m/s instead of 2 at 1/60 s; on the floor it led by that for ever."""
    builder = it.ModelBuilder(gravity=(0.0, 0.0, 0.0 if place == "in space" else -9.81))
    if place == "on the floor":
        builder.add_ground_plane(cfg=it.ShapeConfig(mu=0.0))
    builder.add_particle((0.0, 0.0, RADIUS), mass=MASS, radius=RADIUS)
    state, go_on = stepping(builder, dt, substeps, dtype)
    go_on(0.2, 0.0)
    for after, force in ((0.5, FORCE), (0.0, 0.0)):
        go_on(0.5, force)
        assert state.particle_qd.numpy()[0, 0] == pytest.approx(2.0, rel=1e-5)
        assert state.particle_q.numpy()[0, 0] == pytest.approx(0.5 if after else 1.5, rel=1e-5)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("dt", "substeps"), STEPS)
def test_a_force_in_the_first_step_alone_gives_its_impulse(dt, substeps, dtype):
    """It gave half of it."""
    builder = it.ModelBuilder(gravity=(0.0, 0.0, 0.0))
    builder.add_particle((0.0, 0.0, 0.0), mass=MASS, radius=RADIUS)
    state, go_on = stepping(builder, dt, substeps, dtype)
    go_on(dt, FORCE)
    assert state.particle_qd.numpy()[0, 0] == pytest.approx(FORCE * dt, rel=1e-5)
    go_on(dt, 0.0)
    assert state.particle_qd.numpy()[0, 0] == pytest.approx(FORCE * dt, rel=1e-5)
    assert state.particle_q.numpy()[0, 0] == pytest.approx(1.5 * FORCE * dt**2, rel=1e-5)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("dt", "substeps"), STEPS)
def test_a_force_that_sets_in_swings_a_particle_on_a_spring(dt, substeps, dtype):
    """It was 16 mm off at 1/60 s."""
    builder = it.ModelBuilder(gravity=(0.0, 0.0, 0.0))
    for x, mass in ((0.0, 0.0), (1.0, MASS)):
        builder.add_particle((x, 0.0, 0.0), mass=mass, radius=0.0)
    builder.add_spring(0, 1, 1.0, 0.0, 0)
    state, go_on = stepping(builder, dt, substeps, dtype)
    go_on(0.1, 0.0)
    go_on(0.5, FORCE)
    assert state.particle_q.numpy()[1, 0] - 1.0 == pytest.approx(FORCE * (1.0 - np.cos(0.5)), rel=1e-5)
    assert state.particle_qd.numpy()[1, 0] == pytest.approx(FORCE * np.sin(0.5), rel=1e-4)


@pytest.mark.parametrize(("dt", "substeps"), STEPS)
def test_a_force_that_friction_balances_moves_nothing(dt, substeps):
    builder = it.ModelBuilder()
    builder.add_ground_plane(cfg=it.ShapeConfig(mu=0.5))
    builder.add_particle((0.0, 0.0, RADIUS), mass=MASS, radius=RADIUS)
    state, go_on = stepping(builder, dt, substeps, "float64", mu=0.5)
    for force in (0.0, FORCE, 0.0):
        go_on(0.2, force)
        assert np.abs(state.particle_qd.numpy()).max() < 1e-6
    assert abs(state.particle_q.numpy()[0, 0]) < 1e-5


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("dt", "substeps"), STEPS)
def test_drag_slows_a_triangle_from_the_start(dt, substeps, dtype):
    """m v' = - drag A v^2; at 1/60 s it took one substep to set in, 18 % of what it does in 0.1 s."""
    builder, speed, drag = it.ModelBuilder(gravity=(0.0, 0.0, 0.0)), 3.0, 0.2
    corners = [builder.add_particle(x, (0, 0, speed), mass=1.0, radius=0.0) for x in ((0, 0, 0), (1, 0, 0), (0, 1, 0))]
    builder.add_triangle(*corners, tri_ke=1e3, tri_ka=1e3, tri_kd=0.0, tri_drag=drag, tri_lift=0.0)
    state, go_on = stepping(builder, dt, substeps, dtype)
    go_on(0.1, 0.0)
    lost = speed - speed / (1.0 + drag * 0.5 * speed * 0.1 / 3.0)
    assert speed - state.particle_qd.numpy()[:, 2] == pytest.approx(np.full(3, lost), rel=4e-3)


def change(model, solver, name, values):
    """Write an array of particles, and tell so."""
    array = getattr(model, name)
    array.assign(np.array(values, dtype=array.numpy().dtype))
    solver.notify_model_changed(it.SolverNotifyFlags.BODY_INERTIAL_PROPERTIES)


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("dt", "substeps"), STEPS)
@pytest.mark.parametrize("stiffness", [50.0, 5e3])
def test_a_particle_of_another_mass_hangs_by_that(stiffness, dt, substeps, dtype):
    """Sag m g / k: it was 0.042 m instead of 0.196, as the inverse of its mass was the old one."""
    builder = it.ModelBuilder()
    for z, mass in ((0.0, 0.0), (-1.0, 0.2)):
        builder.add_particle((0.0, 0.0, z), mass=mass, radius=0.0)
    builder.add_spring(0, 1, stiffness, 0.6 * np.sqrt(stiffness * 0.2), 0)
    model = builder.finalize(dtype=dtype)
    solver, state = it.SolverXPBD(model, substeps=substeps), model.state()
    for heavier in (False, True):
        mass = 1.0 if heavier else 0.2
        if heavier:
            change(model, solver, "particle_mass", [0.0, mass])
        for _ in range(round(6.0 / dt)):
            solver.step(state, state, None, None, dt)
        assert -1.0 - state.particle_q.numpy()[1, 2] == pytest.approx(mass * 9.81 / stiffness, rel=3e-3, abs=1e-6)
        assert model.particle_inv_mass.numpy() == pytest.approx([0.0, 1.0 / mass])


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("dt", "substeps"), STEPS)
def test_a_particle_whose_mass_changes_keeps_its_velocity(dt, substeps, dtype):
    """2 m/s^2 for 0.5 s, then 4 for 0.5 s: 3 m/s, and 0.25 + 0.5 + 0.5 m."""
    builder = it.ModelBuilder(gravity=(0.0, 0.0, 0.0))
    builder.add_particle((0.0, 0.0, 0.0), mass=2.0, radius=0.0)
    model = builder.finalize(dtype=dtype)
    solver, state = it.SolverXPBD(model, substeps=substeps), model.state()
    state.particle_f.assign(np.array([[4.0, 0.0, 0.0]], dtype=dtype))
    for mass in (2.0, 1.0):
        change(model, solver, "particle_mass", [mass])
        for _ in range(round(0.5 / dt)):
            solver.step(state, state, None, None, dt)
    assert state.particle_qd.numpy()[0, 0] == pytest.approx(3.0, rel=1e-5)
    assert state.particle_q.numpy()[0, 0] == pytest.approx(1.25, rel=1e-5)


def test_a_particle_that_is_let_go_falls():
    builder = it.ModelBuilder()
    cells = {"dim_x": 3, "dim_y": 3, "cell_x": 0.1, "cell_y": 0.1, "mass": 0.01, "particle_radius": 0.0}
    builder.add_cloth_grid(pos=(0, 0, 0), **cells, tri_ke=1e3, tri_ka=1e3, tri_kd=1.0, edge_ke=1e-3)
    flags = np.array(builder.particle_flags)
    builder.particle_flags[0] = 0
    model = builder.finalize(dtype="float64")
    solver, state = it.SolverXPBD(model, substeps=4), model.state()
    change(model, solver, "particle_flags", flags)
    for _ in range(30):
        solver.step(state, state, None, None, 1 / 60)
    assert state.particle_qd.numpy() == pytest.approx(np.tile([0.0, 0.0, -0.5 * 9.81], (16, 1)), abs=1e-3)
    assert state.particle_q.numpy()[:, 2] == pytest.approx(np.full(16, -0.125 * 9.81), abs=1e-3)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("dt", "substeps"), STEPS)
def test_a_particle_that_is_pinned_in_its_fall_stays_there(dt, substeps, dtype):
    """It went on with the velocity that it had; without mass but active, it does so."""
    builder = it.ModelBuilder()
    for flags, mass in ((1, 1.0), (0, 1.0), (1, 0.0)):
        builder.add_particle((0.0, 0.0, 0.0), (0.0, 0.0, 0.5), mass, radius=0.0, flags=flags)
    model = builder.finalize(dtype=dtype)
    solver, state = it.SolverXPBD(model, substeps=substeps), model.state()
    heights = []
    for flags in (1, 0, 1):
        change(model, solver, "particle_flags", [flags, 0, 1])
        for _ in range(round(0.2 / dt)):
            solver.step(state, state, None, None, dt)
        heights.append(state.particle_q.numpy()[:, 2].copy())
    t = dt * round(0.2 / dt)
    falls, there = 0.5 * t - 0.5 * 9.81 * t**2, [1.0, 0.0, 0.0]
    assert heights[0] == pytest.approx([falls, 0.0, 0.5 * t], abs=1e-6)
    assert heights[1] == pytest.approx([falls, 0.0, t], abs=1e-6)
    assert heights[2] - falls * np.array(there) == pytest.approx([-0.5 * 9.81 * t**2, 0.0, 1.5 * t], abs=1e-6)


@pytest.mark.parametrize("mass", [-1.0, np.nan, np.inf])
def test_a_mass_that_no_particle_has_is_refused(mass):
    builder = it.ModelBuilder()
    builder.add_particle((0.0, 0.0, 0.0), mass=1.0, radius=0.0)
    model = builder.finalize()
    solver = it.SolverXPBD(model)
    with pytest.raises(OptionError, match="particle_mass"):
        change(model, solver, "particle_mass", [mass])


def pulled_bar(young, length, strain, dt, substeps, seconds, tilt):
    """Pull a free bar at both ends along x; return its start and end positions, momenta and torques after each step."""
    builder, cell = it.ModelBuilder(gravity=(0.0, 0.0, 0.0)), length / 4
    size = length, 2 * cell, 2 * cell
    soft_box(builder, (4, 2, 2), size, k=(0.5 * young, 0.0, 0.0), radius=0.0)
    model, force = builder.finalize(dtype="float64"), np.zeros((builder.particle_count, 3))
    rest = model.particle_q.numpy()
    for corners in np.array(builder.tri_indices):
        a, b, c = rest[corners]
        for end, sign in ((0.0, -1.0), (length, 1.0)):
            if np.allclose(rest[corners, 0], end, atol=1e-6 * length):
                force[corners, 0] += sign * young * strain * np.linalg.norm(np.cross(b - a, c - a)) / 6.0
    state, following = model.state(), model.state()
    cosine, sine = np.cos(tilt), np.sin(tilt)
    state.particle_q.assign(rest @ np.array([[cosine, sine, 0.0], [-sine, cosine, 0.0], [0.0, 0.0, 1.0]]))
    solver, seen = it.SolverXPBD(model, substeps=substeps), []
    for _ in range(round(seconds / dt) + 1):
        x = state.particle_q.numpy()
        arm = x - np.average(x, axis=0, weights=model.particle_mass.numpy())
        torque = np.cross(arm, force).sum(axis=0)
        seen.append([momenta(model.particle_mass.numpy(), state)[3:], torque])
        state.particle_f.assign(force)
        solver.step(state, following, None, None, dt)
        state, following = following, state
    return rest, x, np.array(seen)


@pytest.mark.sweep
@pytest.mark.parametrize(("dt", "substeps"), STEPS)
@pytest.mark.parametrize(("young", "length"), [(1e6, 0.1), (1e8, 0.1), (1e8, 1e-2)])
def test_a_free_bar_that_is_pulled_takes_the_strain_of_hooke(young, length, dt, substeps):
    """The stiff ones turned over and flew apart at 1e5 m/s: the pull turns them back within less than a substep."""
    strain, tilt = 4e-3, 1e-2
    rest, x, _ = pulled_bar(young, length, strain, dt, substeps, 0.5, tilt)
    ends = [x[np.isclose(rest[:, 0], end)].mean(axis=0) for end in (0.0, length)]
    along = ends[1] - ends[0]
    assert np.linalg.norm(along) / length - 1.0 == pytest.approx(strain, rel=0.02)
    assert np.linalg.norm(along[1:]) <= tilt * length


@pytest.mark.parametrize(("dt", "substeps"), STEPS)
def test_a_free_bar_that_forces_turn_gains_the_angular_momentum_of_their_torque(dt, substeps):
    """It gained that of the torque at the end of each step: 10 % less at 1/60 s as it turned into the pull."""
    _, _, seen = pulled_bar(1e6, 0.1, 4e-4, dt, substeps, 0.1, tilt=1.5)
    gained, torque = seen[-1, 0] - seen[0, 0], seen[:, 1]
    assert gained[2] == pytest.approx(dt * np.trapezoid(torque, axis=0)[2], rel=1e-2)
