# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""How each simulator treats the inertials of a description, as rules with sources."""

from inertia_tools.inertia.simulators.predict import Outcome as Outcome
from inertia_tools.inertia.simulators.predict import predict as predict
from inertia_tools.inertia.simulators.predict import target_findings as target_findings
from inertia_tools.inertia.simulators.rules import Effect as Effect
from inertia_tools.inertia.simulators.table import SIMULATORS as SIMULATORS
from inertia_tools.inertia.simulators.table import simulators_named as simulators_named
