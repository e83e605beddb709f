# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What the kernels of a step are compiled with."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Parts:
    """What a kernel is compiled with; what a scene has no use for takes time to compile all the same.

    Attributes:
        contacts: Contacts are looked for.
        anchored: Some contacts are those of the narrow phase.
        joints: There are joints of any kind.
        trees: Some of them hold something.
        loops: Some close a loop, or couple two degrees of freedom.
        sweeps: Joints are solved one after the other.
        twists: Some shape has torsional or rolling friction.
        bounces: Shapes bounce.
    """

    contacts: bool = True
    anchored: bool = True
    joints: bool = True
    trees: bool = True
    loops: bool = True
    sweeps: bool = False
    twists: bool = False
    bounces: bool = False
