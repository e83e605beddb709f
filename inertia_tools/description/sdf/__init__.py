# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Reading SDFormat 1.4 to 1.12: models and worlds, with what they include."""

from inertia_tools.description.sdf.read import read_sdf as read_sdf
