# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""One step of a scene: its beginning, its substeps, its kernels, and the islands at rest that it skips."""
