# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The SROS2 policy has the form that its schema asks for, and allows what the nodes use and no more."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).parents[2]
POLICY = ElementTree.parse(ROOT / "config" / "security" / "policy.xml").getroot()
FORM = {
    "policy": ({"version"}, {"enclaves"}),
    "enclaves": (set(), {"enclave"}),
    "enclave": ({"path"}, {"profiles"}),
    "profiles": (set(), {"profile"}),
    "profile": ({"ns", "node"}, {"topics", "services", "actions"}),
    "topics": ({"publish", "subscribe"}, {"topic"}),
    "services": ({"reply", "request"}, {"service"}),
    "actions": ({"call", "execute"}, {"action"}),
    "topic": (set(), set()),
    "service": (set(), set()),
    "action": (set(), set()),
}
"""Attributes and children of each element, after the schema of version 0.2.0."""

NODES = ("inertia_server", "simulator")
SETTINGS = {"simulator": {"paused": True}}
OPTIONAL = {"/tf", "follow_joint_trajectory", "~/simulate_steps", "/clock", "corrected_robot_description"}
"""What a parameter, a remapping or a package asks for that need not be there."""


def allowed(node: str, kind: str, way: str) -> set[str]:
    profile = next(one for one in POLICY.iter("profile") if one.get("node") == node)
    return {name.text for group in profile if group.get(way) == "ALLOW" for name in group.findall(kind)}


def offered_with_simulation_interfaces() -> set[str]:
    """Return the services that the simulator offers where that package is installed, by the methods that answer them."""
    sources = (path.read_text() for path in (ROOT / "inertia_tools" / "ros").glob("*.py"))
    method = re.compile(r"def _(\w+)\(self, request: Any, response: Any\)")
    return {f"~/{name}" for text in sources for name in method.findall(text)}


def test_the_policy_has_the_form_that_the_schema_asks_for():
    assert POLICY.tag == "policy" and POLICY.get("version") == "0.2.0"
    for element in POLICY.iter():
        attributes, children = FORM[element.tag]
        assert set(element.keys()) <= attributes, element.attrib
        assert {child.tag for child in element} <= children
        assert bool(len(element)) == bool(children), f"<{element.tag}> must hold something"
        if element.tag in ("topics", "services", "actions"):
            assert set(element.attrib.values()) == {"ALLOW"}
        if not children:
            assert re.fullmatch(r"(/|~/)?[a-z_]+(/[a-z_]+)*", element.text)


def test_only_the_server_publishes_corrected_descriptions_and_only_the_operator_commands():
    publishers = {
        topic: {
            profile.get("node")
            for profile in POLICY.iter("profile")
            if topic in allowed(profile.get("node"), "topic", "publish")
        }
        for topic in ("corrected_robot_description", "robot_description", "joint_commands", "wrench_commands")
    }
    assert publishers.pop("corrected_robot_description") == {"inertia_server"}
    assert set(map(frozenset, publishers.values())) == {frozenset({"operator"})}


@pytest.mark.parametrize("node", NODES)
def test_the_policy_allows_what_the_node_uses_and_no_more(node, graph):
    graph.start(node, SETTINGS.get(node))
    own = f"{graph.namespace}/{node}"

    def as_in_policy(found) -> set[str]:
        names = (name for name, _ in found)
        return {
            f"~{name.removeprefix(own)}" if name.startswith(f"{own}/") else name.removeprefix(f"{graph.namespace}/")
            for name in names
        }

    def used() -> dict[tuple[str, str], set[str]]:
        ask, where = graph.node, (node, graph.namespace)
        if where not in ask.get_node_names_and_namespaces():
            return {}
        return {
            ("topic", "publish"): as_in_policy(ask.get_publisher_names_and_types_by_node(*where)),
            ("topic", "subscribe"): as_in_policy(ask.get_subscriber_names_and_types_by_node(*where)),
            ("service", "reply"): as_in_policy(ask.get_service_names_and_types_by_node(*where)),
        }

    def in_use(kind: str, way: str) -> set[str]:
        names = used().get((kind, way), set())
        return {name.removeprefix("/") if name == "/rosout" else name for name in names if "/_action/" not in name}

    spare = OPTIONAL | offered_with_simulation_interfaces() | {"/parameter_events"}
    # What a node has is discovered one by one, so that its uses are waited for, and what it must not use comes after.
    uses = ("topic", "publish"), ("topic", "subscribe"), ("service", "reply")
    for use in uses:
        graph.spin_until(lambda use=use: allowed(node, *use) - in_use(*use) <= spare, f"what {node} may {use[1]}")
    for kind, way in uses:
        assert in_use(kind, way) <= allowed(node, kind, way), f"{node} uses more than it may {way}"
