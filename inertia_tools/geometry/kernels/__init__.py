# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Warp kernels of the integrals; nothing imports them before one is to run, as Warp takes long to start."""
