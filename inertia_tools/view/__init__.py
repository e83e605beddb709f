# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Robots and simulations for people: pages served by viser, and reports that need no server."""
