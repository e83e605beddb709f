# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A tensor about the link's origin instead of the centre of mass, or one parallel axis term too many or too few."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from inertia_tools.inertia.causes.codes import OMITTED_COM, PARALLEL_AXIS
from inertia_tools.inertia.causes.evidence import Evidence
from inertia_tools.inertia.causes.hypotheses import Hypotheses, confirmed, each
from inertia_tools.inertial import point_tensor
from inertia_tools.spatial import Array

TERMS = (
    (1.0, 0.7, "the tensor is about the link's origin: subtract m(|c|^2 1 - c c^T), the parallel axis term"),
    (
        -1.0,
        0.15,
        "the parallel axis term was subtracted once too often: add m(|c|^2 1 - c c^T)",
    ),
    (2.0, 0.15, "the parallel axis term was added twice: subtract 2 m(|c|^2 1 - c c^T)"),
)
"""Number of excess parallel axis terms, its frequency, and the change that undoes it."""

_SHARES = {terms: share for terms, share, _ in TERMS}


def parallel_axis(evidence: Evidence) -> Sequence[Hypotheses]:
    """Explain the tensor by the point that it refers to."""
    declared = evidence.declared
    if not declared.com.any():
        return _about_origin(evidence)
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


def omitted_com(evidence: Evidence) -> Sequence[Hypotheses]:
    """Explain a centre of mass at the link's origin by one that was left out, where the tensor is the geometry's."""
    if evidence.declared.com.any():
        return ()
    return _centred(
        evidence, OMITTED_COM, "the centre of mass is left at the link's origin: put it", evidence.declared.inertia
    )


def _about_origin(evidence: Evidence) -> Sequence[Hypotheses]:
    """Explain a tensor about the link's origin, also where the centre of mass was left at zero."""
    said = (
        "the tensor is about the link's origin, where the centre of mass is left, too: subtract m(|c|^2 1 - c c^T), "
        "and put the centre"
    )
    tensor = evidence.declared.inertia - evidence.declared.mass * point_tensor(evidence.geometry.com)
    return _centred(evidence, PARALLEL_AXIS, said, tensor)


def _centred(evidence: Evidence, cause: str, said: str, tensor: Array) -> Sequence[Hypotheses]:
    """Take the centre of mass from the geometry, if the tensor is then the geometry's."""
    com = evidence.geometry.com
    x, y, z = (float(f"{value:.6g}") for value in com)
    changes = [f"{said} at {x:g} {y:g} {z:g}"]
    masses, one = np.array([evidence.declared.mass]), np.ones(1)
    found = Hypotheses(cause, changes, masses, com[np.newaxis], tensor[np.newaxis], one, is_systematic=True)
    return confirmed(evidence, found)
