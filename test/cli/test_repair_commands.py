# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Direct repairs, questions and comparison from the shell."""

import io
import json

import pytest
from robots import BOX, GOOD, joint, link, mass, tensor, urdf

from inertia_tools.cli import main

BAD = mass(1) + tensor(1, 1, 5)


@pytest.fixture
def robot(tmp_path):
    def write(*elements: str, name: str = "robot.urdf") -> str:
        path = tmp_path / name
        path.write_text(urdf(*elements))
        return str(path)

    return write


def test_each_repair_is_one_option(robot, tmp_path, capsys):
    path = robot(
        link("left_arm", '<origin xyz="1 2 3"/>' + mass(500) + tensor(8, 10, 12, 1), BOX),
        link("right_arm", GOOD, BOX),
        joint("right_arm", "left_arm"),
    )
    out = str(tmp_path / "out.urdf")
    for words, expected in (
        (["--convert-units", "g,mm", "--links", "left_arm"], 'mass value="0.5"'),
        (["--convert-units", "tensor=g,mm", "--links", "left_*"], 'mass value="500"'),
        (["--negate-products"], 'ixy="-1"'),
        (["--com", "*=0,0,0.5"], 'xyz="0 0 0.5"'),
        (["--mirror", "left_=right_", "--mirror-plane", "xz"], '"1 2 3"'),
    ):
        assert main(["fix", path, *words, "-o", out]) in (0, 1)
        assert expected in (tmp_path / "out.urdf").read_text()
    capsys.readouterr()
    assert main(["fix", path, "--com", "left_arm=1,2"]) == 2
    assert "LINK=x,y,z" in capsys.readouterr().err
    assert main(["fix", path, "--convert-units", "volume=g,mm"]) == 2


def test_a_cad_table_is_an_input(robot, tmp_path, capsys):
    table = tmp_path / "cad.csv"
    table.write_text("link,mass,cx,cy,cz,Lxx,Lxy,Lxz,Lyy,Lyz,Lzz\na,1,0,0,0,0.08,0,0,0.1,0,0.12\n")
    path = robot(link("a", BAD, BOX))
    stated = ["--cad-units", "kg,m", "--cad-frame", "com", "--cad-sign", "negative"]
    assert main(["fix", path, "--from-cad", str(table), *stated, "-o", str(table)]) == 2
    assert "is an input" in capsys.readouterr().err
    assert main(["fix", path, "--from-cad", f"a={table}", *stated, "-o", str(tmp_path / "out.urdf")]) == 0
    assert 'izz="0.12"' in (tmp_path / "out.urdf").read_text()


@pytest.mark.parametrize(
    ("answers", "changed"), [("y\nn\n", ["a"]), ("n\nx\ny\n", ["b"]), ("a\n", ["a", "b"]), ("q\n", []), ("", [])]
)
def test_questions(robot, capsys, monkeypatch, answers, changed):
    path = robot(link("a", BAD, BOX), link("b", BAD, BOX), joint("b", "a"))
    monkeypatch.setattr("sys.stdin", io.StringIO(answers))
    assert main(["fix", path, "--interactive", "--json"]) == (0 if len(changed) == 2 else 1)
    captured = capsys.readouterr()
    links = json.loads(captured.out)["files"][0]["links"]
    assert [one["link"] for one in links if one["changed"]] == changed
    assert "[y]es, [n]o, [a]ll, [q]uit" in captured.err


def test_diff_exit_codes_and_json(robot, capsys):
    first = robot(link("a", GOOD))
    second = robot(link("a", mass(2) + tensor(0.08, 0.1, 0.12)), name="second.urdf")
    assert main(["diff", first, first]) == 0
    assert main(["diff", first, second]) == 1
    out = capsys.readouterr().out
    assert "+50.000%" in out
    assert "1 of 1 link differ" in out
    assert main(["diff", first, second, "--mass-tolerance", "0.6"]) == 0
    assert main(["diff", first, "nowhere.urdf"]) == 2
    capsys.readouterr()
    assert main(["diff", first, second, "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "inertia-tools/diff/1"
    assert document["differs"] is True
    assert document["links"][0]["mass_change"] == 0.5
    assert document["total"]["b"]["mass"] == 2.0


def test_questions_and_a_file_cannot_both_come_from_standard_input(capsys):
    assert main(["fix", "-", "--interactive"]) == 2
    assert "standard input is needed for answers" in capsys.readouterr().err
