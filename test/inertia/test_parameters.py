# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""How shapes are integrated: parameters, calculators of the user's own, overlaps."""

import math
from importlib.metadata import EntryPoint

import numpy as np
import pytest
import trimesh
from robots import link, urdf

import inertia_tools as it
from inertia_tools.description.types import Mesh
from inertia_tools.errors import OptionError
from inertia_tools.geometry import primitives as p
from inertia_tools.inertia import calculators


@pytest.fixture
def robot(tmp_path):
    """A robot whose only link is a mesh of a box, scaled."""
    trimesh.creation.box([1, 1, 1]).export(tmp_path / "part.stl")
    return it.load_text(urdf(link(geometry='<mesh filename="part.stl" scale="1 2 3"/>')), base_dir=tmp_path)


@pytest.fixture(autouse=True)
def no_calculator_stays():
    yield
    it.unregister_calculator("mine")


def base(robot, **params):
    return it.compute(robot, params=it.AutoInertiaParams(**params))["base"]


def test_words_become_parameters_and_the_rest_is_the_users():
    params = it.AutoInertiaParams.from_words(
        {"method": "voxel", "voxel_size": "0.01", "tolerance": "1e-2", "gz:fill": "0.3", "overlap": "union"}
    )
    assert (params.method, params.voxel_size, params.tolerance, params.overlap) == ("voxel", 0.01, 0.01, "union")
    assert dict(params.custom) == {"gz:fill": "0.3"}
    with pytest.raises(OptionError, match=r"tolerance must be .*; it is 'much'"):
        it.AutoInertiaParams.from_words({"tolerance": "much"})


@pytest.mark.parametrize(
    "wrong",
    [{"overlap": "some"}, {"open_mesh": "x"}, {"thickness": 0.0}, {"voxel_size": math.nan}, {"method": "shell"}],
)
def test_impossible_parameters_are_refused(wrong):
    with pytest.raises(OptionError):
        it.AutoInertiaParams(**wrong)


@pytest.mark.parametrize(
    ("params", "method", "unit", "tolerance"),
    [
        ({}, it.Method.MESH, p.solid_box((1, 2, 3)), 1e-9),
        ({"method": "integration"}, it.Method.MESH, p.solid_box((1, 2, 3)), 1e-9),
        ({"method": "hull"}, it.Method.HULL, p.solid_box((1, 2, 3)), 1e-9),
        ({"method": "voxel", "voxel_size": 0.1}, it.Method.VOXEL, p.solid_box((1, 2, 3)), 2e-2),
        ({"thickness": 0.1}, it.Method.SHELL, p.hollow_box((1, 2, 3), 0.1), 1e-9),
    ],
)
def test_every_method_weighs_the_box(robot, params, method, unit, tolerance):
    value = base(robot, **params)
    assert value.method is method
    assert value.inertial.mass == pytest.approx(1000 * unit.mass, rel=tolerance)
    assert np.allclose(
        value.inertial.inertia, 1000 * unit.inertia, rtol=tolerance, atol=tolerance * unit.inertia.max() * 1000
    )


def test_shell_is_the_surface(robot):
    value = base(robot, method="shell", thickness=1e-3)
    assert value.method is it.Method.SHELL
    assert value.inertial.mass == pytest.approx(22.0, rel=1e-9)
    assert 0.0 < value.error_estimate < 0.02


def test_wall_thicker_than_a_shape_is_an_error_that_names_it(robot):
    value = base(robot, thickness=0.6)
    assert value.inertial is None
    assert [(note.code, note.severity) for note in value.notes] == [("invalid-size", it.Severity.ERROR)]
    assert "0.5 m" in value.notes[0].message
    hollow = it.compute(
        it.load_text(urdf(link(geometry='<sphere radius="0.1"/>'))), params=it.AutoInertiaParams(thickness=0.2)
    )
    assert "radius of the sphere" in hollow["base"].notes[0].message


def test_hollow_primitives_have_walls():
    robot = it.load_text(urdf(link(geometry='<cylinder radius="0.1" length="0.4"/>')))
    value = base(robot, thickness=0.01)
    assert value.method is it.Method.SHELL
    assert value.inertial.isclose(p.hollow_cylinder(0.1, 0.4, 0.01).scaled_to_mass(value.inertial.mass), 1e-12)


def test_calculator_gets_density_mesh_scale_and_parameters(robot):
    seen = []

    def mine(errors, properties):
        seen.append(properties)
        extent = np.ptp(properties.triangles().vertices, axis=0)
        return it.Inertial(properties.density * extent.prod(), (0.1, 0, 0), np.eye(3))

    it.register_calculator("mine", mine)
    value = it.compute(robot, density=500.0, params=it.AutoInertiaParams(method="mine", custom={"fill": "0.2"}))["base"]
    assert value.method is it.Method.CUSTOM
    assert value.inertial.mass == pytest.approx(3000.0)
    assert np.allclose(value.inertial.com, [0.1, 0, 0])
    assert np.allclose(value.inertial.inertia, np.eye(3))
    (properties,) = seen
    assert isinstance(properties, it.CustomInertiaCalcProperties)
    assert (properties.density, properties.scale, dict(properties.params)) == (500.0, (1.0, 2.0, 3.0), {"fill": "0.2"})
    assert isinstance(properties.mesh, Mesh)


def fails(errors, properties):
    errors.append("the mesh is ugly")


def raises(errors, properties):
    errors.append("first this")
    raise RuntimeError("then that")


@pytest.mark.parametrize(
    ("calculator", "messages"),
    [
        (fails, ["the mesh is ugly"]),
        (raises, ["first this", "RuntimeError: then that"]),
        (lambda e, p: None, ["gave no reason"]),
        (lambda e, p: 3.0, ["returned a float"]),
        (lambda e, p: it.Inertial(-1.0), ["not a positive mass"]),
        (lambda e, p: it.Inertial(math.nan), ["not a positive mass"]),
    ],
)
def test_what_a_calculator_does_wrong_is_never_lost(robot, calculator, messages):
    it.register_calculator("mine", calculator)
    value = base(robot, method="mine")
    assert value.inertial is None
    assert len(value.notes) == len(messages)
    for note, message in zip(value.notes, messages, strict=True):
        assert (note.code, note.severity) == ("calculator-error", it.Severity.ERROR)
        assert message in note.message
        assert "part.stl" in note.message


def test_complaint_beside_a_result_is_a_warning(robot):
    it.register_calculator("mine", lambda e, p: e.append("roughly") or it.Inertial(1.0, inertia=np.eye(3)))
    value = base(robot, method="mine")
    assert value.inertial.mass == pytest.approx(1.0)
    assert [(note.code, note.severity) for note in value.notes] == [("calculator-error", it.Severity.WARNING)]


def test_unknown_method_lists_those_there_are(robot):
    it.register_calculator("mine", fails)
    with pytest.raises(OptionError, match=r"method must be .*auto.*voxel.*mine.*; it is 'yours'"):
        base(robot, method="yours")
    with pytest.raises(OptionError, match="name"):
        it.register_calculator("voxel", fails)
    with pytest.raises(OptionError, match="called"):
        it.register_calculator("mine", 3)


def test_packages_offer_calculators_by_entry_point(robot, monkeypatch):
    offered = EntryPoint("theirs", "test_parameters_calculator:calculate", calculators.ENTRY_POINTS)
    broken = EntryPoint("broken", "no_such_module:calculate", calculators.ENTRY_POINTS)
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [offered, broken])
    monkeypatch.setitem(
        __import__("sys").modules,
        "test_parameters_calculator",
        type("module", (), {"calculate": staticmethod(lambda e, p: it.Inertial(7.0, inertia=np.eye(3)))}),
    )
    assert base(robot, method="theirs").inertial.mass == pytest.approx(7.0)
    with pytest.raises(OptionError, match="no_such_module"):
        base(robot, method="broken")


TWO_BOXES = (
    '<link name="base"><collision><geometry><box size="2 1 1"/></geometry></collision>'
    '<collision><origin xyz="1 0 0"/><geometry><box size="1 1 1"/></geometry></collision></link>'
)


def test_overlap_is_summed_and_said():
    value = it.compute(it.load_text(urdf(TWO_BOXES)))["base"]
    assert value.volume == pytest.approx(3.0)
    (note,) = value.notes
    assert (note.code, note.severity) == ("overlapping-shapes", it.Severity.INFO)
    assert "16.7%" in note.message


def test_overlap_is_counted_once_on_request():
    value = base(it.load_text(urdf(TWO_BOXES)), overlap="union")
    exact = p.solid_box((2.5, 1, 1)).shift([0.25, 0, 0])
    assert value.volume == pytest.approx(2.5)
    assert value.inertial.isclose(exact.scaled_to_mass(2500.0), 1e-9)
    assert "once" in value.notes[0].message


def test_shapes_that_touch_are_no_overlap():
    text = TWO_BOXES.replace('xyz="1 0 0"', 'xyz="1.5 0 0"')
    assert it.compute(it.load_text(urdf(text)))["base"].notes == ()


def test_union_counts_once_what_a_mesh_shares_with_itself_too(tmp_path):
    parts = [trimesh.creation.box((1, 1, 1)), trimesh.creation.box((1, 1, 1))]
    parts[1].apply_translation([0.5, 0, 0])
    trimesh.util.concatenate(parts).export(tmp_path / "own.stl")
    text = (
        '<link name="base"><collision><geometry><mesh filename="own.stl"/></geometry></collision>'
        '<collision><origin xyz="0 0.5 0"/><geometry><box size="1 1 1"/></geometry></collision></link>'
    )
    value = base(it.load_text(urdf(text), base_dir=tmp_path), overlap="union")
    assert value.inertial.mass == pytest.approx(2000.0, rel=1e-6)


def test_union_takes_small_things_seriously():
    text = (
        '<link name="base"><collision><geometry><box size="1 1 1"/></geometry></collision>'
        '<collision><geometry><box size="0.09 0.09 0.09"/></geometry></collision></link>'
    )
    assert base(it.load_text(urdf(text)), overlap="union").volume == pytest.approx(1.0, rel=1e-9)


@pytest.mark.parametrize("apart", [0.0, 0.1, 0.5, 0.9])
def test_union_of_round_shapes_states_what_their_polyhedra_lack(apart):
    ball = '<collision><origin xyz="{} 0 0"/><geometry><sphere radius="0.5"/></geometry></collision>'
    text = f'<link name="base">{ball.format(0)}{ball.format(apart)}</link>'
    value = base(it.load_text(urdf(text)), overlap="union")
    lens = np.pi * (1.0 - apart) ** 2 * (apart + 2.0) / 12.0  # of balls of diameter one
    true = value.volume / (2.0 * p.solid_sphere(0.5).mass - lens) - 1.0
    assert abs(true) < value.error_estimate < 6e-3


def test_walls_are_not_united():
    with pytest.raises(OptionError, match="overlap"):
        it.AutoInertiaParams(overlap="union", thickness=0.01)


def test_error_of_a_link_counts_with_its_distance(tmp_path):
    ball = trimesh.creation.icosphere(subdivisions=3, radius=0.05)
    ball.update_faces(ball.triangles_center[:, 2] < 0.04)
    ball.export(tmp_path / "open.stl")

    def error(distance):
        text = (
            '<link name="base"><collision><geometry><box size="0.3 0.3 0.3"/></geometry></collision>'
            f'<collision><origin xyz="{distance} 0 0"/><geometry><mesh filename="open.stl"/></geometry></collision></link>'
        )
        return it.compute(it.load_text(urdf(text), base_dir=tmp_path))["base"].error_estimate

    assert error(5.0) > 3 * error(0.5) > 3 * 1.5e-3


def test_impossible_tensor_of_a_calculator_is_said(robot):
    it.register_calculator("mine", lambda e, p: it.Inertial(1.0, inertia=np.diag([1.0, 1.0, 9.0])))
    value = base(robot, method="mine")
    assert value.error_estimate is None
    assert [(note.code, note.severity) for note in value.notes] == [("calculator-error", it.Severity.WARNING)]


def test_sheet_of_an_open_mesh_says_that_it_is_open(tmp_path):
    mesh = trimesh.creation.box([1, 1, 1])
    mesh.update_faces(np.arange(12) > 1)
    mesh.export(tmp_path / "open.stl")
    robot = it.load_text(urdf(link(geometry='<mesh filename="open.stl"/>')), base_dir=tmp_path)
    assert "open-mesh" in [note.code for note in base(robot, thickness=0.01).notes]
    assert base(robot, thickness=0.9).inertial is None


def test_union_of_round_shapes_is_as_good_as_their_polyhedra():
    text = (
        '<link name="base"><collision><geometry><sphere radius="0.5"/></geometry></collision>'
        '<collision><geometry><sphere radius="0.4"/></geometry></collision></link>'
    )
    value = base(it.load_text(urdf(text)), overlap="union")
    assert value.volume == pytest.approx(p.solid_sphere(0.5).mass, rel=0.02)
