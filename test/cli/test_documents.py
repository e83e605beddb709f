# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Where documents come from and go to: standard streams, pipes, devices, files; and that none destroys an input."""

import io
import json
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from robots import BOX, GOOD, has, link, mass, tensor, urdf

import inertia_tools as it
from inertia_tools.cli import main

WRONG = urdf(link("base", mass(2) + tensor(1, 1, 5), BOX))
STL = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid\n"
PROGRAM = [sys.executable, "-m", "inertia_tools"]


@pytest.fixture
def robot(tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_text(WRONG)
    return path


@pytest.fixture
def stdin(monkeypatch):
    def give(text: str) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))

    return give


def is_corrected(text: str) -> bool:
    return it.check(it.load_text(text)).worst is None


# Standard input, and pipes as input


@pytest.mark.parametrize("command", ["check", "compute", "stats", "fix"])
def test_every_command_reads_standard_input(command, stdin, capsys):
    stdin(WRONG)
    code = main([command, "-", "--json"])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    assert code == (1 if command == "check" else 0)
    assert (file["file"], file["robot"]) == ("-", "r")


def test_findings_of_standard_input_have_a_line(stdin, capsys):
    stdin(WRONG)
    assert main(["check", "-"]) == 1
    assert capsys.readouterr().out.startswith("<stdin>:2: error: base: ")


def test_standard_input_is_corrected_into_a_file_or_to_standard_output(stdin, tmp_path, capfdbinary):
    stdin(WRONG)
    assert main(["fix", "-", "-o", str(tmp_path / "out.urdf")]) == 0
    assert is_corrected((tmp_path / "out.urdf").read_text())
    capfdbinary.readouterr()
    stdin(WRONG)
    assert main(["fix", "-", "-o", "-"]) == 0
    assert is_corrected(capfdbinary.readouterr().out.decode())
    stdin(WRONG)
    assert main(["fix", "-", "--in-place"]) == 2
    assert b"standard input cannot be corrected in place" in capfdbinary.readouterr().err


@pytest.mark.parametrize("name", ["out.sdf", "out.WORLD", "out.mjcf", "out.usda"])
def test_a_correction_is_not_written_under_the_name_of_another_format(robot, tmp_path, name, capsys):
    assert main(["fix", str(robot), "-o", str(tmp_path / name)]) == 2
    said = capsys.readouterr().err
    assert "which a correction keeps; name it .urdf; next: " in said
    assert said.endswith(f"convert {robot} -o {tmp_path / name} --fix\n")
    assert not (tmp_path / name).exists()
    assert main(["fix", str(robot), "-o", str(tmp_path / "out.xml")]) == 0


def test_only_a_file_that_can_be_overwritten_is_said_to_be(robot, stdin, capsys):
    main(["fix", str(robot)])
    assert "(use -o OUT or --in-place)" in capsys.readouterr().out
    stdin(WRONG)
    main(["fix", "-"])
    assert "(use -o OUT)" in capsys.readouterr().out


def test_xacro_from_standard_input_runs_only_on_request(stdin, capsys):
    pytest.importorskip("xacro", reason="xacro is not installed")
    text = urdf(link("base", mass("${1 + 1}") + tensor(1, 1, 1)))
    stdin(text)
    assert main(["check", "-"]) == 2
    stdin(text)
    assert main(["check", "-", "--xacro"]) == 0


def test_a_pipe_is_read_and_never_corrected_in_place(tmp_path, capsys):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for words, code in ((["check"], 1), (["fix", "--in-place"], 2)):
        writer = threading.Thread(target=pipe.write_text, args=(WRONG,))
        writer.start()
        assert main([*words, str(pipe)]) == code
        writer.join()
    assert "not a regular file" in capsys.readouterr().err
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert os.listdir(tmp_path) == ["pipe"]


# Standard output, pipes and devices as output


@pytest.mark.parametrize("target", ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_standard_output_gets_the_document_and_nothing_else(robot, target):
    for words in (["fix", str(robot)], ["convert", str(robot), "--format", "urdf", "--fix"]):
        done = subprocess.run([*PROGRAM, *words, "-o", target], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert is_corrected(done.stdout)


def test_process_substitution(robot, tmp_path):
    out = tmp_path / "out"
    command = f'{sys.executable} -m inertia_tools fix <(cat "{robot}") -o >(cat > "{out}"); sleep 0.2; wait'
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert done.stdout.splitlines()[-2].startswith("1 of 1 link changed, 0 errors left; written to /dev/fd/"), (
        done.stderr
    )
    assert is_corrected(out.read_text())


def test_a_device_takes_the_output(robot):
    for words in (["fix", str(robot)], ["convert", str(robot), "--format", "sdf"]):
        assert main([*words, "-o", "/dev/null"]) in (0, 1)
        assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_a_document_that_needs_files_beside_it_goes_to_no_pipe(tmp_path, capsys):
    path = tmp_path / "robot.xml"
    path.write_text(
        '<mujoco><asset><mesh name="a" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset><worldbody><body name="b"><freejoint/>'
        '<geom type="mesh" mesh="a"/></body></worldbody></mujoco>'
    )
    assert main(["convert", str(path), "--format", "urdf", "-o", "/dev/null"]) == 2
    assert "needs further files" in capsys.readouterr().err


def test_standard_output_takes_one_document(robot, capsys):
    for words in (
        ["fix", str(robot), "-o", "-", "--json"],
        ["fix", str(robot), "-o", "-", "--diff"],
        ["check", str(robot), "--sarif", "-", "--json"],
        ["check", str(robot), "--sarif", "-", "--json-output", "-"],
        ["fix", str(robot), "--diff", "--json"],
        ["check", str(robot), "--json", "--format", "github"],
        ["check", str(robot), "--format", "junit", "--sarif", "-"],
    ):
        assert main(words) == 2
        said = capsys.readouterr()
        assert said.out == ""
        assert "can hold one document" in said.err
    assert main(["check", str(robot), "--sarif", "-"]) == 1
    assert json.loads(capsys.readouterr().out)["version"] == "2.1.0"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
@pytest.mark.parametrize(
    "words", [["check"], ["check", "--json"], ["stats"], ["fix", "-o", "-"], ["fix", "-o", "/dev/full"]]
)
def test_a_full_disk_behind_standard_output_is_one_line(robot, words):
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*PROGRAM, words[0], str(robot), *words[1:]], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 2
    assert "No space left" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("words", [["check", "nowhere.urdf"], ["convert", "-o", "-"], ["fix", "--diff"]])
def test_a_full_disk_behind_standard_error_is_no_finding(robot, words):
    """The exit code was 1, which means that errors were found or left."""
    command = [*PROGRAM, *words] if words[0] == "check" else [*PROGRAM, words[0], str(robot), *words[1:]]
    with open("/dev/full", "wb") as full:
        assert subprocess.run(command, stdout=subprocess.DEVNULL, stderr=full).returncode == 2


@pytest.mark.parametrize(
    ("words", "code", "lines"),
    [
        ("fix -o - {}", 2, 1),
        ("fix --diff {}", 2, 1),
        ("completion bash", 2, 1),
        ("check --json {}", 2, 1),
        ("check {}", 1, 0),
        ("check -q {} 2>&-", 1, 0),
    ],
)
def test_closed_standard_output_takes_no_document(robot, words, code, lines):
    command = f"{sys.executable} -m inertia_tools {words.format(robot)} >&-"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert (done.returncode, done.stderr.count("\n")) == (code, lines)


@pytest.mark.parametrize(("words", "code", "reason"), [("check -", 2, "it is closed"), ("fix --interactive {}", 1, "")])
def test_closed_standard_input_is_no_document_and_no_answer(robot, words, code, reason):
    command = f"{sys.executable} -m inertia_tools {words.format(robot)} <&-"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert done.returncode == code
    assert reason in done.stdout
    assert "Traceback" not in done.stderr


# JSON into a file


@pytest.mark.parametrize(
    "words",
    [["check"], ["compute"], ["stats"], ["fix"], ["convert", "--format", "sdf", "-o", "/dev/null"]],
)
def test_json_goes_to_a_file_beside_the_text(robot, tmp_path, words, capsys):
    command = [words[0], str(robot), *words[1:]]
    main([*command, "--json"])
    expected = capsys.readouterr().out
    target = tmp_path / "out.json"
    main([*command, "--json-output", str(target)])
    shown = capsys.readouterr().out
    assert target.read_text() == expected
    assert shown
    assert not shown.startswith("{")
    main([*command, "--json-output", "/dev/stdout"])
    assert capsys.readouterr().out == expected


def test_json_goes_to_a_file_beside_the_diff(robot, tmp_path, capsys):
    target = tmp_path / "out.json"
    main(["fix", str(robot), "--diff", "--json-output", str(target)])
    assert capsys.readouterr().out.startswith("--- ")
    assert json.loads(target.read_text())["schema"] == "inertia-tools/report/1"


@pytest.mark.parametrize("command", ["check", "compute", "stats", "fix"])
def test_json_says_why_a_file_cannot_be_read(command, tmp_path, capsys):
    path = tmp_path / "robot.urdf"
    path.write_text("<robot name='r'>\n<link/></robot>")
    assert main([command, str(path), "--json"]) == 2
    shown = capsys.readouterr().out
    (file,) = json.loads(shown)["files"]
    assert file["error"] == f"{path}:2: <link> has no attribute 'name'; add one"
    assert (file["file"], file["total_mass"], file["links"]) == (str(path), None, [])
    assert main([command, str(path), "--json-output", str(tmp_path / "out.json")]) == 2
    assert (tmp_path / "out.json").read_text() == shown


@pytest.mark.parametrize("command", ["simulate", "diagnose", "simulators", "convert -o {out}", "diff {robot}"])
def test_json_of_other_schemas_says_why_a_robot_cannot_be_used(command, tmp_path, capsys):
    """Standard output was empty, so that a program that reads it failed with an error of its own."""
    path = tmp_path / "robot.urdf"
    path.write_text("<robot name='r'>\n<link/></robot>")
    name, *rest = command.format(robot=path, out=tmp_path / "out.sdf").split()
    assert main([name, str(path), *rest, "--json"]) == 2
    shown = capsys.readouterr()
    document = json.loads(shown.out)
    assert document["schema"].startswith("inertia-tools/")
    assert document["error"] == f"{path}:2: <link> has no attribute 'name'; add one"
    assert shown.err == f"inertia-tools: {document['error']}\n"


def test_json_says_why_a_readable_robot_cannot_be_simulated(tmp_path, capsys):
    path = tmp_path / "robot.urdf"
    path.write_text(urdf(link("base", mass("nan") + tensor(1, 1, 1), BOX)))
    assert main(["simulate", str(path), "--json"]) == 2
    assert "no usable inertial" in json.loads(capsys.readouterr().out)["error"]


def test_json_says_that_a_folder_has_no_robot(tmp_path, capsys):
    assert main(["check", str(tmp_path), "--json"]) == 2
    (file,) = json.loads(capsys.readouterr().out)["files"]
    assert file["file"] == str(tmp_path)
    assert "no robot description" in file["error"]


def test_wrong_options_make_no_document(robot, capsys):
    assert main(["fix", str(robot), "--link-mass", "base", "--json"]) == 2
    assert capsys.readouterr().out == ""


def test_explanations_go_to_a_file_too(tmp_path):
    assert main(["explain", "zero-mass", "--json-output", str(tmp_path / "out.json")]) == 0
    assert json.loads((tmp_path / "out.json").read_text())["codes"][0]["code"] == "zero-mass"


# No output destroys an input, or another output


@pytest.fixture
def inputs(tmp_path):
    """A robot with a mesh and an included part, a baseline and materials; return their paths by name."""
    (tmp_path / "a.stl").write_text(STL)
    (tmp_path / "part.xml").write_text('<mujoco><worldbody><body name="p"><geom size="1"/></body></worldbody></mujoco>')
    (tmp_path / "scene.xml").write_text('<mujoco><include file="part.xml"/></mujoco>')
    (tmp_path / "robot.urdf").write_text(urdf(link("base", GOOD, '<mesh filename="a.stl"/>')))
    main(["check", str(tmp_path / "robot.urdf"), "--json-output", str(tmp_path / "known.json")])
    (tmp_path / "own.toml").write_text("foam = 50\n")
    (tmp_path / "link.json").symlink_to("known.json")
    return {path.name: path for path in tmp_path.iterdir()}


CHECK = ["check", "robot.urdf", "scene.xml", "--baseline", "known.json"]


@pytest.mark.parametrize("option", ["--sarif", "--json-output"])
@pytest.mark.parametrize("name", ["robot.urdf", "scene.xml", "part.xml", "a.stl", "known.json", "link.json"])
def test_reports_never_overwrite_an_input(inputs, monkeypatch, tmp_path, option, name, capsys):
    monkeypatch.chdir(tmp_path)
    before = {path: path.read_bytes() for path in inputs.values()}
    for way in (name, f"./{name}", str(inputs[name])):
        assert main([*CHECK, option, way]) == 2
        assert "is an input" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in inputs.values()} == before
    assert set(tmp_path.iterdir()) == set(inputs.values())


@pytest.mark.parametrize(
    "words",
    [
        ["fix", "robot.urdf", "--scope", "all", "-o", "a.stl"],
        ["fix", "scene.xml", "--scope", "all", "-o", "part.xml"],
        ["fix", "robot.urdf", "--json-output", "robot.urdf"],
        ["fix", "robot.urdf", "--materials", "own.toml", "--json-output", "own.toml"],
        ["fix", "robot.urdf", "--materials", "own.toml", "-o", "own.toml"],
        ["convert", "robot.urdf", "-o", "robot.urdf"],
        ["convert", "robot.urdf", "--format", "urdf", "-o", "a.stl"],
        ["fix", "robot.urdf", "-o", "new", "--json-output", "new"],
        ["check", "robot.urdf", "--sarif", "new", "--json-output", "./new"],
    ],
)
def test_no_output_overwrites_an_input_or_another_output(inputs, monkeypatch, tmp_path, words, capsys):
    monkeypatch.chdir(tmp_path)
    before = {path: path.read_bytes() for path in inputs.values()}
    assert main(words) == 2
    assert capsys.readouterr().err
    assert {path: path.read_bytes() for path in inputs.values()} == before
    assert set(tmp_path.iterdir()) == set(inputs.values())


def test_a_conversion_never_overwrites_meshes_it_was_made_from(tmp_path, capsys):
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes/a.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n")
    before = (tmp_path / "meshes/a.obj").read_bytes()
    path = tmp_path / "robot.xml"
    path.write_text(
        '<mujoco><asset><mesh name="a" file="meshes/a.obj"/><mesh name="b" file="meshes/a.obj" refpos="1 0 0"/></asset>'
        '<worldbody><body name="b"><freejoint/><geom type="mesh" mesh="b"/></body></worldbody></mujoco>'
    )
    assert main(["convert", str(path), "-o", str(tmp_path / "robot.urdf")]) == 2
    assert "is an input" in capsys.readouterr().err
    assert (tmp_path / "meshes/a.obj").read_bytes() == before
    assert not (tmp_path / "robot.urdf").exists()


@pytest.mark.skipif(not (has("warp") and has("matplotlib")), reason="simulating and drawing need warp and matplotlib")
@pytest.mark.parametrize(
    "words", [["fix", "-o", "new/"], ["convert", "--format", "sdf", "-o", "new/"], ["check", "--json-output", "new/"]]
)
def test_a_name_that_ends_like_a_folder_is_no_file(robot, words, monkeypatch, capsys):
    monkeypatch.chdir(robot.parent)
    assert main([words[0], str(robot), *words[1:]]) == 2
    assert capsys.readouterr().err == "inertia-tools: new/ names a folder; name a file in it\n"
    assert not (robot.parent / "new").exists()


def test_a_correction_is_not_saved_as_a_folder(robot):
    with pytest.raises(it.errors.WriteError, match="names a folder"):
        it.fix(it.load(robot)).save(f"{robot.parent}/new/")
    assert not (robot.parent / "new").exists()


def test_a_plot_is_a_file_like_any_other(robot, tmp_path, capsys):
    robot.write_text(urdf(link("base", mass(6) + tensor(0.065, 0.05, 0.025), BOX)))
    words = ["simulate", str(robot), "--seconds", "0.6"]
    assert main([*words, "--plot", str(robot)]) == 2
    assert "is an input" in capsys.readouterr().err
    main([*words, "--plot", str(tmp_path / "out.svg"), "--json-output", str(tmp_path / "out.json")])
    assert "<svg" in (tmp_path / "out.svg").read_text()
    assert json.loads((tmp_path / "out.json").read_text())["file"] == str(robot)
    assert main([*words, "--plot", str(tmp_path / "out.nothing")]) == 2
    assert {path.name for path in tmp_path.iterdir()} == {"robot.urdf", "out.svg", "out.json"}


# In place


def test_in_place_follows_links_and_names_hard_links(robot, tmp_path):
    os.link(robot, tmp_path / "copy.urdf")
    (tmp_path / "link.urdf").symlink_to(robot)
    done = subprocess.run([*PROGRAM, "fix", str(tmp_path / "link.urdf"), "--in-place"], capture_output=True, text=True)
    assert done.returncode == 0
    assert (tmp_path / "link.urdf").is_symlink()
    assert is_corrected(robot.read_text())
    assert (tmp_path / "copy.urdf").read_text() == WRONG
    assert "hard links keep the old content: copy.urdf" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("name", ["part.xml", "scene.xml"])
def test_what_somebody_else_writes_meanwhile_is_not_lost(tmp_path, name, monkeypatch, capsys):
    from inertia_tools.cli import fix

    body = '<body name="a"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 5"/><geom size="0.1"/></body>'
    (tmp_path / "part.xml").write_text(f"<mujoco><worldbody>{body}</worldbody></mujoco>")
    (tmp_path / "scene.xml").write_text('<mujoco><include file="part.xml"/></mujoco>')

    def correct_slowly(*arguments, **options):
        correction = it.fix(*arguments, **options)
        (tmp_path / name).write_text("somebody's work")
        return correction

    monkeypatch.setattr(fix, "fix", correct_slowly)
    others = {path: path.read_bytes() for path in tmp_path.iterdir() if path.name != name}
    assert main(["fix", str(tmp_path / "scene.xml"), "--in-place"]) == 2
    assert f"{name} changed during" in capsys.readouterr().err
    assert (tmp_path / name).read_text() == "somebody's work"
    assert {path: path.read_bytes() for path in others} == others


def test_a_correction_of_an_included_file_is_offered_in_place(tmp_path, capsys):
    body = '<body name="a"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 5"/><geom size="0.1"/></body>'
    (tmp_path / "part.xml").write_text(f"<mujoco><worldbody>{body}</worldbody></mujoco>")
    (tmp_path / "scene.xml").write_text('<mujoco><include file="part.xml"/></mujoco>')
    assert main(["fix", str(tmp_path / "scene.xml")]) == 0
    shown = capsys.readouterr().out
    assert "no file written (use --in-place)" in shown
    assert shown.endswith(f"fix {tmp_path / 'scene.xml'} --in-place\n")


def test_a_read_only_file_is_refused(robot, capsys):
    robot.chmod(0o444)
    assert main(["fix", str(robot), "--in-place"]) == 2
    assert "read-only" in capsys.readouterr().err
    assert robot.read_text() == WRONG


def test_nothing_is_written_of_a_correction_that_cannot_be_finished(tmp_path):
    """Included files are corrected in their own places, and not where the document itself cannot be."""
    body = '<body name="{}"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 5"/><geom size="0.1"/></body>'
    part, scene = tmp_path / "part.xml", tmp_path / "scene.xml"
    part.write_text(f"<mujoco><worldbody>{body.format('a')}</worldbody></mujoco>")
    scene.write_text(f'<mujoco><include file="part.xml"/><worldbody>{body.format("b")}</worldbody></mujoco>')
    before = part.read_text()
    scene.chmod(0o444)
    assert main(["fix", str(scene), "--in-place"]) == 2
    assert part.read_text() == before
    scene.chmod(0o644)
    assert main(["fix", str(scene), "--in-place"]) == 0
    assert part.read_text() != before
    assert {Path(name).name for name in os.listdir(tmp_path)} == {"part.xml", "scene.xml"}
