# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
import errno
import gc
import json
import os
from argparse import Namespace
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path

import pytest
import trimesh
from robots import BOX, GOOD, link, mass, urdf

from inertia_tools.cli import SELDOM, main
from inertia_tools.cli.workers import working
from inertia_tools.collection import run as run_module
from inertia_tools.collection.files import robot_files
from inertia_tools.collection.journal import Journal
from inertia_tools.collection.run import judge_all
from inertia_tools.collection.verdict import Rules, judge_files
from inertia_tools.collection.verdict_cache import VerdictCache
from inertia_tools.errors import ParseError, WriteError

COUNT = 30
RULES = Rules()


@pytest.fixture
def folder(tmp_path):
    """Make a folder of robots: two of three good, one bad, one of all no robot at all."""
    for number in range(COUNT):
        path = tmp_path / "robots" / f"group{number % 4}" / f"r{number:02}.urdf"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(urdf(link("base", mass(-1), BOX) if number % 3 == 0 else link("base", GOOD)))
    (tmp_path / "robots" / "group0" / "r00.urdf").write_text("<robot>")
    return tmp_path / "robots"


def test_a_name_that_no_file_can_have_is_one_of_a_file():
    assert robot_files(["a" * 300]) == ["a" * 300]


def test_what_a_folder_does_not_show_is_no_clean_result(tmp_path, monkeypatch):
    (tmp_path / "a.urdf").write_text("<robot/>")
    (tmp_path / "b.urdf").symlink_to("nowhere")
    assert robot_files([str(tmp_path)]) == [str(tmp_path / "a.urdf"), str(tmp_path / "b.urdf")]
    (tmp_path / "shut").mkdir()
    monkeypatch.setattr(os, "scandir", refusing_shut(os.scandir))
    with pytest.raises(ParseError, match="shut: cannot be opened: Permission denied; change its permissions"):
        robot_files([str(tmp_path)])


def refusing_shut(scandir):
    """Return `scandir`, but for a folder `shut`, which root may not list either."""

    def refused(folder):
        if Path(folder).name == "shut":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), folder)
        return scandir(folder)

    return refused


def test_files_of_a_folder(tmp_path):
    kept = ["a.urdf", "b/c.urdf.xacro", "b/d.SDF", "e.world", "f.usda", "g.xml"]
    others = ["macros.xacro", "h.xml", "mesh.stl", ".hidden/i.urdf", "build/j.urdf", "README.md"]
    for name in (*kept, *others):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text('<?xml version="1.0"?><mujoco model="m"/>' if name == "g.xml" else "<package/>")
    assert robot_files([str(tmp_path)]) == sorted(str(tmp_path / name) for name in kept)
    assert robot_files(["x.urdf", str(tmp_path), "x.urdf"])[0] == "x.urdf"
    (tmp_path / "empty").mkdir()
    with pytest.raises(ParseError, match="no robot"):
        robot_files([str(tmp_path / "empty")])


def test_a_folder_leaves_out_xacros_that_only_define(tmp_path):
    """Packages such as those of TurtleBot 4 have a file per macro, each of which was reported as without a link."""
    include, macro = '<xacro:include filename="b.xacro"/>', '<xacro:macro name="m"><link name="a"/></xacro:macro>'
    parts = {"macro": include + macro, "values": '<xacro:property name="p" value="1"/><material name="red"/>'}
    robots = {
        "assembly": include,
        "call": macro + "<xacro:m/>",
        "link": macro + '<link name="a"/>',
        "bad": "<",
        "no": "",
    }
    for name, inside in (parts | robots).items():
        (tmp_path / f"{name}.urdf.xacro").write_text(f'<robot xmlns:xacro="http://ros.org/wiki/xacro">{inside}</robot>')
    assert robot_files([str(tmp_path)]) == sorted(str(tmp_path / f"{name}.urdf.xacro") for name in robots)
    named = str(tmp_path / "macro.urdf.xacro")
    assert robot_files([named]) == [named]


class Reversed(Executor):
    """Does all work at once, and says so last come first served."""

    def submit(self, function, *arguments):
        future = Future()
        future.set_result(function(*arguments))
        return future


@pytest.mark.parametrize("executor", [None, Reversed(), ThreadPoolExecutor(3)])
def test_any_executor_gives_the_same_in_the_same_order(folder, executor):
    files = robot_files([str(folder)])
    expected = judge_all(files, Rules())
    assert [verdict.file for verdict in expected] == files
    assert len(files) == COUNT
    told = []
    found = judge_all(
        files, Rules(), executor=executor, workers=2, progress=lambda done, all_: told.append((done, all_))
    )
    assert [(one.file, one.entry) for one in found] == [(one.file, one.entry) for one in expected]
    assert told[-1] == (COUNT, COUNT)


def test_processes_give_the_same_json_as_one(folder, capsys):
    documents = []
    for jobs in ("1", "2"):
        assert main(["check", str(folder), "--json", "--jobs", jobs]) == 2
        documents.append(json.loads(capsys.readouterr().out))
    assert documents[0] == documents[1]
    assert len(documents[0]["files"]) == COUNT


def test_a_run_that_was_ended_goes_on(folder, tmp_path, monkeypatch):
    files, path = robot_files([str(folder)]), str(tmp_path / "journal")
    expected = judge_all(files, Rules())

    class EndedError(Exception):
        pass

    judged = []

    def judge_some(chunk, rules):
        if len(judged) >= 10:
            raise EndedError
        judged.extend(chunk)
        return original(chunk, rules)

    original = run_module.judge_files
    monkeypatch.setattr(run_module, "judge_files", judge_some)
    with pytest.raises(EndedError):
        judge_all(files, Rules(), journal=Journal(path, Rules()))
    with Path(path).open("a") as file:
        file.write('{"file": "half a li')  # killed while it wrote
    first, judged[:] = list(judged), []
    monkeypatch.setattr(
        run_module, "judge_files", lambda chunk, rules: (judged.extend(chunk), original(chunk, rules))[1]
    )
    found = judge_all(files, Rules(), journal=Journal(path, Rules()))
    assert [one.entry for one in found] == [one.entry for one in expected]
    assert set(first).isdisjoint(judged)
    assert len(first) + len(judged) == COUNT
    judged.clear()
    judge_all(files, Rules(), journal=Journal(path, Rules()))
    assert judged == []
    judge_all(
        files, Rules(ignored=frozenset({"zero-mass"})), journal=Journal(path, Rules(ignored=frozenset({"zero-mass"})))
    )
    assert len(judged) == COUNT  # other rules
    judged.clear()
    Path(files[3]).write_text(urdf(link("other", GOOD)))
    judge_all(files, Rules(), journal=Journal(path, Rules()))
    assert judged == [files[3]]


def test_verdicts_are_kept_from_run_to_run_until_something_changes(folder, tmp_path, monkeypatch):
    files, kept = robot_files([str(folder)]), tmp_path / "cache"
    judged = []
    monkeypatch.setattr(
        "inertia_tools.collection.run.judge_files",
        lambda files, rules: judged.extend(files) or judge_files(files, rules),
    )

    def run(rules=RULES):
        judged.clear()
        return judge_all(files, rules, cache=VerdictCache(kept, rules))

    first = run()
    assert judged == files
    assert [(one.file, one.entry) for one in run()] == [(one.file, one.entry) for one in first]
    assert judged == [one.file for one in first if one.reason], "what cannot be read is tried again"
    run(Rules(density=2000.0))
    assert judged == files, "other rules"
    whole = next(one.file for one in first if not one.reason)
    Path(whole).write_text(Path(whole).read_text() + "<!-- later -->")
    run()
    assert whole in judged
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(tmp_path))
    run()
    assert judged == files, "packages elsewhere"


def test_a_mesh_that_changes_or_was_not_found_is_looked_at_again(tmp_path):
    robot, mesh = tmp_path / "r.urdf", tmp_path / "m.stl"
    robot.write_text(urdf(link("base", GOOD, '<mesh filename="m.stl"/>')))
    cache = VerdictCache(tmp_path / "cache", Rules())

    def run():
        (verdict,) = judge_all([str(robot)], Rules(), cache=cache)
        return verdict

    assert run().meshes_not_found == 1
    assert cache.verdicts([str(robot)]) == {}
    trimesh.creation.box((0.1, 0.2, 0.3)).export(mesh)
    assert run().meshes_not_found == 0
    assert cache.verdicts([str(robot)]).keys() == {str(robot)}
    trimesh.creation.icosphere(radius=9.0).export(mesh)
    assert cache.verdicts([str(robot)]) == {}


PARTS = {
    "robot.sdf": (
        '<sdf version="1.9"><world name="w"><include><uri>part.sdf</uri></include><model name="m"><link name="l"/></model>'
        "</world></sdf>",
        "part.sdf",
        '<sdf version="1.9"><model name="p"><link name="l"/></model></sdf>',
    ),
    "robot.usda": (
        '#usda 1.0\ndef Xform "a" (prepend apiSchemas = ["PhysicsRigidBodyAPI"])\n{\n}\n'
        'def "b" (prepend references = @part.usda@</b>)\n{\n}\n',
        "part.usda",
        '#usda 1.0\ndef Xform "b"\n{\n}\n',
    ),
    "robot.xml": (
        '<mujoco><asset><texture name="t" type="2d" file="part.png"/></asset><worldbody><geom size="1"/></worldbody></mujoco>',
        "part.png",
        "",
    ),
}


@pytest.mark.parametrize(
    "ignored", [frozenset(), frozenset({"missing-include", "broken-composition", "mujoco-refuses"})]
)
@pytest.mark.parametrize("name", PARTS)
def test_a_file_that_was_not_found_is_looked_for_again(tmp_path, name, ignored):
    text, part, content = PARTS[name]
    (tmp_path / name).write_text(text)
    file, rules = str(tmp_path / name), Rules(ignored=ignored)
    cache = VerdictCache(tmp_path / "cache", rules)
    judge_all([file], rules, cache=cache)
    assert cache.verdicts([file]) == {}
    (tmp_path / part).write_text(content)
    judge_all([file], rules, cache=cache)
    assert cache.verdicts([file]).keys() == {file}


def test_what_is_no_journal_is_left_alone(tmp_path):
    path = tmp_path / "precious.txt"
    path.write_text("do not touch\n")
    with pytest.raises(WriteError, match="not a journal"):
        Journal(str(path), Rules())
    assert path.read_text() == "do not touch\n"


def test_a_fault_of_ours_in_one_file_does_not_lose_the_others(folder, monkeypatch):
    from inertia_tools.collection import verdict as verdict_module

    def fails(file, robot, rules):
        if file.endswith("r07.urdf"):
            raise KeyError("world")
        return original(file, robot, rules)

    original = verdict_module.judge
    monkeypatch.setattr(verdict_module, "judge", fails)
    verdicts = judge_all(robot_files([str(folder)]), Rules())
    reasons = {Path(one.file).name: one.reason for one in verdicts if one.reason}
    assert set(reasons) == {"r00.urdf", "r07.urdf"}
    assert "internal error, please report it: KeyError" in reasons["r07.urdf"]


def test_many_files_end_with_a_table(folder, capsys):
    assert main(["check", str(folder), "--summary", "--jobs", "1"]) == 2
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == ["severity", "code", "count", "files"]
    assert lines[2].split() == ["error", "negative-mass", "9", "9"]
    assert lines[-2] == "30 files, 29 links: 9 with errors, 20 without errors and warnings, 1 unreadable"
    assert main(["check", str(folder), "--jobs", "0"]) == 2
    assert main(["check", str(folder / "r01.urdf"), "--jobs", "0"]) == 2
    assert "--jobs" in capsys.readouterr().err


def test_workers_look_for_circles_as_seldom_as_the_command():
    options = Namespace(jobs=2, scheduler=None)
    with working(options, 2) as (pool, count):
        assert count == 2
        assert pool.submit(gc.get_threshold).result() == SELDOM
