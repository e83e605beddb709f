# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Mass properties of robots, right: compute, check, correct, serve on ROS 2, and prove in simulation.

Importing this package loads none of the heavy parts; each public name is fetched when it is first used.
"""

from __future__ import annotations

import importlib
from pkgutil import extend_path

# The generated messages of the same name live in the install folder; this lets the source tree see them.
__path__ = extend_path(__path__, __name__)

__version__ = "0.1.0"

_HOME_OF = {
    "load": "inertia_tools.description",
    "load_text": "inertia_tools.description",
    "from_urdf_parser": "inertia_tools.description",
    "Description": "inertia_tools.description",
    "Inertial": "inertia_tools.inertial",
    "Validity": "inertia_tools.validity",
    "Pose": "inertia_tools.spatial",
    "check": "inertia_tools.inertia",
    "causes": "inertia_tools.inertia",
    "Cause": "inertia_tools.inertia",
    "compute": "inertia_tools.inertia",
    "fix": "inertia_tools.inertia",
    "diff": "inertia_tools.inertia",
    "stats": "inertia_tools.inertia",
    "resolve": "inertia_tools.inertia",
    "save_automatic": "inertia_tools.inertia",
    "ConfigureCalculateInertial": "inertia_tools.inertia",
    "ParserConfig": "inertia_tools.inertia",
    "Root": "inertia_tools.inertia",
    "MassModel": "inertia_tools.inertia",
    "AutoInertiaParams": "inertia_tools.inertia",
    "CustomInertiaCalcProperties": "inertia_tools.inertia",
    "convert": "inertia_tools.conversion",
    "Conversion": "inertia_tools.conversion",
    "register_calculator": "inertia_tools.inertia",
    "unregister_calculator": "inertia_tools.inertia",
    "load_materials": "inertia_tools.inertia",
    "Finding": "inertia_tools.inertia",
    "Severity": "inertia_tools.inertia",
    "Method": "inertia_tools.inertia",
    "LinkInertial": "inertia_tools.inertia",
    "LinkReport": "inertia_tools.inertia",
    "Report": "inertia_tools.inertia",
    "Correction": "inertia_tools.inertia",
    "ModelBuilder": "inertia_tools.sim",
    "ShapeConfig": "inertia_tools.sim",
    "Mesh": "inertia_tools.sim",
    "Heightfield": "inertia_tools.sim",
    "ParticleFlags": "inertia_tools.sim",
    "TetMesh": "inertia_tools.sim",
    "GeoType": "inertia_tools.sim",
    "compute_inertia_shape": "inertia_tools.sim",
    "compute_inertia_sphere": "inertia_tools.sim",
    "compute_inertia_box": "inertia_tools.sim",
    "compute_inertia_ellipsoid": "inertia_tools.sim",
    "compute_inertia_capsule": "inertia_tools.sim",
    "compute_inertia_cylinder": "inertia_tools.sim",
    "compute_inertia_cone": "inertia_tools.sim",
    "compute_inertia_mesh": "inertia_tools.sim",
    "verify_and_correct_inertia": "inertia_tools.sim",
    "diagnose": "inertia_tools.diagnosis",
    "InstabilityReport": "inertia_tools.diagnosis",
    "Reason": "inertia_tools.diagnosis",
    "SolverXPBD": "inertia_tools.sim",
    "SolverBase": "inertia_tools.sim",
    "Model": "inertia_tools.sim",
    "State": "inertia_tools.sim",
    "Control": "inertia_tools.sim",
    "Contacts": "inertia_tools.sim",
    "CollisionPipeline": "inertia_tools.sim",
    "ModelFlags": "inertia_tools.sim",
    "StateFlags": "inertia_tools.sim",
    "BodyFlags": "inertia_tools.sim",
    "ShapeFlags": "inertia_tools.sim",
    "Axis": "inertia_tools.sim",
    "JointType": "inertia_tools.sim",
    "JointKind": "inertia_tools.sim",
    "JointDofConfig": "inertia_tools.sim",
    "JointTargetMode": "inertia_tools.sim",
    "MAXVAL": "inertia_tools.sim",
    "eval_fk": "inertia_tools.sim",
    "eval_ik": "inertia_tools.sim",
    "eval_rigid_contact_kinematics": "inertia_tools.sim",
    "SolverNotifyFlags": "inertia_tools.sim",
    "NewtonWarning": "inertia_tools.sim",
    "Simulation": "inertia_tools.sim",
    "Entity": "inertia_tools.sim",
}

_MODULES = ("errors", "math", "selection", "solvers", "usd", "utils")

__all__ = [*_HOME_OF, *_MODULES, "__version__"]


def __getattr__(name: str) -> object:
    if name in _HOME_OF:
        value = getattr(importlib.import_module(_HOME_OF[name]), name)
        globals()[name] = value
        return value
    if name in _MODULES:
        return importlib.import_module(f"inertia_tools.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
