# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""OpenUSD, loaded when the first stage is read."""

from __future__ import annotations

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

from inertia_tools.errors import MissingDependencyError


@lru_cache(maxsize=1)
def pxr() -> Any:
    """Return OpenUSD's modules by name: Usd, UsdGeom, UsdPhysics, UsdShade, Sdf, Gf, Tf, Vt.

    Raises:
        MissingDependencyError: usd-core is not installed.
    """
    try:
        from pxr import Gf, Sdf, Tf, Usd, UsdGeom, UsdPhysics, UsdShade, Vt
    except ImportError as error:
        raise MissingDependencyError("usd-core", "reading or writing USD", "pip install usd-core") from error
    return SimpleNamespace(
        Usd=Usd, UsdGeom=UsdGeom, UsdPhysics=UsdPhysics, UsdShade=UsdShade, Sdf=Sdf, Gf=Gf, Tf=Tf, Vt=Vt
    )
