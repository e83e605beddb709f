# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Run the command line as `python -m inertia_tools.cli`."""

import sys

from inertia_tools.cli import main

sys.exit(main())
