# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
# Written by `make reference`.

from inertia_tools.sim.importing.usd_custom import get_custom_attribute_values as get_custom_attribute_values
from inertia_tools.sim.importing.usd_mesh import get_mesh as get_mesh
from inertia_tools.sim.scene.tet_mesh import get_tetmesh as get_tetmesh
from inertia_tools.usd.materials import resolve_material_properties_for_prim as resolve_material_properties_for_prim
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
