# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The scene of all entities on a device, with all arrays that steps read and write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from inertia_tools.description.types import Format, Joint
from inertia_tools.sim.builder import ModelBuilder
from inertia_tools.sim.device.contacts import Contacts
from inertia_tools.sim.device.control import Control
from inertia_tools.sim.device.soft_model import SCALARS
from inertia_tools.sim.device.state import State
from inertia_tools.sim.drive_gains import DriveGains, suited_gains
from inertia_tools.sim.drives import Drives
from inertia_tools.sim.floor import add_floor
from inertia_tools.sim.importing.articulation import Articulation, has_ground
from inertia_tools.sim.model.changes import SolverNotifyFlags
from inertia_tools.sim.model.model import DEVICE_ARRAYS, Model
from inertia_tools.sim.named_joints import NamedJoints
from inertia_tools.sim.observation import ContactObserver
from inertia_tools.sim.pushes import Pushes
from inertia_tools.sim.rays.ray_scene import RayScene
from inertia_tools.sim.saved_state import copied_arrays, differ, pushes_of, put_back
from inertia_tools.sim.scene.body_motion import BodyMotion
from inertia_tools.sim.scene.given import as_finite_vector
from inertia_tools.sim.simulation.entity import Entity, refuse_equal_links, refuse_equal_names
from inertia_tools.sim.simulation.kinematics import Kinematics
from inertia_tools.sim.simulation.model_basis import Basis, basis_of, take_basis
from inertia_tools.sim.simulation.options import SimulationOptions
from inertia_tools.sim.solver import SolverXPBD

BUILT = frozenset({"body_mass", "body_inertia", "body_com", "joint_type", "joint_parent", "joint_child"})
"""Arrays of a model from which others were derived: `model_basis` has those that may change, the rest keep theirs."""

SETTABLE = tuple(name for name in DEVICE_ARRAYS if name not in BUILT)
"""Arrays of a model that callers may change between steps, besides gravity: materials, limits and others."""

OTHER_PARTICLES = "particles"
"""Name of the particles of an entity that belong to no soft body."""


@dataclass(eq=False)
class BuiltScene:
    """The entities of a simulation on their device.

    Attributes:
        entities: Entities in the scene.
        options: Options of the simulation.
        builder: The scene in NumPy.
        articulation: All entities as one, with scoped names.
        described: Joints of the descriptions, by scoped name.
        model, solver, state, control, contacts: Objects of a step.
        drives: Settings of drives.
        pushes: Active wrenches.
        particles: Indices of the particles of each entity, by entity name.
        shapes: Indices of the shapes of each entity, by entity name; the others are the floor.
        soft_names: Name of each particle's soft body.
        start: Initial values of all arrays that steps change.
        start_flags: Initial body flags, on which the sizes of those arrays depend.
        start_motion: Initial poses and velocities of the bodies.
    """

    entities: tuple[Entity, ...]
    options: SimulationOptions
    builder: ModelBuilder
    articulation: Articulation
    described: Mapping[str, Joint]
    model: Model
    solver: SolverXPBD
    state: State
    control: Control
    contacts: Contacts
    drives: Drives
    _kinematics: Kinematics
    pushes: Pushes = field(default_factory=Pushes)
    particles: Mapping[str, range] = field(default_factory=dict)
    shapes: Mapping[str, range] = field(default_factory=dict)
    soft_names: Sequence[str] = ()
    start: Mapping[str, Any] = field(init=False)
    start_flags: Any = field(init=False)
    start_motion: BodyMotion = field(init=False)

    def __post_init__(self) -> None:
        """Save the initial state."""
        self.start, self.start_flags = copied_arrays(*self.stepped), self.model.body_flags.numpy().copy()
        self.start_motion = self.motion()

    @property
    def stepped(self) -> tuple[Any, ...]:
        """The objects whose arrays steps change."""
        return self.state, self.contacts, self.solver

    @property
    def settable(self) -> dict[str, Any]:
        """Arrays of the model that callers may change between steps: gravity, masses, materials, limits, particles."""
        return {name: getattr(self.model, name) for name in (*SETTABLE, "gravity", "bodies", "soft")}

    @property
    def soft_numbers(self) -> dict[str, float]:
        """Scalar settings of particles that callers may change between steps."""
        soft = self.model.soft
        return {} if soft is None else {name: getattr(soft, name) for name in SCALARS}

    def put_back(self, arrays: Mapping[str, Any], soft_numbers: Mapping[str, float]) -> None:
        """Restore the values that steps and callers change; changed particle masses are read in the next step.

        Raises:
            SimulationError: The arrays belong to another scene.
        """
        soft = self.model.soft
        before = copied_arrays(soft)
        put_back(arrays, *self.stepped, self.control, self.settable)
        if differ(before, soft):
            self.model.weighed_times += 1
        for name, number in soft_numbers.items():
            setattr(soft, name, number)

    def take_basis(self, basis: Basis) -> None:
        """Write values to the model from which it derives others; the arrays of steps fit them afterwards."""
        take_basis(basis, self.model, self.solver, self.contacts)

    def copied_arrays(self) -> dict[str, Any]:
        """Return copies of the arrays that `put_back` restores, whose sizes depend on the body flags of now."""
        self.solver.bring_up_to_date(self.contacts)
        return copied_arrays(*self.stepped, self.control, self.settable)

    @cached_property
    def suited_gains(self) -> dict[str, DriveGains]:
        """Default finite drive gains for the initial pose; see `drive_gains`."""
        return suited_gains(self.start_motion, self.joints, self.model.moves)

    @property
    def kinematics(self) -> Kinematics:
        """Readers of the joints; new ones after joint frames or body flags were changed."""
        if not self._kinematics.is_current:
            self._kinematics = Kinematics(self.articulation, self.model)
        return self._kinematics

    @property
    def joints(self) -> NamedJoints:
        """Joints of the entities."""
        return self.kinematics.joints

    @cached_property
    def contact_observer(self) -> ContactObserver:
        """Reader of contacts."""
        return ContactObserver(self.model)

    @cached_property
    def rays(self) -> RayScene:
        """The shapes for ray casting."""
        return RayScene(self.model.collision.shapes, self.model.device)

    def joint_positions(self) -> dict[str, float]:
        """Return the positions of joints with one coordinate [rad or m]."""
        return self.joints.positions(self.state.joint_q.numpy())

    def motion(self) -> BodyMotion:
        """Return the current poses and velocities of the bodies."""
        return self.model.motion(self.state)


def build_scene(entities: Sequence[Entity], options: SimulationOptions) -> BuiltScene:
    """Build a scene of entities on its device.

    Raises:
        OptionError: A number is out of range.
        SimulationError: Two entities or their links have the same name, or one cannot be simulated.
    """
    refuse_equal_names(entities)
    rule = options.friction_combine
    builder = ModelBuilder(friction_combine=MOST_COMMON_RULE if rule is None else rule)
    placed, particles, shapes, soft_names = [], {}, {}, []
    for entity in entities:
        first, first_shape = builder.particle_count, builder.shape_count
        placed.append(_add(builder, entity, options))
        soft_names += [entity.scoped(OTHER_PARTICLES)] * (builder.particle_count - first)
        for soft in entity.soft:
            soft_names += [entity.scoped(soft.name)] * len(soft.add_to(builder))
        particles[entity.name] = range(first, builder.particle_count)
        shapes[entity.name] = range(first_shape, builder.shape_count)
    refuse_equal_links(entities)
    if options.gravity is not None:
        builder.gravity = as_finite_vector("gravity", options.gravity)
    add_floor(builder, placed, options.ground)
    scene = _on_device(tuple(entities), options, builder, _as_one(placed))
    scene.particles, scene.shapes, scene.soft_names = particles, shapes, soft_names
    return scene


MOST_COMMON_RULE = "min"
"""Gazebo's friction rule, the smaller coefficient."""

COMBINED_BY = {Format.MJCF: "max", Format.USD: "mean"}
"""Friction rules by format, from MuJoCo and PhysX; other formats use `MOST_COMMON_RULE`."""


def decided(options: SimulationOptions, entities: Sequence[Entity]) -> SimulationOptions:
    """Return options with the choices that the first entities make for the scene, whichever come and go later.

    These are the rule of friction, by the format of the first description, and whether there is a floor.
    """
    ground, rule = options.ground, options.friction_combine
    if isinstance(ground, bool | np.bool_) and any(has_ground(one.robot) for one in entities):
        ground = False
    if rule is None:
        rule = COMBINED_BY.get(entities[0].robot.format, MOST_COMMON_RULE)
    return replace(options, ground=ground, friction_combine=rule)


def copied_scene(scene: BuiltScene) -> BuiltScene:
    """Return an independent copy of a scene, whose steps are bit-identical."""
    twin = _on_device(scene.entities, scene.options, scene.builder, scene.articulation)
    twin.particles, twin.shapes, twin.soft_names = scene.particles, scene.shapes, scene.soft_names
    twin.take_basis(basis_of(scene.model))
    if scene.contacts.nearby is not None and twin.contacts.nearby is not None:
        twin.contacts.nearby.grow_like(scene.contacts.nearby, twin.contacts)
    twin.solver.go_on_from(scene.solver, twin.contacts)
    twin.put_back(scene.copied_arrays(), scene.soft_numbers)
    model = scene.model
    structures = model.bodies, model.joints, model.loops, model.clusters, model.shapes
    copy = twin.model
    put_back(copied_arrays(*structures), copy.bodies, copy.joints, copy.loops, copy.clusters, copy.shapes)
    copy.gravities, copy.inertials, copy.built_joints = model.gravities, model.inertials, model.built_joints
    twin.drives.restore(scene.drives.values())
    twin.pushes = pushes_of(scene.pushes)
    twin.solver.notify_model_changed(SolverNotifyFlags.SHAPE_PROPERTIES)
    return twin


def _on_device(
    entities: tuple[Entity, ...], options: SimulationOptions, builder: ModelBuilder, whole: Articulation
) -> BuiltScene:
    model = builder.finalize(options.device, options.dtype)
    solver = SolverXPBD(
        model,
        iterations=options.iterations,
        substeps=options.substeps,
        enable_restitution=options.enable_restitution,
        sleep=options.sleep,
    )
    if options.reactions:
        model.request_state_attributes("body_parent_f")
    control, kinematics = model.control(), Kinematics(whole, model)
    return BuiltScene(
        entities=entities,
        options=options,
        builder=builder,
        articulation=whole,
        described={
            one.scoped(joint.name): joint
            for one in entities
            for first in one.robot.joints.values()
            for joint in first.row
        },
        model=model,
        solver=solver,
        state=model.state(),
        control=control,
        contacts=model.contacts(),
        drives=Drives(model, control, kinematics.joints),
        _kinematics=kinematics,
    )


def _add(builder: ModelBuilder, entity: Entity, options: SimulationOptions) -> Articulation:
    """Add an entity without its soft bodies; links and joints get its name as prefix."""
    first = builder.body_count, builder.shape_count, len(builder.joints)
    placed = builder.add_description(
        entity.robot,
        xform=entity.pose,
        fixed_base=entity.fixed_base,
        schema_resolvers=options.schema_resolvers,
        angles_in_degrees=options.angles_in_degrees,
    )
    if not entity.name:
        return placed
    scoped = entity.scoped
    builder.body_name[first[0] :] = map(scoped, builder.body_name[first[0] :])
    builder.shapes[first[1] :] = [replace(shape, label=scoped(shape.label)) for shape in builder.shapes[first[1] :]]
    builder.joints[first[2] :] = [replace(joint, name=scoped(joint.name)) for joint in builder.joints[first[2] :]]
    return replace(
        placed,
        links={scoped(name): place for name, place in placed.links.items()},
        joint_bodies={scoped(name): body for name, body in placed.joint_bodies.items()},
        root_of={scoped(name): scoped(root) for name, root in placed.root_of.items()},
        free_roots=tuple(map(scoped, placed.free_roots)),
        joint_dofs={scoped(name): dof for name, dof in placed.joint_dofs.items()},
    )


def _as_one(placed: Sequence[Articulation]) -> Articulation:
    """Return several articulations as one, with the description of the first."""
    if len(placed) == 1:
        return placed[0]
    return Articulation(
        robot=placed[0].robot,
        links={name: place for one in placed for name, place in one.links.items()},
        joint_bodies={name: body for one in placed for name, body in one.joint_bodies.items()},
        root_of={name: root for one in placed for name, root in one.root_of.items()},
        free_roots=tuple(root for one in placed for root in one.free_roots),
        findings=tuple(finding for one in placed for finding in one.findings),
        joint_dofs={name: dof for one in placed for name, dof in one.joint_dofs.items()},
    )
