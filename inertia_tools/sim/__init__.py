# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Simulation of rigid bodies by extended position-based dynamics.

`ModelBuilder` collects a scene in NumPy; `finalize` moves it to a device. Warp is not loaded before that.
"""

from __future__ import annotations

import importlib

_HOME_OF = {
    "ModelBuilder": "inertia_tools.sim.builder",
    "ShapeConfig": "inertia_tools.sim.scene.shape_config",
    "ParticleFlags": "inertia_tools.sim.scene.particles",
    "TetMesh": "inertia_tools.sim.scene.tet_mesh",
    "Mesh": "inertia_tools.sim.scene.mesh_shape",
    "Heightfield": "inertia_tools.sim.scene.heightfield",
    "GeoType": "inertia_tools.sim.scene.geo_type",
    "compute_inertia_shape": "inertia_tools.sim.scene.shape_inertia",
    "compute_inertia_sphere": "inertia_tools.sim.scene.primitive_inertia",
    "compute_inertia_box": "inertia_tools.sim.scene.primitive_inertia",
    "compute_inertia_ellipsoid": "inertia_tools.sim.scene.primitive_inertia",
    "compute_inertia_capsule": "inertia_tools.sim.scene.primitive_inertia",
    "compute_inertia_cylinder": "inertia_tools.sim.scene.primitive_inertia",
    "compute_inertia_cone": "inertia_tools.sim.scene.primitive_inertia",
    "compute_inertia_mesh": "inertia_tools.sim.scene.primitive_inertia",
    "verify_and_correct_inertia": "inertia_tools.sim.scene.inertia_validation",
    "NewtonWarning": "inertia_tools.sim.scene.notices",
    "SceneWarning": "inertia_tools.sim.scene.notices",
    "InertiaWarning": "inertia_tools.sim.scene.notices",
    "JointKind": "inertia_tools.sim.scene.joint_kind",
    "SolverXPBD": "inertia_tools.sim.solver",
    "SolverBase": "inertia_tools.sim.solver_base",
    "Model": "inertia_tools.sim.model.model",
    "State": "inertia_tools.sim.device.state",
    "Control": "inertia_tools.sim.device.control",
    "Contacts": "inertia_tools.sim.device.contacts",
    "CollisionPipeline": "inertia_tools.sim.model.collision_pipeline",
    "ModelFlags": "inertia_tools.sim.model.changes",
    "StateFlags": "inertia_tools.sim.scene.flags",
    "BodyFlags": "inertia_tools.sim.scene.flags",
    "ShapeFlags": "inertia_tools.sim.scene.flags",
    "Axis": "inertia_tools.sim.scene.axis",
    "JointType": "inertia_tools.sim.scene.joint_kind",
    "MAXVAL": "inertia_tools.sim.scene.joint_config",
    "eval_fk": "inertia_tools.sim.dynamics.kinematics",
    "eval_ik": "inertia_tools.sim.dynamics.kinematics",
    "eval_rigid_contact_kinematics": "inertia_tools.sim.model.contact_kinematics",
    "SolverNotifyFlags": "inertia_tools.sim.model.changes",
    "JointDofConfig": "inertia_tools.sim.scene.joint_config",
    "JointTargetMode": "inertia_tools.sim.scene.joint_config",
    "Simulation": "inertia_tools.sim.simulation",
    "Entity": "inertia_tools.sim.simulation",
    "Snapshot": "inertia_tools.sim.observation",
    "ActingContacts": "inertia_tools.sim.device.acting_contacts",
    "BodyContact": "inertia_tools.sim.observation",
}

__all__ = list(_HOME_OF)


def __getattr__(name: str) -> object:
    if name in _HOME_OF:
        return getattr(importlib.import_module(_HOME_OF[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
