# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The command that ends what a command says leads on: whoever types it, as it stands, has no error in the end."""

import shlex

import pytest
from robots import BOX, joint, link, mass, tensor, urdf

import inertia_tools as it
from inertia_tools.cli import main

SDF_LINK = (
    '<link name="{}"><inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>5</izz></inertia></inertial>'
    '<collision name="c"><geometry><box><size>1 2 3</size></box></geometry></collision></link>'
)
MJCF_BODY = '<body name="{}"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 5"/><geom size=".1"/></body>'

SDF_PART = f'<sdf version="1.9"><model name="part">{SDF_LINK.format("a")}</model></sdf>'
SDF_WHOLE = (
    '<sdf version="1.9"><world name="w"><include><uri>part</uri><name>one</name></include>'
    '<include><uri>part</uri><name>two</name></include><model name="own">{}</model></world></sdf>'
)
MJCF_WHOLE = '<mujoco><include file="part/model.xml"/><worldbody>{}</worldbody></mujoco>'
MOST_STEPS = 4


def follow(words: list[str], capsys) -> list[list[str]]:
    """Type a command and what each says next, as long as that corrects; return the corrections."""
    typed: list[list[str]] = []
    main(words)
    while len(typed) < MOST_STEPS:
        following = shlex.split(capsys.readouterr().out.splitlines()[-1])[2:]
        if following[0] != "fix":
            return typed
        typed.append(following)
        main(following)
    return typed


@pytest.mark.parametrize("own", ["", "b"])
@pytest.mark.parametrize(
    ("suffix", "whole", "part", "link"),
    [
        (".sdf", SDF_WHOLE, SDF_PART, SDF_LINK),
        (
            ".xml",
            MJCF_WHOLE,
            f"<mujoco><worldbody>{MJCF_BODY.format('a')}</worldbody></mujoco>",
            MJCF_BODY,
        ),
    ],
)
def test_errors_in_included_files_are_corrected_there(tmp_path, capsys, suffix, whole, part, link, own):
    included, file = tmp_path / "part" / f"model{suffix}", tmp_path / f"whole{suffix}"
    included.parent.mkdir()
    included.write_text(part)
    if suffix == ".sdf":
        (included.parent / "model.config").write_text(
            '<model><name>part</name><sdf version="1.9">model.sdf</sdf></model>'
        )
    file.write_text(whole.format(link.format(own) if own else SDF_LINK.format("f").replace(">5<", ">1<")))
    if suffix == ".xml" and not own:
        file.write_text(whole.format(""))
    typed = follow(["check", str(file)], capsys)
    assert typed
    assert main(["check", typed[0][typed[0].index("-o") + 1] if "-o" in typed[0] else str(file)]) == 0


def test_fix_names_the_included_file_that_it_leaves_alone(tmp_path, capsys):
    (tmp_path / "part").mkdir()
    (tmp_path / "part" / "model.sdf").write_text(SDF_PART)
    (tmp_path / "part" / "model.config").write_text(
        '<model><name>part</name><sdf version="1.9">model.sdf</sdf></model>'
    )
    file = tmp_path / "whole.sdf"
    file.write_text(SDF_WHOLE.replace('<model name="own">{}</model>', ""))
    assert main(["fix", str(file), "-o", str(tmp_path / "out.sdf")]) == 1
    said = capsys.readouterr().out
    assert "correct the included files" in said
    assert said.count(str(tmp_path / "part" / "model.sdf")) == 4  # two errors, the sentence, the command


@pytest.mark.parametrize(("command", "name"), [("fix", "robot.fixed.urdf"), ("convert", "robot.sdf")])
def test_what_was_written_of_a_xacro_is_read_without_its_arguments(tmp_path, capsys, command, name):
    """It declares no argument, so values for them are an error."""
    file = tmp_path / "robot.xacro"
    file.write_text(
        '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:arg name="m" default="1"/>'
        '<link name="a"><inertial><mass value="$(arg m)"/>'
        '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="5"/></inertial>'
        '<collision><geometry><box size="1 2 3"/></geometry></collision></link></robot>'
    )
    words = ["--xacro-arg", "m:=2", "--package-path", str(tmp_path)]
    main([command, str(file), "-o", str(tmp_path / name), *words, *(["--fix"] if command == "convert" else [])])
    following = shlex.split(capsys.readouterr().out.splitlines()[-1])[3:]
    assert following == [str(tmp_path / name), *words[2:]]
    assert main(["check", *following]) == 0


def test_a_name_that_begins_with_a_dash_leads_on(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "-model.sdf").write_text(SDF_PART)
    assert follow(["check", "--", "-model.sdf"], capsys) == [["fix", "./-model.sdf", "-o", "./-model.fixed.sdf"]]


def test_an_empty_name_is_refused(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["check", ""])
    assert ended.value.code == 2
    assert "the name of a file is empty" in capsys.readouterr().err


@pytest.mark.parametrize("suffix", ["urdf", "sdf", "xml", "usda"])
def test_commands_count_the_same_links(tmp_path, capsys, suffix):
    """A file of MJCF or USD has the world as its root, which no one means by a link."""
    if suffix == "usda":
        pytest.importorskip("pxr", reason="usd-core is not installed")
    links = [link(name, mass(1.0) + tensor(0.1, 0.1, 0.1), BOX) for name in ("base", "arm")]
    source, target = tmp_path / "two.urdf", tmp_path / f"robot.{suffix}"
    source.write_text(urdf(*links, joint("arm", "base")))
    for words in (["convert", str(source), "-o", str(target), "--keep-fixed-joints"], ["check", str(target)]):
        assert main(words) == 0
        assert f"{target}: 2 links" in capsys.readouterr().out
    main(["fix", str(target)])
    assert "0 of 2 links changed" in capsys.readouterr().out
    assert it.load(target).link_count == it.check(it.load(target)).link_count == 2


def test_arguments_of_xacro_without_their_option_name_it(capsys):
    assert main(["check", "need:=1"]) == 2
    assert "--xacro-arg need:=1" in capsys.readouterr().out


def test_packages_of_usd_are_refused_with_a_file_that_is_not(tmp_path, capsys):
    source = tmp_path / "robot.urdf"
    source.write_text(urdf(link("base", mass(1.0) + tensor(0.1, 0.1, 0.1), BOX)))
    assert main(["convert", str(source), "-o", str(tmp_path / "robot.usdz")]) == 2
    assert "a file named .usdc or .usda" in capsys.readouterr().err
