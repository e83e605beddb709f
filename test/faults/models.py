# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Robots that need to be corrected."""

from __future__ import annotations

from robots import BOX, joint, link, mass, tensor, urdf


def chain(links: int, weight: float) -> str:
    """Return a chain of boxes with impossible tensors; a link is 380 bytes."""
    wrong = mass(weight) + tensor(1, 1, 5)
    parts = [link("link0", wrong, BOX)]
    for k in range(1, links):
        parts += [link(f"link{k}", wrong, BOX), joint(f"link{k}", f"link{k - 1}")]
    return urdf(*parts)
