# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Reading the same array of a device again and again."""

from __future__ import annotations

from typing import Any

from inertia_tools.spatial import Array


class HostView:
    """NumPy view of a Warp array: on a CPU of its own memory, looked up once, elsewhere a copy each time.

    Warp takes longer to look it up than to read the numbers of a robot. Owners of arrays have one view for each.
    """

    def __init__(self) -> None:
        self._array: Any = None
        self._seen: Array | None = None

    def lasting(self) -> dict[str, Any]:
        """Return nothing: the array is saved by its owner."""
        return {}

    def of(self, array: Any) -> Array:
        """Return the numbers of an array, as they are now; on a CPU they change with it."""
        if array is not self._array:
            self._array, self._seen = array, array.numpy() if array.device.is_cpu else None
        return array.numpy() if self._seen is None else self._seen
