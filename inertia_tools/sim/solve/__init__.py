# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""One solve for all constraints of an island: non-smooth Newton on a sparse block factorisation."""
