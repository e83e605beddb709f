# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
import json
import os
import re
import urllib.parse
from pathlib import Path
from xml.etree import ElementTree

import pytest
from robots import BOX, GOOD, link, mass, tensor, urdf

from inertia_tools.cli import main
from inertia_tools.inertia.sarif import stated_line

EXAMPLE = str(Path(__file__).parents[2] / "examples/broken_quadruped.urdf")
ROUNDED = mass(1) + tensor(3.33, 3.33, 6.67)


def test_annotations_of_github(capsys):
    assert main(["check", EXAMPLE, "nowhere.urdf", "--format", "github"]) == 2
    lines = capsys.readouterr().out.splitlines()
    commands = [re.fullmatch(r"::(error|warning|notice) (file=[^:]+)::(.+)", line) for line in lines]
    found = [match for match in commands if match]
    assert len(found) == 8
    assert any(match[2] == f"file={EXAMPLE},line=122,title=negative-mass" for match in found)
    assert any(match[2] == "file=nowhere.urdf,title=unreadable" for match in found)
    assert lines[-1].startswith("next: ")


def test_annotations_escape_what_ends_a_property(tmp_path, capsys):
    path = tmp_path / "a,b 100%.urdf"
    path.write_text(urdf(link("50%", mass(-1), BOX)))
    main(["check", str(path), "--format", "github", "--quiet"])
    (line,) = capsys.readouterr().out.splitlines()
    assert "a%2Cb 100%25.urdf,line=" in line
    assert "::50%25: " in line


@pytest.fixture
def placeholder(tmp_path):
    path = tmp_path / "r.urdf"
    path.write_text(urdf(link("base", mass(1) + tensor(1, 1, 1), BOX)))
    return str(path)


def test_what_a_finding_explains_is_no_annotation_of_its_own(placeholder, capsys):
    main(["check", placeholder, "--format", "github", "--quiet"])
    (line,) = capsys.readouterr().out.splitlines()
    assert "title=placeholder-inertia::" in line
    main(["check", placeholder, "--format", "github", "--quiet", "--ignore", "placeholder-inertia"])
    assert "title=exceeds-geometry::" in capsys.readouterr().out


def test_what_a_finding_explains_is_related_to_its_result_in_sarif(placeholder, capsys):
    main(["check", placeholder, "--json"])
    (entry,) = json.loads(capsys.readouterr().out)["files"][0]["links"]
    explained = [one for one in entry["findings"] if one.get("explained_by")]
    main(["check", placeholder, "--format", "sarif"])
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    (result,) = run["results"]
    assert [one["id"] for one in run["tool"]["driver"]["rules"]] == [result["ruleId"]] == ["placeholder-inertia"]
    said = [one["message"]["text"] for one in result["relatedLocations"]]
    assert said == [f"{one['code']}: {one['message']}" for one in explained]
    assert result["relatedLocations"][0]["physicalLocation"] == result["locations"][0]["physicalLocation"]


@pytest.mark.parametrize(
    "name", ("my robot.urdf", "rob\u00f6t.urdf", "100%25.urdf", "a#b?c.urdf", "a:b.urdf", "b\udcff.urdf")
)
@pytest.mark.parametrize("text", (None, "no description"))
def test_a_path_in_sarif_is_a_reference_as_urls_are(name, text, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("models").mkdir()
    for path in (Path(name), Path("models", name)):
        path.write_text(text or Path(EXAMPLE).read_text())
        main(["check", str(path), "--format", "sarif"])
        (run,) = json.loads(capsys.readouterr().out)["runs"]
        places = [*run["results"], *run["invocations"][0]["toolExecutionNotifications"]]
        assert places
        for place in places:
            uri = place["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
            assert re.fullmatch(r"[A-Za-z0-9._~/%-]+", uri)
            assert urllib.parse.unquote_to_bytes(uri) == os.fsencode(path)


def test_junit_has_a_case_a_link(tmp_path, capsys):
    path, out = tmp_path / "r.urdf", tmp_path / "out.xml"
    joint = '<joint name="j" type="fixed"><parent link="good"/><child link="bad"/></joint>'
    other = '<joint name="k" type="fixed"><parent link="good"/><child link="rounded"/></joint>'
    path.write_text(urdf(link("good", GOOD), link("bad", mass(-1), BOX), link("rounded", ROUNDED), joint, other))
    assert main(["check", str(path), "nowhere.urdf", "--junit", str(out)]) == 2
    suites = ElementTree.parse(out).getroot()
    assert (suites.get("tests"), suites.get("failures"), suites.get("errors")) == ("5", "1", "1")
    first, second = suites
    cases = {case.get("name"): case for case in first}
    assert cases["good"].find("failure") is None
    assert cases["bad"].find("failure").get("message") == "negative-mass"
    assert "triangle-rounding" in cases["rounded"].find("system-out").text
    assert second.find("testcase/error").get("type") == "unreadable"
    capsys.readouterr()
    assert main(["check", str(path), "--format", "junit", "--fail-on", "warning"]) == 1
    assert ElementTree.fromstring(capsys.readouterr().out.encode()).get("failures") == "2"


def test_formats_print_one_document(capsys):
    assert main(["check", EXAMPLE, "--format", "json"]) == 1
    by_format = json.loads(capsys.readouterr().out)
    main(["check", EXAMPLE, "--json"])
    assert json.loads(capsys.readouterr().out) == by_format
    main(["check", EXAMPLE, "--format", "sarif"])
    assert json.loads(capsys.readouterr().out)["version"] == "2.1.0"


def test_a_baseline_is_made_and_renewed(tmp_path, capsys):
    path, known = tmp_path / "r.urdf", tmp_path / "known.json"
    path.write_text(urdf(link("base", mass(-1), BOX)))
    assert main(["check", str(path), "--baseline", str(known), "--update-baseline"]) == 0
    assert main(["check", str(path), "--baseline", str(known)]) == 0
    path.write_text(urdf(link("base", mass("nan"), BOX)))
    assert main(["check", str(path), "--baseline", str(known)]) == 1
    assert main(["check", str(path), "--baseline", str(known), "--update-baseline"]) == 0
    assert main(["check", str(path), "--baseline", str(known)]) == 0
    codes = {f["code"] for e in json.loads(known.read_text())["files"][0]["links"] for f in e["findings"]}
    assert codes == {"non-finite"}
    assert main(["check", str(path), "--update-baseline"]) == 2
    assert "--baseline" in capsys.readouterr().err


def test_comments_in_the_file_are_heeded(tmp_path):
    path = tmp_path / "r.urdf"
    path.write_text(urdf("<!-- inertia-tools: ignore negative-mass -->" + link("base", mass(-1), BOX)))
    assert main(["check", str(path)]) == 0


def test_the_line_of_an_error_is_that_of_its_annotation(tmp_path, capsys):
    path = tmp_path / "odd: name.urdf"
    path.write_text('<robot name="r">\n<link name="a">\n<inertial><mass value="2,5"/></inertial></link></robot>')
    assert main(["check", str(path), "--sarif", str(tmp_path / "out.sarif"), "--format", "github"]) == 2
    assert ",line=3,title=unreadable::" in capsys.readouterr().out
    (run,) = json.loads((tmp_path / "out.sarif").read_text())["runs"]
    (notice,) = run["invocations"][0]["toolExecutionNotifications"]
    assert notice["locations"][0]["physicalLocation"]["region"] == {"startLine": 3}
    assert "decimal point" in notice["message"]["text"]


@pytest.mark.parametrize(("reason", "line"), [("b.xml:7: x", None), ("a.urdf: x", None), ("a.urdf:7: x", 7)])
def test_a_line_of_another_file_is_not_taken(reason, line):
    assert stated_line("a.urdf", reason) == line
