# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Documents of SDFormat that are no robot: several worlds, and those without models or links."""

import json

import numpy as np
import pytest

import inertia_tools as it
from inertia_tools.cli import main
from inertia_tools.errors import ConversionError, ParseError, SimulationError

BOX = "<collision name='c'><density>{}</density><geometry><box><size>1 1 1</size></box></geometry></collision>"
AUTO = "<inertial auto='true'/>"


def model(name: str, density: int, pose: str = "0 0 0") -> str:
    held = "<joint name='j' type='fixed'><parent>world</parent><child>l</child></joint>"
    body = f"<link name='l'>{AUTO}{BOX.format(density)}</link>{held}"
    return f"<model name='{name}'><pose>{pose} 0 0 0</pose>{body}</model>"


def sdf(*parts: str) -> str:
    return f"<sdf version='1.11'>{''.join(parts)}</sdf>"


TWO = sdf(
    f"<world name='a'>{model('m', 2, '1 0 0')}{model('n', 3)}</world>",
    f"<world name='world'><frame name='f'><pose>0 5 0 0 0 0</pose></frame>{model('m', 7)}</world>",
)


def test_links_of_several_worlds_are_named_after_them():
    robot = it.load_text(TWO)
    assert list(robot.links) == ["a::m::l", "a::n::l", "world::m::l"]
    assert robot.is_world
    assert {joint.parent for joint in robot.joints.values()} == {"world"}
    assert np.allclose(robot.link_poses["a::m::l"].position, [1, 0, 0])


def test_each_world_has_its_own_total(tmp_path, capsys):
    report = it.stats(it.load_text(TWO))
    assert [(one.name, one.inertial.mass) for one in report.models] == [
        ("a", 5),
        ("a::m", 2),
        ("a::n", 3),
        ("world", 7),
        ("world::m", 7),
    ]
    assert report.total_mass == 12
    (tmp_path / "w.sdf").write_text(TWO)
    main(["stats", str(tmp_path / "w.sdf")])
    out = capsys.readouterr().out
    assert "world a" in out
    assert "model a::m" in out


def test_the_proposals_names_have_all_worlds():
    root = it.Root.load_text(TWO)
    assert [(one.name, [model.name for model in one.models]) for one in root.worlds] == [
        ("a", ["a::m", "a::n"]),
        ("world", ["world::m"]),
    ]
    root.calculate_inertials()
    assert [root.link(name).inertial.mass for name in root.description.links] == [2, 3, 7]


def test_links_of_several_worlds_are_corrected():
    correction = it.fix(it.load_text(TWO.replace(AUTO, "<inertial><mass>-1</mass></inertial>")))
    assert correction.is_complete
    assert [link.inertial.mass for link in correction.corrected.links.values()] == pytest.approx([2, 3, 7])


def test_several_worlds_are_neither_one_scene_nor_converted():
    robot = it.load_text(TWO)
    with pytest.raises(ConversionError, match="2 worlds"):
        it.convert(robot, format="mjcf")
    with pytest.raises(SimulationError, match="2 worlds"):
        it.ModelBuilder().add_description(robot)


def test_worlds_of_one_name_are_refused():
    with pytest.raises(ParseError, match="second world"):
        it.load_text(sdf("<world name='a'/>\n", "<world name='a'/>"))


EMPTY = {
    "nothing": sdf(),
    "an actor": sdf("<actor name='a'><skin><filename>walk.dae</filename></skin></actor>"),
    "a light": sdf("<light name='l' type='point'/>"),
    "an empty world": sdf("<world name='w'><gravity>0 0 -1</gravity></world>"),
    "empty worlds": sdf("<world name='w'/><world name='v'/>"),
    "an actor in a world": sdf("<world name='w'><actor name='a'/></world>"),
    "a static model": sdf("<model name='m'><static>true</static></model>"),
    "a static model in a world": sdf("<world name='w'><model name='m'><static>1</static></model></world>"),
}


@pytest.mark.parametrize("name", EMPTY)
def test_documents_without_links_are_read(name, tmp_path, capsys):
    file = tmp_path / "empty.sdf"
    file.write_text(EMPTY[name])
    robot = it.load(file)
    assert not robot.links
    assert it.check(robot).findings == ()
    assert it.stats(robot).totals is None
    assert it.fix(robot).is_complete
    for command in ("check", "stats", "compute", "fix"):
        assert main([command, str(file)]) == 0
        capsys.readouterr()
    assert main(["check", str(file), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["files"][0]["links"] == []
    it.Root.load(file).calculate_inertials()
    for command in (["convert", str(file), "-o", str(tmp_path / "out.urdf")], ["simulate", str(file)]):
        assert main(command) == 2
        assert "link" in capsys.readouterr().err or "worlds" in name
