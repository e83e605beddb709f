# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""How exactly the motion of soft bodies is solved for, and what it does not depend on."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import inertia_tools as it
from inertia_tools.sim.soft.soft_step import SoftStep

FRAME = 1.0 / 60.0
MASS, STIFFNESS, DAMPING = 0.1, 1e3, 1.0


def cloth_of_springs(cells: int = 24, gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)) -> it.ModelBuilder:
    """Return cloth that hangs from one side on springs alone; its triangles and edges resist nothing."""
    builder = it.ModelBuilder(gravity=gravity)
    size = {"dim_x": cells, "dim_y": cells, "cell_x": 0.1, "cell_y": 0.1, "mass": MASS, "fix_left": True}
    none = dict.fromkeys(("tri_ke", "tri_ka", "tri_kd", "edge_ke", "edge_kd"), 0.0)
    springs = {"add_springs": True, "spring_ke": STIFFNESS, "spring_kd": DAMPING, "particle_radius": 0.04}
    builder.add_cloth_grid(pos=(0, 0, 0), rot=(0, 0, 0, 1), vel=(0, 0, 0), **size, **none, **springs)
    return builder


def by_runge_and_kutta(builder: it.ModelBuilder, frames: int) -> np.ndarray:
    """Return where the particles of such a cloth are after some frames."""
    x, mass = np.array(builder.particle_q, dtype=float), np.array(builder.particle_mass, dtype=float)
    inverse = np.where(mass > 0.0, 1.0 / np.where(mass > 0.0, mass, 1.0), 0.0)[:, None]
    ends = np.array(builder.spring_indices).reshape(-1, 2)
    rows = np.repeat(np.arange(len(ends)), 2)
    between = csr_matrix((np.tile([1.0, -1.0], len(ends)), (rows, ends.ravel())), shape=(len(ends), len(x)))
    length, fall = np.linalg.norm(between @ x, axis=1), (inverse > 0.0) * np.array([0.0, 0.0, -9.81])

    def rates(y):
        off = between @ y[0]
        now = np.linalg.norm(off, axis=1)
        along = off / now[:, None]
        pull = STIFFNESS * (now - length) + DAMPING * ((between @ y[1]) * along).sum(axis=1)
        return np.stack([y[1], fall - inverse * (between.T @ (pull[:, None] * along))])

    y, h = np.stack([x, 0.0 * x]), FRAME / 16
    for _ in range(16 * frames):
        first = rates(y)
        second = rates(y + 0.5 * h * first)
        third = rates(y + 0.5 * h * second)
        y = y + h / 6.0 * (first + 2.0 * second + 2.0 * third + rates(y + h * third))
    return y[0]


def test_cloth_of_springs_swings_as_by_runge_and_kutta():
    """Half a second of swinging is followed more closely the shorter the substeps, at least by their square."""
    builder, frames = cloth_of_springs(), 30
    expected, off = by_runge_and_kutta(builder, frames), []
    for substeps in (2, 4, 8):
        model = builder.finalize(dtype="float64")
        solver, state = it.SolverXPBD(model, substeps=substeps), model.state()
        for _ in range(frames):
            solver.step(state, state, None, None, FRAME)
        off.append(np.sqrt(((state.particle_q.numpy() - expected) ** 2).sum(axis=1).mean()) / 2.4)
    assert off[0] < 5e-3
    assert off[1] < 0.25 * off[0]
    assert off[2] < 0.25 * off[1]


@pytest.mark.parametrize("substeps", [1, 4])
def test_steps_depend_on_the_state_alone(substeps):
    """A solver that has stepped another state in between makes the same step, to the bit."""
    model = cloth_of_springs().finalize()
    solver, state, other = it.SolverXPBD(model, substeps=substeps), model.state(), model.state()
    for _ in range(10):
        solver.step(state, state, None, None, FRAME)
    kept = model.state()
    kept.assign(state)
    solver.step(state, state, None, None, FRAME)
    solver.step(other, other, None, None, FRAME)
    solver.step(kept, kept, None, None, FRAME)
    np.testing.assert_array_equal(kept.particle_q.numpy(), state.particle_q.numpy())
    np.testing.assert_array_equal(kept.particle_qd.numpy(), state.particle_qd.numpy())


def test_coarse_grids_are_used_where_elements_are_fast():
    model = cloth_of_springs().finalize()
    step, state = SoftStep(model, enable_restitution=False), model.state()
    for h, is_used in ((FRAME / 4, False), (FRAME * 4, True), (FRAME / 4, False)):
        step.begin(state, model.control(), None, h, h)
        assert (step._scratch.multigrid is not None) == is_used


def test_cloth_that_lies_still_is_at_rest_exactly():
    """A step that begins near rest makes a Newton step even where the gradient is small enough to end one."""
    builder = cloth_of_springs(8, gravity=(9.81, 0.0, 0.0))
    model = builder.finalize(dtype="float64")
    solver, state = it.SolverXPBD(model, substeps=1), model.state()
    for _ in range(600):
        solver.step(state, state, None, None, FRAME)
    x, ends = state.particle_q.numpy(), np.array(builder.spring_indices).reshape(-1, 2)
    off = x[ends[:, 0]] - x[ends[:, 1]]
    now = np.linalg.norm(off, axis=1, keepdims=True)
    pull = STIFFNESS * (now - np.array(builder.spring_rest_length)[:, None]) * off / now
    force = np.zeros_like(x)
    np.add.at(force, ends[:, 0], -pull)
    np.add.at(force, ends[:, 1], pull)
    moves = model.particle_inv_mass.numpy() > 0.0
    assert np.abs(force[moves] - [-9.81 * MASS, 0.0, 0.0]).max() < 1e-4 * 9.81 * MASS


def test_stiff_cloth_drapes_in_few_newton_steps():
    """Rows as stiff as membranes in their plane, and estimates solved beyond their change, took 19 a substep."""
    builder, width, cells = it.ModelBuilder(), 1.2, 16
    builder.add_shape_box(-1, xform=it.Pose((0.0, 0.0, 0.3)), hx=0.25, hy=0.25, hz=0.3)
    cell = width / cells
    size = {"dim_x": cells, "dim_y": cells, "cell_x": cell, "cell_y": cell, "mass": 0.3 * cell**2}
    material = {"tri_ke": 1e3, "tri_ka": 1e3, "tri_kd": 1e-3, "edge_ke": 1e-3, "particle_radius": 0.3 * cell}
    pose = {"pos": (-width / 2, -width / 2, 0.63), "rot": (0, 0, 0, 1), "vel": (0, 0, 0)}
    builder.add_cloth_grid(**pose, **size, **material)
    model = builder.finalize(dtype="float64")
    step, state, contacts = SoftStep(model, enable_restitution=False), model.state(), model.contacts()
    for _ in range(160):
        step.begin(state, model.control(), contacts, FRAME / 4, FRAME / 4)
        step.substep(state, contacts, FRAME / 4)
        step.end(state, contacts, FRAME / 4, FRAME / 4)
    heights = state.particle_q.numpy()[:, 2]
    assert heights.max() > 0.6  # it still lies on the box
    assert heights.min() < 0.4
    assert step.minimiser.solves < 12 * 160
