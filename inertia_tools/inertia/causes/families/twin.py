# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Numbers copied from the link on the other side of the robot without mirroring."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from inertia_tools.inertia.causes.codes import UNMIRRORED_TWIN
from inertia_tools.inertia.causes.evidence import REFLECTIONS, Evidence
from inertia_tools.inertia.causes.hypotheses import Hypotheses, each

EQUAL = 1e-6
"""Numbers that differ by less than this ratio count as equal."""

SIGNS = tuple(", ".join(f"{sign:+g}" for sign in np.diag(mirror)) for mirror in REFLECTIONS)
"""The signs of each reflection in words."""

WORDS = ("tensor", "centre of mass", "tensor and centre of mass")


def unmirrored_twin(evidence: Evidence) -> Sequence[Hypotheses]:
    """Explain the numbers of a link by a twin with equal ones, although the geometry is mirrored."""
    declared, found = evidence.declared, []
    for sibling in evidence.siblings:
        other = sibling.inertial
        if abs(other.mass - declared.mass) > EQUAL * declared.mass:
            continue
        same_tensor = np.abs(other.inertia - declared.inertia).max() <= EQUAL * np.abs(other.inertia).max()
        same_com = np.abs(other.com - declared.com).max() <= EQUAL * evidence.geometry.extent
        if not (same_tensor or same_com):
            continue
        turned = REFLECTIONS @ declared.inertia @ REFLECTIONS
        moved = REFLECTIONS @ declared.com
        count = len(REFLECTIONS)
        parts = [one for one, holds in ((0, same_tensor), (1, same_com), (2, same_tensor and same_com)) if holds]
        found.append(
            Hypotheses(
                UNMIRRORED_TWIN,
                [
                    f"the {WORDS[part]} of {sibling.link!r} must be mirrored: the signs of x, y, z by " + signs
                    for part in parts
                    for signs in SIGNS
                ],
                np.full(len(parts) * count, declared.mass),
                np.concatenate([moved if part else each(declared.com, count) for part in parts]),
                np.concatenate([each(declared.inertia, count) if part == 1 else turned for part in parts]),
                np.tile(sibling.weights, len(parts)) / len(parts) / len(evidence.siblings),
                geometry_scale=np.ones(len(parts) * count),
            )
        )
    return found
