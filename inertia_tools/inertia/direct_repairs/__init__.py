# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Repairs that a user requests by name: units, the sign of products, a centre of mass, a twin, a CAD table."""

from inertia_tools.inertia.direct_repairs.cad_table import FromCad as FromCad
from inertia_tools.inertia.direct_repairs.centre import SetCom as SetCom
from inertia_tools.inertia.direct_repairs.mirror import Mirror as Mirror
from inertia_tools.inertia.direct_repairs.products import NegateProducts as NegateProducts
from inertia_tools.inertia.direct_repairs.subject import DirectRepair as DirectRepair
from inertia_tools.inertia.direct_repairs.subject import Subject as Subject
from inertia_tools.inertia.direct_repairs.unit_conversion import ConvertUnits as ConvertUnits
