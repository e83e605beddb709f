# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Large islands, swept colour by colour: the same laws, rest and forces as where contacts are solved at once."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import DT, G, Scene, add_box

import inertia_tools as it
from inertia_tools.errors import OptionError
from inertia_tools.spatial import Pose, rotation_from_quaternion


def scene_of(builder: it.ModelBuilder, solver: str, dtype: str = "float64", threads: int = 1) -> Scene:
    scene = Scene(builder, dtype, substeps=4)
    scene.solver = it.SolverXPBD(scene.model, iterations=3, substeps=4, contact_solver=solver, threads=threads)
    return scene


def columns(height: int, count: int = 2) -> it.ModelBuilder:
    """Columns of boxes, the lower ones heavier."""
    builder = it.ModelBuilder(broad_phase="search")
    for column in range(count):
        for level in range(height):
            add_box(builder, 1.0 + 0.2 * (height - level), 0.05, (0.3 * column, 0.01 * (level % 2), 0.05 + 0.1 * level))
    builder.add_ground_plane()
    return builder


def leaning_heap(count: int) -> it.ModelBuilder:
    """Boxes in a pit, turned at random, which fall on each other and lean all ways."""
    random = np.random.default_rng(3)
    builder = it.ModelBuilder(broad_phase="search")
    for number in range(count):
        level, cell = divmod(number, 9)
        q = random.normal(size=4)
        place = np.array([0.2 * (cell // 3), 0.2 * (cell % 3), 0.12 + 0.2 * level])
        half = (0.05, 0.05, 0.05) if number % 2 else (0.08, 0.05, 0.03)
        pose = Pose(place, rotation_from_quaternion(q / np.linalg.norm(q)))
        tensor = np.diag([half[1] ** 2 + half[2] ** 2, half[0] ** 2 + half[2] ** 2, half[0] ** 2 + half[1] ** 2]) / 3.0
        body = builder.add_link(pose, mass=1.0, inertia=tensor, lock_inertia=True)
        builder.add_shape_box(body, hx=half[0], hy=half[1], hz=half[2], cfg=it.ShapeConfig(density=0.0, mu=0.5))
    for x, y, hx, hy in ((-0.2, 0.2, 0.1, 0.6), (0.6, 0.2, 0.1, 0.6), (0.2, -0.2, 0.6, 0.1), (0.2, 0.6, 0.6, 0.1)):
        builder.add_shape_box(-1, Pose(np.array([x, y, 0.5])), hx=hx, hy=hy, hz=0.5)
    builder.add_ground_plane()
    return builder


def colours_of(scene: Scene) -> list[list[tuple[int, int]]]:
    """Return the bodies of each row by colour, as the last step had them; -1 for what stays."""
    lists, rows = scene.solver._islands, scene.contacts.rows
    coloured, run_end, colour_end = (getattr(lists, n).numpy() for n in ("coloured", "run_end", "colour_end"))
    bodies = np.stack([rows.body_a.numpy(), rows.body_b.numpy()], 1)
    found = []
    for n in range(lists.count.numpy()[0]):
        if lists.is_coloured.numpy()[n] == 1:
            row = run = lists.first_row.numpy()[n]
            for colour in range(lists.colour_count.numpy()[n]):
                runs = []
                for r in range(run, colour_end[lists.first_row.numpy()[n] + colour]):
                    runs.append({tuple(bodies[k]) for k in coloured[row : run_end[r]]})
                    row = run_end[r]
                run = colour_end[lists.first_row.numpy()[n] + colour]
                found.append(runs)
            assert row == lists.end_row.numpy()[n]
    return found


def test_colours_share_no_body_that_moves():
    scene = scene_of(leaning_heap(36), "coloured").run(0.5)
    found = colours_of(scene)
    assert len(found) > 3
    for runs in found:
        assert all(len(pairs) == 1 for pairs in runs)  # a run lies between two bodies
        moving = [body for pairs in runs for pair in pairs for body in pair if body >= 0]
        assert len(moving) == len(set(moving))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_columns_bear_the_same_by_both_paths(dtype):
    height = 8
    scenes = [scene_of(columns(height), solver, dtype).run(1.5) for solver in ("direct", "coloured")]
    weight = np.cumsum([G * (1.0 + 0.2 * (height - level)) for level in range(height)][::-1])[::-1]
    for scene in scenes:
        before = scene.q
        borne = np.zeros(2 * height)
        for _ in range(24):
            scene.run(DT)
            below = [body - 1 if body % height else -1 for body in range(2 * height)]
            borne += [scene.force_on(body, other)[2] / 24 for body, other in enumerate(below)]
        assert borne == pytest.approx(np.tile(weight, 2), rel=1e-4)
        assert np.abs(scene.q - before)[:, :3].max() < 5e-5
    assert np.abs(scenes[0].q - scenes[1].q)[:, :3].max() < 2e-5


def test_a_leaning_heap_comes_to_rest_and_energy_does_not_rise():
    scene = scene_of(leaning_heap(63), "auto")
    lowest = start = scene.energy()
    for _ in range(100):
        scene.run(0.02)
        now = scene.energy()
        assert now < lowest + 1e-3 * abs(start)
        lowest = min(lowest, now)
    assert scene.solver._islands.is_coloured.numpy().max() == 1
    before = scene.q
    scene.run(0.5)
    assert np.abs(scene.q - before)[:, :3].max() < 1e-3
    upward = sum(scene.force_on(body, -1)[2] for body in range(63))
    assert upward == pytest.approx(63 * G, rel=1e-3)


@pytest.mark.parametrize("threads", [2, 3])
def test_lanes_give_the_same_bits_as_one_thread(threads):
    one, shared = (scene_of(leaning_heap(45), "coloured", threads=n).run(0.3) for n in (1, threads))
    assert shared.solver._shares[-1][0].lanes == threads
    assert np.array_equal(one.q, shared.q)
    assert np.array_equal(one.qd, shared.qd)
    count = len(one.contacts.slot_bodies)
    assert np.array_equal(one.contacts.data.force.numpy()[:count], shared.contacts.data.force.numpy()[:count])


def test_momenta_are_kept():
    random = np.random.default_rng(0)
    builder = it.ModelBuilder(gravity=(0.0, 0.0, 0.0))
    places = [0.13 * np.array([i, j, k], dtype=float) for i in range(2) for j in range(2) for k in range(2)]
    for place in places:
        add_box(builder, float(random.uniform(0.5, 2.0)), 0.05, place, rpy=random.normal(size=3))
    scene = scene_of(builder, "coloured")
    for body, place in enumerate(places):
        scene.set_velocity(body, 4.0 * (0.065 - place))

    def momenta():
        linear = np.zeros(3)
        for inertial, qd in zip(scene.model.inertials, scene.qd, strict=True):
            linear += inertial.mass * qd[:3]
        return linear

    before = momenta()
    scene.run(0.2)
    assert np.abs(scene.contacts.data.load.numpy()).max() > 0.0 or np.abs(scene.qd[:, 3:]).max() > 0.0
    assert momenta() == pytest.approx(before, abs=1e-11)


def test_friction_holds_and_slides_by_coulombs_law():
    slope = np.radians(20.0)
    for mu, gained in ((0.5, 0.0), (0.2, G * (np.sin(slope) - 0.2 * np.cos(slope)))):
        builder = it.ModelBuilder(gravity=(G * np.sin(slope), 0.0, -G * np.cos(slope)))
        body = builder.add_link(
            Pose(np.array([0.0, 0.0, 0.05])), mass=1.0, inertia=np.eye(3) / 600.0, lock_inertia=True
        )
        builder.add_shape_box(body, hx=0.05, hy=0.05, hz=0.05, cfg=it.ShapeConfig(density=0.0, mu=mu))
        builder.add_ground_plane(cfg=it.ShapeConfig(mu=mu))
        scene = scene_of(builder, "coloured").run(0.25)
        began = scene.qd[0, 0]
        scene.run(0.25)
        assert (scene.qd[0, 0] - began) / 0.25 == pytest.approx(gained, abs=1e-3)
        assert abs(scene.qd[0, 2]) < 1e-6


def test_other_words_are_refused():
    model = columns(1, 1).finalize()
    with pytest.raises(OptionError, match="contact_solver"):
        it.SolverXPBD(model, contact_solver="sweeps")


def test_contacts_may_be_left_out():
    scene = scene_of(columns(1, 1), "coloured")
    scene.solver.step(scene.state, scene.state, scene.control, None, DT)
    assert scene.qd[0, 2] == pytest.approx(-G * DT)
