# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Warp types of one precision, and the structures of arrays that kernels take.

Single and double precision are two sets of types and kernels made from the same source.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from inertia_tools.errors import OptionError
from inertia_tools.sim.kernels.model_types import model_types
from inertia_tools.sim.kernels.number_types import NumberTypes, number_types
from inertia_tools.sim.kernels.state_types import state_types
from inertia_tools.sim.kernels.work_types import work_types


@dataclass(frozen=True)
class Precision(NumberTypes):
    """Types of one precision.

    Attributes:
        Bodies, Joints, Loops, Shapes: Structures of arrays of the model.
        State, Control, Contacts: Those that persist from step to step.
        Rows, Row, RelaxationRow: The contacts of a step, one of them, and its part for Gauss-Seidel sweeps.
        Body, Joint, Dof: A body, a joint, and a degree of freedom in a substep.
        System, Node: The Hessian with its factor and its loops, and the part of one body.
        Options: Settings of a solver.
    """

    Bodies: Any
    Joints: Any
    Loops: Any
    Shapes: Any
    State: Any
    Control: Any
    Contacts: Any
    Row: Any
    RelaxationRow: Any
    Rows: Any
    Body: Any
    Node: Any
    System: Any
    Joint: Any
    Dof: Any
    Options: Any

    def references(self, *names: str) -> list[Any]:
        """Return references to structures, by their names, as types of arguments of functions on the device.

        By value, each call that is not inlined would copy kilobytes. So would each thread of a kernel that takes such
        a structure and calls such a function: what small kernels call is inlined, or they take the scene.
        """
        reference: Any = wp.ref  # Python's typing does not know types made by functions
        return [reference[getattr(self, name)] for name in names]


def precision(dtype: str | np.dtype[Any]) -> Precision:
    """Return the types of "float32" or "float64", or of NumPy's dtype of that name.

    Texts of other classes, as NumPy's, are made plain ones: kernels that were cached by them would take other types.

    Raises:
        OptionError: It is neither.
    """
    name = dtype.name if isinstance(dtype, np.dtype) else dtype
    if not isinstance(name, str) or name not in ("float32", "float64"):
        raise OptionError("dtype", dtype, "float32 or float64")
    return _precision(str(name))


@lru_cache(maxsize=2)
def _precision(name: str) -> Precision:
    numbers = number_types(name)
    return Precision(**vars(numbers), **model_types(numbers), **state_types(numbers), **work_types(numbers))
