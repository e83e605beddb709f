# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Springs, rotors and drives of joints, where a target has no place for them."""

from __future__ import annotations

from inertia_tools.conversion.account import Account, Kind
from inertia_tools.description.types import Joint


def note_motors(joint: Joint, account: Account, *, holds_springs: bool = True) -> None:
    """Note what of a joint the target does not hold; rotors and drives are held by MJCF alone."""
    lost = []
    if joint.stiffness and not holds_springs:
        lost.append(f"a spring of {joint.stiffness:g}")
    if joint.armature:
        lost.append(f"the inertia {joint.armature:g} of its rotor")
    if joint.drive is not None:
        lost.append("what drives it")
    if lost:
        account.note(Kind.DROPPED, joint.name, f"{', '.join(lost)}: the target has no place for it", joint.place)
