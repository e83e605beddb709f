# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Let the tests import `robots`, the sample descriptions beside this file."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
