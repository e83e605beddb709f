# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Robots and simulations as people see them: pages that viser serves, and reports that need no server."""
