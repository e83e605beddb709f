# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Reading USD."""

from inertia_tools.description.usd.read import document_of as document_of
from inertia_tools.description.usd.read import read_stage as read_stage
from inertia_tools.description.usd.read import read_usd as read_usd
from inertia_tools.description.usd.stage import open_stage as open_stage
from inertia_tools.description.usd.survey import Selection as Selection
