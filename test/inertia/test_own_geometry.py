# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What a link has from its geometry is no declaration: nothing in it was mistyped, and it goes with the geometry."""

import pytest

import inertia_tools as it
from inertia_tools.inertia.causes.story import OF_GEOMETRY

SHEET = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n"
TILTED = "v 0 0 0\nv 0.5 0 0\nv 0 0.4 0\nv 0 0 9\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"

BALL = '<geom size=".1"/>'
BODIES = {
    "height field": '<geom type="hfield" hfield="h"/>' + BALL,
    "sheet that is only seen": '<geom type="mesh" mesh="sheet" contype="0" conaffinity="0"/>' + BALL,
    "shell beside a solid": '<geom type="mesh" mesh="needle" pos="1 0 0"/><geom type="mesh" mesh="shell"/>',
    "shell of a ball": '<geom size=".1" shellinertia="true"/><geom size=".01" pos="3 2 1" density="20000"/>',
    "group that does not count": '<geom size=".1" group="1"/><geom size="2" pos="9 0 0" group="3"/>',
}


def model(geoms: str, inertial: str = "") -> str:
    meshes = "".join(
        f'<mesh name="{name}" file="{file}" inertia="{rule}"/>'
        for name, file, rule in (
            ("sheet", "sheet.obj", "shell"),
            ("needle", "needle.obj", "exact"),
            ("shell", "needle.obj", "shell"),
        )
    )
    asset = f'<asset>{meshes}<hfield name="h" nrow="4" ncol="4" size="1 1 .3 .1"/></asset>'
    compiler = '<compiler inertiagrouprange="0 1"/>'
    return (
        f'<mujoco>{compiler}{asset}<worldbody><body name="a"><freejoint/>{inertial}{geoms}</body></worldbody></mujoco>'
    )


@pytest.fixture
def report_of(tmp_path):
    (tmp_path / "sheet.obj").write_text(SHEET)
    (tmp_path / "needle.obj").write_text(TILTED)

    def check(text: str) -> it.Report:
        (tmp_path / "robot.xml").write_text(text)
        return it.check(it.load(tmp_path / "robot.xml"))

    return check


@pytest.mark.parametrize("geoms", BODIES.values(), ids=BODIES)
def test_a_body_without_an_inertial_has_no_wrong_numbers(report_of, geoms):
    entry = report_of(model(geoms))["a"]
    assert not entry.causes
    assert not {one.code for one in entry.findings} & (OF_GEOMETRY | {"open-mesh", "flat-mesh"})


@pytest.mark.parametrize("turn", ["", 'euler="10 20 30"'])
@pytest.mark.parametrize("inertial", ["", '<inertial pos="0 0 0" mass="1" diaginertia=".1 .1 .1"/>'])
@pytest.mark.parametrize(("words", "codes"), [("", {"refused-mesh"}), ('contype="0" conaffinity="0"', set())])
def test_a_flat_mesh_has_no_hull_to_collide_with(report_of, words, codes, inertial, turn):
    geoms = f'<geom type="mesh" mesh="sheet" {words} {turn}/>' + BALL
    assert {one.code for one in report_of(model(geoms, inertial))["a"].findings if one.severity > 1} == codes


def test_the_same_numbers_declared_are_judged(report_of):
    inertial = '<inertial pos="0 0 0" mass="1004" diaginertia="600 330 330"/>'
    assert {one.code for one in report_of(model(BALL, inertial))["a"].findings} & OF_GEOMETRY


def test_densities_that_geoms_state_are_judged(report_of):
    assert "density-high" in {one.code for one in report_of(model('<geom size=".1" mass="500"/>'))["a"].findings}


def test_a_body_of_a_stage_that_states_a_centre_alone_has_no_wrong_tensor():
    pytest.importorskip("pxr", reason="usd-core is not installed")
    from usd_stages import body, cube, stage

    text = stage(body("B", "point3f physics:centerOfMass = (0.03, 0.05, 0.02)", cube("c")))
    assert not it.check(it.load_text(text))["B"].causes


def test_what_a_bound_of_the_compiler_raises_is_judged_as_declared():
    """The tensor is not that of the geoms any more."""
    text = (
        '<mujoco><compiler boundinertia="50"/><worldbody><body name="b"><freejoint/><geom type="box" size=".1 .1 .1"/>'
        "</body></worldbody></mujoco>"
    )
    assert {"exceeds-geometry", "oversized-inertia"} <= {one.code for one in it.check(it.load_text(text)).findings}
