# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Turn a fresh checkout into a built, tested ROS 2 workspace; needs nothing but Python's standard library.

The Makefile is a front for ``python -m bootstrap COMMAND``. Work that is done leaves a stamp named
after the content it was done for, so a second run costs seconds.
"""
