# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The solver's equations once more, in NumPy, dense and in double precision, for the tests to compare with."""
