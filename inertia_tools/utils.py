# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Colours and terrain, by the module that users of Newton know."""

from inertia_tools.description.colour import ColorSpace as ColorSpace
from inertia_tools.description.colour import color_linear_to_srgb as color_linear_to_srgb
from inertia_tools.description.colour import color_srgb_to_linear as color_srgb_to_linear
from inertia_tools.sim.scene.mesh_heights import rasterize_mesh_to_heightfield as rasterize_mesh_to_heightfield

__all__ = ["ColorSpace", "color_linear_to_srgb", "color_srgb_to_linear", "rasterize_mesh_to_heightfield"]
