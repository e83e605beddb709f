# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Meshes of simple solids: closed, facing outwards, and as heavy as the solid, up to what their corners cut off."""

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.errors import MeshError, UnknownOptionError

FORMS = {
    "box": (lambda **o: it.Mesh.create_box(0.1, 0.2, 0.3, **o), 8 * 0.1 * 0.2 * 0.3),
    "sphere": (lambda **o: it.Mesh.create_sphere(0.5, **o), 4 / 3 * np.pi * 0.5**3),
    "ellipsoid": (lambda **o: it.Mesh.create_ellipsoid(0.3, 0.4, 0.5, **o), 4 / 3 * np.pi * 0.06),
    "capsule": (lambda **o: it.Mesh.create_capsule(0.2, 0.5, **o), np.pi * 0.04 * 1.0 + 4 / 3 * np.pi * 0.008),
    "cylinder": (lambda **o: it.Mesh.create_cylinder(0.2, 0.5, **o), np.pi * 0.04 * 1.0),
    "cone": (lambda **o: it.Mesh.create_cone(0.2, 0.5, **o), np.pi * 0.04 * 1.0 / 3),
}


@pytest.mark.parametrize("form", FORMS)
def test_each_is_closed_faces_outwards_and_encloses_the_solid(form):
    make, volume = FORMS[form]
    mesh = make()
    triangles = np.sort(mesh.indices.reshape(-1, 3)[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    assert (np.unique(triangles, axis=0, return_counts=True)[1] == 2).all(), "each edge joins two triangles"
    corners = mesh.vertices[mesh.indices.reshape(-1, 3)]
    signed = np.einsum("ij,ij->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6
    assert signed == pytest.approx(volume, rel=0.01) and signed <= volume * (1 + 1e-12)
    assert mesh.mass == pytest.approx(signed, rel=1e-12)


@pytest.mark.parametrize("form", ["capsule", "cylinder", "cone"])
@pytest.mark.parametrize("axis", ["X", "Y", "Z"])
def test_bodies_of_revolution_lie_along_the_axis_that_is_asked_for(form, axis):
    mesh = FORMS[form][0](up_axis=axis)
    moments = np.diag(mesh.inertia)
    assert np.argmin(moments) == "XYZ".index(axis)
    if form == "cone":
        assert mesh.com["XYZ".index(axis)] == pytest.approx(-0.25, rel=0.01), "the tip is up"


def test_finer_ones_come_closer():
    errors = [abs(it.Mesh.create_sphere(1.0, num_latitudes=n, num_longitudes=n).mass - 4 / 3 * np.pi) for n in (16, 32)]
    assert errors[1] < 0.3 * errors[0]


def test_a_file_is_read_and_wrong_words_are_named(tmp_path):
    box = it.Mesh.create_box(0.5)
    lines = [f"v {x} {y} {z}" for x, y, z in box.vertices]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in box.indices.reshape(-1, 3)]
    path = tmp_path / "box.obj"
    path.write_text("\n".join(lines))
    assert it.Mesh.create_from_file(str(path)).mass == pytest.approx(1.0)
    with pytest.raises(MeshError):
        it.Mesh.create_from_file(str(tmp_path / "none.obj"))
    with pytest.raises(UnknownOptionError, match="segments"):
        it.Mesh.create_cone(0.1, 0.1, segmants=3)
