# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Scripts by which shells complete the command line, made of the commands' own parsers."""
