# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The kinds of mistake, one family each, with their relative frequency."""

from __future__ import annotations

from inertia_tools.inertia.causes.families.assembly import assembly_mass
from inertia_tools.inertia.causes.families.decimal import decimal_point
from inertia_tools.inertia.causes.families.formula import wrong_formula
from inertia_tools.inertia.causes.families.frame import swapped_axis, wrong_frame
from inertia_tools.inertia.causes.families.order import swapped_entries
from inertia_tools.inertia.causes.families.parallel_axis import omitted_com, parallel_axis
from inertia_tools.inertia.causes.families.sign import negated_products
from inertia_tools.inertia.causes.families.stand_in import cad_rounding, copied, diagonal_only, placeholder
from inertia_tools.inertia.causes.families.twin import unmirrored_twin
from inertia_tools.inertia.causes.families.unit import angle_in_degrees, wrong_mesh_unit, wrong_unit
from inertia_tools.inertia.causes.hypotheses import Family

FAMILIES: dict[Family, float] = {
    negated_products: 1.0,
    parallel_axis: 1.0,
    wrong_frame: 0.5,
    swapped_axis: 0.5,
    wrong_unit: 1.0,
    wrong_mesh_unit: 0.5,
    decimal_point: 0.5,
    swapped_entries: 0.5,
    diagonal_only: 0.5,
    placeholder: 1.0,
    copied: 1.0,
    unmirrored_twin: 1.0,
    assembly_mass: 0.5,
    cad_rounding: 0.5,
}
"""Relative frequency of each kind, for those that are tested on every link."""

WHERE_CONFIRMED: dict[Family, float] = {
    omitted_com: 0.1,
    wrong_formula: 0.3,
    angle_in_degrees: 0.1,
}
"""The same, in addition, for kinds that count only where the restored numbers are those of the geometry."""
