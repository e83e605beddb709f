# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Let the tests import `robots`, the sample descriptions beside this file; let examples take their time."""

import sys
from pathlib import Path

from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))

# How long an example takes tells how loaded the machine is, and folders of tests run at the same time.
settings.register_profile("without deadline", deadline=None)
settings.load_profile("without deadline")
