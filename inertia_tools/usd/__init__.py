# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Schema resolvers: attributes of assets for one solver, as values for this one."""

import importlib

from inertia_tools.usd.materials import (
    resolve_material_properties_for_prim as resolve_material_properties_for_prim,
)
from inertia_tools.usd.mjc import SchemaResolverMjc as SchemaResolverMjc
from inertia_tools.usd.newton import SchemaResolverNewton as SchemaResolverNewton
from inertia_tools.usd.physx import SchemaResolverPhysx as SchemaResolverPhysx
from inertia_tools.usd.prim_type import PrimType as PrimType
from inertia_tools.usd.prims import find_tetmesh_prims as find_tetmesh_prims
from inertia_tools.usd.prims import get_physics_scenes as get_physics_scenes
from inertia_tools.usd.prims import has_applied_api_schema as has_applied_api_schema
from inertia_tools.usd.resolver import SchemaAttribute as SchemaAttribute
from inertia_tools.usd.resolver import SchemaResolver as SchemaResolver
from inertia_tools.usd.resolver_manager import SchemaResolverManager as SchemaResolverManager

_HOME_OF = {
    "get_custom_attribute_values": "inertia_tools.sim.importing.usd_custom",
    "get_mesh": "inertia_tools.sim.importing.usd_mesh",
    "get_tetmesh": "inertia_tools.sim.scene.tet_mesh",
}
"""Functions that make parts of scenes from prims, imported on first use."""


def __getattr__(name: str) -> object:
    if name in _HOME_OF:
        globals()[name] = getattr(importlib.import_module(_HOME_OF[name]), name)
        return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
