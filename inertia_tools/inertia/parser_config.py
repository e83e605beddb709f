# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Treatment of automatic inertials on loading SDFormat, and their calculation, as in SDFormat's proposal."""

from __future__ import annotations

import enum
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from inertia_tools.inertia.calculators import Calculator, registered
from inertia_tools.inertia.parameters import AutoInertiaParams


class ConfigureCalculateInertial(enum.Enum):
    """Treatment of automatic inertials on loading."""

    SKIP_CALCULATION_IN_LOAD = "skip"
    """None; they are calculated on request."""

    SAVE_CALCULATION = "keep"
    """Calculate and keep them; the document is unchanged."""

    SAVE_CALCULATION_IN_ELEMENT = "save"
    """Calculate and keep them, and write them into the document."""


@dataclass(frozen=True)
class ParserConfig:
    """How documents are loaded and inertials calculated.

    Attributes:
        calculate_inertial: Treatment of automatic inertials on loading.
        custom_inertia_calculator: Called for the mass properties of every mesh; None leaves meshes to this package.
        params: How shapes are integrated where the file does not say.
        package_path: Folders to search first for models and packages.
        include_static: Also calculate the automatic inertials of static models, which nothing uses.
    """

    calculate_inertial: ConfigureCalculateInertial = ConfigureCalculateInertial.SKIP_CALCULATION_IN_LOAD
    custom_inertia_calculator: Calculator | None = None
    params: AutoInertiaParams = field(default_factory=AutoInertiaParams)
    package_path: tuple[str | os.PathLike[str], ...] = ()
    include_static: bool = False

    @contextmanager
    def integration(self) -> Iterator[AutoInertiaParams]:
        """Yield the integration parameters, including the user's calculator."""
        if self.custom_inertia_calculator is None:
            yield self.params
            return
        with registered(self.custom_inertia_calculator) as name:
            yield replace(self.params, method=name)
