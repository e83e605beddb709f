# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Geometry in millimetres that a link has its inertial from weighs millions of tons, and says so."""

import pytest
from usd_stages import body, cube, stage

import inertia_tools as it
from inertia_tools.diagnosis import diagnose

SDF = '<sdf version="1.11"><model name="m">{}<link name="b">{}<collision name="c"><geometry>{}</geometry></collision></link></model></sdf>'
SDF_BOX = "<box><size>400 200 100</size></box>"
AUTO = '<inertial auto="true"/>'
MJCF = (
    '<mujoco><compiler {}/><worldbody><body name="b">{}<geom type="box" size="50 50 300"/></body></worldbody></mujoco>'
)
HUGE = {
    "sdf": SDF.format("", AUTO, SDF_BOX),
    "mjcf": MJCF.format("", "<freejoint/>"),
    "mjcf with a bound": MJCF.format('boundmass="1e10"', "<freejoint/>"),
    "usd": stage(body("b", cube("c", size=200.0), mass_api=False)),
}
USUAL = {
    "static model": SDF.format("<static>true</static>", AUTO, SDF_BOX),
    "not of the geometry": SDF.format("", "<inertial><mass>2</mass></inertial>", SDF_BOX),
    "on the ground": MJCF.format("", ""),
    "ten metres": SDF.format("", AUTO, "<box><size>9 9 9</size></box>"),
}


def read(text: str) -> it.Description:
    """Read a model; of a stage the reader has to be installed."""
    if text.startswith("#usda"):
        pytest.importorskip("pxr", reason="usd-core is not installed")
    return it.load_text(text)


def said(report: it.Report) -> list[str]:
    """Return what is said about units, with its severity."""
    return [f"{one.severity}: {one.message}" for one in report.findings if one.code == "unit-suspect"]


@pytest.mark.parametrize("text", HUGE.values(), ids=HUGE)
def test_huge_geometry_is_suspected_once(text):
    [message] = said(it.check(read(text)))
    assert message.startswith("warning: the geometry has a mass of ")
    assert "if it is in millimetres, scale it by 0.001" in message


@pytest.mark.parametrize("text", USUAL.values(), ids=USUAL)
def test_what_is_usual_or_counts_for_nothing_is_not(text):
    assert not any("the geometry has a mass of" in message for message in said(it.check(read(text))))


def test_diagnose_names_it_first():
    found = diagnose(read(HUGE["mjcf"]), settle=False)
    assert found.reasons[0].code == "unit-suspect"
    assert "0.001" in found.reasons[0].remedy
