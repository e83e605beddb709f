# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Springs, rotors and drives of joints that a target has no place for."""

from __future__ import annotations

from inertia_tools.conversion.account import Account, Kind
from inertia_tools.description.types import Joint


def note_motors(joint: Joint, account: Account, *, holds_springs: bool = True) -> None:
    """Note the properties of a joint that the target does not hold; only MJCF holds rotors and drives."""
    lost = []
    if joint.stiffness and not holds_springs:
        lost.append(f"a spring of {joint.stiffness:g}")
    if joint.armature:
        lost.append(f"the inertia {joint.armature:g} of its rotor")
    if joint.drive is not None:
        lost.append("its drive")
    if lost:
        account.note(Kind.DROPPED, joint.name, f"{', '.join(lost)}: the target format cannot store this", joint.place)
