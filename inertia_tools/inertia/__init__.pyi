# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
# Written by `make reference`.

from inertia_tools.inertia.automatic import save_automatic as save_automatic
from inertia_tools.inertia.calculators import CustomInertiaCalcProperties as CustomInertiaCalcProperties
from inertia_tools.inertia.calculators import register_calculator as register_calculator
from inertia_tools.inertia.calculators import unregister_calculator as unregister_calculator
from inertia_tools.inertia.causes import Cause as Cause
from inertia_tools.inertia.compute import LinkInertial as LinkInertial
from inertia_tools.inertia.compute import compute as compute
from inertia_tools.inertia.correct import fix as fix
from inertia_tools.inertia.correction import Correction as Correction
from inertia_tools.inertia.difference import Difference as Difference
from inertia_tools.inertia.difference import diff as diff
from inertia_tools.inertia.effective import resolve as resolve
from inertia_tools.inertia.finding import Finding as Finding
from inertia_tools.inertia.finding import Severity as Severity
from inertia_tools.inertia.mass_model import MassModel as MassModel
from inertia_tools.inertia.materials import load_materials as load_materials
from inertia_tools.inertia.method import Method as Method
from inertia_tools.inertia.parameters import AutoInertiaParams as AutoInertiaParams
from inertia_tools.inertia.parser_config import ConfigureCalculateInertial as ConfigureCalculateInertial
from inertia_tools.inertia.parser_config import ParserConfig as ParserConfig
from inertia_tools.inertia.report import LinkReport as LinkReport
from inertia_tools.inertia.report import Report as Report
from inertia_tools.inertia.report import causes as causes
from inertia_tools.inertia.report import check as check
from inertia_tools.inertia.report import stats as stats
from inertia_tools.inertia.sdf_surface import Root as Root
