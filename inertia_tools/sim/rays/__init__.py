# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Rays that meet the shapes of a scene: range finders, lines of sight."""
