# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mass properties of an assembly stated for one of its parts, while the other parts state their own as well."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from inertia_tools.inertia.causes.codes import ASSEMBLY_MASS
from inertia_tools.inertia.causes.evidence import Evidence
from inertia_tools.inertia.causes.hypotheses import Hypotheses


def assembly_mass(evidence: Evidence) -> Sequence[Hypotheses]:
    """Explain the numbers by links that are counted twice: in this one, and on their own."""
    declared = evidence.declared
    words, masses, coms, tensors = [], [], [], []
    for name, rest in evidence.assemblies.items():
        mass = declared.mass - rest.mass
        if not mass > 0.0:
            continue
        whole = declared - rest.inertial
        words += [f"the mass of {name} is counted here too: subtract {rest.mass:.6g} kg"]
        words += [f"mass, centre and tensor of {name} are counted here too: subtract them"]
        masses += [mass, mass]
        coms += [declared.com, whole.com]
        tensors += [declared.inertia, whole.inertia]
    if not words:
        return ()
    count = len(words)
    return (
        Hypotheses(
            ASSEMBLY_MASS,
            words,
            np.array(masses),
            np.array(coms),
            np.array(tensors),
            np.full(count, 1.0 / count),
            geometry_scale=np.ones(count),
            reverse=np.zeros(count),
        ),
    )
