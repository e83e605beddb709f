# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Every row of the table of error findings, and its edge."""

import pytest
from robots import BOX, GOOD, joint, link, mass, tensor, urdf

import inertia_tools as it
from inertia_tools.errors import OptionError

IMPLAUSIBLE = {"exceeds-geometry", "oversized-inertia", "undersized-inertia", "placeholder-inertia"}
IMPLAUSIBLE |= {"isotropic-inertia", "mass-ratio"}
"""What test_plausible.py tests; the tensors here are chosen for what is impossible about them."""


def codes(inertial: str, *, geometry: str = BOX, moved: bool = False) -> list[str]:
    """Codes found on a link, by default one with geometry that no joint moves."""
    if not moved:
        return found(urdf(link("base", inertial, geometry)), "base")
    return found(urdf(link("base", GOOD), link("a", inertial, geometry), joint("a")), "a")


def found(text: str, name: str) -> list[str]:
    report = it.check(it.load_text(text))
    return [finding.code for finding in report[name].findings if finding.code not in IMPLAUSIBLE]


def diagonal(*moments: float, m: float = 1.0) -> str:
    return mass(m) + tensor(*moments)


ERRORS = {
    "nan mass": (mass("nan") + tensor(1, 1, 1), ["non-finite"]),
    "infinite mass": (mass("inf") + tensor(1, 1, 1), ["non-finite"]),
    "nan tensor": (mass(1) + tensor("nan", 1, 1), ["non-finite"]),
    "nan origin": ('<origin xyz="nan 0 0"/>' + GOOD, ["non-finite"]),
    "no inertial": ("", ["missing-inertial"]),
    "no mass": (tensor(1, 1, 1), ["missing-mass"]),
    "mass without value": ("<mass/>" + tensor(1, 1, 1), ["missing-mass"]),
    "negative mass": (diagonal(1, 1, 1, m=-1), ["negative-mass"]),
    "zero mass": (diagonal(1, 1, 1, m=0), ["zero-mass"]),
    "no tensor": (mass(1), ["missing-tensor"]),
    "part of a tensor": (mass(1) + '<inertia ixx="1" iyy="1"/>', ["missing-tensor"]),
    "zero tensor": (diagonal(0, 0, 0), ["zero-inertia"]),
    "tensor under a micrometre": (diagonal(0.9e-12, 0.9e-12, 0.9e-12), ["zero-inertia"]),
    "negative moment": (diagonal(-1, 1, 1), ["not-positive-definite", "triangle-inequality"]),
    "small negative moment": (diagonal(-1e-8, 1, 1), ["not-positive-definite"]),
    "singular": (diagonal(0, 1, 1), ["singular-inertia"]),
    "nearly singular": (diagonal(0.9e-9, 1, 1), ["singular-inertia"]),
    "triangle": (diagonal(1, 1, 2.03), ["triangle-inequality"]),
    "triangle off the diagonal": (mass(1) + tensor(1, 1, 1, ixy=0.6), ["triangle-inequality"]),
    "all products": (mass(1) + tensor(1, 1, 1, 1, 1, 1), ["singular-inertia", "triangle-inequality"]),
    "nothing at all": (diagonal(0, 0, 0, m=0), ["zero-mass"]),
}


@pytest.mark.parametrize("case", ERRORS)
@pytest.mark.parametrize("moved", [False, True], ids=["with geometry", "moved too"])
def test_errors(case, moved):
    inertial, expected = ERRORS[case]
    assert sorted(codes(inertial, moved=moved)) == sorted(expected)


@pytest.mark.parametrize(
    "moments", [(1, 1, 1), (1, 1, 2), (1.1e-12, 1.1e-12, 1.1e-12), (1e-8, 1, 1), (1, 1, 2.0000009), (1e6, 1e6, 1e6)]
)
def test_possible_tensors_pass(moments):
    assert codes(diagonal(*moments)) == []


def test_rounded_decimals_are_a_warning():
    assert codes(diagonal(3.33e-6, 3.33e-6, 6.67e-6)) == ["triangle-rounding"]
    assert codes(diagonal(1, 1, 2.019)) == ["triangle-rounding"]


def test_frames_are_harmless():
    assert codes("", geometry="") == ["frame-without-inertial"]
    assert codes(diagonal(0, 0, 0, m=0), geometry="") == ["massless-frame"]
    fixed = urdf(link("base", GOOD), link("a"), joint("a", type_="fixed"))
    assert found(fixed, "a") == ["frame-without-inertial"]


@pytest.mark.parametrize("inertial", ["", diagonal(0, 0, 0, m=0), GOOD])
def test_gazebo_refuses_what_weighs_nothing_on_a_frame_that_weighs_nothing(inertial):
    frame, tip = link("frame", inertial), link("a", diagonal(0, 0, 0, m=0))
    robot = urdf(link("base", GOOD), frame, tip, joint("frame", type_="fixed"), joint("a", "frame", type_="fixed"))
    (finding,) = (one for one in it.check(it.load_text(robot))["a"].findings if one.code == "massless-frame")
    assert ("Gazebo" in finding.message) == (inertial != GOOD)
    targeted = it.fix(it.load_text(robot), targets=["gazebo"])
    assert list(targeted.changes) == ([] if inertial == GOOD else ["a"])


def test_moved_frames_are_not():
    assert codes("", geometry="", moved=True) == ["missing-inertial"]
    assert codes(diagonal(0, 0, 0, m=0), geometry="", moved=True) == ["zero-mass"]


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_verdicts_do_not_depend_on_the_unit(scale):
    bare = {"geometry": "", "moved": True}
    assert codes(diagonal(*(scale * m for m in (1, 1, 2.5)), m=scale), **bare) == ["triangle-inequality"]
    assert codes(diagonal(*(scale * m for m in (1, 1, 1.9)), m=scale), **bare) == []


def test_findings_say_where():
    text = "<robot name='r'>\n<link name='base'>\n<inertial>\n<mass value='-2'/></inertial></link></robot>"
    finding = it.check(it.load_text(text, name="robot.urdf")).findings[0]
    assert (finding.file, finding.line, finding.link) == ("robot.urdf", 3, "base")
    assert "-2 kg" in finding.message
    assert finding.severity is it.Severity.ERROR


def test_all_findings_come_in_one_pass_the_worst_first():
    text = urdf(
        link("base", GOOD), link("a"), joint("a", type_="fixed"), link("b", mass(-1)), joint("b"), link("c"), joint("c")
    )
    report = it.check(it.load_text(text))
    assert [(f.link, f.code) for f in report.findings] == [
        ("b", "negative-mass"),
        ("c", "missing-inertial"),
        ("a", "frame-without-inertial"),
    ]
    assert report.worst is it.Severity.ERROR


@pytest.mark.parametrize(
    ("kilograms", "expected"),
    [(0.006 * 0.99, ["density-low"]), (0.006 * 1.01, []), (0.006 * 29900, []), (0.006 * 30100, ["density-high"])],
)
def test_density_over_the_box(kilograms, expected):
    assert codes(mass(kilograms) + tensor(1, 1, 1)) == expected


def test_density_counts_over_the_hull_of_collisions_and_visuals_together():
    """Two small spheres a metre apart: their own density is 60 t/m^3, that of the hull between them much less."""
    sphere = '<geometry><sphere radius="0.02"/></geometry>'
    inertial = f"<inertial>{mass(2)}{tensor(1, 1, 1)}</inertial>"
    far = f'<visual><origin xyz="1 0 0"/>{sphere}</visual>'
    near = f"<collision>{sphere}</collision>"
    assert found(urdf(f'<link name="base">{inertial}{near}{far}</link>'), "base") == []
    assert found(urdf(f'<link name="base">{inertial}{near}</link>'), "base") == ["density-high"]


def test_bounds_of_the_density_can_be_set():
    robot = it.load_text(urdf(link("base", mass(6) + tensor(1, 1, 1), BOX)))
    assert "density-low" in [f.code for f in it.check(robot, density_min=1001).findings]
    assert "density-high" in [f.code for f in it.check(robot, density_max=999).findings]
    with pytest.raises(OptionError):
        it.check(robot, density_min=2, density_max=1)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("value", ["1e308", "1e200", "inf", "nan", "0", "2"])
@pytest.mark.parametrize("moment", ["1e308", "1"])
def test_the_total_mass_is_that_of_the_totals(value, moment):
    """What one of them leaves out the other does, too; 1 kg counts in any case."""
    links = link("base", mass(value) + tensor(moment, moment, 1), BOX) + link("arm", mass(1) + tensor(1, 1, 1), BOX)
    report = it.stats(it.load_text(urdf(links, joint("arm"))))
    assert report.total_mass == report.totals.inertial.mass
    assert report.total_mass == (3.0 if value == "2" else 1.0)
