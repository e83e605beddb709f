# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
# Written by `make reference`.

from inertia_tools.sim.builder import ModelBuilder as ModelBuilder
from inertia_tools.sim.collide.contact_kinematics import eval_rigid_contact_kinematics as eval_rigid_contact_kinematics
from inertia_tools.sim.device.acting_contacts import ActingContacts as ActingContacts
from inertia_tools.sim.device.changes import ModelFlags as ModelFlags
from inertia_tools.sim.device.changes import SolverNotifyFlags as SolverNotifyFlags
from inertia_tools.sim.device.collision_pipeline import CollisionPipeline as CollisionPipeline
from inertia_tools.sim.device.contacts import Contacts as Contacts
from inertia_tools.sim.device.control import Control as Control
from inertia_tools.sim.device.model import Model as Model
from inertia_tools.sim.device.state import State as State
from inertia_tools.sim.dynamics.kinematics import eval_fk as eval_fk
from inertia_tools.sim.dynamics.kinematics import eval_ik as eval_ik
from inertia_tools.sim.observation import BodyContact as BodyContact
from inertia_tools.sim.observation import Snapshot as Snapshot
from inertia_tools.sim.scene.axis import Axis as Axis
from inertia_tools.sim.scene.flags import BodyFlags as BodyFlags
from inertia_tools.sim.scene.flags import ShapeFlags as ShapeFlags
from inertia_tools.sim.scene.flags import StateFlags as StateFlags
from inertia_tools.sim.scene.geo_type import GeoType as GeoType
from inertia_tools.sim.scene.heightfield import Heightfield as Heightfield
from inertia_tools.sim.scene.joint_config import JointDofConfig as JointDofConfig
from inertia_tools.sim.scene.joint_config import JointTargetMode as JointTargetMode
from inertia_tools.sim.scene.joint_config import MAXVAL as MAXVAL
from inertia_tools.sim.scene.joint_kind import JointKind as JointKind
from inertia_tools.sim.scene.joint_kind import JointType as JointType
from inertia_tools.sim.scene.mesh_shape import Mesh as Mesh
from inertia_tools.sim.scene.notices import InertiaWarning as InertiaWarning
from inertia_tools.sim.scene.notices import NewtonWarning as NewtonWarning
from inertia_tools.sim.scene.notices import SceneWarning as SceneWarning
from inertia_tools.sim.scene.particles import ParticleFlags as ParticleFlags
from inertia_tools.sim.scene.shape_config import ShapeConfig as ShapeConfig
from inertia_tools.sim.scene.shape_inertia import compute_inertia_shape as compute_inertia_shape
from inertia_tools.sim.scene.tet_mesh import TetMesh as TetMesh
from inertia_tools.sim.simulation import Entity as Entity
from inertia_tools.sim.simulation import Simulation as Simulation
from inertia_tools.sim.solver import SolverXPBD as SolverXPBD
from inertia_tools.sim.solver_base import SolverBase as SolverBase
