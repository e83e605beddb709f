# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""What is no value of an argument is refused by an error of this package, which names it, and not from deep inside."""

import math

import numpy as np
import pytest
from robots import link, mass, tensor, urdf

import inertia_tools as it
from inertia_tools.errors import InertiaToolsError
from inertia_tools.selection import ArticulationView
from inertia_tools.sim.sensors.rig import SensorRig
from inertia_tools.sim.simulation.soft_body import Cloth, Elastic, Particles, SoftBody, SoftBox

WRONG = (None, "text", math.nan, math.inf, -1, [], object(), [1.0, 2.0, 3.0, 4.0, 5.0], np.zeros((2, 2)), {"a": 1.0})
WRONG += ([math.nan] * 3,)
JUDGED_LATER = {"mass", "gravity_scale"}
"""Of bodies, which `finalize` judges."""

PYRAMID = it.Mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3])
PLACED = {"pos": (0, 0, 0), "rot": (0, 0, 0, 1), "vel": (0, 0, 0)}
CELLS = {"cell_x": 0.1, "cell_y": 0.1, "cell_z": 0.1}
COUNTS = {"dim_x": 2, "dim_y": 2, "dim_z": 2}
FLAT = {key: value for key, value in {**CELLS, **COUNTS}.items() if not key.endswith("z")}
SIDES = {"fix_left": False, "fix_right": False, "fix_top": False, "fix_bottom": False}
SKIN = {"tri_ke": 1.0, "tri_ka": 1.0, "tri_kd": 1.0, "tri_drag": 0.0, "tri_lift": 0.0}
EDGE = {"edge_ke": 1.0, "edge_kd": 0.0}
LOOK = {"color": (1, 0, 0), "opacity": 1.0}
SPRINGS = {"add_springs": True, "spring_ke": 1.0, "spring_kd": 0.0}
BULK = {"k_mu": 10.0, "k_lambda": 10.0, "k_damp": 0.0}
ENDS = {"parent": -1, "child": 2, "parent_xform": None, "child_xform": None}
SHAPE = {"body": 0, "xform": None, "cfg": None, "label": "s", "custom_attributes": None, **LOOK, "as_site": False}
DOF = {
    **{"axis": (0, 0, 1), "limit_lower": -1.0, "limit_upper": 1.0, "target_pos": 0.0, "target_vel": 0.0},
    **{"target_ke": 1.0, "target_kd": 1.0, "target_mode": None, "armature": 0.0, "friction": 0.0},
    **{"effort_limit": 1.0, "velocity_limit": 1.0, "drive_velocity_limit": 1.0, "damping": 0.0, "stiffness": 0.0},
    **{"springref": 0.0, "limit_ke": 1.0, "limit_kd": 1.0},
}
NAMED = {"label": "j", "name": "j", "enabled": True, "collision_filter_parent": None, "custom_attributes": None}

BUILDER = {
    "add_link": {
        **{"xform": None, "mass": 1.0, "inertia": np.eye(3), "com": (0, 0, 0), "armature": 0.0, "lock_inertia": False},
        **{"is_kinematic": False, "gravity_scale": 1.0, "label": "l", "name": "l", "custom_attributes": None},
    },
    "add_body": {"xform": None, "mass": 1.0},
    "add_shape": {**SHAPE, "type": it.GeoType.BOX, "scale": (1, 1, 1), "src": None},
    "add_shape_box": {**SHAPE, "hx": 0.1, "hy": 0.1, "hz": 0.1},
    "add_shape_sphere": {**SHAPE, "radius": 0.1},
    "add_shape_capsule": {**SHAPE, "radius": 0.1, "half_height": 0.1},
    "add_shape_cylinder": {**SHAPE, "radius": 0.1, "half_height": 0.1},
    "add_shape_cone": {**SHAPE, "radius": 0.1, "half_height": 0.1},
    "add_shape_ellipsoid": {**SHAPE, "a": 0.1, "b": 0.1, "c": 0.1, "rx": None, "ry": None, "rz": None},
    "add_shape_plane": {**SHAPE, "body": -1, "plane": (0, 0, 1, 0), "width": 0.0, "length": 0.0},
    "add_shape_mesh": {**SHAPE, "mesh": PYRAMID, "scale": None},
    "add_shape_convex_hull": {**SHAPE, "mesh": PYRAMID, "scale": (1, 1, 1)},
    "add_shape_heightfield": {"heightfield": it.Heightfield(np.zeros((3, 3)), 3, 3), "scale": None, "xform": None},
    "add_ground_plane": {"height": 0.0, "cfg": None, "label": "g"},
    "add_site": {"body": 0, "xform": None, "type": it.GeoType.SPHERE, "scale": (0.1, 0.1, 0.1), "label": "s"},
    "add_shape_collision_filter_pair": {"shape_a": 0, "shape_b": 1},
    "approximate_meshes": {"method": "bounding_box", "shape_indices": [0], "keep_visual_shapes": False},
    "add_joint": {"joint_type": it.JointKind.REVOLUTE, **ENDS, **NAMED},
    "add_joint_revolute": {**ENDS, **DOF},
    "add_joint_prismatic": {**ENDS, **DOF},
    "add_joint_ball": {**ENDS, "friction": 0.0, "limit_lower": None, "target_ke": 1.0},
    "add_joint_fixed": ENDS,
    "add_joint_free": ENDS,
    "add_joint_distance": {**ENDS, "min_distance": 0.0, "max_distance": 1.0},
    "add_joint_d6": {**ENDS, "linear_axes": [it.JointDofConfig()], "angular_axes": [it.JointDofConfig()]},
    "add_articulation": {"joints": [1], "label": "a", "custom_attributes": None},
    "add_mimic": {
        **{"joint": 1, "leader": 0, "multiplier": 1.0, "offset": 0.0, "dof": 0, "leader_dof": 0, "label": "m"},
        **{"enabled": True, "of_joint": False},
    },
    "add_constraint_mimic": {"joint0": 1, "joint1": 0, "coef0": 0.0, "coef1": 1.0, "enabled": True, "label": "m"},
    "set_joint_mimic": {"joint": 1, "reference_joint": 0, "coeffs": (0.0, 1.0)},
    "add_equality_constraint_connect": {"body1": 0, "body2": 1, "anchor": (0, 0, 0), "name": "e", "enabled": True},
    "add_equality_constraint_joint": {"joint1": 0, "joint2": 1, "polycoef": (0, 1, 0, 0, 0)},
    "add_equality_constraint_weld": {
        **{"body1": 0, "body2": 1, "anchor": (0, 0, 0), "relpose": (0, 0, 0, 0, 0, 0, 1), "name": "e", "enabled": True},
    },
    "add_particle": {"pos": (0, 0, 0), "vel": (0, 0, 0), "mass": 1.0, "radius": 0.1, "flags": 1},
    "add_particles": {"pos": [(0, 0, 0)], "vel": [(0, 0, 0)], "mass": [1.0], "radius": [0.1], "flags": [1]},
    "add_particle_grid": {
        **{**PLACED, **COUNTS, **CELLS, "mass": 1.0, "jitter": 0.0, "radius_mean": 0.1, "radius_std": 0.0},
        **{"flags": 1, "custom_attributes": None},
    },
    "add_attachment_particle_body": {
        **{"particle": 0, "body": 0, "body_point": None, "stiffness": 10.0, "damping": 0.0, "enabled": True},
    },
    "add_spring": {"i": 0, "j": 1, "ke": 1.0, "kd": 1.0, "control": 0.0},
    "add_springs": {"i": [0], "j": [1], "ke": [1.0], "kd": [1.0], "control": [0.0]},
    "add_edge": {"i": 0, "j": 1, "k": 2, "l": 3, "rest": 0.0, **EDGE},
    "add_edges": {"i": [0], "j": [1], "k": [2], "l": [3], "rest": [0.0], "edge_ke": [1.0], "edge_kd": [0.0]},
    "add_triangle": {"i": 0, "j": 1, "k": 2, **SKIN, **LOOK},
    "add_triangles": {"i": [0], "j": [1], "k": [2], **SKIN, **LOOK},
    "add_tetrahedron": {"i": 0, "j": 1, "k": 2, "l": 3, **BULK},
    "add_tetrahedra": {"i": [0], "j": [1], "k": [2], "l": [3], **BULK},
    "add_cloth_grid": {
        **PLACED,
        **FLAT,
        "mass": 0.1,
        **SIDES,
        **SKIN,
        **EDGE,
        **SPRINGS,
        "particle_radius": 0.1,
        **LOOK,
    },
    "add_cloth_mesh": {
        **{**PLACED, "scale": 1.0, "vertices": [(0, 0, 0), (1, 0, 0), (0, 1, 0)], "indices": [0, 1, 2], "density": 1.0},
        **{**SKIN, **EDGE, **SPRINGS, "particle_radius": 0.1, **LOOK, "validate_mesh": True, "label": "c"},
    },
    "add_soft_grid": {
        **{**PLACED, **COUNTS, **CELLS, "density": 10.0, **BULK, **SIDES, **SKIN, **EDGE, "particle_radius": 0.1},
        **{"smooth_strain": False, "add_surface_mesh_edges": True, **LOOK, "label": "c"},
    },
    "add_soft_mesh": {
        **{**PLACED, "scale": 1.0, "vertices": [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], "indices": [0, 1, 2, 3]},
        **{"density": 1.0, **BULK, **SKIN, **EDGE, "particle_radius": 0.1, "mesh": None, **LOOK, "label": "c"},
        **{"smooth_strain": False, "validate_mesh": True, "add_surface_mesh_edges": True},
    },
    "add_builder": {"builder": it.ModelBuilder(), "xform": None, "label_prefix": None},
    "add_world": {"builder": it.ModelBuilder(), "xform": None, "label_prefix": None},
    "begin_world": {"label": "w", "attributes": None, "gravity": (0, 0, -1)},
    "replicate": {
        **{"builder": it.ModelBuilder(), "world_count": 1, "spacing": (0, 0, 0), "xforms": None},
        **{"label_prefixes": None, "separate_worlds": True},
    },
    "collapse_fixed_joints": {"joints_to_keep": ["joint_0"], "verbose": False},
    "get_custom_attributes_by_frequency": {"frequencies": []},
    "add_custom_attribute": {
        "attribute": it.ModelBuilder.CustomAttribute("a", float, it.Model.AttributeFrequency.BODY)
    },
    "add_custom_values_batch": {"entries": []},
    "finalize": {"device": "cpu", "dtype": "float64", "requires_grad": False},
    "add_urdf": {"source": urdf(link("a", mass(1) + tensor(1, 1, 1))), "xform": None, "scale": 1.0},
    "add_description": {"robot": it.load_text(urdf(link("a", mass(1) + tensor(1, 1, 1)))), "xform": None},
}


def builder():
    scene = it.ModelBuilder()
    for number in range(3):
        body = scene.add_link(xform=(number, 0, 1), mass=1.0, inertia=np.eye(3), com=(0, 0, 0))
        scene.add_shape_sphere(body, radius=0.1)
    scene.add_joint_revolute(-1, 0)
    scene.add_joint_revolute(-1, 1)
    for place in ((0, 0, 2), (1, 0, 2), (0, 1, 2), (0, 0, 3)):
        scene.add_particle(place, (0, 0, 0), 1.0)
    return scene


ROBOT = urdf(
    link("base", mass(2) + tensor(0.1, 0.1, 0.1), '<box size="0.2 0.2 0.2"/>'),
    link("arm", mass(1) + tensor(0.1, 0.1, 0.1)),
    '<joint name="j" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0 0 0.2"/><axis xyz="0 1 0"/>'
    '<limit lower="-1" upper="1" effort="10" velocity="10"/></joint>'
    '<gazebo reference="base"><sensor name="imu" type="imu"/></gazebo>',
)
SOFT = SoftBody("c", Cloth(), it.Pose())


def robot():
    return it.load_text(ROBOT)


def simulation():
    return it.Simulation([it.Entity("r", robot(), it.Pose([0.0, 0.0, 1.0])), it.Entity("o", robot(), fixed_base=True)])


def articulated():
    scene = it.ModelBuilder()
    scene.add_shape_sphere(scene.add_body(label="ball"), radius=0.1)
    return scene


MADE = {
    "Simulation": (it.Simulation, {
        **{"robot": robot(), "dt": 0.01, "substeps": 2, "gravity": (0, 0, -1), "ground": True, "fixed_base": False},
        **{"pose": None, "device": "cpu", "dtype": "float64", "iterations": 2, "schema_resolvers": None},
        **{"friction_combine": None},
    }),
    "Entity": (it.Entity, {"name": "a", "robot": robot(), "pose": None, "soft": (SOFT,)}),
    "SoftBody": (SoftBody, {"name": "a", "made": Cloth(), "pose": it.Pose()}),
    "Elastic": (Elastic, {"young": 1e5, "poisson": 0.3, "damping": 0.0}),
    "Cloth": (lambda **given: simulated(Cloth(**given)), {
        **{"young": 1e5, "poisson": 0.3, "damping": 0.0, "size": (1.0, 1.0), "cells": (2, 2), "mass": 1.0},
        **{"thickness": 1e-3, "radius": 0.01, "fixed": ()},
    }),
    "SoftBox": (lambda **given: simulated(SoftBox(**given)), {
        **{"size": (1.0, 1.0, 1.0), "cells": (2, 2, 2), "density": 1.0, "radius": 0.01, "fixed": ()},
    }),
    "Particles": (lambda **given: simulated(Particles(**given)), {
        **{"count": (2, 2, 2), "spacing": (1.0, 1.0, 1.0), "mass": 1.0, "radius": 0.01, "jitter": 0.0},
    }),
    "SolverXPBD": (lambda **given: it.SolverXPBD(**{"model": builder().finalize(), **given}), {
        **{"model": builder().finalize(), "iterations": 2, "soft_body_relaxation": 0.9, "soft_contact_relaxation": 0.9},
        **{"joint_linear_relaxation": 0.7, "joint_angular_relaxation": 0.4, "joint_linear_compliance": 0.0},
        **{"joint_angular_compliance": 0.0, "rigid_contact_relaxation": 0.8, "angular_damping": 0.0},
        **{"rigid_contact_restitution_iterations": 2, "substeps": 10, "joint_turn_limit": 0.1, "threads": None},
        **{"joint_solver": "direct", "contact_solver": "auto", "dtype": None},
    }),
    "SensorRig": (SensorRig, {"simulation": simulation()}),
    "ArticulationView": (ArticulationView, {
        **{"model": articulated().finalize(), "pattern": "*", "include_joints": None, "exclude_joints": None},
        **{"include_links": None, "exclude_links": None, "include_joint_types": None, "exclude_joint_types": None},
    }),
    "ShapeConfig": (lambda **given: builder().add_shape_sphere(0, radius=0.1, cfg=it.ShapeConfig(**given)), {
        **{"density": 1.0, "mu": 0.5, "restitution": 0.0, "margin": 0.0, "gap": 0.0, "collision_group": 1},
        **{"mu_torsional": 0.0, "mu_rolling": 0.0, "mesh_approximation": "auto", "is_solid": False},
    }),
    "Mesh": (it.Mesh, {"vertices": [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], "indices": [0, 2, 1]}),
    "Heightfield": (it.Heightfield, {"data": np.zeros((3, 3)), "nrow": 3, "ncol": 3, "hx": 1.0, "hy": 1.0}),
    "compute_inertia_shape": (it.compute_inertia_shape, {
        **{"type": it.GeoType.BOX, "scale": (1, 1, 1), "source": None, "density": 1.0, "thickness": 0.1},
        "is_solid": False,
    }),
}  # fmt: skip


def simulated(made):
    return SoftBody("a", made).add_to(it.ModelBuilder())


SIMULATION = {
    "apply_wrench": {
        **{"body": "r::base", "force": (0, 0, 1), "torque": (0, 0, 1), "point": None, "duration": 0.0},
    },
    "centre_of_mass": {"links": None},
    "contacts": {"link": "r::base", "other": None},
    "delete": {"name": "r"},
    "fall_of": {"link": "r::base"},
    "forward_kinematics": {"positions": {"r::j": 0.1}},
    "friction": {"link": "r::base"},
    "hold": {"stiffness": 1.0, "damping": 1.0},
    "inverse_dynamics": {"accelerations": {}},
    "is_bolted": {"link": "r::base"},
    "jacobian": {"link": "r::base", "point": (0, 0, 0)},
    "joint_efforts": {"snapshot": None},
    "lift": {"height": 0.1},
    "links_of": {"entity": "r"},
    "momentum": {"links": None, "about": (0, 0, 0)},
    "move": {"link": "o::base", "linear": (0, 0, 0), "angular": (0, 0, 0), "position": None, "quaternion": None},
    "ray_cast": {"origin": (0, 0, 0), "direction": (0, 0, 1), "reach": 1.0, "unseen": ()},
    "set_body_state": {
        **{"name": "r::base", "position": (0, 0, 0), "quaternion": (0, 0, 0, 1), "linear": (0, 0, 0)},
        "angular": (0, 0, 0),
    },
    "set_drive_limits": {"effort": {"r::j": 1.0}, "velocity": {"r::j": 1.0}},
    "set_friction": {"friction": {"r::base": 1.0}},
    "set_gravity": {"gravity": (0, 0, 0)},
    "set_joint_gains": {"stiffness": {"r::j": 1.0}, "damping": {"r::j": 1.0}},
    "set_joint_positions": {"positions": {"r::j": 0.1}},
    "set_joint_targets": {"positions": {"r::j": 0.1}, "velocities": {"r::j": 0.1}, "efforts": {"r::j": 0.1}},
    "set_joint_velocities": {"velocities": {"r::j": 0.1}},
    "set_position_limits": {"lower": {"r::j": -1.0}, "upper": {"r::j": 1.0}},
    "soft_contacts": {"link": "r::base"},
    "spawn": {"entity": it.Entity("n", robot()), "saved": ()},
    "step": {"count": 1},
    "teleport": {"link": "o::base", "position": (0, 0, 0), "quaternion": (0, 0, 0, 1)},
}
MODEL = {
    "acting_contacts": {"contacts": articulated().finalize().contacts()},
    "collide": {"state": articulated().finalize().state(), "contacts": None, "foresight": 0.0},
    "contacts": {"rigid_contact_max": 10},
    "motion": {"state": articulated().finalize().state()},
    "set_gravity": {"gravity": (0, 0, 0), "world": 0},
    "get_attribute_frequency": {"name": "body_q"},
}

VIEW = {
    "get_attribute": {"name": "body_q", "source": articulated().finalize().state()},
    "get_dof_positions": {"source": articulated().finalize().state()},
    "get_link_transforms": {"source": articulated().finalize().state()},
    "get_root_transforms": {"source": articulated().finalize().state()},
    "set_dof_positions": {"target": articulated().finalize().state(), "values": np.zeros((1, 1, 7)), "mask": None},
    "set_root_transforms": {"target": articulated().finalize().state(), "values": np.eye(7)[6:], "mask": None},
    "set_root_velocities": {"target": articulated().finalize().state(), "values": np.zeros((1, 1, 6)), "mask": None},
    "eval_fk": {"target": articulated().finalize().state(), "mask": None},
}


OWN = articulated()
OWN.request_contact_attributes("force")
OWN = OWN.finalize()
STEP = {"state_in": OWN.state(), "state_out": OWN.state(), "control": OWN.control(), "contacts": OWN.contacts()}
SOLVER = {
    "step": {**STEP, "dt": 0.01, "observables": None},
    "update_contacts": {"contacts": STEP["contacts"], "state": STEP["state_out"]},
    "notify_model_changed": {"flags": it.SolverNotifyFlags.ALL},
    "observables": {"kinds": ["contact_f"], "contacts": STEP["contacts"]},
}


def solver():
    made = it.SolverXPBD(OWN)
    made.step(**STEP, dt=0.01)
    return made


METHODS = {
    "ModelBuilder": (builder, BUILDER),
    "Simulation": (simulation, SIMULATION),
    "Model": (lambda: articulated().finalize(), MODEL),
    "SolverXPBD": (solver, SOLVER),
    "ArticulationView": (lambda: ArticulationView(articulated().finalize(), "*"), VIEW),
}
CALLS = {name: (lambda make=make: make, arguments) for name, (make, arguments) in MADE.items()} | {
    f"{name}.{method}": (lambda maker=maker, method=method: getattr(maker(), method), arguments)
    for name, (maker, methods) in METHODS.items()
    for method, arguments in methods.items()
}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("call", CALLS)
def test_wrong_arguments_are_refused_by_name(call):
    """Each argument in turn; of flags and texts whatever is true or false is taken, which arrays are not."""
    made, arguments = CALLS[call]
    made()(**arguments)
    tried = made()
    for name, right in arguments.items():
        for value in WRONG:
            if isinstance(value, np.ndarray) and isinstance(right, bool | str):
                continue
            try:
                tried(**{**arguments, name: value})
            except InertiaToolsError:
                continue
            except Exception as error:
                pytest.fail(f"{name}={value!r:.30} raises {type(error).__name__}: {error}")
            tried = made()  # as the call went through
            is_nan = isinstance(value, float) and math.isnan(value)
            assert not (is_nan and isinstance(right, float)) or name in JUDGED_LATER, f"{name} is NaN"
