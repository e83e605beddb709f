# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mass properties of bodies by the rules of USD stages."""

from inertia_tools.inertia.usd_mass.bodies import UsdInertial as UsdInertial
from inertia_tools.inertia.usd_mass.bodies import usd_inertials as usd_inertials
