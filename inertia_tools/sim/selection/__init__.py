# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Articulations of a model that look alike, as one batch of arrays."""
