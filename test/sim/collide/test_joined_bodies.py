# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Which bodies on joints touch what they are joined to."""

import pytest
from scenes import DT, Scene

import inertia_tools as it

HALF, PIVOT = 0.1, 0.4
BROAD_PHASES = ("list", "search")


def slider(broad_phase: str, parent_keeps: bool | None, shape_keeps: bool = True) -> it.ModelBuilder:
    """Return a box on a vertical rail, half a metre above the ground."""
    builder = it.ModelBuilder()
    builder.broad_phase = broad_phase
    builder.add_ground_plane()
    box = builder.add_link((0.0, 0.0, 0.5))
    cfg = it.ShapeConfig(collision_filter_parent=shape_keeps)
    builder.add_shape_box(box, hx=HALF, hy=HALF, hz=HALF, cfg=cfg)
    builder.add_joint_prismatic(
        -1, box, axis=(0, 0, 1), parent_xform=(0.0, 0.0, 0.5), collision_filter_parent=parent_keeps
    )
    return builder


def height_after_a_second(builder: it.ModelBuilder) -> float:
    return float(Scene(builder).run(1.0).q[0, 2])


@pytest.mark.parametrize("broad_phase", BROAD_PHASES)
@pytest.mark.parametrize(("parent_keeps", "shape_keeps", "lands"), [
    (None, True, True), (False, True, True), (True, False, True), (True, True, False),
])  # fmt: skip
def test_what_slides_on_the_world_lands_on_it(broad_phase, parent_keeps, shape_keeps, lands):
    low = height_after_a_second(slider(broad_phase, parent_keeps, shape_keeps))
    assert abs(low - HALF) < 1e-6 if lands else low < -1.0


@pytest.mark.parametrize("broad_phase", BROAD_PHASES)
@pytest.mark.parametrize("willing", [True, False])
def test_a_shape_may_touch_what_its_body_hangs_on(broad_phase, willing):
    """A flap on a hinge of a box: it swings down to the box's side, or through it."""
    builder = it.ModelBuilder()
    builder.broad_phase = broad_phase
    box = builder.add_link(is_kinematic=True)
    builder.add_shape_box(box, hx=HALF, hy=HALF, hz=HALF)
    flap = builder.add_link((0.35, 0.0, 0.12))
    cfg = it.ShapeConfig(collision_filter_parent=not willing)
    builder.add_shape_box(flap, hx=0.2, hy=HALF, hz=0.01, cfg=cfg)
    builder.add_joint_revolute(box, flap, axis=(0, 1, 0), parent_xform=(0.12, 0.0, 0.12), child_xform=(-0.23, 0.0, 0.0))
    scene = Scene(builder)
    reached = min(float(scene.run(DT).q[flap, 0]) for _ in range(240))
    assert reached > 0.1 if willing else reached < 0.0


@pytest.mark.parametrize("broad_phase", BROAD_PHASES)
def test_a_base_merged_into_the_world_stays_apart_from_its_arm(broad_phase):
    """The arm starts within its base: it swings as without one, and lands on the ground."""
    builder = it.ModelBuilder()
    builder.broad_phase = broad_phase
    builder.add_ground_plane()
    base, flange = builder.add_link((0.0, 0.0, 0.3)), builder.add_link((0.0, 0.0, PIVOT))
    arm = builder.add_link((0.2, 0.0, PIVOT))
    builder.add_shape_box(base, hx=HALF, hy=HALF, hz=0.2)
    builder.add_shape_box(flange, hx=0.15, hy=HALF, hz=HALF)
    builder.add_shape_box(arm, hx=0.3, hy=0.02, hz=0.02)
    builder.add_joint_fixed(-1, base, parent_xform=(0.0, 0.0, 0.3))
    builder.add_joint_fixed(base, flange, parent_xform=(0.0, 0.0, 0.1))
    builder.add_joint_revolute(flange, arm, axis=(0, 1, 0), child_xform=(-0.2, 0.0, 0.0))
    builder.collapse_fixed_joints()
    assert builder.body_count == 1
    height = Scene(builder).run(2.0).q[0, 2]
    assert height == pytest.approx(PIVOT - 0.2 / 0.5 * PIVOT, abs=0.01)
