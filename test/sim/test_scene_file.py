# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Scenes of several robots in YAML."""

import pytest
from robots import link, mass, tensor, urdf

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
        ("entities: [{name: a, file: cube.urdf, pose: 3}]", "a pose has"),
        ("entities: [\n{name: a", "scene.yaml:2"),
        ("!!python/object/apply:os.system ['true']", "constructor"),
    ],
)
def test_what_makes_no_sense_is_named(tmp_path, text, said):
    with pytest.raises(ParseError, match=said) as caught:
        load_scene(scene(tmp_path, text))
    assert "scene.yaml" in str(caught.value)


def test_files_outside_allowed_roots_are_not_read(tmp_path):
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "scene.yaml").write_text("entities: [{name: a, file: ../cube.urdf}]")
    (tmp_path / "cube.urdf").write_text(CUBE)
    assert load_scene(inner / "scene.yaml")
    with pytest.raises(ParseError, match=r"cube\.urdf"):
        load_scene(inner / "scene.yaml", allowed_roots=[inner])
