# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Scenes of several robots in YAML."""

import numpy as np
import pytest
from robots import link, mass, tensor, urdf

import inertia_tools as it
from inertia_tools.errors import ParseError
from inertia_tools.sim.simulation.scene_file import load_scene

pytest.importorskip("warp", reason="warp-lang is not installed")
pytest.importorskip("yaml", reason="PyYAML is not installed")

CUBE = urdf(link("cube", mass(2) + tensor(0.01, 0.01, 0.01)))


def scene(tmp_path, text):
    (tmp_path / "cube.urdf").write_text(CUBE)
    file = tmp_path / "scene.yaml"
    file.write_text(text)
    return file


def test_entities_are_read_with_their_poses(tmp_path):
    text = """entities:
      - {name: left/cube, file: cube.urdf, pose: {xyz: [1, 2, 3], rpy: [0, 0, 1.5707963267948966]}, fixed_base: true}
      - {name: other, file: cube.urdf}"""
    first, second = load_scene(scene(tmp_path, text))
    assert (first.name, first.fixed_base, second.name, second.fixed_base) == ("left/cube", True, "other", False)
    assert first.pose.transform_points([1.0, 0.0, 0.0]) == pytest.approx([1.0, 3.0, 3.0])
    assert second.pose is None
    assert list(second.robot.links) == ["cube"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "list of `entities`"),
        ("entities: []", "list of `entities`"),
        ("entities: {a: 1}", "list of `entities`"),
        ("entities: [{name: a, file: cube.urdf}]\ngravity: 3", "'gravity'"),
        ("entities: [{name: a}]", "entity 1: needs name and file"),
        ("entities: [{name: a, file: cube.urdf, color: red}]", "entity 1: needs name and file"),
        ("entities: [{name: a, file: gone.urdf}]", "entity 1: .*gone.urdf"),
        ("entities: [{name: 'a::b', file: cube.urdf}]", "entity 1: name"),
        ("entities: [{name: a, file: cube.urdf, fixed_base: 3}]", "fixed_base"),
        ("entities: [{name: a, file: cube.urdf, pose: {xyz: [1, 2]}}]", "three finite numbers"),
        ("entities: [{name: a, file: cube.urdf, pose: {xyz: [1, 2, .nan]}}]", "three finite numbers"),
        ("entities: [{name: a, file: cube.urdf, pose: {xyz: [1, 2, x]}}]", "entity 1"),
        ("entities: [{name: a, file: cube.urdf, pose: 3}]", "a pose must be"),
        ("entities: [\n{name: a", "scene.yaml:2: is not valid YAML"),
        ("!!python/object/apply:os.system ['true']", "constructor"),
        ("entities: [{name: a, file: cube.urdf,\nname: b}]", "scene.yaml:2: .*'name' is given twice"),
        ("entities: 2001-99-99", "scene.yaml: is not valid YAML"),
        pytest.param(10000 * "[", "scene.yaml: is not valid YAML", id="nested too deeply"),
    ],
)
def test_what_makes_no_sense_is_named(tmp_path, text, said):
    with pytest.raises(ParseError, match=said) as caught:
        load_scene(scene(tmp_path, text))
    assert "scene.yaml" in str(caught.value)


def test_a_scene_that_is_absent_has_a_remedy(tmp_path):
    with pytest.raises(ParseError, match="cannot be opened: No such file or directory; correct the path"):
        load_scene(tmp_path / "scene.yaml")


def test_files_outside_allowed_roots_are_not_read(tmp_path):
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "scene.yaml").write_text("entities: [{name: a, file: ../cube.urdf}]")
    (tmp_path / "cube.urdf").write_text(CUBE)
    assert load_scene(inner / "scene.yaml")
    with pytest.raises(ParseError, match=r"cube\.urdf"):
        load_scene(inner / "scene.yaml", allowed_roots=[inner])


SOFT = """entities: [{name: a, file: cube.urdf}]
soft_bodies:
  - name: flag
    cloth: {size: [1.5, 1.0], cells: [3, 2], mass: 0.24, fixed: [left], young: 2e4, poisson: 0.25, thickness: 0.002}
    pose: {xyz: [0, 0, 2], rpy: [1.5707963267948966, 0, 0]}
  - name: block
    soft_box: {size: [0.4, 0.2, 0.1], cells: [2, 2, 1], density: 500, young: 1e5, poisson: 0.25}
  - name: grains
    particles: {count: [2, 3, 4], spacing: [0.05, 0.05, 0.05], mass: 0.001, radius: 0.02}
"""


def built(entities):
    builder = it.ModelBuilder()
    return builder, [soft.add_to(builder) for soft in entities[0].soft]


def test_soft_bodies_are_read_with_their_material(tmp_path):
    entities = load_scene(scene(tmp_path, SOFT))
    builder, (flag, block, grains) = built(entities)
    assert (len(flag), len(block), len(grains)) == (4 * 3, 3 * 3 * 2, 24)
    masses, points = np.array(builder.particle_mass), np.array(builder.particle_q)
    assert masses[flag].sum() == pytest.approx(0.24 * 9 / 12)  # three of twelve are fixed
    assert masses[block].sum() == pytest.approx(500 * 0.4 * 0.2 * 0.1)
    assert np.allclose(np.ptp(points[flag], axis=0), (1.5, 0.0, 1.0)) and points[flag][0, 2] == 2.0
    # E = mu (3 lambda + 2 mu) / (lambda + mu); of a sheet E t = 4 mu (lambda + mu) / (lambda + 2 mu)
    mu, lame, _ = builder.tet_materials[0]
    assert mu * (3 * lame + 2 * mu) / (lame + mu) == pytest.approx(1e5)
    shear, area = builder.tri_materials[0][:2]
    assert 4 * shear * (area + shear) / (area + 2 * shear) == pytest.approx(2e4 * 0.002)
    assert builder.particle_radius[0] == 0.001


def test_a_scene_with_soft_bodies_is_simulated(tmp_path):
    simulation = it.Simulation(load_scene(scene(tmp_path, SOFT)))
    before = simulation._built.state.particle_q.numpy().copy()
    simulation.step(2)
    after = simulation._built.state.particle_q.numpy()
    free = simulation._built.model.particle_inv_mass.numpy() > 0.0
    assert np.array_equal(after[~free], before[~free])
    assert np.isfinite(after).all() and (after[free, 2] < before[free, 2] + 1e-9).any()


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("{name: a}", "soft body 1: needs name and one of cloth, soft_box, particles"),
        ("{cloth: {}}", "needs name"),
        ("{name: a, cloth: {}, particles: {}}", "needs name"),
        ("{name: a, cloth: {colour: red}}", "a mapping of young, poisson"),
        ("{name: a, cloth: {cells: [3]}}", "cells"),
        ("{name: a, cloth: {mass: -1}}", "mass"),
        ("{name: a, cloth: {fixed: left}}", "fixed"),
        ("{name: a, cloth: {fixed: [front]}}", "fixed"),
        ("{name: a, soft_box: {poisson: 0.5}}", "poisson"),
        ("{name: a, soft_box: {density: heavy}}", "density"),
        ("{name: a, soft_box: {size: [1, 1, 0]}}", "size"),
        ("{name: a, particles: {count: [1, 1, 0.5]}}", "count"),
        ("{name: a, particles: {}, pose: 3}", "a pose must be"),
        ("{name: a, cloth: {}}, {name: a, cloth: {}}", "two soft bodies are named 'a'"),
    ],
)
def test_soft_bodies_that_make_no_sense_are_named(tmp_path, entry, said):
    with pytest.raises(ParseError, match=said):
        load_scene(scene(tmp_path, f"entities: [{{name: a, file: cube.urdf}}]\nsoft_bodies: [{entry}]"))


def test_particles_go_on_when_entities_come_and_go(tmp_path):
    apart = "    pose: {{xyz: [{}, 0, 3]}}\n"
    text = SOFT.replace("  - name: grains", apart.format(3) + "  - name: grains") + apart.format(6)
    entities = load_scene(scene(tmp_path, text))
    simulation = it.Simulation(entities)
    simulation.step(5)
    before = simulation._built.state.particle_q.numpy().copy()
    simulation.spawn(it.Entity("b", entities[0].robot, it.Pose([5.0, 0.0, 0.5])))
    assert np.array_equal(simulation._built.state.particle_q.numpy(), before)
    alone = it.Simulation(entities)
    alone.step(5)
    simulation.step(5)
    alone.step(5)
    gap = np.abs(simulation._built.state.particle_q.numpy() - alone._built.state.particle_q.numpy()).max()
    assert gap < 1e-6  # [m]
    kept = simulation.save()
    twin = simulation.clone()
    simulation.step(3)
    simulation.restore(kept)
    assert np.array_equal(simulation._built.state.particle_q.numpy(), twin._built.state.particle_q.numpy())
