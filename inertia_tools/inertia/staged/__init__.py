# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mass properties of bodies by the rules of USD stages."""

from inertia_tools.inertia.staged.bodies import StagedInertial as StagedInertial
from inertia_tools.inertia.staged.bodies import staged_inertials as staged_inertials
