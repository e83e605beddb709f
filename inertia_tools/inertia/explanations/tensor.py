# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Findings about physically impossible tensors, and about unusual notation."""

from inertia_tools.inertia.explanations.explanation import ERROR, FIX, FIX_IMPLAUSIBLE, INFO, WARNING, Explanation

TENSOR = (
    Explanation(
        "not-positive-definite",
        ERROR,
        "The tensor has a negative principal moment: about some axis the body would rotate against the torque.",
        "Kinetic energy can be negative, so the solver gains energy in every step and the robot explodes. MuJoCo, "
        "Gazebo "
        "and Drake refuse it.",
        "The smallest principal moment is -1e-9 kg m^2 or below.",
        "Common causes are a wrong sign of a product of inertia, swapped entries, and a tensor about the wrong point. "
        f"{FIX} takes the nearest possible tensor if that changes it by 10 % or less, else the geometry's.",
        'ixx="0.048" ixy="0.2" iyy="0.176"        ->  ixx="0.048" ixy="0" iyy="0.176"',
    ),
    Explanation(
        "singular-inertia",
        ERROR,
        "A principal moment is zero: about that axis the body rotates without inertia.",
        "The inverse of the tensor, which every solver needs, does not exist or is huge. Simulators refuse the link or "
        "let it spin without bound.",
        "The smallest principal moment is within 1e-9 of zero, as a ratio to the largest.",
        f"{FIX}. Only an infinitely thin rod or a point has such a tensor.",
        'ixx="0.1" iyy="0.1" izz="0"              ->  ixx="0.1" iyy="0.1" izz="0.0004"',
    ),
    Explanation(
        "triangle-inequality",
        ERROR,
        "The largest principal moment exceeds the sum of the other two, which is impossible for any "
        "distribution of mass.",
        "The tensor cannot come from a body: Gazebo, MuJoCo and Drake refuse it; in others the body gains energy.",
        "largest > 1.01 * (sum of the other two).",
        "Common causes are two swapped entries, a lost decimal point, and other units in one entry. "
        f"{FIX} takes the nearest possible tensor if that changes it by 10 % or less, else the geometry's.",
        'ixx="0.0004" iyy="0.0004" izz="0.0012"   ->  ixx="0.0004" iyy="0.0004" izz="0.0005"',
    ),
    Explanation(
        "triangle-rounding",
        WARNING,
        "The largest principal moment exceeds the sum of the other two slightly, a rounding error of flat parts.",
        "MuJoCo refuses the file even for an excess of 1e-12; libsdformat complains from 2e-15 on. Other readers "
        "accept it.",
        "The excess is between 1e-6 and 1 % of the largest moment.",
        f"Export with more digits, or {FIX_IMPLAUSIBLE}, which moves the last digits only.",
        'ixx="3.33" iyy="3.33" izz="6.67"         ->  ixx="3.335" iyy="3.335" izz="6.67"',
    ),
    Explanation(
        "placeholder-inertia",
        WARNING,
        "The tensor is a power of ten times the identity, a common placeholder.",
        "A small link with 1 kg m^2 acts like a flywheel: arms react slowly and gains tuned on it fail on the robot. "
        "One "
        "with 1e-6 makes joints oscillate.",
        "ixx = iyy = izz = 10^n with zero products, unless the geometry has those moments within 1 %.",
        f"{FIX_IMPLAUSIBLE} takes centre of mass and tensor from the geometry and keeps the mass.",
        'ixx="1" iyy="1" izz="1" on a 0.1 kg link ->  ixx="1.2e-4" iyy="1.2e-4" izz="0.8e-4"',
    ),
    Explanation(
        "isotropic-inertia",
        INFO,
        "The three principal moments are equal, but those of the geometry are not.",
        "The link has the same inertia about every axis. That may be an intended simplification.",
        "Equal moments, and the geometry's differ by more than 10 %.",
        "Nothing must be done; inertia-tools compute FILE prints the values of the geometry.",
        'ixx="0.02" iyy="0.02" izz="0.02" on a long rod',
    ),
    Explanation(
        "rotated-diagonal",
        INFO,
        "The tensor is diagonal in an inertial frame that is rotated relative to the link.",
        "The file is correct. Readers that ignore the rotation of <inertial><origin> apply the moments to other axes.",
        "Products of inertia are zero and the frame's rotation is not (not in MJCF, where this is the usual form).",
        "Nothing must be done. fix writes tensors in link axes where it changes them.",
        '<origin rpy="0 0 0.7"/><inertia ixx="1" iyy="2" izz="2.5" .../>',
    ),
    Explanation(
        "static-inertial",
        INFO,
        "A link of a static SDFormat model asks for an automatic inertial.",
        "Static models never move, so no simulator uses the values.",
        '<inertial auto="true"> in a model with <static>true</static>.',
        "Nothing must be done.",
        "<model><static>true</static><link><inertial auto='true'/>...",
    ),
)
