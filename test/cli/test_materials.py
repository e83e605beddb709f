# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
import json

import pytest
from robots import BOX, GOOD, link, mass, tensor, urdf

from inertia_tools.cli import main

VOLUME = 0.006
"""Volume of BOX [m^3]."""


@pytest.fixture
def path(tmp_path):
    """Write a robot of three boxes, whose masses are all stated."""
    names = ("arm", "hand", "battery")
    joints = [f'<joint name="j{n}" type="fixed"><parent link="base"/><child link="{n}"/></joint>' for n in names]
    file = tmp_path / "robot.urdf"
    file.write_text(urdf(link("base", GOOD), *(link(n, mass(2) + tensor(1, 1, 1), BOX) for n in names), *joints))
    return str(file)


def masses(capsys, key: str, *words: str) -> dict[str, float]:
    assert main([*words, "--json"]) == 0
    links = json.loads(capsys.readouterr().out)["files"][0]["links"]
    return {entry["link"]: entry[key]["mass"] for entry in links if entry[key]}


def test_materials_are_listed_without_a_file(tmp_path, capsys):
    for command in ("fix", "compute"):
        assert main([command, "--list-materials"]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert ["aluminium", "2700"] in [line.split() for line in lines]
    (tmp_path / "own.toml").write_text("foam = 30\n")
    assert main(["fix", "--list-materials", "--materials", str(tmp_path / "own.toml")]) == 0
    assert ["foam", "30"] in [line.split() for line in capsys.readouterr().out.splitlines()]
    with pytest.raises(SystemExit):
        main(["fix"])


def test_all_of_aluminium_but_the_battery(path, capsys):
    found = masses(capsys, "corrected", "fix", path, "--material", "*=aluminium", "--except", "battery")
    assert found == pytest.approx({"base": found["base"], "arm": 2700 * VOLUME, "hand": 2700 * VOLUME, "battery": 2.0})


def test_masses_and_densities_of_patterns(path, capsys):
    words = ("--link-density", "h*=500", "--link-mass", "a*=7", "--material", "battery=lead")
    found = masses(capsys, "corrected", "fix", path, *words)
    assert (found["hand"], found["arm"], found["battery"]) == pytest.approx((500 * VOLUME, 7, 11340 * VOLUME))


def test_recompute_takes_all_masses_from_the_density(path, capsys):
    found = masses(capsys, "corrected", "fix", path, "--recompute", "--density", "500", "--except", "hand")
    assert (found["arm"], found["hand"], found["battery"]) == pytest.approx((500 * VOLUME, 2.0, 500 * VOLUME))
    found = masses(capsys, "corrected", "fix", path, "--recompute", "--link-mass", "arm=5")
    assert (found["arm"], found["hand"]) == pytest.approx((5.0, 1000 * VOLUME))


def test_a_mass_with_a_density_is_the_geometry_at_that_mass(path, capsys):
    main(["fix", path, "--link-mass", "arm=6", "--material", "arm=steel", "--json"])
    (arm,) = [e for e in json.loads(capsys.readouterr().out)["files"][0]["links"] if e["link"] == "arm"]
    assert arm["corrected"]["inertia"] == pytest.approx(arm["computed"]["inertia"])  # 6 kg is that of water


def test_compute_takes_materials_of_links(path, capsys):
    found = masses(capsys, "computed", "compute", path, "--material", "steel", "--material", "arm=abs")
    assert (found["arm"], found["hand"]) == pytest.approx((1050 * VOLUME, 7850 * VOLUME))


def test_a_misspelt_exception_is_an_error(path, capsys):
    assert main(["fix", path, "--material", "*=aluminium", "--except", "batery"]) == 2
    assert "'battery'" in capsys.readouterr().err
