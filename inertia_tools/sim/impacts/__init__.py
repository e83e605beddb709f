# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Restitution: times of impact within a substep, and the impact laws of free and jointed bodies."""
