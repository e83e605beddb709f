# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Reading the same array of a device again and again."""

from __future__ import annotations

from typing import Any

from inertia_tools.spatial import Array


class HostView:
    """What NumPy sees of an array: on a CPU its own memory, looked up once, elsewhere a copy each time.

    To look it up takes Warp longer than to read the numbers of a robot. Owners of arrays have one for each.
    """

    def __init__(self) -> None:
        self._array: Any = None
        self._seen: Array | None = None

    def lasting(self) -> dict[str, Any]:
        """Return nothing: what is looked at lasts where it belongs."""
        return {}

    def of(self, array: Any) -> Array:
        """Return the numbers of an array, as they are now; on a CPU they change with it."""
        if array is not self._array:
            self._array, self._seen = array, array.numpy() if array.device.is_cpu else None
        return array.numpy() if self._seen is None else self._seen
