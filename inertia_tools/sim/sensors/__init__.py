# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Sensors on links and joints of a simulation: inertial measurement units, force-torque, contact and range sensors."""
