# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""All simulators, by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from inertia_tools.errors import OptionError
from inertia_tools.inertia.simulators.drake import DRAKE
from inertia_tools.inertia.simulators.gazebo import GAZEBO
from inertia_tools.inertia.simulators.isaac import ISAAC
from inertia_tools.inertia.simulators.kdl import KDL
from inertia_tools.inertia.simulators.mujoco import MUJOCO
from inertia_tools.inertia.simulators.newton import NEWTON
from inertia_tools.inertia.simulators.pybullet import PYBULLET
from inertia_tools.inertia.simulators.rules import Simulator

SIMULATORS: Mapping[str, Simulator] = MappingProxyType(
    {one.name: one for one in (GAZEBO, MUJOCO, PYBULLET, DRAKE, ISAAC, NEWTON, KDL)}
)
"""Every simulator, by its name in options."""


def simulators_named(words: Iterable[str], option: str = "--target") -> list[Simulator]:
    """Return the simulators named in words, each of which may hold several separated by commas.

    Raises:
        OptionError: One is unknown.
    """
    found = {}
    for name in (part.strip().lower() for word in words for part in word.split(",") if part.strip()):
        if name not in SIMULATORS:
            raise OptionError(option, name, "one of " + ", ".join(SIMULATORS))
        found[name] = SIMULATORS[name]
    return list(found.values())
