# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Robots and worlds from files, as bodies, shapes and joints of a scene."""
