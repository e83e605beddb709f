# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Warp kernels of the integrals; they are imported only when one is to run, as Warp is slow to start."""
