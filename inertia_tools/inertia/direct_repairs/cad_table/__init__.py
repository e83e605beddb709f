# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mass properties as CAD programs print them, with their units, frame and signs."""

from inertia_tools.inertia.direct_repairs.cad_table.conventions import FRAMES as FRAMES
from inertia_tools.inertia.direct_repairs.cad_table.conventions import SIGNS as SIGNS
from inertia_tools.inertia.direct_repairs.cad_table.conventions import Stated as Stated
from inertia_tools.inertia.direct_repairs.cad_table.from_cad import FromCad as FromCad
from inertia_tools.inertia.direct_repairs.cad_table.part import CadPart as CadPart
from inertia_tools.inertia.direct_repairs.cad_table.reading import read_cad_table as read_cad_table
