# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
import json

import pytest
from robots import BOX, GOOD, link, mass, tensor, urdf

from inertia_tools.cli import main
from inertia_tools.errors import OptionError
from inertia_tools.testing import assert_inertials


def test_the_assertion_passes_and_fails_as_check_does(tmp_path, capsys):
    good, bad, rounded = tmp_path / "good.urdf", tmp_path / "bad.urdf", tmp_path / "rounded.urdf"
    good.write_text(urdf(link("base", GOOD)))
    bad.write_text(urdf(link("base", mass(-1), BOX)))
    rounded.write_text(urdf(link("base", mass(1) + tensor(3.33, 3.33, 6.67))))
    assert [verdict.file for verdict in assert_inertials(good, rounded)] == [str(good), str(rounded)]
    with pytest.raises(AssertionError, match=r"rounded.urdf:\d+: warning: base: .*\[triangle-rounding\]"):
        assert_inertials(good, rounded, fail_on="warning")
    with pytest.raises(AssertionError, match="negative-mass"):
        assert_inertials(bad)
    assert_inertials(bad, ignore=["negative-mass"])
    assert main(["check", str(bad), "--json"]) == 1
    (tmp_path / "known.json").write_text(capsys.readouterr().out)
    assert json.loads((tmp_path / "known.json").read_text())
    assert_inertials(bad, baseline=tmp_path / "known.json")
    with pytest.raises(AssertionError, match="cannot be opened"):
        assert_inertials(tmp_path / "nowhere.urdf")


def test_wrong_options_are_no_failed_assertion(tmp_path):
    with pytest.raises(OptionError):
        assert_inertials(tmp_path, fail_on="warnings")
    with pytest.raises(OptionError):
        assert_inertials(tmp_path, ignore=["negativ-mass"])


def test_a_single_folder_or_code_may_stand_for_a_list_of_one(tmp_path):
    (tmp_path / "arm" / "meshes").mkdir(parents=True)
    (tmp_path / "arm" / "meshes" / "flat.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    mesh = '<mesh filename="package://arm/meshes/flat.obj"/>'
    (tmp_path / "robot.urdf").write_text(urdf(link("base", GOOD, mesh)))
    for folders in (tmp_path, str(tmp_path), [tmp_path]):
        (verdict,) = assert_inertials(tmp_path / "robot.urdf", package_path=folders)
        assert "missing-mesh" not in {finding.code for finding in verdict.findings}
    (tmp_path / "bad.urdf").write_text(urdf(link("base", mass(-1), BOX)))
    assert_inertials(tmp_path / "bad.urdf", ignore="negative-mass")
