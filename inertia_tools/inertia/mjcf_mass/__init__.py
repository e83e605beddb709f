# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mass properties of bodies by the rules of MuJoCo's compiler."""

from inertia_tools.inertia.mjcf_mass.bodies import MjcfInertial as MjcfInertial
from inertia_tools.inertia.mjcf_mass.bodies import mjcf_inertials as mjcf_inertials
