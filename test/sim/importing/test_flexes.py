# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Flexible bodies of MJCF as particles: where MuJoCo has them, as heavy, and as stiff as their numbers say."""

import logging

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.errors import SimulationError
from inertia_tools.sim.scene.soft_rest import angles_of_edges

mujoco = pytest.importorskip("mujoco")


@pytest.fixture(autouse=True)
def _away(tmp_path, monkeypatch):
    """Keep the log that MuJoCo leaves in the working folder out of the way."""
    monkeypatch.chdir(tmp_path)


def model(words, inside="", body='<freejoint/><geom size=".05" mass="2"/>', around=""):
    flex = f'<flexcomp name="f" {words}>{inside}</flexcomp>'
    held = f'<body name="p" pos="1 2 3" euler="0 90 0">{body}{flex}</body>'
    return f"<mujoco><worldbody>{held}</worldbody>{around}</mujoco>"


def imported(text) -> it.ModelBuilder:
    builder = it.ModelBuilder()
    builder.add_mjcf(text)
    return builder


SHEET = 'type="grid" count="4 3 1" spacing=".1 .2 .1" mass="2.4" radius=".01"'
BLOCK = 'type="grid" dim="3" count="3 2 4" spacing=".1 .2 .3" mass="2.4"'
PIN = '<pin id="0 1"/>'
STILL = '<geom size=".05" mass="2"/>'


def through_description(text) -> it.ModelBuilder:
    builder = it.ModelBuilder()
    builder.add_description(it.load_text(text), xform=it.Pose())
    return builder


@pytest.mark.parametrize("importer", [imported, through_description])
@pytest.mark.parametrize(
    "words", [SHEET, BLOCK, 'type="grid" dim="1" count="5 1 1"', 'type="ellipsoid" dim="3" count="4 3 5"']
)
@pytest.mark.parametrize("body", ['<freejoint/><geom size=".05" mass="2"/>', STILL])
def test_particles_are_the_vertices_of_mujoco(words, body, importer):
    text = model(words, PIN, body)
    builder, compiled = importer(text), mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(compiled)
    mujoco.mj_forward(compiled, data)
    assert np.allclose(builder.particle_q, data.flexvert_xpos, rtol=0.0, atol=1e-12)
    holder = compiled.body("p").id
    free = compiled.flex_vertbodyid != holder
    masses = np.array(builder.particle_mass)
    assert np.allclose(masses[free], compiled.body_mass[compiled.flex_vertbodyid[free]], rtol=1e-12)
    if body == STILL:  # held points of what never moves are pinned
        assert not masses[~free].any() and builder.attachment_particle_body_count == 0
    else:
        assert builder.attachment_particle_body_particle == np.flatnonzero(~free).tolist()
    assert [name for name in builder.body_name if name.startswith("f_")] == []


def test_points_in_the_world_and_scales():
    text = '<mujoco><worldbody><flexcomp name="f" count="3 4 1" spacing=".1 .2 .3" pos="1 2 3"/></worldbody></mujoco>'
    builder = it.ModelBuilder()
    builder.add_mjcf(text, xform=it.Pose(np.array([0.0, 0.0, 5.0])), scale=2.0)
    assert builder.body_count == 0 and builder.particle_count == 12
    assert np.allclose(np.mean(builder.particle_q, axis=0), (2.0, 4.0, 11.0))
    assert np.allclose(np.ptp(builder.particle_q, axis=0), (0.4, 1.2, 0.0))


def test_held_points_are_attached_where_they_are():
    builder = imported(model(SHEET, PIN))
    (body, _), point = builder.attachment_particle_body_body, builder.attachment_particle_body_body_point[0]
    assert np.allclose(builder.body_pose[body].transform_points(point), builder.particle_q[0], atol=1e-12)
    assert np.isinf(builder.attachment_particle_body_stiffness).all()
    assert builder.body_mass[body] == pytest.approx(2.0)


def test_a_solid_has_the_parameters_of_its_young_modulus():
    builder = imported(model(BLOCK, '<elasticity young="3e4" poisson="0.25" damping="0.01"/>' + PIN))
    mu, lame, damping = builder.tet_materials[0]
    # Of a bar under tension, E = mu (3 lambda + 2 mu) / (lambda + mu), and nu = lambda / (2 (lambda + mu)).
    assert mu * (3.0 * lame + 2.0 * mu) / (lame + mu) == pytest.approx(3e4)
    assert lame / (2.0 * (lame + mu)) == pytest.approx(0.25)
    assert damping == pytest.approx(0.01 * mu)
    assert sum(1.0 / (6.0 * np.linalg.det(pose)) for pose in builder.tet_poses) == pytest.approx(0.2 * 0.2 * 0.9)
    assert builder.spring_count == 0


def test_a_sheet_stretches_as_a_plate():
    young, poisson, thickness = 2e5, 0.3, 0.004
    words = f'young="{young}" poisson="{poisson}" thickness="{thickness}"'
    builder = imported(model(SHEET, f'<elasticity {words} elastic2d="stretch"/>' + PIN))
    ke, ka = builder.tri_materials[0][:2]
    assert ke == pytest.approx(young * thickness / 2.6)
    assert ka == pytest.approx(young * poisson * thickness / (1.0 - poisson**2))
    assert not np.any(builder.edge_bending_properties)


@pytest.mark.parametrize("axis", [0, 1])
def test_a_bent_sheet_has_the_energy_of_a_plate(axis):
    """D/2 c^2 per area, of a sheet that is bent to the curvature c; half a cell at its ends does not take part."""
    inside = '<elasticity young="2e5" poisson="0.3" thickness=".004" elastic2d="bend"/>' + PIN
    builder = imported(model(SHEET.replace("4 3 1", "9 7 1"), inside, STILL))
    curvature, cells = 0.01, (8, 6)
    flat = np.indices((9, 7)).reshape(2, -1).T * (0.1, 0.2)
    bent = np.column_stack([flat, 0.5 * curvature * flat[:, axis] ** 2])
    edges = np.array(builder.edge_indices)
    angles = angles_of_edges(bent[edges], edges)
    energy = 0.5 * (np.array(builder.edge_bending_properties)[:, 0] * angles**2).sum()
    rigidity = 2e5 * 0.004**3 / (12.0 * (1.0 - 0.3**2))
    area = np.prod(cells) * 0.02 * (1.0 - 1.0 / cells[axis])
    assert energy == pytest.approx(0.5 * rigidity * curvature**2 * area, rel=1e-4)


def test_an_equality_of_edges_is_as_soft_as_mujocos():
    """A mass that hangs on an edge comes to rest where MuJoCo has it, if nothing else holds the edge."""
    words = 'type="grid" dim="1" count="2 1 1" spacing=".5 .1 .1" mass="3"'
    inside = '<edge equality="true" solref="0.05 1" solimp="0.8 0.8 0.001"/><pin id="0"/>'
    text = model(words, inside, STILL)
    compiled = mujoco.MjModel.from_xml_string(text)
    compiled.opt.timestep = 0.001
    data = mujoco.MjData(compiled)
    for _ in range(20_000):
        mujoco.mj_step(compiled, data)
    stretch = np.linalg.norm(data.flexvert_xpos[1] - data.flexvert_xpos[0]) - 0.5
    builder = imported(text)
    assert builder.particle_mass == pytest.approx([0.0, 1.5])
    assert 1.5 * 9.81 / builder.spring_stiffness[0] == pytest.approx(stretch, rel=1e-3)


def test_a_connect_ties_a_point_to_a_body():
    around = '<equality><connect name="tie" body1="f_3" body2="p" anchor="0 0 0"/></equality>'
    builder = imported(model(SHEET, PIN, around=around))
    assert builder.attachment_particle_body_particle == [0, 1, 3]
    body, point = builder.attachment_particle_body_body[2], builder.attachment_particle_body_body_point[2]
    assert np.allclose(builder.body_pose[body].transform_points(point), builder.particle_q[3], atol=1e-12)


def test_what_cannot_be_tied_is_named(caplog):
    around = '<equality><weld name="tie" body1="f_3" body2="p"/></equality>'
    with caplog.at_level(logging.WARNING):
        builder = imported(model(SHEET, PIN, around=around))
    assert "'tie'" in caplog.text and builder.attachment_particle_body_count == 2


def test_points_in_a_plane_stay_bodies_and_are_named(caplog):
    with caplog.at_level(logging.WARNING):
        builder = imported(model(SHEET + ' dof="2d"', PIN))
    assert builder.particle_count == 0 and sum(name.startswith("f_") for name in builder.body_name) == 10
    assert "'f'" in caplog.text


def test_a_sheet_that_cannot_bend_is_an_error_with_its_place():
    words = 'type="direct" point="0 0 0 1 0 0 0 1 0 0 0 1 1 1 1" element="0 1 2 1 0 3 0 1 4"'
    text = model(words, '<elasticity young="1e3" elastic2d="bend" thickness=".01"/>', STILL)
    with pytest.raises(SimulationError, match=r"flexcomp 'f': the mesh is not manifold"):
        imported(text)
