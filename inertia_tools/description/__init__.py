# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The robot description, independent of its format, and reading it."""

from inertia_tools.description.load import from_urdf_parser as from_urdf_parser
from inertia_tools.description.load import load as load
from inertia_tools.description.load import load_text as load_text
from inertia_tools.description.types import Description as Description
