# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A scene on a device: arrays in one precision, copies of worlds, and what may change between steps."""
