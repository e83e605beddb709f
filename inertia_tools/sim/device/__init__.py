# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The arrays of a scene on a device: those of its model, its states, controls and contacts."""
