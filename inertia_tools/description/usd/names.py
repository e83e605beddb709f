# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Names of links and joints: those of their prims, as short as possible."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

from inertia_tools.description.usd.attributes import authored

NAME = "inertiaTools:name"
"""Attribute for a name that is not an identifier, and so cannot be that of a prim."""


def name_of(prim: Any) -> str:
    """Return the name of a prim, or its stored original name."""
    return str(authored(prim, NAME) or prim.GetName())


def names_of(prims: Sequence[Any], taken: Collection[str]) -> dict[str, str]:
    """Name each prim by its own name if that is unique, else by its path.

    Args:
        prims: The prims.
        taken: Names that are in use.

    Returns:
        Names by the path of the prim.
    """
    own = {str(prim.GetPath()): name_of(prim) for prim in prims}
    count = Counter(own.values())
    return {path: name if count[name] == 1 and name not in taken else path for path, name in own.items()}
