# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Whole collections of robot files: found in folders, judged in parallel, resumed, and rendered for CI."""
