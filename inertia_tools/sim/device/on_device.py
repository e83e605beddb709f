# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Arrays of one precision on one device."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp

from inertia_tools.errors import SimulationError
from inertia_tools.sim.device.precision import Precision


def known_device(name: str) -> Any:
    """Return a device by Warp's name.

    Raises:
        SimulationError: There is none of that name.
    """
    try:
        return wp.get_device(name)
    except Exception as error:  # Warp raises whatever its lookup raises
        known = ", ".join(str(known) for known in wp.get_devices())
        raise SimulationError(f"there is no device {name!r}; this machine has {known}") from error


@dataclass(eq=False)
class OnDevice:
    """What has its arrays in one precision on one device.

    Attributes:
        precision: Types of its numbers.
        device: Where it lies, as Warp names it.
    """

    precision: Precision
    device: str

    def array(self, values: Any, dtype: Any) -> Any:
        """Put values on the device."""
        kind = np.int32 if dtype is wp.int32 else self.precision.numpy
        numbers = np.ascontiguousarray(values, dtype=kind)
        return wp.array(numbers, dtype=dtype, device=self.device) if len(numbers) else self.zeros(0, dtype)

    def zeros(self, count: int, dtype: Any) -> Any:
        """Put zeros on the device; Warp wants at least one."""
        return wp.zeros(max(count, 1), dtype=dtype, device=self.device)

    def sized(self, struct: Any, count: int, special: Mapping[str, int] | None = None) -> Any:
        """Return a structure of zeros, with one length for all its arrays but the special ones."""
        made = struct()
        for name, variable in struct.vars.items():
            if hasattr(variable.type, "dtype"):
                setattr(made, name, self.zeros((special or {}).get(name, count), variable.type.dtype))
        return made
