# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Products of inertia with the opposite sign, as some CAD programs print them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from inertia_tools.errors import NothingToRepairError
from inertia_tools.inertia.direct_repairs.subject import Subject
from inertia_tools.inertia.repair import Repair
from inertia_tools.inertial import Inertial, rotate_tensor
from inertia_tools.spatial import Array

OPTION = "--negate-products"


@dataclass(frozen=True)
class NegateProducts:
    """Negates ixy, ixz and iyz of every link that has any, in the axes in which the file states them."""

    def plan(self, subject: Subject) -> Mapping[str, Repair]:
        """Negate the products of each link.

        Raises:
            NothingToRepairError: No link has a product of inertia.
        """
        found = {}
        for name in subject.robot.links:
            before = subject.inertial(name)
            if name not in subject.touched or before is None or "tensor" not in subject.stated_parts(name):
                continue
            after = rotate_tensor(turn := _axes(subject, name), _negated(rotate_tensor(turn.T, before.inertia)))
            if not np.array_equal(after, before.inertia):
                keeps_axes = not subject.robot.format.traits.states_principal_axes
                new = Inertial(before.mass, before.com, after)
                found[name] = subject.repair(
                    name, new, "ixy, ixz and iyz negated", parts=frozenset({"tensor"}), keeps_axes=keeps_axes
                )
        if not found:
            raise NothingToRepairError(OPTION, "no link has nonzero products of inertia")
        return found


def _axes(subject: Subject, name: str) -> Array:
    """Return the axes in which the products of a link are stated, seen from the link, shape (3, 3).

    A format that may state a tensor by its principal axes has products only in link axes.
    """
    declared = subject.robot.links[name].declared
    if declared is None or subject.robot.format.traits.states_principal_axes:
        return np.eye(3)
    return declared.pose_link_inertial.rotation


def _negated(tensor: Array) -> Array:
    """Negate products; those within rounding of zero become zero."""
    products = tensor - np.diag(np.diag(tensor))
    products[np.abs(products) <= ROUNDING * float(np.abs(tensor).max())] = 0.0
    return np.asarray(tensor - 2.0 * products)


ROUNDING = 1e-14
"""Products below this ratio of the largest entry are rounding errors of a rotation."""
