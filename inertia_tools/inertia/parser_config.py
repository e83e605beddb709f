# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What loading SDFormat does about automatic inertials, and how they are calculated, as SDFormat's proposal has it."""

from __future__ import annotations

import enum
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from inertia_tools.inertia.calculators import Calculator, registered
from inertia_tools.inertia.parameters import AutoInertiaParams


class ConfigureCalculateInertial(enum.Enum):
    """What loading does about automatic inertials."""

    SKIP_CALCULATION_IN_LOAD = "skip"
    """Nothing; they are calculated when somebody asks."""

    SAVE_CALCULATION = "keep"
    """Calculate and keep them; the document stays as it is."""

    SAVE_CALCULATION_IN_ELEMENT = "save"
    """Calculate and keep them, and write them into the document."""


@dataclass(frozen=True)
class ParserConfig:
    """How documents are loaded and inertials calculated.

    Attributes:
        calculate_inertial: What loading does about automatic inertials.
        custom_inertia_calculator: Asked for the mass properties of every mesh; None leaves meshes to this package.
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
        """Give the parameters of integration, the calculator of one's own among them."""
        if self.custom_inertia_calculator is None:
            yield self.params
            return
        with registered(self.custom_inertia_calculator) as name:
            yield replace(self.params, method=name)
