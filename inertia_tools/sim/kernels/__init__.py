# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What all kernels are built of: number types, structures of arrays, rotations, motion, small linear algebra."""
