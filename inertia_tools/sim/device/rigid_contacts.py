# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Contacts of rigid shapes as `Model.collide` found them last, as arrays by the names that users of Newton know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp

from inertia_tools.sim.collide.contact_geometry import ContactGeometry
from inertia_tools.spatial import Array, rotation_from_quaternion

if TYPE_CHECKING:
    from inertia_tools.sim.device.model import Model


class RigidContacts:
    """Contacts with one entry each, in the order of `Contacts.geometry`.

    The first shape of a pair is `shape0`; normals point from it towards the second.

    Attributes:
        geometry: Where shapes touch or nearly touch.
    """

    geometry: ContactGeometry

    @property
    def _model(self) -> Model:
        """The model whose contacts these are."""
        raise NotImplementedError

    def _array(self, values: Any, dtype: Any) -> Any:
        host = np.ascontiguousarray(values, dtype=np.int32 if dtype is wp.int32 else self._model.precision.numpy)
        if not len(host):
            return wp.empty(0, dtype=dtype, device=self._model.device)
        return wp.array(host, dtype=dtype, device=self._model.device)

    def clear(self) -> None:
        """Forget what `Model.collide` has found."""
        self.geometry = ContactGeometry()

    @property
    def rigid_contact_count(self) -> Any:
        """Number of contacts, Warp array of one entry."""
        return self._array([len(self.geometry)], wp.int32)

    @property
    def rigid_contact_shape0(self) -> Any:
        """Index of the first shape of each."""
        return self._array(self.geometry.shapes[:, 0], wp.int32)

    @property
    def rigid_contact_shape1(self) -> Any:
        """Index of the second shape of each."""
        return self._array(self.geometry.shapes[:, 1], wp.int32)

    @property
    def rigid_contact_normal(self) -> Any:
        """Unit normal from the first shape towards the second, world axes."""
        return self._array(-self.geometry.normals, self._model.precision.vec3)

    @property
    def rigid_contact_point0(self) -> Any:
        """Point on the first shape, in the frame of its body [m]."""
        return self._array(self._local(0), self._model.precision.vec3)

    @property
    def rigid_contact_point1(self) -> Any:
        """Point on the second shape, in the frame of its body [m]."""
        return self._array(self._local(1), self._model.precision.vec3)

    @property
    def rigid_contact_margin0(self) -> Any:
        """Distance that the first shape keeps [m]."""
        return self._array(self._margins(0), self._model.precision.scalar)

    @property
    def rigid_contact_margin1(self) -> Any:
        """Distance that the second shape keeps [m]."""
        return self._array(self._margins(1), self._model.precision.scalar)

    def _margins(self, side: int) -> Array:
        shapes = self._model.collision.shapes
        kept = [one.config.margin if one.config.is_solid else 0.0 for one in shapes]
        return np.array(kept, dtype=np.float64)[self.geometry.shapes[:, side]]

    def _local(self, side: int) -> Array:
        """Return the points on one side in the frames of their bodies [m], shape (n, 3)."""
        points = np.array(self.geometry.points[:, side])
        for row, body in enumerate(self.geometry.bodies[:, side].tolist()):
            if body >= 0:
                pose = self.geometry.poses[body]
                points[row] = rotation_from_quaternion(pose[3:]).T @ (points[row] - pose[:3])
        return points
