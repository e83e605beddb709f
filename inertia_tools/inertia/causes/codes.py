# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The names of all causes, which are finding codes too."""

from __future__ import annotations

NEGATED_PRODUCTS = "negated-products"
PARALLEL_AXIS = "parallel-axis"
OMITTED_COM = "omitted-com"
WRONG_FORMULA = "wrong-formula"
WRONG_FRAME = "wrong-frame"
SWAPPED_AXIS = "swapped-axis"
WRONG_UNIT = "wrong-unit"
WRONG_MESH_UNIT = "wrong-mesh-unit"
DECIMAL_POINT = "decimal-point"
SWAPPED_ENTRIES = "swapped-entries"
DIAGONAL_ONLY = "diagonal-only"
PLACEHOLDER = "placeholder-inertia"
COPIED = "copied-inertial"
UNMIRRORED_TWIN = "unmirrored-twin"
ASSEMBLY_MASS = "assembly-mass"
CAD_ROUNDING = "cad-rounding"

CODES = (
    NEGATED_PRODUCTS,
    PARALLEL_AXIS,
    OMITTED_COM,
    WRONG_FORMULA,
    WRONG_FRAME,
    SWAPPED_AXIS,
    WRONG_UNIT,
    WRONG_MESH_UNIT,
    DECIMAL_POINT,
    SWAPPED_ENTRIES,
    DIAGONAL_ONLY,
    PLACEHOLDER,
    COPIED,
    UNMIRRORED_TWIN,
    ASSEMBLY_MASS,
    CAD_ROUNDING,
)
"""In the order of the documents."""
