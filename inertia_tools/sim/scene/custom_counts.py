# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Numbers of elements of each frequency in a scene."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inertia_tools.sim.scene.custom_attributes import AttributeFrequency

COUNTS: Mapping[AttributeFrequency, str] = {
    AttributeFrequency.WORLD: "world_count",
    AttributeFrequency.BODY: "body_count",
    AttributeFrequency.SHAPE: "shape_count",
    AttributeFrequency.JOINT: "joint_count",
    AttributeFrequency.ARTICULATION: "articulation_count",
    AttributeFrequency.CONSTRAINT_MIMIC: "constraint_mimic_count",
    AttributeFrequency.PARTICLE: "particle_count",
    AttributeFrequency.SPRING: "spring_count",
    AttributeFrequency.TRIANGLE: "tri_count",
    AttributeFrequency.EDGE: "edge_count",
    AttributeFrequency.TETRAHEDRON: "tet_count",
}
"""Properties of a scene with their numbers."""

SEVERAL_OF_A_JOINT: Mapping[AttributeFrequency, str] = {
    AttributeFrequency.JOINT_DOF: "dof_count",
    AttributeFrequency.JOINT_COORD: "coordinate_count",
    AttributeFrequency.JOINT_CONSTRAINT: "constraint_count",
}
"""Elements of which a joint has several, and the lists of their numbers."""


def counts_of(scene: Any) -> dict[AttributeFrequency, Sequence[int]]:
    """Return how many values an attribute of each frequency has: a number for each joint, else a single one."""
    counts: dict[AttributeFrequency, Sequence[int]] = dict.fromkeys(AttributeFrequency, (0,))
    counts[AttributeFrequency.ONCE] = (1,)
    counts |= {kind: (getattr(scene, name),) for kind, name in COUNTS.items()}
    counts |= {kind: [getattr(joint, name) for joint in scene.joints] for kind, name in SEVERAL_OF_A_JOINT.items()}
    return counts
