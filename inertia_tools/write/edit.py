# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""New numbers for the inertial of a link, in any format."""

from __future__ import annotations

from dataclasses import dataclass

from inertia_tools.spatial import Array


@dataclass(frozen=True, eq=False)
class InertialEdit:
    """New numbers for the inertial of a link.

    Attributes:
        inertia: New tensor about the centre of mass [kg m^2], shape (3, 3), in link axes, or in those of the declared
            inertial frame if these are kept; None keeps the tensor.
        mass: New mass [kg]; None keeps the mass.
        com: New centre of mass seen from the link [m], shape (3,); None keeps the inertial frame including its axes.
        size: Reference length for rounding the centre of mass [m].
        clear_auto: Clear the request of an SDFormat link to compute its inertial.
        keeps_axes: The axes of the declared inertial frame are kept, even if the centre of mass changes.
        is_as_given: The tensor is written as it is, even one that no body can have.
    """

    inertia: Array | None
    mass: float | None = None
    com: Array | None = None
    size: float = 1.0
    clear_auto: bool = False
    keeps_axes: bool = False
    is_as_given: bool = False
