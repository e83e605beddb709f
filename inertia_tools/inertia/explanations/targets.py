# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Findings about how the target simulators of a file treat its links."""

from inertia_tools.inertia.explanations.explanation import ERROR, Explanation

TARGETS = (
    Explanation(
        "target-weightless",
        ERROR,
        "A simulator named by fix --target drops a link without mass or tensor, or uses zero or default values.",
        "The link and its descendants are missing in the simulation, or have another mass.",
        "Rules of fix --target; inertia-tools simulators FILE lists them.",
        "inertia-tools fix FILE --target gazebo,mujoco -o OUT writes a file that they take.",
        "a frame without mass between a fixed and a moving joint (Gazebo)  ->  a small mass",
    ),
    Explanation(
        "target-refuses",
        ERROR,
        "A simulator named by fix --target refuses or replaces a tensor with a rounding error.",
        "MuJoCo does not load the file; Drake uses a sphere, PyBullet a zero tensor.",
        "Rules of fix --target: the largest moment exceeds the sum of the others by over 1e-12 of itself.",
        "inertia-tools fix FILE --target gazebo,mujoco -o OUT writes a file that they take.",
        'ixx="0.00333" iyy="0.00333" izz="0.00667"  ->  ixx="0.003335" iyy="0.003335" izz="0.00667"',
    ),
)
