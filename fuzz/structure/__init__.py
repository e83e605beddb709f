# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Changes of binary files that keep what their headers claim in agreement with the rest, so that readers go on."""
