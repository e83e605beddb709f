# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Codes of findings about how a target treats a link."""

WEIGHTLESS, REFUSED = "target-weightless", "target-refuses"
