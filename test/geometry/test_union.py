# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Surfaces that bound nothing are left out of unions, rather than end the process."""

import numpy as np
import pytest

from inertia_tools.geometry import union as of_union
from inertia_tools.geometry.mesh.surface import Surface
from inertia_tools.geometry.polyhedron import integrate_triangles
from inertia_tools.geometry.union import union

CORNERS = np.random.default_rng(0).normal(size=(7, 3))
TETRAHEDRON = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
LOPSIDED = [[4, 5, 2], [1, 3, 0], [2, 5, 4], [2, 3, 5], [6, 1, 0], [6, 3, 1], [6, 0, 3]]
"""As many half-edges as a closed surface has, one walked twice and never back: manifold3d 3.5 does not survive it."""


@pytest.mark.parametrize("triangles", [LOPSIDED, TETRAHEDRON[:3], [[0, 1, 2]], [*TETRAHEDRON, [4, 5, 6]]])
def test_what_is_not_closed_is_not_united(triangles):
    assert union([Surface(CORNERS, np.array(triangles))]) is None
    assert union([Surface(CORNERS, np.array(TETRAHEDRON)), Surface(CORNERS, np.array(triangles))]) is None


def test_a_solid_with_itself_is_itself():
    solid = Surface(CORNERS, np.array(TETRAHEDRON))
    if integrate_triangles(solid.vertices, solid.triangles).mass < 0.0:
        solid = Surface(CORNERS, solid.triangles[:, ::-1])
    whole = union([solid, solid])
    own, both = (integrate_triangles(one.vertices, one.triangles) for one in (solid, whole))
    assert both.isclose(own, 1e-9)


def test_each_solid_is_united_once_however_often_it_is_there(monkeypatch):
    """A hundred copies in one place take manifold3d half a minute."""
    seen = []
    monkeypatch.setattr(of_union, "_manifold", lambda surface, origin: seen.append(surface))
    near, far = (Surface(CORNERS + shift, np.array(TETRAHEDRON)) for shift in (0.0, 9.0))
    again = Surface(CORNERS.copy(), np.array(TETRAHEDRON))
    assert union([near, far, again, near, far]) is None
    assert len(seen) == 2
