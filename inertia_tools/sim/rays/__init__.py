# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Ray casting against the shapes of a scene: range finders and lines of sight."""
