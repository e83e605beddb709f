# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What lies still costs no Newton steps, and answers to all that acts on it."""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp
from scenes import DT, G, Scene, add_box, heap

import inertia_tools as it

SUBSTEPS = 4
HALF = 0.1
PRECISIONS = ["float64", "float32"]


def stack(count: int = 3, mu: float = 0.5, floor: bool = True) -> it.ModelBuilder:
    """Return cubes of 1 kg on top of each other."""
    builder = it.ModelBuilder()
    if floor:
        builder.add_ground_plane(cfg=it.ShapeConfig(mu=mu))
    for n in range(count):
        add_box(builder, 1.0, HALF, (0.0, 0.0, HALF * (2 * n + 1)), mu)
    return builder


def logged(builder: it.ModelBuilder, dtype: str) -> Scene:
    """Return a scene whose solves are logged."""
    scene = Scene(builder, dtype, SUBSTEPS)
    scene.model.request_contact_attributes("solve_log")
    scene.contacts = scene.model.contacts()
    return scene


def steps_of(scene: Scene, seconds: float) -> int:
    """Return how many Newton steps a scene takes in so many seconds."""

    def total() -> int:
        counts = scene.contacts.solve_log.newton_steps.sum(axis=0)
        return int(counts @ np.arange(len(counts)))

    before = total()
    scene.run(seconds)
    return total() - before


@pytest.mark.parametrize("dtype", PRECISIONS)
def test_a_stack_stays_bit_for_bit_and_takes_no_newton_step(dtype):
    scene = logged(stack(8), dtype).run(1.0)
    before = scene.q
    assert steps_of(scene, 0.5) == 0
    assert np.array_equal(scene.q, before)
    assert np.all(scene.qd == 0.0)
    assert scene.force_on(0, -1)[2] == pytest.approx(8 * G, rel=1e-8 if dtype == "float64" else 1e-5)


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", PRECISIONS)
@pytest.mark.parametrize("seed", range(3))
def test_a_heap_comes_to_rest_for_good(dtype, seed):
    """It may look again at what rounds otherwise now and then; 240 substeps take fewer Newton steps than one each."""
    scene = logged(heap(10, seed), dtype).run(6.0)
    before = scene.q
    assert steps_of(scene, 0.25) < 60 * SUBSTEPS
    assert np.abs(scene.q - before).max() < (1e-12 if dtype == "float64" else 1e-7)


@pytest.mark.parametrize("dtype", PRECISIONS)
def test_a_cabin_of_logs_and_an_egg_on_a_block_come_to_rest(dtype):
    """Contact points of round sides wandered by 1e-6 of the radius: logs rolled to and fro at 5e-5 m/s for ever."""
    builder, radius, cfg = it.ModelBuilder(), 0.05, it.ShapeConfig(mu=0.6, density=500.0)
    builder.add_ground_plane(cfg=cfg)
    for layer in range(4):
        for side in (-0.1, 0.1):
            place, rpy = np.array([0.0, side, radius * (2 * layer + 1)]), [0.0, np.pi / 2, 0.0]
            if layer % 2:
                place, rpy = place[[1, 0, 2]], [np.pi / 2, 0.0, 0.0]
            log = builder.add_link(xform=it.Pose.from_xyz_rpy(place, rpy))
            builder.add_shape_cylinder(log, radius=radius, half_height=0.2, cfg=cfg)
    block = builder.add_link(xform=it.Pose(np.array([0.5, 0.0, 0.1])))
    builder.add_shape_box(block, hx=0.1, hy=0.1, hz=0.1, cfg=cfg)
    egg = builder.add_link(xform=it.Pose(np.array([0.5, 0.0, 0.25])))
    builder.add_shape_ellipsoid(egg, rx=0.07, ry=0.07, rz=0.05, cfg=cfg)
    scene = Scene(builder, dtype, SUBSTEPS)
    start = scene.q[:, :3]
    scene.run(1.0)
    assert np.abs(scene.q[:, :3] - start).max() < 1e-7 and not scene.qd.any()


@pytest.mark.parametrize("seed", range(3))
def test_a_heap_at_rest_does_not_press_itself_apart(seed):
    """Stones of 1 kg bear a few of the others, and the ground bears all."""
    scene = logged(heap(10, seed), "float64").run(6.0)
    weight = G * sum(one.mass for one in scene.model.inertials)
    assert scene.contacts.data.depth.numpy().max() < 1e-3
    pressed = np.linalg.norm(scene.contacts.data.force.numpy(), axis=1)
    assert pressed.max() < weight


@pytest.mark.parametrize("dtype", PRECISIONS)
@pytest.mark.parametrize("held", [True, False])
def test_a_force_on_what_lies_still_is_held_up_to_the_bound_of_friction(dtype, held):
    scene = Scene(stack(1), dtype, SUBSTEPS).run(0.5)
    force = (0.999 if held else 1.001) * 0.5 * G
    pushed = np.zeros((1, 6))
    pushed[0, 0] = force
    scene.state.body_f.assign(pushed.astype(dtype))
    scene.run(1.0)
    if held:
        assert abs(scene.q[0, 0]) < (1e-9 if dtype == "float64" else 1e-6)
        assert scene.force_on(0, -1)[0] == pytest.approx(-force, rel=1e-5)
    else:
        assert scene.qd[0, 0] == pytest.approx(force - 0.5 * G, rel=1e-2)


@pytest.mark.parametrize(("dtype", "force"), [("float64", 1e-6), ("float32", 1e-3)])
def test_next_to_nothing_moves_what_nothing_holds(dtype, force):
    """The acceleration of 1 kg on ice, from rest."""
    scene = Scene(stack(1, mu=0.0), dtype, SUBSTEPS).run(0.5)
    pushed = np.zeros((1, 6))
    pushed[0, 0] = force
    scene.state.body_f.assign(pushed.astype(dtype))
    scene.run(1.0)
    assert scene.qd[0, 0] == pytest.approx(force, rel=1e-3)
    assert scene.q[0, 0] == pytest.approx(0.5 * force, rel=2e-2)


@pytest.mark.parametrize("dtype", PRECISIONS)
def test_what_its_support_is_taken_from_falls(dtype):
    scene = Scene(stack(3), dtype, SUBSTEPS).run(0.5)
    q = scene.q
    q[0, 0] = 5.0
    scene.state.body_q.assign(q.astype(dtype))
    scene.run(0.1)
    assert scene.q[2, 2] == pytest.approx(5 * HALF - 0.5 * G * 0.01, abs=1e-3)
    scene.run(0.9)
    assert scene.q[1:, 2] == pytest.approx([HALF, 3 * HALF], abs=1e-4)


def test_gravity_that_turns_sets_off_what_lies_still():
    scene = Scene(stack(1), "float64", SUBSTEPS).run(0.5)
    scene.model.set_gravity((0.8 * G, 0.0, -0.6 * G))
    scene.run(0.5)
    assert scene.qd[0, 0] == pytest.approx(0.5 * (0.8 - 0.5 * 0.6) * G, rel=1e-2)


@pytest.mark.parametrize("told", [True, False])
def test_a_material_that_is_changed_lets_go(told):
    """A cube on a slope of 0.3 that friction of 0.5 holds slides with 0.1."""
    scene = Scene(stack(1), "float64", SUBSTEPS)
    slope = G * np.array([np.sin(np.arctan(0.3)), 0.0, -np.cos(np.arctan(0.3))])
    scene.model.set_gravity(slope)
    scene.run(0.5)
    assert np.all(scene.qd == 0.0)
    scene.model.shape_material_mu.fill_(0.1)
    if told:
        scene.solver.notify_model_changed(it.SolverNotifyFlags.SHAPE_PROPERTIES)
    scene.run(0.5)
    assert scene.qd[0, 0] == pytest.approx(0.5 * (slope[0] + 0.1 * slope[2]), rel=1e-2)


@pytest.mark.parametrize("dtype", PRECISIONS)
@pytest.mark.parametrize("speed", [1e-3, 0.1, 5.0])
def test_what_comes_near_is_seen_in_time(dtype, speed):
    """A cube that slides on ice towards a stack does not pass through it."""
    builder = stack(3, mu=0.0)
    away = 2 * HALF + min(0.02, 0.5 * speed)
    mover = add_box(builder, 1.0, HALF, (away, 0.0, HALF), mu=0.0)
    scene = Scene(builder, dtype, SUBSTEPS)
    scene.set_velocity(mover, (-speed, 0.0, 0.0))
    scene.run(1.0)
    apart = scene.q[mover, 0] - scene.q[0, 0]
    assert apart > 2 * HALF - 1e-5
    assert scene.qd[0, 0] < -0.1 * speed
    assert scene.momenta()[0][0] == pytest.approx(-speed, rel=1e-4)


@pytest.mark.parametrize("speed", [1e-8, 1e-6])
def test_a_belt_that_hardly_moves_carries_what_lies_on_it(speed):
    """Also where each substep slips by less than solves leave."""
    builder = stack(2, floor=False)
    belt = builder.add_link(xform=it.Pose((0.0, 0.0, -0.05)), is_kinematic=True)
    builder.add_shape_box(belt, hx=1.0, hy=1.0, hz=0.05, cfg=it.ShapeConfig(density=0.0, mu=0.5))
    scene = Scene(builder, "float64", SUBSTEPS).run(0.5)
    before = scene.q
    scene.set_velocity(belt, (speed, 0.0, 0.0))
    scene.run(5.0)
    assert scene.q[:2, 0] - before[:2, 0] == pytest.approx(np.full(2, 5.0 * speed), rel=1e-2)


@pytest.mark.parametrize("dtype", PRECISIONS)
@pytest.mark.parametrize("slab", [1e2, 1e4, 1e6])
def test_a_heavy_slab_on_light_blocks_holds_nothing_on_it(dtype, slab):
    """A cube of 1 kg on ice on it goes as it is pushed, by a thousandth of its weight."""
    builder = it.ModelBuilder()
    builder.add_ground_plane()
    for x in (-0.8, 0.8):
        for y in (-0.8, 0.8):
            add_box(builder, 1.0, HALF, (x, y, HALF))
    plate = builder.add_link(xform=it.Pose((0.0, 0.0, 3 * HALF)))
    ice = it.ShapeConfig(density=slab / (8 * HALF), mu=0.0)
    builder.add_shape_box(plate, hx=1.0, hy=1.0, hz=HALF, cfg=ice)
    cube = add_box(builder, 1.0, HALF, (0.0, 0.0, 5 * HALF), mu=0.0)
    scene = Scene(builder, dtype, SUBSTEPS).run(0.5)
    forces = np.zeros((len(scene.q), 6))
    forces[cube, 0] = 1e-3 * G
    scene.state.body_f.assign(forces.astype(dtype))
    scene.run(0.5)
    assert scene.qd[cube, 0] == pytest.approx(0.5e-3 * G, rel=1e-3)


@pytest.mark.parametrize("dtype", PRECISIONS)
def test_a_slow_platform_carries_what_lies_still_on_it(dtype):
    """Micrometres a second, up and sideways."""
    builder = stack(2, floor=False)
    platform = builder.add_link(xform=it.Pose((0.0, 0.0, -0.05)), is_kinematic=True)
    builder.add_shape_box(platform, hx=1.0, hy=1.0, hz=0.05, cfg=it.ShapeConfig(density=0.0, mu=0.5))
    scene = Scene(builder, dtype, SUBSTEPS).run(0.5)
    before = scene.q
    scene.set_velocity(platform, (1e-5, 0.0, 1e-5))
    scene.run(1.0)
    assert scene.q[:2, 0] - before[:2, 0] == pytest.approx([1e-5, 1e-5], rel=2e-2)
    assert scene.q[:2, 2] - before[:2, 2] == pytest.approx([1e-5, 1e-5], rel=2e-2)


def test_two_sets_of_contacts_and_steps_without_any_take_turns():
    scene = Scene(stack(3), "float64", SUBSTEPS).run(0.25)
    sets = scene.contacts, scene.model.contacts()
    for n in range(60):
        scene.solver.step(scene.state, scene.state, scene.control, sets[n % 2], DT)
    assert scene.q[:, 2] == pytest.approx([HALF, 3 * HALF, 5 * HALF], abs=1e-6)
    scene.solver.step(scene.state, scene.state, scene.control, None, DT)
    assert scene.qd[:, 2] == pytest.approx(np.full(3, -G * DT), rel=0.15)
    scene.run(0.5)
    assert scene.q[:, 2] == pytest.approx([HALF, 3 * HALF, 5 * HALF], abs=1e-6)


def test_two_solvers_share_contacts():
    scene = Scene(stack(3), "float64", SUBSTEPS).run(0.25)
    other = it.SolverXPBD(scene.model, substeps=1)
    for n in range(60):
        solver = (scene.solver, other)[n % 2]
        solver.step(scene.state, scene.state, scene.control, scene.contacts, DT)
    assert scene.q[:, 2] == pytest.approx([HALF, 3 * HALF, 5 * HALF], abs=1e-6)
    assert scene.force_on(0, -1)[2] == pytest.approx(3 * G, rel=1e-4)


def test_a_longer_step_looks_farther_ahead():
    """What lies still is near nothing in a short step; in a long one a body above may fall onto it."""
    builder = stack(1)
    add_box(builder, 1.0, HALF, (0.0, 0.0, 4 * HALF))
    scene = Scene(builder, "float64", 1).run(0.05)
    scene.dt = 0.1
    scene.run(1.0)
    assert scene.q[:, 2] == pytest.approx([HALF, 3 * HALF], abs=1e-3)


@pytest.mark.parametrize("solver", ["sweeps", "direct"])
def test_the_solver_of_joints_may_be_changed_while_all_lies_still(solver):
    scene = Scene(stack(2), "float64", SUBSTEPS).run(0.25)
    scene.solver.change_parameter("joint_solver", solver)
    scene.run(0.25)
    assert scene.q[:, 2] == pytest.approx([HALF, 3 * HALF], abs=1e-3)


def test_a_large_scene_at_rest_is_not_searched_again():
    """And is again where one of its bodies is moved."""
    builder = it.ModelBuilder()
    builder.add_ground_plane()
    builder.broad_phase = "search"
    for n in range(70):
        add_box(builder, 1.0, HALF, (0.3 * n, 0.0, HALF))
    scene = Scene(builder, "float64", 1).run(0.5)
    assert scene.contacts.nearby is not None
    found = scene.contacts.nearby
    # A GPU searches in every step: it would have to be waited for to see that nothing has moved.
    assert found._is_as_searched(scene.state, scene.dt) == wp.get_device(scene.model.device).is_cpu
    q = scene.q
    q[5, 2] += 0.05
    scene.state.body_q.assign(q)
    assert not found._is_as_searched(scene.state, scene.dt)
    scene.run(0.5)
    assert scene.q[:, 2] == pytest.approx(np.full(70, HALF), abs=1e-6)
    scene.model.set_gravity((0.0, 0.0, -2 * G))
    scene.run(0.25)
    assert scene.force_on(5, -1)[2] == pytest.approx(2 * G, rel=1e-6)
