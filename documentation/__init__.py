# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The pages of docs/reference, generated from what they describe: `python -m documentation`.

They are committed, so that they read well in the repository too; a test compares them with what is generated.
"""
