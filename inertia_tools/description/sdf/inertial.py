# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The `<inertial>` of SDFormat: numbers with defaults, and the request to compute them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from inertia_tools.description.link import DeclaredInertial, rotation_in_degrees
from inertia_tools.description.sdf.values import has_text, number_in, pose_of, radians_of, truth_of
from inertia_tools.description.source import Place
from inertia_tools.description.types import Remark
from inertia_tools.description.xml import Element
from inertia_tools.inertial import tensor_from_six
from inertia_tools.spatial import Array, Pose, read_only

TENSOR_DEFAULTS = {"ixx": 1.0, "ixy": 0.0, "ixz": 0.0, "iyy": 1.0, "iyz": 0.0, "izz": 1.0}
"""The default tensor of a link [kg m^2]."""

OTHER_SPELLING = {"iyz": "izy"}
"""Other spelling of a product of the tensor in SDFormat's proposal for automatic inertials."""

DEFAULT_MASS = 1.0
"""The default mass of a link [kg]."""

ALL_NUMBERS = ("mass", "pose", *TENSOR_DEFAULTS)

ADDED_MASS_AXES = "xyzpqr"
"""Axes of the added mass: along x, y, z, and about them; its elements are named by two of them."""

OPTIMIZATION = "mesh@optimization"
"""Key among the parameters of a collision for the stated collision shape of its mesh."""

OWN_PREFIX = "inertia_tools:"
"""Namespace of this package's integration parameters; they are also accepted without it."""

OF_ALL_SHAPES = frozenset({"thickness", "overlap"})
"""Integration parameters that concern every shape."""

OF_MESHES = frozenset({"method", "tolerance", "voxel_size", "open_mesh"})
"""Integration parameters that concern meshes only."""


def read_inertial(element: Element) -> DeclaredInertial:
    """Read an `<inertial>`, with defaults for missing or empty numbers.

    Raises:
        ParseError: A value is not a number, or not a pose.
    """
    tensor = element.only("inertia")
    tags = {name: name if tensor is None else written_as(tensor, name) for name in TENSOR_DEFAULTS}
    absent = tuple(name for name, tag in tags.items() if tensor is None or not has_text(tensor, tag))
    defaulted = tuple(tag for tag in ("mass", "pose") if not has_text(element, tag)) + absent
    six = [
        default if tensor is None else number_in(tensor, tags[name], default)
        for name, default in TENSOR_DEFAULTS.items()
    ]
    return DeclaredInertial(
        mass=number_in(element, "mass", DEFAULT_MASS),
        pose_link_inertial=pose_of(element.only("pose")),
        inertia=tensor_from_six(six),
        place=element.place,
        defaulted=defaulted,
        auto=truth_of(element.attributes.get("auto", ""), element, "auto"),
        added_mass=_read_added_mass(element.only("fluid_added_mass")),
        rotation_in_degrees=rotation_in_degrees(radians_of(element.only("pose"))),
    )


def written_as(tensor: Element, name: str) -> str:
    """Return the tag of an entry of the tensor: its name, else the proposal's spelling."""
    other = OTHER_SPELLING.get(name, name)
    return other if not has_text(tensor, name) and has_text(tensor, other) else name


def spelling_remark(inertial: Element, link: str) -> Remark | None:
    """Report a product in the proposal's spelling, and whether it counts."""
    tensor = inertial.only("inertia")
    for name, other in OTHER_SPELLING.items():
        found = None if tensor is None else tensor.only(other)
        if tensor is not None and found is not None:
            counts = f"it is read as <{name}>" if written_as(tensor, name) == other else f"<{name}> is used"
            message = f"<{other}> is not an element of SDFormat; {counts}, write <{name}>"
            return Remark("info", "product-spelling", link, message, found.place)
    return None


def _read_added_mass(element: Element | None) -> Array | None:
    """Read the 21 numbers of the upper triangle; missing ones are zero."""
    if element is None:
        return None
    matrix = np.zeros((6, 6))
    for row, first in enumerate(ADDED_MASS_AXES):
        for column in range(row, 6):
            matrix[row, column] = matrix[column, row] = number_in(element, first + ADDED_MASS_AXES[column], 0.0)
    return read_only(matrix, (6, 6))


def default_inertial(place: Place) -> DeclaredInertial:
    """Return the default inertial of a link: 1 kg, the identity, at its origin."""
    return DeclaredInertial(DEFAULT_MASS, Pose(), np.eye(3), place, defaulted=ALL_NUMBERS)


def read_params(element: Element | None) -> Mapping[str, str] | None:
    """Read an `auto_inertia_params` as text by name; None if it is absent.

    An element inside another is named `outer/inner`, an attribute `element@attribute`.
    """
    if element is None:
        return None
    words = {f"@{name}": value for name, value in element.attributes.items()}
    waiting = [(child.tag.removeprefix(OWN_PREFIX), child) for child in reversed(element.children)]
    while waiting:
        name, child = waiting.pop()
        if child.text.strip() or not child.children:
            words[name] = child.text.strip()
        words.update({f"{name}@{attribute}": value for attribute, value in child.attributes.items()})
        waiting.extend((f"{name}/{inner.tag}", inner) for inner in reversed(child.children))
    return MappingProxyType(words)
