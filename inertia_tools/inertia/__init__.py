# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mass properties of robots: compute, check and correct them.

Checking loads no module that only corrections need; those are imported on first use.
"""

from __future__ import annotations

import importlib

from inertia_tools.inertia.causes import Cause as Cause
from inertia_tools.inertia.compute import LinkInertial as LinkInertial
from inertia_tools.inertia.compute import compute as compute
from inertia_tools.inertia.effective import resolve as resolve
from inertia_tools.inertia.finding import Finding as Finding
from inertia_tools.inertia.finding import Severity as Severity
from inertia_tools.inertia.method import Method as Method
from inertia_tools.inertia.parameters import AutoInertiaParams as AutoInertiaParams
from inertia_tools.inertia.report import LinkReport as LinkReport
from inertia_tools.inertia.report import Report as Report
from inertia_tools.inertia.report import causes as causes
from inertia_tools.inertia.report import check as check
from inertia_tools.inertia.report import stats as stats

_HOME_OF = {
    "save_automatic": "inertia_tools.inertia.automatic",
    "CustomInertiaCalcProperties": "inertia_tools.inertia.calculators",
    "register_calculator": "inertia_tools.inertia.calculators",
    "unregister_calculator": "inertia_tools.inertia.calculators",
    "fix": "inertia_tools.inertia.correct",
    "Correction": "inertia_tools.inertia.correction",
    "Difference": "inertia_tools.inertia.difference",
    "diff": "inertia_tools.inertia.difference",
    "MassModel": "inertia_tools.inertia.mass_model",
    "load_materials": "inertia_tools.inertia.materials",
    "ConfigureCalculateInertial": "inertia_tools.inertia.parser_config",
    "ParserConfig": "inertia_tools.inertia.parser_config",
    "Root": "inertia_tools.inertia.sdf_surface",
}


def __getattr__(name: str) -> object:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value
