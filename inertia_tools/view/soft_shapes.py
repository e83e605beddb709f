# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Soft bodies in a viser scene: the triangles of cloth and solids, and loose particles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from inertia_tools.sim.observation import SoftSnapshot

COLOUR = (90, 150, 190)


class ShownSoft:
    """The soft bodies of a simulation in a scene.

    Args:
        server: Server of the scene.
        soft: Their state; the same triangles and particles must be in each `place`.
    """

    def __init__(self, server: Any, soft: SoftSnapshot) -> None:
        self._mesh: Any = None
        self._points: Any = None
        if len(soft.triangles):
            self._mesh = server.scene.add_mesh_simple(
                "/soft/mesh", soft.positions, soft.triangles, color=COLOUR, side="double", flat_shading=True
            )
        if len(soft.loose):
            size = 2.0 * float(np.median(np.delete(soft.radii, np.unique(soft.triangles))))
            self._points = server.scene.add_point_cloud(
                "/soft/particles", soft.loose, COLOUR, point_size=size, point_shape="circle", precision="float32"
            )

    def place(self, soft: SoftSnapshot) -> None:
        """Move them to their current positions."""
        if self._mesh is not None:
            self._mesh.vertices = soft.positions.astype(np.float32)
        if self._points is not None:
            self._points.points = soft.loose.astype(np.float32)

    def remove(self) -> None:
        """Remove them from the scene."""
        for shown in (self._mesh, self._points):
            if shown is not None:
                shown.remove()
