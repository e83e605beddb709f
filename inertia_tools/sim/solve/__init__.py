# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Constraint solve of an island in a substep: non-smooth Newton on a sparse block factorisation."""
