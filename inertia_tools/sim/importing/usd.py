# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A USD stage as bodies, shapes and joints of a scene, with the values of solver schemas."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from inertia_tools.description.joint import Joint
from inertia_tools.description.link import Shape
from inertia_tools.description.types import WORLD, Description
from inertia_tools.description.usd.attributes import applied_schemas
from inertia_tools.description.usd.lines import Lines
from inertia_tools.description.usd_bodies import Tether, UsdBodies
from inertia_tools.errors import MeshError, OptionError, SimulationError
from inertia_tools.inertia.effective import resolve_noting
from inertia_tools.inertia.finding import Finding, Severity, from_remarks
from inertia_tools.inertia.usd_mass import usd_inertials
from inertia_tools.inertia.usd_mass.colliders import WATER, is_free_of_fault
from inertia_tools.sim.importing.articulation import FIRST_ROBOT_GROUP, Articulation, RobotOptions, add_robot
from inertia_tools.sim.importing.base import Base
from inertia_tools.sim.importing.geometry_shape import leave_flat_out, shape_of_link
from inertia_tools.sim.importing.mjcf import up_turn
from inertia_tools.sim.importing.rules import WITHOUT_WARP, ImportRules
from inertia_tools.sim.importing.start_pose import Position, start_positions
from inertia_tools.sim.importing.usd_custom import Prims, add_custom_attributes, prims_of
from inertia_tools.sim.importing.usd_equalities import UsdEqualities, without_equalities
from inertia_tools.sim.importing.usd_groups import keep_groups_apart
from inertia_tools.sim.importing.usd_joints import JointSchemas, JointState
from inertia_tools.sim.importing.usd_look import dress
from inertia_tools.sim.importing.usd_positions import measured_positions
from inertia_tools.sim.importing.usd_scene import SceneValues, read_scene
from inertia_tools.sim.importing.usd_shapes import ShapeSchemas, approximated
from inertia_tools.sim.importing.usd_soft import SoftPrims, add_soft_prims, find_soft_prims
from inertia_tools.sim.importing.usd_source import (
    UsdOptions,
    articulation_frames,
    read_source,
    tied_end,
    untied,
    without_world,
)
from inertia_tools.sim.importing.usd_tables import add_rows
from inertia_tools.sim.importing.usd_unread import unread_of
from inertia_tools.sim.importing.usd_unusable import unusable_moments, without_unusable
from inertia_tools.sim.importing.usd_velocities import set_in_motion
from inertia_tools.sim.importing.usd_without_place import without_place
from inertia_tools.sim.importing.whole_scene import Names, Whole, add_whole
from inertia_tools.sim.scene.bodies import WORLD as WORLD_BODY
from inertia_tools.sim.scene.joint_config import JointTargetMode
from inertia_tools.sim.scene.mesh_shape import Mesh
from inertia_tools.sim.scene.mujoco_kinds import EQUALITIES
from inertia_tools.sim.scene.notices import InertiaWarning, SceneWarning
from inertia_tools.sim.scene.scene import Scene
from inertia_tools.sim.scene.xform import as_pose
from inertia_tools.spatial import Pose
from inertia_tools.usd import PrimType, SchemaResolver, SchemaResolverManager, SchemaResolverNewton


def add_usd(builder: Scene, source: Any, options: UsdOptions) -> dict[str, Any]:
    """Read a stage and add it to a scene."""
    robot = read_source(source, options)
    usd_bodies = robot.usd
    assert usd_bodies is not None
    chain = SchemaResolverManager(options.schema_resolvers or [SchemaResolverNewton()])
    return _Import(builder, robot, usd_bodies, chain, options).run()


def add_usd_description(
    builder: Scene,
    robot: Description,
    options: RobotOptions,
    schema_resolvers: Sequence[SchemaResolver] | None,
    angles_in_degrees: bool,
) -> Articulation:
    """Add a description that was read from a stage; see `ModelBuilder.add_description`."""
    usd_bodies = robot.usd
    assert usd_bodies is not None
    chain = SchemaResolverManager(schema_resolvers or [SchemaResolverNewton()])
    added = _Import(builder, robot, usd_bodies, chain, UsdOptions(angles_in_degrees=angles_in_degrees))
    return added.run_description(options)


@dataclass(eq=False)
class _Import:
    """One run of the importer."""

    builder: Scene
    robot: Description
    usd: UsdBodies
    chain: SchemaResolverManager
    options: UsdOptions
    body_of: dict[str, int] = field(default_factory=dict)
    joint_of: dict[str, int] = field(default_factory=dict)
    freedom_of: dict[str, Any] = field(default_factory=dict)
    shape_of: dict[str, int] = field(default_factory=dict)
    start: Pose = field(default_factory=Pose)
    turn: Pose = field(default_factory=Pose)
    findings: tuple[Finding, ...] = ()
    first_articulation: int = 0
    soft: SoftPrims = field(default_factory=SoftPrims)

    def run(self) -> dict[str, Any]:
        """Add everything, and return the result for each prim."""
        self._base().check(self.builder)
        scene = read_scene(self.usd, self.chain)
        turn = Pose() if self.options.apply_up_axis_from_stage else up_turn(self.usd.units.up_axis)
        if scene.gravity is not None:
            posed = Pose() if self.options.override_root_xform else as_pose(self.options.xform)
            self.builder.let_fall((posed @ turn).rotation @ scene.gravity)
        joints = self._joint_schemas()
        weighed, noted = self._weighed()
        self.findings = (*from_remarks(self.robot.remarks), *_without_value(self.robot), *noted)
        for finding in self.findings:
            if finding.severity >= Severity.WARNING:
                warnings.warn(str(finding), SceneWarning, stacklevel=5)
        for message in unusable_moments(self.usd):
            warnings.warn(message, SceneWarning, stacklevel=5)
        ready = self._with_gravity_scales(self._without_soft(joints.apply(weighed)))
        if not self.options.convert_mjc_equality_constraints:
            ready = without_equalities(ready, self.usd)
        if not self.options.skip_mesh_approximation:
            ready = approximated(ready, self.usd)
        if not self.options.load_visual_shapes:
            ready = self._without_visuals(ready)
        self.turn = turn
        self.start = as_pose(self.options.xform) @ turn
        first_shape, self.first_articulation = self.builder.shape_count, self.builder.articulation_count
        states = joints.states(ready)
        asked = asked_positions(ready, self.usd, states)
        articulation = self._add(ready, self.start, asked)
        self._add_soft(self.start)
        set_in_motion(self.builder, self.usd, asked_rates(states), articulation)
        self._finish_joints(states, articulation)
        self._finish_shapes(first_shape)
        self._name_unread()
        shown, hidden = self.options.force_show_colliders, self.options.hide_collision_shapes
        dress(self.builder, self.usd, first_shape, show_colliders=shown, hide_colliders=hidden)
        articulations = self._add_articulations(articulation, first_shape)
        keep_groups_apart(self.builder, self.usd, self.shape_of)
        prims = Prims(self.body_of, self.freedom_of, self.shape_of, articulations)
        lines = Lines(self.robot.document)
        add_custom_attributes(self.builder, self.usd, prims, lines, self.options.parse_mujoco_options)
        self._add_equalities(articulation)
        self._name_massless()
        result = self._result(scene, articulation)
        add_rows(self.builder, self.usd.stage, self._is_selected, result)
        return result

    def _add_equalities(self, articulation: Articulation) -> None:
        """Let MuJoCo's equalities of joints hold; a scene with the table of them has a row for each, else if asked."""
        equalities = UsdEqualities(self.builder, self.usd, articulation, self.freedom_of)
        if self.options.convert_mjc_equality_constraints:
            equalities.add_couplings()
        if EQUALITIES in self.builder.custom_frequencies or not self.options.convert_mjc_equality_constraints:
            equalities.add_rows(self.robot)

    def run_description(self, options: RobotOptions) -> Articulation:
        """Add everything as for descriptions of other formats, with the world as a link."""
        joints, first_shape = self._joint_schemas(), self.builder.shape_count
        ready = self._with_gravity_scales(self._without_soft(joints.apply(self.robot)))
        ready = approximated(ready, self.usd)
        states = joints.states(ready)
        asked = asked_positions(ready, self.usd, states)
        turn, gravity = up_turn(self.usd.units.up_axis), read_scene(self.usd, self.chain).gravity
        if gravity is not None:
            self.builder.let_fall(turn.rotation @ gravity)
        is_placed = options.xform is not None or self.usd.units.up_axis != "Z"
        xform = as_pose(options.xform) @ turn if is_placed else None
        options = replace(options, xform=xform, positions=asked)
        articulation = add_robot(self.builder, untied(ready, self.usd), options)
        place = articulation.links[WORLD]
        carrier = Pose() if place.body == WORLD_BODY else self.builder.body_pose[place.body]
        self._add_soft(carrier @ place.pose_body_link)
        for tether in self.usd.tethers:
            self._tie(tether, ready, articulation)
        set_in_motion(self.builder, self.usd, asked_rates(states), articulation)
        self._finish_joints(states, articulation)
        self._finish_shapes(first_shape)
        self._name_unread()
        keep_groups_apart(self.builder, self.usd, self.shape_of)
        prims = prims_of(self.builder, self.usd, articulation, first_shape)
        add_custom_attributes(self.builder, self.usd, prims, Lines(self.robot.document))
        return articulation

    def _is_selected(self, path: str) -> bool:
        """Return whether the options select a prim."""
        root = self.options.root_path.rstrip("/")
        return f"{path}/".startswith(f"{root}/") and not any(re.match(one, path) for one in self.options.ignore_paths)

    def _without_visuals(self, robot: Description) -> Description:
        """Leave out what is only seen, but colliders that are switched off."""
        kept = {
            name: replace(link, visuals=tuple(shape for shape in link.visuals if self._is_switched_off(shape)))
            for name, link in robot.links.items()
        }
        return replace(robot, links=kept)

    def _without_soft(self, robot: Description) -> Description:
        """Return the stage without its soft bodies, which are kept here."""
        self.soft = find_soft_prims(self.usd, self._is_selected)
        world = robot.links[WORLD]
        rigid = tuple(shape for shape in world.collisions if shape.name not in self.soft.prims)
        return replace(robot, links={**robot.links, WORLD: replace(world, collisions=rigid)})

    def _with_gravity_scales(self, robot: Description) -> Description:
        """Return what solvers state of gravity on single bodies with their links."""
        links = dict(robot.links)
        for name, body in self.usd.bodies.items():
            prim = self.usd.stage.GetPrimAtPath(body.path)
            scale = self.chain.get_value(prim, PrimType.BODY, "gravity_scale")
            if scale is not None and name in links:
                links[name] = replace(links[name], gravity_scale=float(scale))
        return replace(robot, links=links)

    def _add_soft(self, start: Pose) -> None:
        """Add the soft bodies of the stage, whose frame is here, and name what cannot be one."""
        add_soft_prims(self.builder, self.usd, self.soft, start)
        for message in self.soft.notices():
            warnings.warn(message, SceneWarning, stacklevel=6)

    def _weighed(self) -> tuple[Description, tuple[Finding, ...]]:
        """Return the stage with the mass properties of its bodies, and the findings about them."""
        density, robot = self.builder.default_shape_density, without_unusable(self.robot)
        if density == WATER:
            return resolve_noting(robot, params=WITHOUT_WARP)
        found = usd_inertials(robot, WITHOUT_WARP, density)
        links = {name: replace(link, declared=found[name].declared) for name, link in robot.links.items()}
        notes = tuple(finding for value in found.values() for finding in value.findings)
        return replace(robot, links=links, usd=None), notes

    def _joint_schemas(self) -> JointSchemas:
        return JointSchemas(
            self.chain,
            self.usd,
            self.builder.default_joint_cfg,
            self.options.angles_in_degrees,
            self.options.joint_drive_gains_scaling,
        )

    def _add(self, ready: Description, start: Pose, asked: Mapping[str, Position]) -> Articulation:
        """Add bodies, joints and shapes; what belongs to no body is part of the world."""
        builder, first_joint = self.builder, self.builder.joint_count
        self._add_world(ready.links[WORLD].collisions, start)
        robot = without_world(ready, self.usd, None, start_positions(ready, asked))
        articulation = _nothing(robot)
        if robot.links:
            articulation = add_whole(builder, robot, self._whole(robot, asked))
        by_name = {builder.joints[index].name: index for index in range(first_joint, builder.joint_count)}
        for joint in (*robot.joints.values(), *robot.loop_joints):
            self._map_joint(joint, by_name, articulation)
        for tether in self.usd.tethers:
            self.joint_of[tether.path] = self.freedom_of[tether.path] = self._tie(tether, ready, articulation)
        self.body_of = {body.path: articulation.links[name].body for name, body in self.usd.bodies.items()}
        return articulation

    def _add_world(self, colliders: Sequence[Shape], start: Pose) -> None:
        """Add what belongs to no body: colliders, what is only seen, and markers."""
        builder, options = self.builder, self.options
        material = replace(builder.default_shape_cfg, density=0.0)
        visual = replace(material, has_shape_collision=False, has_particle_collision=False)
        is_shown = options.load_visual_shapes and options.load_static_visual_shapes
        scenery = tuple(shape for shape in self.usd.scenery if is_shown or self._is_switched_off(shape))
        sites = self.usd.sites.get(WORLD, ()) if options.load_sites else ()
        kinds = ((colliders, material), (scenery, visual), (sites, builder.default_site_cfg))
        for shape, config in ((shape, config) for shapes, config in kinds for shape in shapes):
            if shape.name in self.soft.prims:
                continue
            try:
                built = shape_of_link(shape, config.settled(), WORLD)
            except (MeshError, OptionError, SimulationError) as error:
                if config is material:
                    warnings.warn(f"{shape.name}: the collider is omitted: {error}", SceneWarning, stacklevel=6)
                continue
            placed = replace(built, body=WORLD_BODY, pose=start @ built.pose, name=shape.name, path=shape.name)
            builder.shapes.append(replace(placed, world=builder.world_of_body(WORLD_BODY)))

    def _is_switched_off(self, shape: Shape) -> bool:
        """Return whether what is only seen is a collider that the stage disables; it is a shape in any case."""
        prim = self.usd.stage.GetPrimAtPath(shape.name) if shape.name else None
        return bool(prim) and "PhysicsCollisionAPI" in applied_schemas(prim)

    def _base(self) -> Base:
        """Return how roots are held."""
        asked = self.options
        return Base(asked.floating, asked.base_joint, asked.parent_body, asked.xform, asked.override_root_xform)

    def _whole(self, robot: Description, asked: Mapping[str, Position]) -> Whole:
        """Return how the bodies of the stage are put into the scene."""
        options, builder = self.options, self.builder
        paths = {name: body.path for name, body in self.usd.bodies.items()}
        roots = self.usd.articulation_roots

        def tree(top: str) -> str:
            own = paths[top]
            holding = [path for path in roots if f"{own}/".startswith(f"{path}/") or f"{path}/".startswith(f"{own}/")]
            return holding[0] if holding else own

        def joint(name: str, link: str) -> str:
            return self.usd.joint_paths.get(name, name)

        def shape(link: str, name: str, number: int) -> str:
            return name or f"{paths.get(link, '')}/shape_{number}"

        return Whole(
            self._base(),
            ImportRules(builder.default_shape_density),
            Names("", paths.__getitem__, joint, shape, tree),
            self.turn,
            roots_are_free=True,
            order=options.order.of_bodies(robot),
            joint_order=options.order.of_joints(robot),
            collapse_fixed_joints=options.collapse_fixed_joints,
            named=self.usd.joint_paths,
            disabled={name for name, path in self.usd.joint_paths.items() if path in self.usd.disabled_joints},
            tied={tether.links[tied_end(self.robot, tether)] for tether in self.usd.tethers},
            sites=self.usd.sites if options.load_sites else {},
            positions=asked,
            frames=articulation_frames(self.usd),
        )

    def _tie(self, tether: Tether, robot: Description, articulation: Articulation) -> int:
        """Add a distance joint, and return its index."""

        def end(which: int) -> tuple[int, Pose]:
            place = articulation.links.get(tether.links[which])
            if place is None:
                return WORLD_BODY, self.start @ tether.frames[which]
            return place.body, place.pose_body_link @ tether.frames[which]

        hangs = tied_end(robot, tether)
        (parent, parent_frame), (child, child_frame) = end(1 - hangs), end(hangs)
        return self.builder.add_joint_distance(
            parent,
            child,
            parent_frame,
            child_frame,
            min_distance=-1.0 if tether.least is None else tether.least,
            max_distance=-1.0 if tether.greatest is None else tether.greatest,
            name=tether.path,
        )

    def _map_joint(self, joint: Joint, by_name: Mapping[str, int], articulation: Articulation) -> None:
        """Note the index of each prim of a row of joints, and of its freedom where several prims are one joint."""
        dofs, paths = articulation.joint_dofs, self.usd.joint_paths
        prims = [one.name for one in joint.row if one.name in paths]
        for name in prims:
            index, dof = dofs.get(name, (by_name.get(joint.name), 0))
            if index is not None:
                self.joint_of[paths[name]] = index
                self.freedom_of[paths[name]] = index if len(prims) == 1 else (index, dof)

    def _finish_joints(self, states: Mapping[str, JointState], articulation: Articulation) -> None:
        """Give freedoms the limits of velocity and effort, and the gains of limits, that schemas state.

        A drive that aims at rest drives to a position and damps; `POSITION` is the mode of that.
        """
        for name, (index, number) in articulation.joint_dofs.items():
            stated: dict[str, Any] = {} if name not in states else dict(states[name].config)
            joint = self.builder.joints[index]
            if number >= len(joint.dofs):
                continue
            before = joint.dofs[number].config
            drives_to_rest = before.mode is JointTargetMode.POSITION_VELOCITY and before.target_vel == 0.0
            if drives_to_rest and not self.options.force_position_velocity_actuation:
                stated["target_mode"] = JointTargetMode.POSITION
            if stated:
                self.builder.joints[index] = joint.with_dof(number, **stated)

    def _name_massless(self) -> None:
        """Name the bodies that nothing gives a mass; the centre of mass that one states stays."""
        stated = {body.path: body.stated for body in self.usd.bodies.values()}
        for path, body in self.body_of.items():
            if body >= 0 and self.builder.body_mass[body] == 0.0 and not self.builder.body_kinematic[body]:
                own = stated.get(path)
                if own is not None and own.com is not None:
                    self.builder.body_com[body] = own.com
                why = "it states no mass, and no collider provides one"
                if own is not None and own.mass == 0.0:
                    why = "it states a mass of 0, which counts; remove it if the colliders are to provide the mass"
                message = f"{path} has zero mass and zero inertia: {why}"
                warnings.warn(message, InertiaWarning, stacklevel=5)

    def _finish_shapes(self, first_shape: int) -> None:
        """Give shapes the materials that the stage states."""
        schemas, builder = ShapeSchemas(self.chain, self.usd, not self.options.skip_mesh_approximation), self.builder
        for index in range(first_shape, builder.shape_count):
            shape = builder.shapes[index]
            self.shape_of[shape.name] = index
            if isinstance(shape.source, Mesh):
                shape.source.maxhullvert = schemas.most_corners(shape.name) or self.options.mesh_maxhullvert
                shape.source.maxhulls = schemas.most_parts(shape.name)
                shape.source.concavity = builder.default_mesh_approximation_cfg.coacd_threshold
            if not shape.config.is_site:
                builder.shapes[index] = replace(shape, config=schemas.config(shape.name, shape.config).settled())
        leave_flat_out(builder, first_shape)
        schemas.look_at_the_rest()
        for message in schemas.unusable:
            warnings.warn(message, SceneWarning, stacklevel=5)
        unplaced = {**schemas.unplaced, **dict.fromkeys(sorted(without_place(self.chain.schema_attrs)))}
        if unplaced:
            named = ", ".join(unplaced)
            message = (
                f"the stage has attributes that this simulator does not use; they are in schema_attrs only: {named}"
            )
            warnings.warn(message, SceneWarning, stacklevel=5)

    def _name_unread(self) -> None:
        """Name what prims ask for that nothing here does, in one warning."""
        unread = ", ".join(unread_of(self.usd.stage, self.usd.scenes, self._is_selected))
        if unread:
            warnings.warn(f"the stage uses unsupported features: {unread}", SceneWarning, stacklevel=5)

    def _add_articulations(self, articulation: Articulation, first_shape: int) -> dict[str, int]:
        """Count the articulations of the stage, and keep the links of one apart that is not to touch itself."""
        found = {}
        labels = self.builder.articulation_label
        for path in self.usd.articulation_roots:
            prim = self.usd.stage.GetPrimAtPath(path)
            self.chain.collect_prim_attrs(prim)
            touches = self.chain.authored(prim, PrimType.ARTICULATION, "self_collision_enabled")
            own = labels[self.first_articulation :]
            if path in own:
                found[path] = self.first_articulation + own.index(path)
            elif self.options.parent_body == WORLD_BODY:
                found[path] = self.builder.append_articulation((), path)  # its joints are those of another
            else:
                found[path] = self._base().articulation_of_parent(self.builder)
            if not (self.options.enable_self_collisions if touches is None else touches):
                self._keep_apart(self._links_of(path, articulation), first_shape)
        return found

    def _links_of(self, path: str, articulation: Articulation) -> set[str]:
        """Name the links of an articulation: those under its prim, and those that share a tree with them."""
        under = {name for name, body in self.usd.bodies.items() if f"{body.path}/".startswith(f"{path}/")}
        roots = {articulation.root_of[name] for name in under}
        return {name for name, root in articulation.root_of.items() if root in roots}

    def _keep_apart(self, links: Iterable[str], first_shape: int) -> None:
        """Give the shapes of links a collision group that does not touch itself."""
        links = set(links)
        group = min((s.config.collision_group for s in self.builder.shapes), default=0)
        group = min(group, FIRST_ROBOT_GROUP) - 1
        for index in range(first_shape, self.builder.shape_count):
            shape = self.builder.shapes[index]
            if shape.label in links:
                self.builder.shapes[index] = replace(shape, config=replace(shape.config, collision_group=group))

    def _result(self, scene: SceneValues, articulation: Articulation) -> dict[str, Any]:
        """Return what Newton's importer returns, by the same names, and what was assumed about inertials."""
        stage, units = self.usd.stage, self.usd.units
        scales = {c.path: c.scale for body in self.usd.bodies.values() for c in body.colliders}
        scales |= {c.path: c.scale for c in self.usd.colliders}
        paths = {name: body.path for name, body in self.usd.bodies.items()}
        merged = {
            paths[name]: place.pose_body_link
            for name, place in articulation.links.items()
            if place.body == WORLD_BODY or self.builder.body_name[place.body] != name
        }
        return {
            "fps": stage.GetFramesPerSecond(),
            "duration": stage.GetEndTimeCode() - stage.GetStartTimeCode(),
            "up_axis": units.up_axis,
            "path_body_map": dict(self.body_of),
            "path_joint_map": dict(self.joint_of),
            "path_shape_map": dict(self.shape_of),
            "path_shape_scale": {path: scales[path] for path in self.shape_of if path in scales},
            "mass_unit": units.kilogram,
            "linear_unit": units.metre,
            "scene_attributes": scene.attributes,
            "physics_scene_path": scene.path,
            "physics_dt": scene.physics_dt,
            "max_solver_iterations": scene.max_solver_iterations,
            "schema_attrs": self.chain.schema_attrs,
            "collapse_results": merged if self.options.collapse_fixed_joints else None,
            "path_body_relative_transform": merged,
            "path_particle_map": self.soft.particles,
            "path_cloth_map": self.soft.cloth,
            "path_soft_map": self.soft.solids,
            "particle_scene_path": None,
            "actuator_count": 0,
            "findings": (*self.findings, *articulation.findings),
            "articulation": articulation,
        }


def asked_positions(robot: Description, usd_bodies: UsdBodies, states: Mapping[str, JointState]) -> dict[str, Position]:
    """Return initial joint positions from schemas, or else from the transforms of the stage."""
    stated = {name: state.position for name, state in states.items() if state.position is not None}
    return measured_positions(robot, usd_bodies) | stated


def asked_rates(states: Mapping[str, JointState]) -> dict[str, float]:
    """Return the joint velocities that schemas state, by name [rad/s or m/s]."""
    return {name: state.velocity for name, state in states.items() if state.velocity}


def _without_value(robot: Description) -> Iterator[Finding]:
    """Name masses that are stated and that nothing can have, which count as not stated."""
    assert robot.usd is not None
    for name, body in robot.usd.bodies.items():
        mass = None if body.stated is None else body.stated.mass
        if mass is not None and not is_free_of_fault(mass):
            place = robot.links[name].place
            message = (
                f"the authored mass is not positive and finite: {mass}; the mass is computed from the "
                "colliders; correct it"
            )
            code = "negative-mass" if math.isfinite(mass) else "non-finite"
            yield Finding(Severity.ERROR, code, name, message, place.file, place.line)


def _nothing(robot: Description) -> Articulation:
    return Articulation(robot, {}, {}, {}, ())
