# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Options of a simulation that do not depend on its contents."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from inertia_tools.errors import OptionError
from inertia_tools.sim.scene.given import as_number
from inertia_tools.sim.scene.heightfield import Heightfield
from inertia_tools.sim.scene.mesh_shape import Mesh
from inertia_tools.spatial import ArrayLike

if TYPE_CHECKING:
    import numpy as np

    from inertia_tools.usd import SchemaResolver

DEFAULT_STEP = 1.0 / 240.0
"""Length of a step [s]."""

DEFAULT_SUBSTEPS = 4
DEFAULT_ITERATIONS = 3


@dataclass(frozen=True, eq=False)
class SimulationOptions:
    """Options of a simulation; the attributes are arguments of `Simulation`."""

    dt: float = DEFAULT_STEP
    substeps: int = DEFAULT_SUBSTEPS
    gravity: ArrayLike | None = None
    ground: bool | Heightfield | Mesh = True
    device: str = "cpu"
    dtype: str | np.dtype[Any] = "float32"
    iterations: int = DEFAULT_ITERATIONS
    schema_resolvers: Sequence[SchemaResolver] | None = None
    angles_in_degrees: bool = False
    enable_restitution: bool = False
    sleep: bool = False
    reactions: bool = False
    friction_combine: str | None = None

    def __post_init__(self) -> None:
        """Check the options that no other object checks.

        Raises:
            OptionError: The length of a step is not positive.
        """
        if not 0.0 < as_number(self.dt) < math.inf:
            raise OptionError("dt", self.dt, "a positive number of seconds")
        object.__setattr__(self, "dt", float(self.dt))
