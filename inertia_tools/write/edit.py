# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""New numbers for the inertial of a link, whatever format they are written in."""

from __future__ import annotations

from dataclasses import dataclass

from inertia_tools.spatial import Array


@dataclass(frozen=True, eq=False)
class InertialEdit:
    """New numbers for the inertial of a link.

    Attributes:
        inertia: New tensor about the centre of mass [kg m^2], shape (3, 3), in link axes, or in those of the inertial
            frame that the file declares when these stay; None leaves the tensor alone.
        mass: New mass [kg]; None leaves the mass alone.
        com: New centre of mass seen from the link [m], shape (3,); None leaves the inertial frame alone, axes and all.
        size: Length that the centre of mass is rounded by [m].
        clear_auto: Take back the wish of an SDFormat link to have its inertial computed.
        keeps_axes: The axes of the declared inertial frame stay, although the centre of mass may not.
        is_as_given: The tensor is written as it is, even one that no body can have.
    """

    inertia: Array | None
    mass: float | None = None
    com: Array | None = None
    size: float = 1.0
    clear_auto: bool = False
    keeps_axes: bool = False
    is_as_given: bool = False
