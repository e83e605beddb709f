# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A scene as it is collected, in NumPy: bodies, shapes, joints, and what they weigh."""
