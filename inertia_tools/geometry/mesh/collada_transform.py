# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The transform of a node of a Collada scene to its parent."""

from __future__ import annotations

import math
from collections.abc import Callable
from xml.etree.ElementTree import Element

import numpy as np

from inertia_tools.geometry.mesh.part import numbers
from inertia_tools.spatial import Array, rotation_about


def transform_of(node: Element) -> Array:
    """Return the transform from a node to its parent, shape (4, 4): its elements are applied last to first.

    Raises:
        ValueError: One has the wrong number of values, or is a skew, which is not supported.
    """
    transform = np.eye(4)
    for element in node:
        step = STEPS.get(element.tag.rpartition("}")[2])
        if step is None:
            continue
        count, matrix = step
        stated = numbers(element.text, np.dtype(np.float64))
        if len(stated) != count:
            raise ValueError(f"a transform has {len(stated)} numbers; {count} are needed")
        transform = transform @ matrix(stated)
    return transform


def _matrix(stated: Array) -> Array:
    return stated.reshape(4, 4)


def _translation(stated: Array) -> Array:
    transform = np.eye(4)
    transform[:3, 3] = stated
    return transform


def _scale(stated: Array) -> Array:
    return np.diag([*stated, 1.0])


def _rotation(stated: Array) -> Array:
    """Rotate about an axis of any length by an angle in degrees; an axis of zero length is the identity."""
    transform = np.eye(4)
    if stated[:3].any():
        transform[:3, :3] = rotation_about(stated[:3], math.radians(stated[3]))
    return transform


def _look_at(stated: Array) -> Array:
    """Place at a point, looking at another along -z, with y towards a third direction."""
    eye, interest, up = stated.reshape(3, 3)
    transform = np.eye(4)
    back = eye - interest
    side = np.cross(up, back)
    lengths = np.linalg.norm(back), np.linalg.norm(side)
    if not all(lengths):
        raise ValueError("a <lookat> has no direction")
    transform[:3, 0], transform[:3, 2] = side / lengths[1], back / lengths[0]
    transform[:3, 1], transform[:3, 3] = np.cross(transform[:3, 2], transform[:3, 0]), eye
    return transform


def _skew(stated: Array) -> Array:
    raise ValueError("a node has a <skew>, which is not supported")


STEPS: dict[str, tuple[int, Callable[[Array], Array]]] = {
    "matrix": (16, _matrix),
    "translate": (3, _translation),
    "rotate": (4, _rotation),
    "scale": (3, _scale),
    "lookat": (9, _look_at),
    "skew": (7, _skew),
}
"""The transform elements of a node, the number of values of each, and the matrix that they define."""
