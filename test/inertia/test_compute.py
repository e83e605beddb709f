# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
import trimesh
from robots import BOX, GOOD, link, mass, tensor, urdf

import inertia_tools as it
from inertia_tools.errors import OptionError, UnknownLinkError
from inertia_tools.geometry.primitives import solid_box, solid_sphere
from inertia_tools.inertia.report import wanted_meshes
from inertia_tools.inertial import Inertial
from inertia_tools.spatial import Pose


def one(text: str, **options):
    return it.compute(it.load_text(text), **options)["base"]


def test_box_at_the_density_of_water():
    value = one(urdf(link(geometry=BOX)))
    assert value.method is it.Method.PRIMITIVE
    assert value.inertial.mass == pytest.approx(6.0)
    assert value.volume == pytest.approx(0.006)
    assert value.density == 1000.0


def test_density_scales_everything_but_the_centre():
    light, heavy = one(urdf(link(geometry=BOX)), density=1.0), one(urdf(link(geometry=BOX)), density=7850.0)
    assert np.allclose(heavy.inertial.inertia, 7850.0 * light.inertial.inertia, rtol=1e-14)


def test_shapes_of_a_link_add_up_in_link_axes():
    text = urdf(
        '<link name="base">'
        f'<collision><origin xyz="1 0 0" rpy="0.3 0.2 0.1"/><geometry>{BOX}</geometry></collision>'
        '<collision><origin xyz="0 2 0"/><geometry><sphere radius="0.2"/></geometry></collision></link>'
    )
    box = solid_box((0.1, 0.2, 0.3)).transform(Pose.from_xyz_rpy([1, 0, 0], [0.3, 0.2, 0.1]))
    expected = box + solid_sphere(0.2).shift([0, 2, 0])
    assert one(text, density=1.0).inertial.isclose(expected, 1e-13)


def test_collisions_go_before_visuals_and_visuals_are_said():
    both = urdf(
        f'<link name="base"><visual><geometry><sphere radius="1"/></geometry></visual>'
        f"<collision><geometry>{BOX}</geometry></collision></link>"
    )
    assert one(both).volume == pytest.approx(0.006)
    assert one(both, geometry="visual").volume == pytest.approx(4 / 3 * np.pi)
    visual = one(urdf(link(geometry=BOX, tag="visual")))
    assert visual.volume == pytest.approx(0.006)
    assert [note.code for note in visual.notes] == ["visual-fallback"]


def test_declared_mass_can_be_kept():
    text = urdf(link("base", mass(3) + tensor(1, 1, 1), BOX))
    kept = one(text, mass_policy="keep")
    assert kept.inertial.mass == 3
    assert kept.density == pytest.approx(500.0)
    assert kept.inertial.isclose(one(text).inertial.scaled_to_mass(3), 1e-14)


def test_link_without_geometry_has_no_value():
    value = one(urdf(link("base", GOOD)))
    assert value.inertial is None
    assert value.method is it.Method.NONE


def test_open_mesh_policies(tmp_path):
    mesh = trimesh.creation.box([1, 1, 1])
    mesh.update_faces(mesh.face_normals[:, 2] < 0.5)
    mesh.export(tmp_path / "open.stl")
    robot = it.load_text(urdf(link(geometry='<mesh filename="open.stl"/>')), base_dir=tmp_path)
    cube = Inertial(1000, (0, 0, 0), np.eye(3) * 1000 / 6)
    for policy, method, tolerance in (
        ("auto", it.Method.CAPPED, 1e-9),
        ("cap", it.Method.CAPPED, 1e-9),
        ("hull", it.Method.HULL, 1e-9),
        ("voxel", it.Method.VOXEL, 1e-2),
    ):
        value = it.compute(robot, open_mesh=policy)["base"]
        assert value.method is method
        assert value.inertial.isclose(cube, tolerance)
        assert [note.code for note in value.notes] == ["open-mesh"]
    refused = it.compute(robot, open_mesh="fail")["base"]
    assert refused.inertial is None
    assert [note.code for note in refused.notes] == ["open-mesh"]


def test_missing_mesh_is_said_and_the_rest_counts():
    text = urdf(
        f'<link name="base"><collision><geometry>{BOX}</geometry></collision>'
        '<collision><geometry><mesh filename="gone.stl"/></geometry></collision></link>'
    )
    value = one(text)
    assert value.volume == pytest.approx(0.006)
    assert [note.code for note in value.notes] == ["missing-mesh"]


@pytest.mark.parametrize(
    "shape", ['<box size="0 1 1"/>', '<sphere radius="-1"/>', '<cylinder radius="1" length="nan"/>']
)
def test_sizes_that_no_solid_has(shape):
    value = one(urdf(link(geometry=shape)))
    assert value.inertial is None
    assert [note.code for note in value.notes] == ["invalid-size"]
    assert value.notes[0].line == 2


@pytest.mark.parametrize("corner", ["1e200 0", "0 -2e9"])
def test_a_corner_of_an_outline_that_no_part_reaches(corner):
    """The square of its distance would leave the numbers."""
    polyline = f"<polyline><point>{corner}</point><point>1 0</point><point>1 1</point><height>1</height></polyline>"
    text = (
        "<sdf version='1.12'><model name='m'><link name='l'><inertial auto='true'/>"
        f"<collision name='c'><geometry>\n{polyline}</geometry></collision></link></model></sdf>"
    )
    found = [finding for finding in it.check(it.load_text(text)).findings if finding.code == "invalid-size"]
    assert [finding.line for finding in found] == [2]
    assert "the prism has a corner at" in found[0].message
    assert "give it a size from 1e-09 to 1e+09" in found[0].message


@pytest.mark.parametrize(
    "options",
    [{"density": 0}, {"density": -1}, {"density": float("nan")}, {"geometry": "both"}, {"open_mesh": "guess"}],
)
def test_bad_options(options):
    with pytest.raises(OptionError):
        one(urdf(link()), **options)


def test_unknown_link():
    with pytest.raises(UnknownLinkError):
        it.compute(it.load_text(urdf(link())), links=["nowhere"])


def test_a_mesh_of_scale_zero_is_not_prepared(tmp_path):
    """It is left out for its scale; before that was said, its voxels were counted."""
    trimesh.creation.box((1.0, 1.0, 1.0)).export(tmp_path / "box.stl")
    for scale, wanted in (("1 1 1", 2), ("0 1 1", 0)):
        shape = f'<collision><geometry><mesh filename="box.stl" scale="{scale}"/></geometry></collision>'
        (tmp_path / "r.urdf").write_text(f'<robot name="r"><link name="a">{shape}</link></robot>')
        robot = it.load(tmp_path / "r.urdf")
        assert len(list(wanted_meshes(robot))) == wanted
        assert (it.compute(robot)["a"].inertial is None) == (not wanted)


CUBE_OF_HALF_A_TONNE = {
    "sdf": '<sdf version="1.12"><model name="m"><link name="base">{inertial}<collision name="c"><density>500</density>'
    "<geometry><box><size>1 1 1</size></box></geometry></collision></link></model></sdf>",
    "mjcf": '<mujoco>{inertial}<geom type="box" size=".5 .5 .5" density="500"/></body></worldbody></mujoco>',
}


@pytest.mark.parametrize(
    ("format_", "inertial", "kept"),
    [
        ("sdf", '<inertial auto="true"/>', 500.0),
        ("sdf", "<inertial/>", 500.0),
        ("sdf", '<inertial auto="true"><mass>1</mass></inertial>', 1.0),
        ("mjcf", BODY := '<worldbody><body name="base"><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>', 1.0),
        ("mjcf", f'<compiler inertiafromgeom="true"/>{BODY}', 500.0),
        ("mjcf", f'<compiler inertiafromgeom="true" inertiagrouprange="3 5"/>{BODY}', 1.0),
    ],
)
def test_only_a_mass_that_counts_is_kept(format_, inertial, kept):
    text = CUBE_OF_HALF_A_TONNE[format_].format(inertial=inertial)
    assert one(text, mass_policy="keep").inertial.mass == pytest.approx(kept)


@pytest.mark.parametrize(
    ("stated", "said"),
    [('mass="nan"', "the mass nan is not a finite"), ('density="nan"', "the density nan is not a finite")],
)
def test_the_number_that_leaves_a_shape_out_is_the_one_that_is_named(stated, said):
    text = f'<mujoco><worldbody><body name="b"><freejoint/><geom size=".1" {stated}/></body></worldbody></mujoco>'
    messages = [finding.message for finding in it.check(it.load_text(text))["b"].findings]
    assert any(message.startswith(said) for message in messages)
    assert not any("MuJoCo" in message for message in messages), "which takes a mass of NaN for none"
