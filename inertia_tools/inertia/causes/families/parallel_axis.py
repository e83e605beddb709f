# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A tensor about the link's origin taken for one about the centre of mass, or a parallel axis term too many or few."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from inertia_tools.inertia.causes.codes import PARALLEL_AXIS
from inertia_tools.inertia.causes.evidence import Evidence
from inertia_tools.inertia.causes.hypotheses import Hypotheses, each
from inertia_tools.inertial import point_tensor

TERMS = (
    (1.0, 0.7, "the tensor is about the link's origin: subtract m(|c|^2 1 - c c^T), the parallel axis term"),
    (
        -1.0,
        0.15,
        "the parallel axis term was subtracted once too often: add m(|c|^2 1 - c c^T)",
    ),
    (2.0, 0.15, "the parallel axis term was added twice: subtract 2 m(|c|^2 1 - c c^T)"),
)
"""How many terms the tensor has too many, how often, and what to do."""

_SHARES = {terms: share for terms, share, _ in TERMS}


def parallel_axis(evidence: Evidence) -> Sequence[Hypotheses]:
    """Explain the tensor by the point that it is about."""
    declared = evidence.declared
    if not declared.com.any():
        return ()
    term = declared.mass * point_tensor(declared.com)
    count = len(TERMS)
    tensors = declared.inertia - np.array([many for many, _, _ in TERMS])[:, np.newaxis, np.newaxis] * term
    return (
        Hypotheses(
            PARALLEL_AXIS,
            [said for _, _, said in TERMS],
            np.full(count, declared.mass),
            each(declared.com, count),
            tensors,
            np.array([share for _, share, _ in TERMS]),
            is_systematic=True,
            geometry_scale=np.ones(count),
            reverse=np.array([_SHARES.get(-many, 0.0) for many in _SHARES]),
        ),
    )
