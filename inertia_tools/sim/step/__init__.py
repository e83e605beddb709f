# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""One step of a scene: how it begins, its substeps, its kernels, and which islands are left out."""
