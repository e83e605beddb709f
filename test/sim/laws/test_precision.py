# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Laws in single precision, near the world's origin and far from it: what rounding leaves out is kept, and counts."""

import numpy as np
import pytest

from inertia_tools.sim.builder import ModelBuilder
from inertia_tools.sim.scene.joint_kind import JointKind
from inertia_tools.sim.scene.shape_config import ShapeConfig
from inertia_tools.sim.solver import SolverXPBD
from inertia_tools.spatial import Pose, rotation_from_rpy

G = 9.81
FAR = Pose(np.array([100.0, -50.0, 20.0]), rotation_from_rpy([0.4, -1.1, 2.0]))
SINGLE = {"dtype": "float32", "substeps": 5}


def on_floor(place, mu=0.5, gravity=(0.0, 0.0, -G)):
    """A floor somewhere, and gravity as it is seen from there."""
    builder = ModelBuilder(gravity=place.rotation @ gravity)
    builder.add_shape_plane(-1, xform=place, cfg=ShapeConfig(mu=mu))
    return builder


def add_box(builder, place, z, half=0.05, mu=0.5):
    body = builder.add_link(place @ Pose(np.array([0.0, 0.0, z])))
    builder.add_shape_box(body, hx=half, hy=half, hz=half, cfg=ShapeConfig(mu=mu))


def seen_from(place, run):
    return (run.model.motion(run.state).q[:, :3] - place.position) @ place.rotation


@pytest.mark.parametrize("place", [Pose(), FAR], ids=["here", "far"])
def test_ten_boxes_stand_quietly(scene, place):
    builder = on_floor(place)
    for i in range(10):
        add_box(builder, place, 0.05 + 0.1 * i)
    run = scene(builder, **SINGLE).run(1.0)
    before = seen_from(place, run)
    assert np.abs(before - [[0.0, 0.0, 0.05 + 0.1 * i] for i in range(10)]).max() < 1e-6
    for _ in range(10):
        run.run(0.2)
        for above in range(10):
            force = place.rotation.T @ run.force_on(above, above - 1)
            assert force[2] == pytest.approx((10 - above) * G, rel=2e-6)
    assert np.abs(seen_from(place, run) - before).max() < 1e-7


def slid(scene, place):
    """Return the acceleration of a box on a slope, over Coulomb's, in single precision."""
    slope = np.radians(20.0)
    builder = on_floor(place, 0.2, (G * np.sin(slope), 0.0, -G * np.cos(slope)))
    add_box(builder, place, 0.05, mu=0.2)
    run = scene(builder, **SINGLE).run(0.5)
    early = run.model.motion(run.state).qd[0, :3]
    gained = (run.run(0.5).model.motion(run.state).qd[0, :3] - early) @ place.rotation
    return gained[0] / 0.5 / (G * (np.sin(slope) - 0.2 * np.cos(slope)))


def test_box_slides_as_coulomb_says(scene):
    assert slid(scene, Pose()) == pytest.approx(1.0, abs=1e-6)
    assert slid(scene, Pose(FAR.position)) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("position", [(0.0, 0.0, 0.0), FAR.position], ids=["here", "far"])
def test_box_slides_alike_on_a_slope_that_is_turned(scene, position):
    """Slip is what is left of free motion across the normal: rounded, it would come up through the contact's spring."""
    assert slid(scene, Pose(np.array(position), FAR.rotation)) == pytest.approx(1.0, abs=1e-6)


def crossed(scene, dtype, place):
    """Return where two boxes are, seen from a place, a second after they have met with their edges."""
    builder = ModelBuilder(gravity=(0.0, 0.0, 0.0))
    turned = rotation_from_rpy([0.1, 0.2, 0.3])
    for pose in (Pose(np.array([-0.4, 0.03, 0.0])), Pose(np.array([0.2, 0.0, 0.02]), turned)):
        body = builder.add_link(place @ pose)
        builder.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1, cfg=ShapeConfig(mu=0.5))
    run = scene(builder, dtype=dtype, substeps=5)
    run.set_velocity(0, place.rotation @ [2.0, 0.3, 0.1], place.rotation @ [1.0, 2.0, 3.0])
    run.set_velocity(1, (0.0, 0.0, 0.0), place.rotation @ [0.0, -1.0, 0.5])
    run.run(1.0)
    assert np.linalg.norm(run.qd[1, :3]) > 0.1
    return seen_from(place, run)


@pytest.mark.parametrize("place", [Pose(), FAR], ids=["here", "far"])
def test_boxes_whose_edges_cross_part_as_in_double_precision(scene, place):
    """What is fixed in the bodies is found in double precision: an edge 1e-8 m off would be 1e-5 m/s off."""
    assert np.abs(crossed(scene, "float32", place) - crossed(scene, "float64", Pose())).max() < 2e-6


def test_balls_hand_on_a_hit_far_away_as_they_do_here(scene):
    """When they meet is found from centres that are not rounded; speeds are read from states, which are."""

    def struck(place):
        builder = ModelBuilder(gravity=(0.0, 0.0, 0.0))
        for i in range(4):
            body = builder.add_link(place @ Pose(np.array([0.25 * i + 0.1 * (i > 0), 0.0, 0.0])))
            builder.add_shape_sphere(body, radius=0.1, cfg=ShapeConfig(mu=0.0, restitution=1.0))
        run = scene(builder, **SINGLE)
        run.solver = SolverXPBD(run.model, iterations=3, substeps=5, enable_restitution=True)
        run.set_velocity(0, place.rotation @ [1.0, 0.0, 0.0])
        return seen_from(place, run.run(1.0))

    here = struck(Pose())
    assert here[3, 0] > 1.0
    assert np.abs(struck(FAR) - here).max() < 2e-6


@pytest.mark.parametrize("dtype, tolerance", [("float64", 1e-11), ("float32", 1e-6)])
def test_ball_rolls_down_by_five_sevenths(scene, dtype, tolerance):
    """It touches the floor where it is in the end: at its radius, not at half the gap that free fall has opened."""
    slope = np.radians(15.0)
    builder = on_floor(Pose(), 1.0, (G * np.sin(slope), 0.0, -G * np.cos(slope)))
    body = builder.add_link(Pose(np.array([0.0, 0.0, 0.1])), mass=1.0, inertia=0.004 * np.eye(3), lock_inertia=True)
    builder.add_shape_sphere(body, radius=0.1, cfg=ShapeConfig(mu=1.0))
    run = scene(builder, dtype=dtype, substeps=5).run(0.5)
    early = run.qd[0, 0]
    assert (run.run(0.5).qd[0, 0] - early) / 0.5 == pytest.approx(5 / 7 * G * np.sin(slope), rel=tolerance)


def test_double_pendulum_shows_its_energy(scene):
    """Velocities are brought to the instant of the positions to the third order."""
    builder = ModelBuilder()
    for i in range(2):
        body = builder.add_link(
            Pose(np.array([float(i), 0.0, 0.0])), mass=1.0, inertia=np.diag([1e-4, 1 / 12, 1 / 12]), com=(0.5, 0, 0)
        )
        anchor = Pose(np.array([1.0 if i else 0.0, 0.0, 0.0]))
        builder.add_joint(JointKind.REVOLUTE, body - 1, body, parent_xform=anchor, axis=(0, 1, 0))
    run = scene(builder, substeps=5)
    before, worst = run.energy(), 0.0
    for _ in range(240):
        worst = max(worst, abs(run.run(1 / 120).energy() - before))
    assert worst < 2e-3  # of a scale of 29.4 J


def test_states_tell_what_rounding_has_left_out(scene):
    builder = ModelBuilder(gravity=(0.0, 0.0, 0.0))
    start = np.array([100.1, -50.2, 20.3])
    builder.add_link(Pose(start, FAR.rotation), mass=1.0, inertia=np.diag([0.01, 0.02, 0.03]), com=(0.1, 0.2, 0.3))
    run = scene(builder, **SINGLE)
    assert run.model.motion(run.state).q[0, :3] == pytest.approx(start, abs=1e-12)
    run.set_velocity(0, (0.1, 0.2, 0.3), (1.0, 5.0, 2.0))
    first = run.run(0.1).model.motion(run.state)
    last = run.run(1.0).model.motion(run.state)
    assert last.com(0) - first.com(0) == pytest.approx([0.1, 0.2, 0.3], rel=3e-7)
    turns = [m.pose(0).rotation for m in (first, last)]
    before, after = (
        r @ np.diag([0.01, 0.02, 0.03]) @ r.T @ m.qd[0, 3:] for r, m in zip(turns, (first, last), strict=True)
    )
    assert after == pytest.approx(before, rel=0, abs=1e-7 * np.linalg.norm(before))
