# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Shell completion scripts for the command line, made from the commands' own parsers."""
