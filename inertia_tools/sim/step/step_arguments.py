# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Checks that a step's arguments belong to the solver's scene; with others kernels would access foreign memory."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import warp as wp

from inertia_tools.errors import OptionError, OptionTypeError, SimulationError
from inertia_tools.sim.device.contacts import Contacts
from inertia_tools.sim.device.control import Control
from inertia_tools.sim.device.state import State
from inertia_tools.sim.model.model import Model
from inertia_tools.sim.scene.given import need


def check_types(state_in: Any, state_out: Any, control: Any, contacts: Any, dt: Any) -> None:
    """Refuse arguments of a step that have the wrong type.

    Raises:
        OptionTypeError: One is.
    """
    need("state_in", state_in, State, "model.state()")
    need("state_out", state_out, State, "model.state()")
    if control is not None:
        need("control", control, Control, "model.control()")
    if contacts is not None:
        need("contacts", contacts, Contacts, "model.contacts()")
    if isinstance(dt, str) or not hasattr(dt, "__float__") or getattr(dt, "ndim", 0) > 0:
        raise OptionTypeError("dt", dt, "a number of seconds")


def check_step(
    model: Model, state_in: State, state_out: State, control: Control, contacts: Contacts | None, dt: float
) -> None:
    """Refuse arguments of a step that do not fit a scene; see `SolverXPBD.step`.

    Raises:
        OptionError: The step has no length.
        SimulationError: A state, the drives or the contacts are of another scene, precision or device.
    """
    if not (math.isfinite(dt) and dt > 0.0):
        raise OptionError("dt", dt, "a finite number of seconds, more than zero")
    bodies, coordinates, dofs = model.body_count, model.joint_coord_count, model.joint_dof_count
    p = model.precision
    for name, state in (("state_in", state_in), ("state_out", state_out)):
        if not state.has_scene:
            raise SimulationError(_strange(name, "state"))
        _check(model, name, state.data, p.State, {"q": bodies, "joint_q": coordinates, "joint_qd": dofs})
    _check(model, "control", control.data, p.Control, {"joint_f": dofs})
    if contacts is not None and contacts.anchored.model is not model:
        raise SimulationError(_strange("contacts", "contacts"))


def _check(model: Model, name: str, data: Any, struct: Any, sizes: Mapping[str, int]) -> None:
    if data._cls is not struct:
        raise SimulationError(f"{name} does not have the precision of the solver's model, {model.precision.name}")
    for array, size in sizes.items():
        found = getattr(data, array)
        if len(found) != max(size, 1) or found.device != wp.get_device(model.device):
            raise SimulationError(_strange(name, "control" if name == "control" else "state"))


def _strange(name: str, maker: str) -> str:
    return f"{name} is of another scene or device than the solver's model; make it by model.{maker}()"
