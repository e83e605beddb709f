# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Arrays of one precision on one device."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import warp as wp

from inertia_tools.errors import SimulationError
from inertia_tools.sim.kernels.precision import Precision


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
    """An owner of arrays in one precision on one device.

    Attributes:
        precision: Types of its numbers.
        device: Where it lies, as Warp names it.
    """

    precision: Precision
    device: str

    def array(self, values: Any, dtype: Any) -> Any:
        """Put values on the device; Warp wants at least one."""
        array: Any = wp.array(values, dtype=dtype, device=self.device)
        return array if len(array) else wp.zeros((1, *array.shape[1:]), dtype=dtype, device=self.device)

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
