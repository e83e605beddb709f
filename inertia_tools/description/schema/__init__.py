# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""RELAX NG schemas of URDF and SDFormat, and what in a document does not go with them."""
