# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Constraint rows of joints, limits, drives and contacts, and the admissible set of each multiplier."""
