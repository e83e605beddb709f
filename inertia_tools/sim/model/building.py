# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Construction of a model on a device from the lists of a builder."""

from __future__ import annotations

import copy
import math
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp

from inertia_tools.errors import OptionError, SimulationError
from inertia_tools.kernel_loading import start_warp
from inertia_tools.sim.collide.anchored import (
    HAS_FEATURES,
    AnchoredPairs,
    anchored_pairs,
    features_may_fail,
    has_features,
    needs_narrow_phase,
    searched_colliders,
)
from inertia_tools.sim.collide.collider_arrays import filter_arrays
from inertia_tools.sim.collide.narrow_phase_pairs import QUICK
from inertia_tools.sim.collide.nearby import BROAD_PHASES, MOST_LISTED, MOST_SHAPES, NearbyShapes
from inertia_tools.sim.collide.scene import CollisionScene, placed_colliders
from inertia_tools.sim.device.custom_arrays import add_row_counts, arrays_of, custom_arrays
from inertia_tools.sim.device.joint_arrays import (
    fill_joints,
    fill_loops,
    left_out,
    start_coordinates,
    start_rates,
    start_velocities,
)
from inertia_tools.sim.device.soft_model import soft_model
from inertia_tools.sim.kernels.island_types import island_types
from inertia_tools.sim.kernels.on_device import OnDevice, known_device
from inertia_tools.sim.kernels.precision import precision
from inertia_tools.sim.model.model import Model
from inertia_tools.sim.scene.bodies import WORLD
from inertia_tools.sim.scene.built_shape import FLAT_REMEDY
from inertia_tools.sim.scene.carried_frames import gravity_scales
from inertia_tools.sim.scene.convex import NOTHING, Convex, SolidKind
from inertia_tools.sim.scene.custom_attributes import AttributeAssignment
from inertia_tools.sim.scene.given import as_finite_vector, as_number
from inertia_tools.sim.scene.inertia_validation import unchecked_inertials, validated_inertials
from inertia_tools.sim.scene.joint_kind import JointKind
from inertia_tools.sim.scene.list_lengths import check_finished
from inertia_tools.sim.scene.notices import SceneWarning
from inertia_tools.sim.scene.parallel_joints import warn_of_locked_pairs
from inertia_tools.sim.scene.posing import start_poses
from inertia_tools.sim.scene.shape_config import FRICTION_RULES
from inertia_tools.sim.scene.shape_pairs import joined_bodies, kept_apart, may_touch
from inertia_tools.spatial import Array

if TYPE_CHECKING:
    from inertia_tools.inertial import Inertial
    from inertia_tools.sim.scene.built_shape import BuiltShape
    from inertia_tools.sim.scene.scene import Scene

ENDLESS = 1e9
"""Thickness of an unbounded solid, which no shape can tunnel through [m]."""

MOST_NEIGHBOURS = 96
MOST_LINKS = 24
"""Maximum number of bodies connected to a free body in a joint solve; a wall with that many bricks in a row is solved
as one system. Bodies with more joints have room for all of them."""

PLANE_REACH = -1.0
"""Marks a shape without a bounding sphere."""


def build_model(
    builder: Scene,
    device: str,
    dtype: str | np.dtype[Any],
    *,
    check_inertia: bool = True,
    inertials: tuple[Inertial, ...] | None = None,
) -> Model:
    """Check a scene and move it to a device; see `ModelBuilder.finalize`.

    Args:
        builder: The scene.
        device: Name of a Warp device.
        dtype: "float32" or "float64", or NumPy's dtype.
        check_inertia: Whether to repair invalid mass properties.
        inertials: Mass properties of the bodies in their own frames, instead of those of the scene.
    """
    check_finished(builder)
    start_warp()
    p = precision(dtype)
    dtype = p.name
    device = str(known_device(device).alias)
    on = OnDevice(p, device)
    if inertials is None:
        inertials = validated_inertials(builder, device, dtype) if check_inertia else unchecked_inertials(builder)
    has_mass = np.array([inertial.mass > 0.0 for inertial in inertials], dtype=bool)
    moves = has_mass & ~np.array(builder.body_kinematic, dtype=bool)
    _refuse_unknown_rules(builder)
    shapes = [_with_gap(shape, builder.rigid_gap) for shape in builder.shapes]
    convexes = [shape.convex or NOTHING for shape in shapes]
    is_static = [shape.body == WORLD or not moves[shape.body] for shape in shapes]
    _refuse_flat(builder, shapes, is_static)
    nearby = is_large(builder, shapes, is_static)
    pairs = [] if nearby else _feature_pairs(builder, shapes, convexes, is_static)
    counts = [len(convexes[a].features) for a, _ in pairs]
    slot_shapes = np.repeat(np.array(pairs, dtype=int).reshape(-1, 2), counts, axis=0)
    anchored = _anchored_pairs(builder, [] if nearby else shapes, is_static, sum(counts), inertials, moves, on)
    slot_shapes = np.concatenate([slot_shapes, anchored.slot_shapes])
    body_of_shape = np.array([shape.body for shape in shapes], dtype=int)
    custom = custom_arrays(builder)
    start = start_poses(builder)
    warn_of_locked_pairs(builder, start)
    model = Model(
        precision=p,
        device=device,
        bodies=p.Bodies(),
        joints=p.Joints(),
        loops=p.Loops(),
        clusters=island_types(p).Clusters(),
        shapes=p.Shapes(),
        slot_count=len(slot_shapes),
        slot_shapes=slot_shapes,
        slot_bodies=body_of_shape[slot_shapes] if len(slot_shapes) else slot_shapes,
        labels=tuple(shape.label for shape in shapes),
        start=start,
        names=tuple(builder.body_name),
        built_joints=tuple(builder.joints),
        inertials=inertials,
        moves=moves,
        gravities=_gravities(builder),
        scene=snapshot(builder),
        collision=CollisionScene(
            tuple(shapes),
            joined_bodies(builder),
            kept_apart(builder),
            builder.friction_combine,
        ),
        anchored=anchored,
        nearby=_nearby_shapes(builder, inertials, moves, on) if nearby else None,
        soft=soft_model(builder, device),
        soft_surfaces=_soft_surfaces(builder, device),
        custom_arrays=custom,
        custom=arrays_of(custom, AttributeAssignment.MODEL, device, Model),
    )
    _fill(model, builder)
    _fill_shapes(model, shapes, convexes, pairs)
    _warn_of_unused(shapes)
    return model


def _refuse_unknown_rules(builder: Scene) -> None:
    """Raise an error for unknown combination rules of materials, or an invalid gap."""
    if not 0.0 <= as_number(builder.rigid_gap) < math.inf:
        raise OptionError("rigid_gap", builder.rigid_gap, "a finite number, zero or more")
    for option in ("friction_combine", "restitution_combine"):
        rule = getattr(builder, option)
        if not isinstance(rule, str) or rule not in FRICTION_RULES:
            raise OptionError(option, rule, "one of " + ", ".join(FRICTION_RULES))


def _feature_pairs(
    builder: Scene, shapes: list[BuiltShape], convexes: list[Convex], is_static: list[bool]
) -> list[tuple[int, int]]:
    """Return the ordered pairs of shapes whose feature points are tested; a pair and its reverse are adjacent."""
    pairs = [
        (a, b)
        for a, b in may_touch(builder, shapes, is_static)
        if len(convexes[a].features)
        and (
            not needs_narrow_phase(shapes[a], shapes[b], is_static[a], is_static[b])
            or _has_features(builder, shapes, is_static, a, b)
        )
    ]
    return sorted(pairs, key=lambda pair: (min(pair), max(pair)))


def _fill(model: Model, builder: Scene) -> None:
    """Fill in bodies, joints and start poses of a model."""
    add_row_counts(model.custom, builder)
    for name in builder.requested_attributes:
        model.request(name)
    _fill_bodies(model, builder)
    fill_joints(model, builder)
    fill_loops(model, builder)
    model.start_velocities = start_velocities(model, builder)
    _refuse_lost(builder, model)
    model.start_rates = start_rates(model, builder.joints)
    model.start_coordinates = start_coordinates(model, builder.joints)
    model.shapes.restitution_rule = FRICTION_RULES.index(builder.restitution_combine)


def _refuse_lost(builder: Scene, model: Model) -> None:
    """Raise an error for bodies whose initial pose or velocity is not finite.

    Raises:
        OptionError: `joint_q`, `body_qd` or `joint_qd` has a value that is not finite.
    """
    count = model.body_count
    places = np.reshape([pose.position for pose in model.start], (count, 3))
    turns = np.reshape([pose.rotation for pose in model.start], (count, 9))
    for what, rows in (("pose", np.concatenate([places, turns], axis=1)), ("velocity", model.start_velocities)):
        for body in np.flatnonzero(~np.isfinite(rows).all(axis=1))[:1].tolist():
            raise OptionError(f"start {what} of {builder.body_name[body]!r}", rows[body].tolist(), "finite numbers")


def _warn_of_unused(shapes: Sequence[BuiltShape]) -> None:
    """Warn of material options for contact models that are not supported."""
    unused = sorted({name for shape in shapes for name in shape.config.unused})
    if unused:
        message = f"collision by signed distance fields or pressure is not supported; ignored: {', '.join(unused)}"
        warnings.warn(message, SceneWarning, stacklevel=4)


def _soft_surfaces(builder: Scene, device: str) -> Any:
    """Return the shapes that particles collide with, or None without particles."""
    if not builder.particle_count:
        return None
    from inertia_tools.sim.soft.surfaces import SurfaceScene

    each = (0, 0) if builder.world_label else (builder.body_count, builder.shape_count)
    return SurfaceScene(builder.shapes, *each, device)


def _gravities(builder: Scene) -> Array:
    """Return gravity in each world, and last that of bodies in no world [m/s^2], shape (worlds + 1, 3)."""
    return np.array([as_finite_vector("gravity", one) for one in [*builder.world_gravity, builder.gravity]])


def snapshot(builder: Scene) -> Scene:
    """Return a copy of the current scene with its own lists."""
    kept = copy.copy(builder)
    for name, value in vars(builder).items():
        if isinstance(value, list | set):
            object.__setattr__(kept, name, copy.copy(value))
    return kept


def _with_gap(shape: BuiltShape, gap: float) -> BuiltShape:
    """Return a shape with the scene's gap if its own is None."""
    return shape if shape.config.gap is not None else replace(shape, config=replace(shape.config, gap=gap))


def _fill_bodies(model: Model, builder: Scene) -> None:
    p, data, count = model.precision, model.bodies, model.body_count
    moves = model.moves
    mass = np.array([inertial.mass for inertial in model.inertials])
    data.count = count
    data.mass = model.array(mass, p.scalar)
    data.inv_mass = model.array(np.where(moves, 1.0 / np.where(moves, mass, 1.0), 0.0), p.scalar)
    data.com = model.array([i.com for i in model.inertials], p.vec3)
    data.inertia = model.array([i.inertia for i in model.inertials], p.mat33)
    inverse = [np.linalg.inv(i.inertia) if m else np.zeros((3, 3)) for i, m in zip(model.inertials, moves, strict=True)]
    data.inv_inertia = model.array(inverse, p.mat33)
    data.gravity = model.array(model.gravities, p.vec3)
    worlds = np.array(builder.body_world, dtype=int)
    data.world = model.array(np.where(worlds < 0, len(model.gravities) - 1, worlds), wp.int32)
    data.gravity_scale = model.array(gravity_scales(builder), p.scalar)
    data.max_gravity = model.zeros(1, p.scalar)
    model.take_gravities(model.gravities)
    joints_at = Counter(body for j in builder.joints if j.kind is not JointKind.FREE for body in {j.parent, j.child})
    is_free_body = [bool(moves[body]) and body not in joints_at for body in range(count)]
    data.version = model.zeros(count, wp.int32)
    data.is_free_body = model.array(is_free_body, wp.int32)
    data.links = max(min(MOST_LINKS, int(moves.sum())), 1)
    most_joints = max((number for body, number in joints_at.items() if body != WORLD), default=0)
    data.neighbours = max(min(MOST_NEIGHBOURS, int(moves.sum())), most_joints, 1)


def _fill_shapes(model: Model, shapes: list[BuiltShape], convexes: list[Convex], pairs: list[tuple[int, int]]) -> None:
    p, data, count = model.precision, model.shapes, len(shapes)
    array = model.array
    data.kind = array([int(convex.kind) for convex in convexes], wp.int32)
    data.size = array([convex.size for convex in convexes], p.vec3)
    data.body = array([shape.body for shape in shapes], wp.int32)
    points = [_from_com(model, shape) for shape in shapes]
    data.point = array(points, p.vec3)
    data.low = array(left_out([shape.body == WORLD for shape in shapes], points, p), p.vec3)
    data.frame = array([shape.pose.quaternion for shape in shapes], p.quat)
    data.friction_rule = FRICTION_RULES.index(model.collision.friction_rule)
    for name in ("mu", "mu_torsional", "mu_rolling", "restitution"):
        setattr(data, name, array([getattr(shape.config, name) for shape in shapes], p.scalar))
    data.reach = array([PLANE_REACH if c.kind is SolidKind.PLANE else c.bounding_radius for c in convexes], p.scalar)
    data.margin = array([s.config.margin if s.config.is_solid else 0.0 for s in shapes], p.scalar)
    data.half_thickness = array([min(convex.half_thickness, ENDLESS) for convex in convexes], p.scalar)
    features, faces = [len(c.features) for c in convexes], [len(c.faces) for c in convexes]
    data.first_feature = array([2 * start for start in _starts(features)], wp.int32)
    data.feature_count = array(features, wp.int32)
    data.first_face = array(_starts(faces), wp.int32)
    data.face_count = array(faces, wp.int32)
    data.feature = array(_joined([part for c in convexes for part in (c.features, c.sharp)]), p.vec3)
    data.radius = array(_joined([part for c in convexes for part in (c.radii, c.radii - c.rounding)]), p.scalar)
    edges = [np.full((len(c.features), 2), -1) if c.edges is None else c.edges for c in convexes]
    for column, name in enumerate(("edge_start", "edge_end")):
        twice = [int(end) for block in edges for _ in range(2) for end in block[:, column]]
        setattr(data, name, array(twice, wp.int32))
    data.is_rim = array([int(rim) for c in convexes for _ in range(2) for rim in c.rims], wp.int32)
    data.face = array(_joined([c.faces for c in convexes]), p.vec4)
    model.bodies.extent = model.array(_extents(model, shapes, convexes), p.scalar)
    data.count = count
    data.pair_count = len(pairs)
    data.pair_feature = array([a for a, _ in pairs], wp.int32)
    data.pair_solid = array([b for _, b in pairs], wp.int32)
    data.pair_slot = array(_starts([features[a] for a, _ in pairs]), wp.int32)
    places = {frozenset(row): index for index, row in enumerate(model.anchored.shapes.tolist())}
    data.pair_anchored = array([places.get(frozenset(pair), -1) for pair in pairs], wp.int32)


def _extents(model: Model, shapes: list[BuiltShape], convexes: list[Convex]) -> Array:
    """Return the greatest distance of each body's shapes from its centre of mass [m], shape (n,)."""
    extents = np.zeros(max(model.body_count, 1))
    for shape, convex in zip(shapes, convexes, strict=True):
        if shape.body != WORLD and convex is not NOTHING and convex.kind is not SolidKind.PLANE:
            reach = float(np.linalg.norm(_from_com(model, shape))) + convex.bounding_radius
            extents[shape.body] = max(extents[shape.body], reach)
    return extents


def _from_com(model: Model, shape: BuiltShape) -> Array:
    com = np.zeros(3) if shape.body == WORLD else model.inertials[shape.body].com
    return shape.pose.position - com


def _starts(counts: list[int]) -> list[int]:
    return np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(int).tolist() if counts else []


def _joined(blocks: list[Array]) -> Array:
    return np.concatenate(blocks) if blocks else np.zeros(0)


def _refuse_flat(builder: Scene, shapes: Sequence[BuiltShape], is_static: Sequence[bool]) -> None:
    """Raise an error for flat meshes that would collide as their convex hulls.

    Raises:
        SimulationError: There is such a mesh.
    """
    for shape, stays in zip(shapes, is_static, strict=True):
        if shape.is_without_hull(stays):
            why = "" if stays else f", and it moves with body {builder.body_name[shape.body]!r}"
            raise SimulationError(f"the mesh {shape.known_as} is flat, so it has no hull{why}; {FLAT_REMEDY}")


def is_large(builder: Scene, shapes: list[BuiltShape], is_static: list[bool]) -> bool:
    """Return whether steps need a broad phase, because the pairs of shapes are too many to list.

    Raises:
        OptionError: `broad_phase` is unknown.
    """
    if builder.broad_phase not in BROAD_PHASES:
        raise OptionError("broad_phase", builder.broad_phase, "one of " + ", ".join(BROAD_PHASES))
    if builder.broad_phase != "auto":
        return builder.broad_phase == "search"
    if sum(shape.convex is not None for shape in shapes) > MOST_SHAPES:
        return True
    still, body = np.array(is_static, dtype=bool), np.array([shape.body for shape in shapes])
    group = np.array([shape.config.collision_group for shape in shapes])
    first, second = group[:, None], group[None, :]
    touch = np.where((first > 0) & (second > 0), first == second, first != second) & (first != 0) & (second != 0)
    world = np.array([shape.world for shape in shapes])
    touch &= (world[:, None] == world[None, :]) | (np.minimum(world[:, None], world[None, :]) < 0)
    solid = np.array([shape.convex is not None for shape in shapes], dtype=bool)
    touch &= solid[:, None] & solid[None, :]
    touch &= ~(still[:, None] & still[None, :]) & (body[:, None] != body[None, :])
    return int(touch.sum()) - 2 * len(builder.shape_collision_filter_pairs) > MOST_LISTED


def _has_features(builder: Scene, shapes: list[BuiltShape], is_static: list[bool], a: int, b: int) -> bool:
    """Return whether fast pairs test feature points, as for bodies without constraining joints."""
    held = {
        body for joint in builder.joints if joint.kind is not JointKind.FREE for body in (joint.parent, joint.child)
    }
    is_free = any(not is_static[shape] and shapes[shape].body not in held for shape in (a, b))
    return is_free and has_features(shapes[a], shapes[b], is_static[a], is_static[b])


def _nearby_shapes(builder: Scene, inertials: tuple[Inertial, ...], moves: np.ndarray, on: OnDevice) -> NearbyShapes:
    """Return the colliders of a scene with a broad phase."""
    placed = placed_colliders(inertials, moves, builder.shapes)
    data, exact, trees = searched_colliders(placed, on)
    filters = filter_arrays(placed, joined_bodies(builder), kept_apart(builder), len(moves), on)
    return NearbyShapes(data, exact, filters, np.array([one.shape for one in placed], dtype=int), trees)


def _anchored_pairs(
    builder: Scene,
    shapes: list[BuiltShape],
    is_static: list[bool],
    first_slot: int,
    inertials: tuple[Inertial, ...],
    moves: np.ndarray,
    on: OnDevice,
) -> AnchoredPairs:
    """Return the pairs with contacts from the narrow phase."""
    chosen, optional = [], {}
    for a, b in may_touch(builder, shapes, is_static):
        if a < b and needs_narrow_phase(shapes[a], shapes[b], is_static[a], is_static[b]):
            chosen.append((a, b))
            if _has_features(builder, shapes, is_static, a, b):
                optional[a, b] = QUICK
        elif a < b and features_may_fail(shapes[a], shapes[b]):
            chosen.append((a, b))
            optional[a, b] = HAS_FEATURES
    wanted = {shape for pair in chosen for shape in pair}
    placed = placed_colliders(inertials, moves, builder.shapes, wanted)
    return anchored_pairs(placed, chosen, optional, first_slot, on)
