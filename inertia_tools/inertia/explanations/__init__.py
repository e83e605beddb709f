# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The meaning, the consequence and the repair of every code of `check` and `diagnose`."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from inertia_tools.errors import OptionError
from inertia_tools.inertia.explanations.causes import CAUSES
from inertia_tools.inertia.explanations.explanation import Explanation as Explanation
from inertia_tools.inertia.explanations.geometry import GEOMETRY
from inertia_tools.inertia.explanations.mass import MASS
from inertia_tools.inertia.explanations.mjcf import MJCF
from inertia_tools.inertia.explanations.plausibility import PLAUSIBILITY, REMARKS
from inertia_tools.inertia.explanations.schema import SCHEMA
from inertia_tools.inertia.explanations.sdformat import SDFORMAT
from inertia_tools.inertia.explanations.stability import STABILITY
from inertia_tools.inertia.explanations.targets import TARGETS
from inertia_tools.inertia.explanations.tensor import TENSOR
from inertia_tools.inertia.explanations.usd import USD
from inertia_tools.wording import listed

EXPLANATIONS: Mapping[str, Explanation] = MappingProxyType(
    {
        explanation.code: explanation
        for explanation in (
            *MASS,
            *TENSOR,
            *PLAUSIBILITY,
            *CAUSES,
            *GEOMETRY,
            *REMARKS,
            *SCHEMA,
            *TARGETS,
            *STABILITY,
            *SDFORMAT,
            *MJCF,
            *USD,
        )
    }
)
"""Every code, in the order of the documents."""


def explanation_of(code: str, option: str = "code") -> Explanation:
    """Return the explanation of a finding code; case, brackets and underscores do not matter.

    Args:
        code: The code, as it stands at the end of a finding.
        option: Name for it in the message if it is unknown.

    Raises:
        OptionError: No finding has that code.
    """
    key = code.strip().strip("[]").lower().replace("_", "-")
    if key not in EXPLANATIONS:
        close = difflib.get_close_matches(key, EXPLANATIONS, n=3)
        allowed = (
            f"a finding code, such as {listed(close, 'or')}"
            if close
            else "a finding code (`inertia-tools explain` lists them)"
        )
        raise OptionError(option, code, allowed)
    return EXPLANATIONS[key]


def known_codes(words: Iterable[str], option: str) -> frozenset[str]:
    """Return the codes in words, each of which may hold several separated by commas.

    Raises:
        OptionError: One is unknown.
    """
    return frozenset(explanation_of(code, option).code for word in words for code in word.split(",") if code.strip())
