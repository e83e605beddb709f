# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Islands: what may feel each other in a step, found from rows and clusters, and stepped by itself."""

import numpy as np
import pytest
from scenes import DT, Scene, add_box, heap, rod

import inertia_tools as it

APART = 3.0
"""Distance of two heaps [m], too far to meet."""


def add_heap(builder, x, rpy=(0.2, 0.1, 0.3)):
    """Two boxes, the upper one tilted, and a hinged rod that swings into them."""
    add_box(builder, 1.0, 0.05, (x, 0.0, 0.05))
    add_box(builder, 2.0, 0.05, (x + 0.01, 0.0, 0.17), rpy=rpy)
    body = builder.add_link(**rod(0.4, 0.5), xform=it.Pose(np.array([x - 0.3, 0.0, 0.5])))
    builder.add_joint_revolute(-1, body, it.Pose(np.array([x - 0.3, 0.0, 0.5])), axis=(0, 1, 0))
    builder.add_shape_sphere(body, it.Pose(np.array([0.0, 0.0, -0.4])), radius=0.04)


def heaps(*places):
    builder = it.ModelBuilder()
    for x in places:
        add_heap(builder, x)
    builder.add_ground_plane()
    return builder


def swung(builder, threads=1, frames=120):
    """Step a scene whose rods set out towards the boxes."""
    scene = Scene(builder)
    scene.solver = it.SolverXPBD(scene.model, iterations=3, substeps=4, threads=threads)
    for body in range(2, scene.model.body_count, 3):
        scene.set_velocity(body, (1.6, 0.0, 0.0), (0.0, -8.0, 0.0))
    return scene.run(frames * DT)


def islands_of(scene):
    """Return the bodies and rows of each island, as the last step listed them."""
    lists = scene.solver._bodies._islands
    names = ("count", "first_body", "end_body", "body", "first_row", "end_row", "row", "first_joint", "end_joint")
    array = {name: getattr(lists, name).numpy() for name in (*names, "joint")}

    def part(of, n):
        return array[of][array["first_" + of][n] : array["end_" + of][n]].tolist()

    return [{of: part(of, n) for of in ("body", "joint", "row")} for n in range(array["count"][0])]


def test_islands_are_what_rows_and_joints_tie_together():
    builder = it.ModelBuilder()
    for x in (0.0, 0.1, 1.0, 2.0, 2.1):
        add_box(builder, 1.0, 0.05, (x, 0.0, 0.05))
    chain = builder.add_link(**rod(0.3, 0.5), xform=it.Pose(np.array([3.0, 0.0, 2.0])))
    builder.add_joint_revolute(-1, chain, it.Pose(np.array([3.0, 0.0, 2.0])), axis=(0, 1, 0))
    tip = builder.add_link(**rod(0.3, 0.5), xform=it.Pose(np.array([3.0, 0.0, 1.7])))
    builder.add_joint_revolute(chain, tip, it.Pose(np.array([0.0, 0.0, -0.3])), axis=(0, 1, 0))
    builder.add_ground_plane()
    scene = Scene(builder).run(DT)
    found = islands_of(scene)
    assert [island["body"] for island in found] == [[0, 1], [2], [3, 4], [5, 6]]
    assert [island["joint"] for island in found] == [[], [], [], [0, 1]]
    rows = sorted(row for island in found for row in island["row"])
    assert rows == list(range(scene.contacts.rows.count.numpy()[0]))
    bodies = tuple(scene.contacts.rows.row.numpy()[name] for name in ("body_a", "body_b"))
    for island in found:
        assert island["row"] == sorted(island["row"])
        assert all({int(side[row]) for side in bodies} <= {-1, *island["body"]} for row in island["row"])


def test_joints_of_what_stays_keep_their_coordinates():
    builder = it.ModelBuilder()
    body = builder.add_link(mass=1.0, inertia=np.eye(3), is_kinematic=True)
    builder.add_joint_revolute(-1, body, axis=(0, 0, 1))
    add_box(builder, 1.0, 0.05, (1.0, 0.0, 1.0))
    scene = Scene(builder).run(2 * DT)
    assert [island["joint"] for island in islands_of(scene)] == [[], [0]]
    assert scene.state.joint_q.numpy()[0] == 0.0


def test_heaps_far_apart_move_as_each_does_alone():
    assert len(islands_of(swung(heaps(0.0, APART), frames=24))) == 2  # rods and boxes meet
    both = swung(heaps(0.0, APART))
    assert np.abs(both.q[:3] - swung(heaps(0.0)).q).max() == 0.0
    alone = swung(heaps(APART))
    assert np.abs(both.q[3:] - alone.q).max() == 0.0
    assert np.abs(both.qd[3:] - alone.qd).max() == 0.0


def on_a_belt(count, threads=1):
    """Boxes that fall askew onto a kinematic belt, which takes them along, and stay out of each other's way."""
    builder = it.ModelBuilder()
    belt = builder.add_link(it.Pose(np.array([0.0, 0.0, -0.1])), mass=1.0, inertia=np.eye(3), is_kinematic=True)
    builder.add_shape_box(belt, hx=20.0, hy=20.0, hz=0.1)
    for k in range(count):
        add_box(builder, 1.0, 0.05, (0.5 * k, 0.0, 0.1 + 0.02 * k), rpy=(0.3, 0.2 + 0.1 * k, 0.1))
    scene = Scene(builder)
    scene.solver = it.SolverXPBD(scene.model, iterations=3, substeps=4, threads=threads)
    scene.set_velocity(0, (0.4, 0.0, 0.0))
    scene.run(120 * DT)
    return scene


def test_what_one_belt_carries_moves_as_each_does_alone():
    """A kinematic body takes no impulse: it does not tie what it carries into one island."""
    both, alone = on_a_belt(5), on_a_belt(1)
    np.testing.assert_array_equal(both.q[:2], alone.q[:2])
    np.testing.assert_array_equal(both.qd[:2], alone.qd[:2])
    assert np.abs(both.qd[1:, 0] - 0.4).max() < 1e-6
    assert len(islands_of(both)) == 5


def test_belts_are_moved_alike_by_all_threads():
    np.testing.assert_array_equal(on_a_belt(5, threads=2).q, on_a_belt(5).q)


@pytest.mark.parametrize("threads", [2, 3])
def test_islands_shared_out_move_to_the_bit_as_on_one_thread(threads):
    places = [APART * i for i in range(5)]
    one, shared = swung(heaps(*places)), swung(heaps(*places), threads)
    assert len(shared.solver._bodies._shares) == 2
    assert np.array_equal(one.q, shared.q)
    assert np.array_equal(one.qd, shared.qd)
    assert np.array_equal(one.contacts.data.force.numpy(), shared.contacts.data.force.numpy())


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_free_joint_changes_nothing(dtype):
    """`add_body` puts one on a body, which holds nothing: heaps crash and come to rest to the bit as without."""
    builder = heap(12, 1)
    for body in range(len(builder.body_mass)):
        builder.add_joint_free(body)
    free, loose = Scene(heap(12, 1), dtype, 4), Scene(builder, dtype, 4)
    for scene in (free, loose):
        scene.run(1.0)
    np.testing.assert_array_equal(loose.q, free.q)
    np.testing.assert_array_equal(loose.qd, free.qd)
    assert loose.contacts.unsettled == free.contacts.unsettled
