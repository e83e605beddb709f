# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Reading MJCF, MuJoCo's format."""

from inertia_tools.description.mjcf.read import read_mjcf as read_mjcf
