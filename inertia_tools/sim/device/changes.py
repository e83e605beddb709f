# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Taking over what was changed in a model between steps."""

from __future__ import annotations

import enum

import numpy as np

from inertia_tools.errors import OptionError, SimulationError
from inertia_tools.inertial import Inertial
from inertia_tools.sim.device.model import Model
from inertia_tools.spatial import Array


class SolverNotifyFlags(enum.IntFlag):
    """What was changed; the values are Newton's."""

    JOINT_PROPERTIES = 1
    """`joint_enabled`."""
    JOINT_DOF_PROPERTIES = 2
    """Limits, gains, armature, friction, damping and springs of degrees of freedom."""
    BODY_PROPERTIES = 4
    """Nothing that a solver keeps; taken for the sake of programs that send it."""
    BODY_INERTIAL_PROPERTIES = 8
    """`body_mass`, `body_inertia`, `body_com`."""
    SHAPE_PROPERTIES = 16
    """`shape_material_mu`, `shape_material_mu_torsional`, `shape_material_mu_rolling`, `shape_material_restitution`."""
    MODEL_PROPERTIES = 32
    """`gravity`."""
    ALL = 63


def take_over(model: Model, flags: int) -> None:
    """Bring up to date what follows from the values that were changed; see `SolverXPBD.notify_model_changed`.

    Raises:
        OptionError: A flag is unknown, or a value of a joint is out of range.
        SimulationError: A body got mass properties with which it cannot move, or gravity is not finite.
    """
    if flags & ~int(SolverNotifyFlags.ALL):
        raise OptionError("flags", flags, "a sum of SolverNotifyFlags")
    if flags & SolverNotifyFlags.BODY_INERTIAL_PROPERTIES:
        _take_inertials(model)
    if flags & SolverNotifyFlags.JOINT_DOF_PROPERTIES:
        _check_dofs(model)
    if flags & SolverNotifyFlags.MODEL_PROPERTIES:
        if not np.isfinite(model.gravity).all():
            raise SimulationError(f"gravity must be finite; it is {model.gravity.tolist()}")
        model.bodies.gravity.assign(model.gravity[None].astype(model.precision.numpy))


def _take_inertials(model: Model) -> None:
    """Take masses, tensors and centres of mass from the device, and find inverses and lever arms anew."""
    count, data, kind = model.body_count, model.bodies, model.precision.numpy
    if count == 0:
        return
    mass, com, tensor = (getattr(data, name).numpy().astype(np.float64) for name in ("mass", "com", "inertia"))
    moves = model.moves
    found = tuple(Inertial(mass[b], com[b], 0.5 * (tensor[b] + tensor[b].T)) for b in range(count))
    for body in np.flatnonzero(moves).tolist():
        finite = np.isfinite([mass[body], *com[body], *tensor[body].ravel()]).all()
        if not (finite and mass[body] > 0.0 and np.linalg.eigvalsh(found[body].inertia)[0] > 0.0):
            raise SimulationError(
                f"body {model.names[body]!r} cannot move with mass {mass[body]:g} kg and tensor diagonal "
                f"{np.diag(tensor[body]).tolist()}; its mass and moments must be positive"
            )
    shift = np.array([old.com for old in model.inertials]) - com
    inverse = [np.linalg.inv(i.inertia) if moves[b] else np.zeros((3, 3)) for b, i in enumerate(found)]
    data.inv_mass.assign(np.where(moves, 1.0 / np.where(moves, mass, 1.0), 0.0).astype(kind))
    data.inv_inertia.assign(np.array(inverse).astype(kind))
    for struct, points, bodies in (
        (model.joints, "parent_point", "parent"),
        (model.joints, "child_point", "child"),
        (model.shapes, "point", "body"),
    ):
        _shift(getattr(struct, points), getattr(struct, bodies).numpy(), shift)
    model.inertials = found
    data.version.assign(data.version.numpy() + 1)


def _shift(points: object, bodies: np.ndarray, shift: Array) -> None:
    """Move points that are given from centres of mass, as those have moved."""
    values = points.numpy()  # type: ignore[attr-defined]
    on_body = bodies >= 0
    values[on_body] += shift[bodies[on_body]]
    points.assign(values)  # type: ignore[attr-defined]


def _check_dofs(model: Model) -> None:
    """Refuse values of degrees of freedom that no joint has."""
    for name in ("target_ke", "target_kd", "armature", "friction", "damping", "stiffness"):
        values = getattr(model.joints, name).numpy()[: model.joint_dof_count]
        if not (values >= 0.0).all():
            raise OptionError(f"joint_{name}", values[~(values >= 0.0)][0], "zero or more")
