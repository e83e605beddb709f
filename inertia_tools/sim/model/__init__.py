# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The model of a scene on a device: how it is built, copied and changed."""
