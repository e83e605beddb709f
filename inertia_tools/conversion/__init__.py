# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Conversion between the formats of robot descriptions."""

from inertia_tools.conversion.account import Kind as Kind
from inertia_tools.conversion.account import Note as Note
from inertia_tools.conversion.convert import Conversion as Conversion
from inertia_tools.conversion.convert import convert as convert
