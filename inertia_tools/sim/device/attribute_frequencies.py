# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Frequency of each array and list of a model, its states and its controls: the kind of element of its entries."""

from __future__ import annotations

from collections.abc import Mapping

from inertia_tools.sim.scene.custom_attributes import AttributeFrequency

_MATERIAL = ("mu", "mu_torsional", "mu_rolling", "restitution", "ke", "kd", "kf", "ka", "kh")

_NAMES: Mapping[AttributeFrequency, tuple[str, ...]] = {
    AttributeFrequency.ONCE: ("body_shapes", "shape_collision_filter_pairs", "shape_contact_pairs"),
    AttributeFrequency.ARTICULATION: tuple(f"articulation_{one}" for one in ("start", "end", "label", "world")),
    AttributeFrequency.JOINT: tuple(
        f"joint_{one}"
        for one in (
            *("X_p", "X_c", "type", "parent", "child", "enabled", "label", "world", "articulation", "ancestor"),
            *("mimic_joint", "mimic_coeffs", "dof_dim", "q_start", "qd_start", "target_q_start"),
        )
    ),
    AttributeFrequency.JOINT_COORD: ("joint_q", "joint_rest_q"),
    AttributeFrequency.JOINT_DOF: tuple(
        f"joint_{one}"
        for one in (
            *("qd", "f", "act", "axis", "armature", "damping", "friction", "stiffness", "springref", "effort_limit"),
            *("limit_lower", "limit_upper", "limit_ke", "limit_kd", "velocity_limit", "drive_velocity_limit"),
            *("target_ke", "target_kd", "target_mode", "target_q", "target_qd", "target_pos", "target_vel"),
        )
    ),
    AttributeFrequency.BODY: tuple(
        f"body_{one}"
        for one in (
            *("q", "qd", "f", "parent_f", "mass", "inertia", "com", "inv_mass", "inv_inertia", "gravity_scale"),
            *("flags", "label", "world"),
        )
    ),
    AttributeFrequency.SHAPE: tuple(
        f"shape_{one}"
        for one in (
            *("transform", "body", "flags", "type", "scale", "source", "color", "opacity", "is_solid", "margin", "gap"),
            *("collision_group", "collision_radius", "collision_aabb_lower", "collision_aabb_upper", "label", "world"),
            *(f"material_{one}" for one in _MATERIAL),
        )
    ),
    AttributeFrequency.CONSTRAINT_MIMIC: tuple(
        f"constraint_mimic_{one}" for one in ("joint0", "joint1", "coef0", "coef1", "enabled", "label")
    ),
    AttributeFrequency.PARTICLE: tuple(
        f"particle_{one}" for one in ("q", "qd", "f", "mass", "inv_mass", "radius", "flags", "world")
    ),
    AttributeFrequency.SPRING: tuple(
        f"spring_{one}" for one in ("indices", "rest_length", "stiffness", "damping", "control")
    ),
    AttributeFrequency.EDGE: tuple(
        f"edge_{one}" for one in ("indices", "rest_angle", "rest_length", "bending_properties")
    ),
    AttributeFrequency.TRIANGLE: tuple(
        f"tri_{one}" for one in ("indices", "poses", "areas", "materials", "activations")
    ),
    AttributeFrequency.TETRAHEDRON: tuple(
        f"tet_{one}" for one in ("indices", "poses", "materials", "activations", "volumes", "smoothed")
    ),
}

FREQUENCIES: Mapping[str, AttributeFrequency] = {name: kind for kind, names in _NAMES.items() for name in names}
"""Frequency of each array or list by name; arrays of block starts have one extra entry."""
