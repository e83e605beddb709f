# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Basis of all kernels: number types, structures of arrays, rotations, motion, small linear algebra, constants."""
