# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Copies and pickles of read-only mappings, which descriptions and results hold and Python refuses to pickle.

Importing this module registers them, so that descriptions and results can go to other processes.
"""

from __future__ import annotations

import copyreg
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

ReadOnly = MappingProxyType[Any, Any]


def read_only_mapping(values: dict[Any, Any]) -> ReadOnly:
    """Return a read-only view of a dictionary."""
    return MappingProxyType(values)


def _reduce(values: ReadOnly) -> tuple[Callable[[dict[Any, Any]], ReadOnly], tuple[dict[Any, Any]]]:
    return read_only_mapping, (dict(values),)


copyreg.pickle(MappingProxyType, _reduce)
