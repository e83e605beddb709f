# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Why a robot is unstable in simulation."""

from inertia_tools.diagnosis.diagnose import InstabilityReport as InstabilityReport
from inertia_tools.diagnosis.diagnose import diagnose as diagnose
from inertia_tools.diagnosis.reason import Reason as Reason
