# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Updates of a model after users change values between steps."""

from __future__ import annotations

import enum
import operator
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from inertia_tools.errors import OptionError, SimulationError
from inertia_tools.inertial import Inertial, symmetric_part
from inertia_tools.sim.device.joint_arrays import DOF_FIELDS, move_joints
from inertia_tools.sim.model.body_flags import take_flags
from inertia_tools.sim.model.joint_frames import take_frames
from inertia_tools.sim.model.model import Model
from inertia_tools.sim.scene.given import as_finite_vector
from inertia_tools.sim.scene.joint_config import FINITE, NOT_NEGATIVE, POSITIVE
from inertia_tools.sim.scene.notices import SceneWarning
from inertia_tools.sim.scene.shape_pairs import released_apart


class SolverNotifyFlags(enum.IntFlag):
    """Groups of changed properties; the values are Newton's."""

    JOINT_PROPERTIES = 1
    """`joint_enabled`, and the joint frames `joint_X_p` and `joint_X_c`."""
    JOINT_DOF_PROPERTIES = 2
    """Limits, gains, armature, friction, damping and springs of degrees of freedom."""
    BODY_PROPERTIES = 4
    """`body_flags`: bodies become kinematic or dynamic. Rebuilding takes as long as `finalize`."""
    BODY_INERTIAL_PROPERTIES = 8
    """`body_mass`, `body_inertia`, `body_com`; `particle_mass` and `particle_flags`."""
    SHAPE_PROPERTIES = 16
    """`shape_material_mu`, `shape_material_mu_torsional`, `shape_material_mu_rolling`, `shape_material_restitution`."""
    MODEL_PROPERTIES = 32
    """`gravity`."""
    CONSTRAINT_PROPERTIES = 64
    """Applies nothing: a warning names changed arrays of mimic constraints; the next ones have no effect at all."""
    TENDON_PROPERTIES = 128
    ACTUATOR_PROPERTIES = 256
    JOINT_DOF_FORCE_PROPERTIES = 512
    """Same as `JOINT_DOF_PROPERTIES`, like the next two."""
    JOINT_DOF_INERTIAL_PROPERTIES = 1024
    JOINT_REFERENCE_POSE_PROPERTIES = 2048
    SHAPE_TYPE_AND_SOURCE = 4096
    """No effect, as these cannot change."""
    ALL = 8191


ModelFlags = SolverNotifyFlags
"""The same enumeration, by its name in newer releases of Newton."""

OF_DOFS = (
    SolverNotifyFlags.JOINT_DOF_PROPERTIES
    | SolverNotifyFlags.JOINT_DOF_FORCE_PROPERTIES
    | SolverNotifyFlags.JOINT_DOF_INERTIAL_PROPERTIES
    | SolverNotifyFlags.JOINT_REFERENCE_POSE_PROPERTIES
)
"""Flags for properties of degrees of freedom."""

FIXED = {
    SolverNotifyFlags.SHAPE_PROPERTIES: (
        *("shape_transform", "shape_body", "shape_type", "shape_scale", "shape_is_solid", "shape_flags"),
        *("shape_collision_group", "shape_margin", "shape_gap"),
    ),
    SolverNotifyFlags.JOINT_DOF_PROPERTIES: ("joint_axis", "joint_target_mode"),
    SolverNotifyFlags.CONSTRAINT_PROPERTIES: tuple(
        f"constraint_mimic_{name}" for name in ("joint0", "joint1", "coef0", "coef1", "enabled")
    ),
}
"""Arrays that only `finalize` reads, by the flag of their kind; changes of them have no effect."""

MOST_NAMED = 8
"""Maximum number of joints named in a warning."""


def take_over(model: Model, flags: Any) -> None:
    """Update the data derived from changed values; see `SolverXPBD.notify_model_changed`.

    Raises:
        OptionError: A flag is unknown, a value or a frame of a joint, a material or a particle is out of range, gravity
            is not finite, or `body_flags` are invalid.
        SimulationError: A dynamic body has invalid mass properties.
    """
    if not hasattr(flags, "__index__") or np.ndim(flags) or operator.index(flags) & ~int(SolverNotifyFlags.ALL):
        raise OptionError("flags", flags, "a sum of SolverNotifyFlags")
    model.changed_times += 1
    is_built_again = bool(flags & SolverNotifyFlags.BODY_PROPERTIES) and take_flags(model)
    if is_built_again or flags & SolverNotifyFlags.BODY_INERTIAL_PROPERTIES:
        _take_inertials(model)
    if flags & SolverNotifyFlags.BODY_INERTIAL_PROPERTIES and model.soft is not None:
        _refuse_masses(model.soft.particle_mass.numpy())
        model.weighed_times += 1
    if flags & SolverNotifyFlags.JOINT_PROPERTIES:
        take_frames(model)
        _warn_of_released(model)
    if flags & OF_DOFS:
        _check_dofs(model)
    if flags & SolverNotifyFlags.SHAPE_PROPERTIES:
        _check_materials(model)
    _warn_of_fixed(model, flags)
    if flags & SolverNotifyFlags.MODEL_PROPERTIES:
        given, stated = model.bodies.gravity.numpy(), np.array(model.gravities)
        values = np.where(given == stated.astype(given.dtype), stated, given)  # those that stay are not rounded
        model.take_gravities(np.array([as_finite_vector("gravity", one) for one in values]))


def _warn_of_released(model: Model) -> None:
    """Warn about newly disabled joints whose bodies still do not collide, as collision filters are fixed."""
    acts = model.joints.enabled.numpy()[: model.joint_count].astype(bool).reshape(model.scene_copies, -1)
    found = {
        copy * acts.shape[1] + index
        for copy in np.flatnonzero(~acts.all(axis=1)).tolist()
        for index in released_apart(model.scene, acts[copy].tolist())
    }
    fresh, model.released = sorted(found - model.released), found
    if fresh:
        named = ", ".join(repr(model.built_joints[index].name) for index in fresh[:MOST_NAMED])
        more = f" and {len(fresh) - MOST_NAMED} more" if len(fresh) > MOST_NAMED else ""
        warnings.warn(
            f"bodies of disabled joint {named}{more} still do not collide with each other, as finalize fixes the "
            "collision filters; pass collision_filter_parent=False to add_joint to let them collide from the start",
            SceneWarning,
            stacklevel=4,
        )


def _warn_of_fixed(model: Model, flags: int) -> None:
    """Warn once about each array that was changed in vain."""
    names = [name for flag, names in FIXED.items() if flags & flag for name in names]
    fresh = [name for name in names if name not in model.warned_of and model.is_rewritten(name)]
    model.warned_of.update(fresh)
    if fresh:
        warnings.warn(
            f"changes of {', '.join(fresh)} have no effect, as only finalize reads them; set them in the ModelBuilder",
            SceneWarning,
            stacklevel=4,
        )


def _take_inertials(model: Model) -> None:
    """Read masses, inertia tensors and centres of mass from the device, and recompute inverses and lever arms."""
    count, data = model.body_count, model.bodies
    if count == 0:
        return
    given = [getattr(data, name).numpy() for name in ("mass", "com", "inertia")]
    built, as_built = _built_inertials(model, given)
    mass, com, tensor = (values.astype(np.float64) for values in given)
    moves = model.moves
    found = tuple(
        built[b] if as_built[b] else Inertial(mass[b], com[b], symmetric_part(tensor[b])) for b in range(count)
    )
    for body in np.flatnonzero(moves).tolist():
        finite = np.isfinite([mass[body], *com[body], *tensor[body].ravel()]).all()
        if not (finite and mass[body] > 0.0 and np.linalg.eigvalsh(found[body].inertia)[0] > 0.0):
            raise SimulationError(
                f"body {model.names[body]!r} cannot move with mass {mass[body]:g} kg, centre {com[body].tolist()} and "
                f"tensor diagonal {np.diag(tensor[body]).tolist()}; all must be finite, mass and moments positive"
            )
    changed = np.array([not _are_equal(*pair) for pair in zip(found, model.inertials, strict=True)])
    if not changed.any():
        return
    inverse = [np.linalg.inv(i.inertia) if moves[b] else np.zeros((3, 3)) for b, i in enumerate(found)]
    weights = np.array([one.mass for one in found])
    data.inv_mass.assign(np.where(moves, 1.0 / np.where(moves, weights, 1.0), 0.0))
    data.inv_inertia.assign(np.array(inverse))
    model.inertials = found
    move_joints(model, dict(enumerate(model.built_joints)))
    _place_shapes(model)
    data.version.assign(data.version.numpy() + changed)


def _built_inertials(model: Model, given: Sequence[np.ndarray]) -> tuple[tuple[Inertial, ...], np.ndarray]:
    """Return the mass properties that the model was built with, and for each body whether given values are theirs.

    In single precision these values are rounded, so that those of the model are more accurate.
    """
    if model.built_inertials is None:
        model.built_inertials = model.inertials
    same = np.ones(model.body_count, dtype=bool)
    for name, values in zip(("mass", "com", "inertia"), given, strict=True):
        stated = np.array([getattr(one, name) for one in model.built_inertials]).astype(values.dtype)
        same &= (values == stated).reshape(model.body_count, -1).all(axis=1)
    return model.built_inertials, same


def _place_shapes(model: Model) -> None:
    """Copy the positions of the shapes relative to the centres of mass to the device."""
    built = model.collision.shapes
    if not built:
        return
    bodies = model.shapes.body.numpy()
    positions = np.tile([shape.pose.position for shape in built], (len(bodies) // len(built), 1))
    on_body = bodies >= 0
    positions[on_body] -= np.array([one.com for one in model.inertials])[bodies[on_body]]
    model.shapes.point.assign(positions)


def _are_equal(one: Inertial, other: Inertial) -> bool:
    """Return whether mass properties have the same numbers."""
    same = one.mass == other.mass and (one.com == other.com).all() and (one.inertia == other.inertia).all()
    return one is other or bool(same)


def _refuse_masses(mass: np.ndarray) -> None:
    """Raise an error for invalid masses of particles."""
    _refuse("particle_mass", mass, np.isfinite(mass) & (mass >= 0.0), "a finite number, zero or more")


def _check_dofs(model: Model) -> None:
    """Raise an error for invalid values of degrees of freedom; see `JointDofConfig.check`."""
    arrays = {
        config: getattr(model.joints, array).numpy()[: model.joint_dof_count] for array, config in DOF_FIELDS.items()
    }
    for name in FINITE.intersection(arrays):
        _refuse(f"joint_{name}", arrays[name], np.isfinite(arrays[name]), "a finite number")
    for name in NOT_NEGATIVE:
        values = arrays[name]
        usable = (values >= 0.0) & (np.isfinite(values) | (name == "target_ke"))
        _refuse(f"joint_{name}", values, usable, "a finite number, zero or more")
    for name in POSITIVE:
        _refuse(f"joint_{name}", arrays[name], arrays[name] > 0.0, "more than zero; infinite for no limit")
    lower, upper = arrays["limit_lower"], arrays["limit_upper"]
    _refuse("joint_limit_lower", lower, lower <= upper, "no more than joint_limit_upper")


def _check_materials(model: Model) -> None:
    """Raise an error for invalid values of materials; see `ShapeConfig.check`."""
    for name in ("mu", "mu_torsional", "mu_rolling"):
        values = getattr(model.shapes, name).numpy()
        usable = np.isfinite(values) & (values >= 0.0)
        _refuse(f"shape_material_{name}", values, usable, "a finite number, zero or more")
    values = model.shapes.restitution.numpy()
    _refuse("shape_material_restitution", values, (values >= 0.0) & (values <= 1.0), "0 to 1")


def _refuse(name: str, values: np.ndarray, usable: np.ndarray, allowed: str) -> None:
    """Raise an error for an array with an invalid value."""
    if not usable.all():
        raise OptionError(name, float(values[~usable][0]), allowed)
