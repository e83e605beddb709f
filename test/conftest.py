# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Let examples take their time."""

from hypothesis import settings

# How long an example takes tells how loaded the machine is, and folders of tests run at the same time.
settings.register_profile("without deadline", deadline=None)
settings.load_profile("without deadline")
