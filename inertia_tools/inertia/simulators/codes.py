# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Codes of findings about what a target makes of a link."""

WEIGHTLESS, REFUSED = "target-weightless", "target-refuses"
