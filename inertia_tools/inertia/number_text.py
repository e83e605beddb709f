# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mass properties as text, rounded to the digits that people read."""

from __future__ import annotations

import numpy as np

from inertia_tools.description.types import DeclaredInertial
from inertia_tools.inertial import Inertial, rotate_tensor, six_of_tensor
from inertia_tools.spatial import Array

MASS_AND_COM = ("mass [kg]", "com x", "y", "z [m]")
TENSOR = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
DIAGONAL = frozenset({"ixx", "iyy", "izz"})
"""Entries without which a tensor is not stated."""

Numbers = tuple[list[str], list[str]]
"""Mass and centre of mass, and the tensor, as text; dashes for missing values."""

NOTHING: Numbers = (["-"] * len(MASS_AND_COM), ["-"] * len(TENSOR))


def numbers_of(inertial: Inertial | None) -> Numbers:
    """Return mass properties as text."""
    return NOTHING if inertial is None else _numbers(inertial.mass, inertial.com, inertial.inertia)


def stated_numbers(declared: DeclaredInertial | None) -> Numbers:
    """Return the stated values of a file as text, complete or not, in link axes."""
    if declared is None:
        return NOTHING
    pose, mass = declared.pose_link_inertial, declared.stated_mass
    if declared.inertia is None or not DIAGONAL.isdisjoint(declared.defaulted):
        return _numbers(mass, pose.position, None)
    with np.errstate(all="ignore"):  # files may state any number
        return _numbers(mass, pose.position, rotate_tensor(pose.rotation, declared.inertia))


def _numbers(mass: float | None, com: Array, tensor: Array | None) -> Numbers:
    six = NOTHING[1] if tensor is None else [f"{value:.4g}" for value in six_of_tensor(tensor)]
    return ["-" if mass is None else f"{mass:.6g}", *(f"{value:.5g}" for value in com)], six
