# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The tables of parameters: every number has a range, and what no range keeps out is refused."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

rclpy = pytest.importorskip("rclpy", reason="rclpy is not installed")
pytest.importorskip("inertia_tools.msg", reason="the messages are not built")

from rclpy.parameter import Parameter  # noqa: E402

from inertia_tools.ros import inertia_parameters, parameters, simulation_parameters  # noqa: E402

TABLES = (inertia_parameters.SPECS, simulation_parameters.SPECS)
SPECS = [spec for table in TABLES for spec in table]
NUMBERS = [spec for spec in SPECS if isinstance(spec.default, int | float) and not isinstance(spec.default, bool)]


@pytest.mark.parametrize("spec", NUMBERS, ids=lambda spec: spec.name)
def test_every_number_has_a_range_that_its_default_lies_in(spec):
    descriptor = spec.descriptor()
    (span,) = descriptor.integer_range or descriptor.floating_point_range
    assert span.from_value <= spec.default <= span.to_value
    assert span.from_value < span.to_value


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_every_parameter_says_what_it_does(spec):
    assert spec.description.endswith((".", "]."))


@pytest.mark.parametrize("table", TABLES)
def test_what_is_not_a_number_is_refused_by_name(table):
    for spec in table:
        if isinstance(spec.default, float):
            assert spec.name in parameters.refusal(table, Parameter(spec.name, value=math.nan))
            assert parameters.refusal(table, Parameter(spec.name, value=spec.default)) == ""


def test_only_the_choices_are_taken():
    assert "one of" in parameters.refusal(inertia_parameters.SPECS, Parameter("scope", value="everything"))
    assert parameters.refusal(inertia_parameters.SPECS, Parameter("scope", value="all")) == ""


def test_an_empty_list_is_refused_with_what_to_write():
    with rclpy.init(args=["--ros-args", "-p", "allowed_roots:=[]"]):
        node = rclpy.create_node("parameters")
        with pytest.raises(ValueError, match=r"allowed_roots is \[\].*omit it, or write \[''\]"):
            parameters.declare(node, inertia_parameters.SPECS)
        node.destroy_node()


def test_live_parameters_can_be_set():
    by_name = {spec.name: spec for spec in simulation_parameters.SPECS}
    assert all(not by_name[name].read_only for name in simulation_parameters.LIVE | simulation_parameters.FOLLOWING)


ROOT = Path(__file__).parents[2]
NODES = {"simulator": simulation_parameters.SPECS, "inertia_server": inertia_parameters.SPECS}


@pytest.mark.parametrize("node", NODES)
def test_configuration_files_state_defaults_of_parameters_that_there_are(node):
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    (values,) = (
        part["ros__parameters"] for part in yaml.safe_load((ROOT / f"config/{node}.yaml").read_text()).values()
    )
    defaults = {spec.name: spec.default for spec in NODES[node]}
    assert values == {name: defaults[name] for name in values}
    assert len(values) > 5


@pytest.mark.parametrize("node", NODES)
def test_the_page_lists_all_parameters_of_a_node(node):
    page = (ROOT / "docs/ros.md").read_text()
    (section,) = (part for part in page.split("\n## ") if part.startswith(f"{node}\n"))
    listed = section[section.rindex("\nParameters: ") :].split("\n\n")[0].partition(".\n")[0]
    assert set(re.findall(r"`([a-z_0-9]+)`", listed)) >= {spec.name for spec in NODES[node]}


def test_the_page_names_all_messages_and_services():
    page = "".join((ROOT / "docs" / name).read_text() for name in ("ros.md",))
    for file in (*ROOT.glob("srv/*.srv"), ROOT / "msg/BodyStates.msg", ROOT / "msg/ContactForces.msg"):
        assert f"{file.parent.name}/{file.stem}" in page
