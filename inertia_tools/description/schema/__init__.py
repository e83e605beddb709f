# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""RELAX NG schemas of URDF and SDFormat, and the parts of a document that violate them."""
