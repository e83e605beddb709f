# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What kernels are compiled with beyond what a scene has a use for moves nothing."""

import numpy as np
import pytest
from scenes import pendulum, share_kernels

from inertia_tools.sim.builder import ModelBuilder
from inertia_tools.sim.scene.shape_config import ShapeConfig
from inertia_tools.sim.solver import SolverXPBD
from inertia_tools.spatial import Pose


def ball_on_a_floor():
    builder = ModelBuilder()
    body = builder.add_link(Pose(np.array([0.0, 0.0, 0.3])))
    builder.add_shape_sphere(body, radius=0.1, cfg=ShapeConfig(mu=0.4, restitution=0.6))
    builder.add_ground_plane(cfg=ShapeConfig(mu=0.4, restitution=0.6))
    return builder


def boxes_on_each_other():
    builder = ModelBuilder()
    for i in range(3):
        body = builder.add_link(Pose.from_xyz_rpy([0.01 * i, 0.0, 0.11 + 0.22 * i], [0.1 * i, 0.2, 0.0]))
        builder.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1)
    builder.add_ground_plane()
    return builder


def rod_over_a_floor():
    builder = pendulum(angle=1.2)
    builder.add_shape_sphere(0, Pose(np.array([0.0, 0.0, -1.0])), radius=0.1)
    builder.add_ground_plane(height=-1.05)
    return builder


@pytest.mark.parametrize(
    ("build", "options"),
    [
        (ball_on_a_floor, {}),
        (ball_on_a_floor, {"enable_restitution": True}),
        (boxes_on_each_other, {}),
        (lambda: pendulum(angle=0.5), {}),
        (lambda: pendulum(angle=0.5), {"joint_solver": "sweeps"}),
        (rod_over_a_floor, {}),
    ],
    ids=["ball", "rubber ball", "boxes", "pendulum", "swept pendulum", "rod on a floor"],
)
def test_kernels_with_every_part_move_a_scene_as_its_own_do(scene, build, options):
    own, shared = scene(build()), scene(build())
    for run in (own, shared):
        run.solver = SolverXPBD(run.model, iterations=3, substeps=5, **options)
        run.set_velocity(0, (0.3, 0.0, 0.0), (0.0, 1.0, 0.0))
    share_kernels(shared.solver)
    assert own.solver._parts(True) != shared.solver._parts(True)
    own.run(0.5)
    shared.run(0.5)
    assert np.abs(own.qd).max() > 1e-3
    assert own.q == pytest.approx(shared.q, abs=1e-11)
    assert own.qd == pytest.approx(shared.qd, abs=1e-9)
