# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mass properties of bodies by the rules of MuJoCo's compiler."""

from inertia_tools.inertia.compiled.bodies import CompiledInertial as CompiledInertial
from inertia_tools.inertia.compiled.bodies import compiled_inertials as compiled_inertials
