# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Why the numbers of a link are wrong: hypotheses tested against its geometry, similar links and the whole robot."""

from inertia_tools.inertia.causes.asked import causes_asked as causes_asked
from inertia_tools.inertia.causes.judge import Cause as Cause
from inertia_tools.inertia.causes.judge import Diagnosis as Diagnosis
from inertia_tools.inertia.causes.judge import diagnose as diagnose
from inertia_tools.inertia.causes.population import Population as Population
from inertia_tools.inertia.causes.story import stories as stories
