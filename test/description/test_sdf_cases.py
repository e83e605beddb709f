# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Seventy-eight worked cases of SDFormat: numbers by arithmetic where there are any, else those of libsdformat 17.

`differs` gives the reason where our numbers are others on purpose, `judged_otherwise` where the numbers agree and the
verdict does not; docs/sdformat.md lists both.
"""

import json
import math
from pathlib import Path

import numpy as np
import pytest
import trimesh

import inertia_tools as it
from inertia_tools.inertia.nearest import nearest_valid_tensor
from inertia_tools.inertial import Inertial, rotate_tensor, tensor_from_six
from inertia_tools.spatial import rotation_from_rpy

CASES = {case["id"]: case for case in json.loads((Path(__file__).parent / "sdf_cases.json").read_text())}
DOCUMENT = (Path(__file__).parents[2] / "docs" / "sdformat.md").read_text()
RELATIVE = 1e-9


def of_kind(kind):
    return [pytest.param(case, id=name) for name, case in CASES.items() if case["kind"] == kind]


def expected_inertial(link) -> Inertial:
    xx, yy, zz, xy, xz, yz = (math.nan if n is None else n for n in (*link["moments"], *link["products"]))
    tensor = rotate_tensor(rotation_from_rpy(link["rpy"]), tensor_from_six([xx, xy, xz, yy, yz, zz]))
    return Inertial(link["mass"], link["com"], tensor)


def agree(ours: Inertial, theirs: Inertial) -> bool:
    size = float(np.nanmax(np.abs(theirs.inertia), initial=1e-300))
    return (
        math.isclose(ours.mass, theirs.mass, rel_tol=RELATIVE)
        and np.allclose(ours.com, theirs.com, rtol=0, atol=RELATIVE)
        and np.allclose(ours.inertia, theirs.inertia, rtol=0, atol=RELATIVE * size, equal_nan=True)
    )


@pytest.fixture
def read(tmp_path):
    it.register_calculator("nothing", lambda errors, properties: None)
    yield lambda case: _load(case, tmp_path)
    it.unregister_calculator("nothing")


def _load(case, folder):
    for name, text in case.get("beside", {}).items():
        file = folder / name
        file.parent.mkdir(parents=True)
        file.write_text(text)
    return it.load_text(case["file"], base_dir=folder)


def report_of(case, robot):
    params = it.AutoInertiaParams(method=case["calculator"]) if "calculator" in case else None
    return it.stats(robot, params=params, include_static=True)


def test_all_cases_are_here():
    assert len(CASES) == 78


@pytest.mark.parametrize("case", of_kind("links"))
def test_what_each_link_has(case, read):
    robot = read(case)
    report = report_of(case, robot)
    ours = {
        name: robot.links[name].inertial if case.get("unresolved") else report[name].effective.inertial
        for name in robot.links
    }
    assert set(ours) == set(case["links"])
    same = all(agree(ours[name], expected_inertial(link)) for name, link in case["links"].items())
    assert same is ("differs" not in case)
    assert not any(math.isnan(inertial.mass) for inertial in ours.values())


@pytest.mark.parametrize("case", of_kind("links"))
def test_what_is_said_of_it(case, read):
    report = report_of(case, read(case))
    assert sorted({f.code for f in report.findings if f.severity > it.Severity.INFO}) == case["findings"]
    if "differs" not in case and not case.get("unresolved"):
        judged_alike = (report.worst is it.Severity.ERROR) is case["error"]
        assert judged_alike is ("judged_otherwise" not in case)


@pytest.mark.parametrize("case", [p for p in of_kind("links") if "com_in_model" in p.values[0]])
def test_where_it_is_in_its_model(case, read):
    robot = read(case)
    for name, com in case["com_in_model"].items():
        model = max(
            (m for m in robot.models if name in m.links), key=lambda m: len(m.name) if name.startswith(m.name) else 0
        )
        inertial = report_of(case, robot)[name].effective.inertial
        placed = inertial.transform(model.pose.inverse() @ robot.link_poses[name])
        assert np.allclose(placed.com, com, rtol=0, atol=1e-9)


@pytest.mark.parametrize("case", [p for p in of_kind("links") if "total" in p.values[0]])
def test_totals(case, read):
    total = report_of(case, read(case)).totals.inertial
    assert math.isclose(total.mass, case["total"]["mass"], rel_tol=RELATIVE)
    assert np.allclose(total.com, case["total"]["com"], rtol=0, atol=1e-9)
    if "inertia" in case["total"]:
        assert np.allclose(total.inertia, np.diag(case["total"]["inertia"][:3]), rtol=0, atol=1e-6)


def test_a_round_mesh(tmp_path):
    """A prism of n sides has its own closed form, which lies within the square of pi / n of the cylinder's."""
    sides, radius, length, density = 4096, 1.0, 2.0, 1240.0
    trimesh.creation.cylinder(radius, length, sections=sides).export(tmp_path / "c.stl")
    text = f"""<sdf version='1.11'><model name='m'><link name='link'><inertial auto='true'/>
      <collision name='c'><density>{density}</density><geometry><mesh><uri>c.stl</uri></mesh></geometry></collision>
      </link></model></sdf>"""
    value = it.stats(it.load_text(text, base_dir=tmp_path))["link"].effective
    assert value.method is it.Method.MESH
    step = 2 * math.pi / sides
    mass = density * length * 0.5 * sides * radius**2 * math.sin(step)
    axial = mass * radius**2 * (2 + math.cos(step)) / 6
    across = 0.5 * axial + mass * length**2 / 12
    assert np.allclose(np.diag(value.inertial.inertia), [across, across, axial], rtol=1e-6)  # STL is single precision
    assert np.allclose(np.diag(value.inertial.inertia), [4544.8373722, 4544.8373722, 3895.5748905], rtol=1e-5)


@pytest.mark.parametrize("case", of_kind("repair"))
def test_repairs_of_moments(case):
    """libsdformat's simulator raises both smaller moments, up to a tolerance; ours takes the nearest that is possible."""
    tensor = np.diag([float(moment) for moment in case["moments"]])
    before = Inertial(case["mass"], inertia=tensor)
    after = Inertial(case["mass"], inertia=nearest_valid_tensor(tensor))
    assert after.is_valid()
    assert before.is_valid() is np.array_equal(before.inertia, after.inertia)
    if not case["possible"]:
        assert not before.is_valid()
    if "differs" in case:
        raised = tensor * np.diag([23 / 22, 23 / 22, 1])
        assert np.linalg.norm(after.inertia - tensor) < np.linalg.norm(raised - tensor)


@pytest.mark.parametrize("case", of_kind("compose"))
def test_sums(case):
    parts = [Inertial(p["mass"], p["com"], np.diag(p["inertia"][:3])) for p in case["parts"]]
    xx, yy, zz, xy, xz, yz = case["sum"]["inertia"]
    assert agree(
        Inertial.sum(parts),
        Inertial(case["sum"]["mass"], case["sum"]["com"], tensor_from_six([xx, xy, xz, yy, yz, zz])),
    )


@pytest.mark.parametrize("case", of_kind("equivalent_box"))
def test_equivalent_boxes(case):
    (xx, yy, zz), (xy, xz, yz) = case["moments"], case["products"]
    edges = Inertial(case["mass"], inertia=tensor_from_six([xx, xy, xz, yy, yz, zz])).equivalent_box
    assert np.allclose(sorted(edges), sorted(case["edges"]), rtol=1e-9)


@pytest.mark.parametrize("case", of_kind("conversion"))
def test_conversions(case):
    conversion = it.convert(it.load_text(case["file"]), format="sdf")
    links = it.load_text(conversion.data).links
    same = set(links) == set(case["links"]) and all(
        agree(links[name].inertial, expected_inertial(link)) for name, link in case["links"].items()
    )
    assert same is ("differs" not in case)
    assert all(link.inertial.mass > 0.0 and link.declared.is_stated for link in links.values())
    assert sorted({note.kind.value for note in conversion.notes} - {"carried"}) == case["notes"]


@pytest.mark.parametrize(
    "case", [p for p in map(pytest.param, CASES.values()) if {"differs", "judged_otherwise"} & p.values[0].keys()]
)
def test_every_difference_is_documented(case):
    assert f"`{case['id']}`" in DOCUMENT
