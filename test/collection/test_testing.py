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
