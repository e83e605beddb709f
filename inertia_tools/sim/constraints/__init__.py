# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The constraints: rows of joints, limits, drives and contacts, and the set that each multiplier lies in."""
