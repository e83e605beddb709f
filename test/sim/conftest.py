# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Let the tests of the simulator import `scenes`, which stands beside this file."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
