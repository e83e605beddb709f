# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Import of robots and worlds from files as bodies, shapes and joints of a scene."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from inertia_tools.description.load import folders_of
from inertia_tools.description.source import PathResolver
from inertia_tools.description.types import Description
from inertia_tools.errors import OptionError
from inertia_tools.inertia.given import require_description
from inertia_tools.sim.scene.axis import up_rotation
from inertia_tools.sim.scene.bodies import WORLD
from inertia_tools.sim.scene.scene import Scene
from inertia_tools.sim.scene.xform import Xform
from inertia_tools.spatial import Pose

if TYPE_CHECKING:
    from inertia_tools.sim.importing.articulation import Articulation
    from inertia_tools.sim.importing.rules import ImportRules
    from inertia_tools.usd import SchemaResolver

RobotSource = str | bytes | os.PathLike[str] | Description
"""A file path, the text of a file, or its description."""


@dataclass
class SceneImports(Scene):
    """Adds robots and worlds; each format has its own method, and `add_description` accepts all of them."""

    def add_description(
        self,
        robot: Description,
        *,
        xform: Xform | None = None,
        fixed_base: bool = False,
        collapse_fixed_joints: bool = True,
        schema_resolvers: Sequence[SchemaResolver] | None = None,
        angles_in_degrees: bool = False,
    ) -> Articulation:
        """Add a robot from its description; meshes collide as convex hulls, and links do not collide with each other.

        From a USD stage it also takes custom attributes, materials, initial poses and velocities of bodies and joints,
        and the values of solvers' schemas for joints and shapes. `add_usd` also reads physics scenes and articulations.

        Args:
            robot: The description.
            xform: Pose of its root link in the world, or of the document's frame if there are several roots. By default
                the lowest point of its geometry touches z = 0; on a fixed base the default is the identity.
            fixed_base: Whether to fix the root to the world, and links on floating joints; a root named `world` is
                always fixed.
            collapse_fixed_joints: Whether to merge links connected by fixed joints into one body. Otherwise only frames
                without mass are merged, which could not move as separate bodies.
            schema_resolvers: See `add_usd`; only for USD.
            angles_in_degrees: See `add_usd`.

        Raises:
            SimulationError: A link has a physically impossible inertial, or moves and has none.
            OptionError: `robot` is not a description; or there are resolvers, and the description is not from USD.
        """
        from inertia_tools.sim.importing.rules import ImportRules

        require_description(robot)

        rules = ImportRules(self.default_shape_density, strict=True)
        if robot.usd is None:
            if schema_resolvers is not None:
                raise OptionError("schema_resolvers", robot.document.name, "USD; other formats have no schemas")
            return self._add_robot(robot, rules, xform, fixed_base, collapse_fixed_joints)
        from inertia_tools.sim.importing.articulation import RobotOptions
        from inertia_tools.sim.importing.usd import add_usd_description

        options = RobotOptions(rules, xform, fixed_base, collapse_fixed_joints)
        return add_usd_description(self, robot, options, schema_resolvers, angles_in_degrees)

    def add_urdf(
        self,
        source: RobotSource,
        *,
        xform: Xform | None = None,
        floating: bool | None = None,
        base_joint: Mapping[str, Any] | None = None,
        parent_body: int = WORLD,
        scale: float = 1.0,
        hide_visuals: bool = False,
        parse_visuals_as_colliders: bool = False,
        up_axis: Any = "Z",
        force_show_colliders: bool = False,
        enable_self_collisions: bool = True,
        ignore_inertial_definitions: bool = False,
        joint_ordering: str | None = "dfs",
        bodies_follow_joint_ordering: bool = True,
        collapse_fixed_joints: bool = False,
        collapse_massless_fixed_root: bool = False,
        override_root_xform: bool = False,
        joint_damping_mode: str = "passive",
        mesh_maxhullvert: int | None = None,
        package_dirs: Iterable[str | os.PathLike[str]] | None = None,
        package_path: Iterable[str | os.PathLike[str]] = (),
        **further: Any,
    ) -> Articulation:
        """Read a URDF and add it, with the rules and defaults of Newton's importer.

        Every link becomes a body and every joint a joint. By default the root is on a fixed joint. The values of an
        `<inertial>` take precedence. A link without one gets the mass properties of its colliders at the default
        density. A mass without a tensor gets the tensor and the centre of mass of the colliders, scaled to that mass.
        Visuals have no mass unless they are used as colliders. Every assumption is in the `findings` of the result.
        `finalize` corrects physically impossible values.

        Args:
            source: A file path, its text, or a description.
            xform: Pose of the robot's frame relative to `parent_body`; the identity by default.
            floating: Whether the root is on a free joint; by default it is on a fixed one.
            base_joint: Options of `add_joint` for the root's joint, instead of `floating`.
            parent_body: Index of the root's parent body, which belongs to the last articulation; the robot becomes part
                of that articulation. -1 is the world.
            scale: Factor on all lengths. Stated masses stay unchanged and stated tensors scale with its square, as a
                tensor is mass times squared length. Masses from colliders scale with its cube.
            hide_visuals: Whether to hide visuals.
            parse_visuals_as_colliders: Whether a link's visuals, if it has any, replace its collision geometry.
            up_axis: Up axis of the file, which is rotated to that of the scene.
            force_show_colliders: Whether to show colliders even if there are visuals.
            enable_self_collisions: Whether links collide with each other, except links connected by a joint.
            ignore_inertial_definitions: Whether to ignore `<inertial>` and compute all masses from colliders.
            joint_ordering: Order of the joints: "dfs" for depth first, "bfs" for breadth first, None for that of the
                file.
            bodies_follow_joint_ordering: Whether bodies have the order of the joints; otherwise that of the file.
            collapse_fixed_joints: Whether to merge links connected by fixed joints into one body.
            collapse_massless_fixed_root: Whether to merge frames without mass at a free root with the bodies fixed to
                them.
            override_root_xform: Whether `xform` is the pose of the root itself.
            joint_damping_mode: Meaning of `<dynamics damping>`: damping of the joint for "passive", of its drive for
                "drive".
            mesh_maxhullvert: Maximum number of vertices of the convex hulls of meshes, at least 4; None for no limit.
            package_dirs: Same as `package_path`.
            package_path: Folders to search first for ROS packages.
            **further: Other options of Newton's importer, which must have their default values.

        Raises:
            ParseError: The file cannot be read.
            OptionError: An option is invalid, or contradicts another.
        """
        from inertia_tools.sim.importing import urdf
        from inertia_tools.sim.importing.base import Base
        from inertia_tools.sim.importing.geometry_shape import limit_hulls
        from inertia_tools.sim.importing.options import read_source, refuse_foreign, scaled, visuals_as_colliders
        from inertia_tools.sim.importing.tree_order import TreeOrder
        from inertia_tools.sim.importing.whole_scene import Whole, add_whole

        refuse_foreign("add_urdf", further, (), urdf.REFUSED)
        urdf.check_damping_mode(joint_damping_mode)
        order = TreeOrder(joint_ordering, bodies_follow_joint_ordering)
        folders = [*folders_of("package_dirs", package_dirs), *folders_of("package_path", package_path)]
        robot = scaled(read_source(source, folders), scale)
        if parse_visuals_as_colliders:
            robot = visuals_as_colliders(robot)
        whole = Whole(
            Base(floating, base_joint, parent_body, xform, override_root_xform),
            self._import_rules(ignore_inertial_definitions, parse_visuals_as_colliders),
            urdf.urdf_names(robot),
            self._turn_up(up_axis),
            order=order.of_bodies(robot),
            joint_order=order.of_joints(robot),
            collapse_fixed_joints=collapse_fixed_joints,
            collapse_massless_root=collapse_massless_fixed_root,
            self_collisions=enable_self_collisions,
            visuals=not parse_visuals_as_colliders,
            hide_visuals=hide_visuals,
            show_colliders=force_show_colliders,
        )
        first_shape = self.shape_count
        added = add_whole(self, robot, whole)
        limit_hulls(self, first_shape, mesh_maxhullvert)
        urdf.settle_joints(self, added, joint_damping_mode)
        return added

    def _turn_up(self, up_axis: Any) -> Pose:
        """Return the rotation from the up axis of a file to that of the scene.

        Raises:
            OptionError: The value is not an axis.
        """
        return Pose(rotation=up_rotation(self.up_axis).T @ up_rotation(up_axis))

    def add_sdf(
        self,
        source: RobotSource,
        *,
        ignore_inertial_definitions: bool = False,
        parse_visuals_as_colliders: bool = False,
        scale: float = 1.0,
        collapse_fixed_joints: bool = True,
        xform: Xform | None = None,
        fixed_base: bool = False,
        enable_self_collisions: bool = False,
        package_path: Iterable[str | os.PathLike[str]] = (),
    ) -> Articulation:
        """Read an SDFormat model or world and add it, with the defaults and automatic inertials of libsdformat.

        Args:
            source: See `add_urdf`.
            ignore_inertial_definitions: See `add_urdf`.
            parse_visuals_as_colliders: See `add_urdf`.
            scale: See `add_urdf`.
            collapse_fixed_joints: See `add_description`.
            xform: See `add_description`.
            fixed_base: See `add_description`.
            enable_self_collisions: Whether links of one model collide with each other, except links connected by a
                joint.
            package_path: See `add_urdf`.

        Raises:
            ParseError: The file cannot be read.
            OptionError: The scale is not positive.
        """
        from inertia_tools.sim.importing.options import read_source, scaled, visuals_as_colliders

        robot = scaled(read_source(source, package_path), scale)
        if parse_visuals_as_colliders:
            robot = visuals_as_colliders(robot)
        rules = self._import_rules(ignore_inertial_definitions, parse_visuals_as_colliders)
        return self._add_robot(robot, rules, xform, fixed_base, collapse_fixed_joints, enable_self_collisions)

    def add_mjcf(
        self,
        source: RobotSource,
        *,
        xform: Xform | None = None,
        floating: bool | None = None,
        base_joint: Mapping[str, Any] | None = None,
        parent_body: int = WORLD,
        armature_scale: float = 1.0,
        scale: float = 1.0,
        hide_visuals: bool = False,
        parse_visuals_as_colliders: bool = False,
        parse_meshes: bool = True,
        parse_sites: bool = True,
        parse_visuals: bool = True,
        up_axis: Any = "Z",
        ignore_names: Sequence[str] = (),
        ignore_classes: Sequence[str] = (),
        visual_classes: Sequence[str] = ("visual",),
        collider_classes: Sequence[str] = ("collision",),
        no_class_as_colliders: bool = True,
        force_show_colliders: bool = False,
        enable_self_collisions: bool = True,
        ignore_inertial_definitions: bool = False,
        collapse_fixed_joints: bool = False,
        collapse_massless_fixed_root: bool = False,
        skip_equality_constraints: bool = False,
        legacy_margin_gap: bool = False,
        parse_mujoco_options: bool = True,
        convert_mjc_equality_constraints: bool = True,
        ctrl_direct: bool = False,
        override_root_xform: bool = False,
        mesh_maxhullvert: int | None = None,
        package_path: Iterable[str | os.PathLike[str]] = (),
        path_resolver: PathResolver | None = None,
        **further: Any,
    ) -> Articulation:
        """Read an MJCF document and add its bodies, with the mass properties that MuJoCo's compiler computes.

        Every body becomes a body. A body in the world without a joint gets a fixed joint, and geoms of the world belong
        to the world. An `<inertial>` locks its body's mass properties: shapes added later do not change them. A body
        without one gets the mass of its geoms, and shapes added later increase it. Names and defaults are those of
        Newton's importer; its options that are not supported here raise an error.

        Args:
            source: A file path, its text, or a description.
            xform: Pose of the document's frame relative to `parent_body`; the identity by default.
            floating: Whether bodies in the world are free (True) or fixed (False); None for the joints of the document.
            base_joint: See `add_urdf`.
            parent_body: See `add_urdf`.
            armature_scale: Factor on the armature of joints.
            scale: See `add_urdf`.
            hide_visuals: Whether to hide visuals.
            parse_visuals_as_colliders: See `add_urdf`.
            parse_meshes: Whether to read mesh geoms; otherwise they have neither collision nor mass.
            parse_sites: Whether sites become shapes without collision.
            parse_visuals: Whether geoms without collision become shapes.
            up_axis: Up axis of the document: X, Y or Z.
            ignore_names: Regular expressions, matched from the start of the name; matching joints, geoms and bodies
                with their subtrees are skipped.
            ignore_classes: Regular expressions for the classes of bodies and geoms to skip.
            visual_classes: Regular expressions for the classes of geoms without collision, whatever their masks.
            collider_classes: Regular expressions for the classes of geoms with collision.
            no_class_as_colliders: Whether a geom of another class, or none, collides if its masks allow.
            force_show_colliders: See `add_urdf`.
            enable_self_collisions: Whether bodies collide with each other as `contype`, `conaffinity` and `<exclude>`
                allow, except bodies connected by a joint.
            ignore_inertial_definitions: Whether to ignore `<inertial>` and compute all masses from geoms.
            collapse_fixed_joints: See `add_urdf`.
            collapse_massless_fixed_root: See `add_urdf`.
            skip_equality_constraints: Whether to skip `<equality>`.
            legacy_margin_gap: Whether geoms rest at margin minus gap, as in MuJoCo before 3.9.
            parse_mujoco_options: Whether to store `<option>` as custom attributes; see
                `SolverMuJoCo.register_custom_attributes`.
            convert_mjc_equality_constraints: Whether equalities become joints and couplings; otherwise they become rows
                of the table `mujoco:equality_constraint`, which have no effect here.
            ctrl_direct: Whether actuators only become rows of the table `mujoco:actuator`, which have no effect here;
                otherwise joint actuators also become drives.
            override_root_xform: See `add_urdf`.
            mesh_maxhullvert: See `add_urdf`; the limit of a mesh itself takes precedence.
            package_path: Folders to search first for referenced files.
            path_resolver: Function of the document's folder (None for text) and a file name that returns the path of
                the file, or the text of an included file; by default MuJoCo's rules apply.
            **further: Other options of Newton's importer, which must have their default values.

        Raises:
            ParseError: The file cannot be read, or MuJoCo rejects it for an error that would change the motion here.
                Other errors, and values that MuJoCo ignores, cause a `SceneWarning` each.
            OptionError: The source is not MJCF, or an option is not supported.
        """
        from inertia_tools.sim.importing import mjcf
        from inertia_tools.sim.importing.base import Base
        from inertia_tools.sim.importing.geometry_shape import limit_hulls
        from inertia_tools.sim.importing.mjcf_refused import refuse_or_name
        from inertia_tools.sim.importing.mjcf_stated import MjcfImport, add_stated
        from inertia_tools.sim.importing.mjcf_tables import add_tables
        from inertia_tools.sim.importing.options import read_source, refuse_foreign, scaled, visuals_as_colliders
        from inertia_tools.sim.importing.whole_scene import Whole, add_whole

        refuse_foreign("add_mjcf", further, mjcf.ONLY_SEEN, mjcf.REFUSED)
        choice = mjcf.MjcfChoice(
            ignore_names,
            ignore_classes,
            visual_classes,
            collider_classes,
            no_class_as_colliders,
            parse_meshes,
            None,
            ignore_inertial_definitions,
            armature_scale,
            skip_equality_constraints or not convert_mjc_equality_constraints,
            legacy_margin_gap,
            not ctrl_direct,
        )
        document = read_source(source, package_path, path_resolver)
        described = mjcf.chosen(document, choice)
        refuse_or_name(document, ignores_inertials=ignore_inertial_definitions, can_be_read_again=path_resolver is None)
        robot = scaled(described, scale)
        if parse_visuals_as_colliders:
            robot = visuals_as_colliders(robot)
        whole = Whole(
            Base(floating, base_joint, parent_body, xform, override_root_xform),
            self._import_rules(False, parse_visuals_as_colliders),
            mjcf.mjcf_names(robot),
            self._turn_up(up_axis),
            collapse_fixed_joints=collapse_fixed_joints,
            collapse_massless_root=collapse_massless_fixed_root,
            self_collisions=enable_self_collisions,
            visuals=parse_visuals and not parse_visuals_as_colliders,
            hide_visuals=hide_visuals,
            show_colliders=force_show_colliders,
            drawn=() if parse_visuals_as_colliders else mjcf.drawn_planes(described, choice),
            sites=mjcf.site_shapes(robot, scale) if parse_sites else {},
            site_sizes=mjcf.site_sizes(robot, scale) if parse_sites else {},
        )
        first_shape = self.shape_count
        placed = add_whole(self, robot, whole)
        limit_hulls(self, first_shape, mesh_maxhullvert)
        taken = MjcfImport(self, described, placed, scale)
        add_stated(taken, parse_mujoco_options)
        keeps_equalities = not (convert_mjc_equality_constraints or skip_equality_constraints)
        add_tables(taken, ctrl_direct=ctrl_direct, keeps_equalities=keeps_equalities)
        return placed

    def add_usd(
        self,
        source: Any,
        *,
        schema_resolvers: Sequence[SchemaResolver] | None = None,
        xform: Xform | None = None,
        floating: bool | None = None,
        joint_drive_gains_scaling: float = 1.0,
        ignore_paths: Sequence[str] = (),
        collapse_fixed_joints: bool = False,
        enable_self_collisions: bool = True,
        apply_up_axis_from_stage: bool = False,
        root_path: str = "/",
        skip_mesh_approximation: bool = False,
        angles_in_degrees: bool = False,
        base_joint: Mapping[str, Any] | None = None,
        parent_body: int = WORLD,
        override_root_xform: bool = False,
        load_sites: bool = True,
        load_visual_shapes: bool = True,
        load_static_visual_shapes: bool = True,
        hide_collision_shapes: bool = False,
        force_show_colliders: bool = False,
        parse_mujoco_options: bool = True,
        convert_mjc_equality_constraints: bool = True,
        force_position_velocity_actuation: bool = False,
        mesh_maxhullvert: int | None = None,
        only_load_enabled_joints: bool = True,
        joint_ordering: str | None = "dfs",
        bodies_follow_joint_ordering: bool = True,
        **further: Any,
    ) -> dict[str, Any]:
        """Read a USD stage and add its bodies, joints and colliders, with their values from solvers' schemas.

        Mass properties follow the rules in docs/usd.md. Lengths and masses are converted to SI, and the up axis is
        rotated to z. Names and defaults are those of Newton's importer; its options that are not supported here raise
        an error. Gravity is that of the stage's physics scene, if it has one.

        Args:
            source: A file path, the text of a layer, an open `pxr.Usd.Stage`, or the description of one.
            schema_resolvers: Schemas in which to look up solvers' values, in order of decreasing priority; by default
                only Newton's schemas.
            xform: Pose of the stage; the identity by default.
            floating: Whether bodies in the world are free (True) or fixed (False); None for the joints of the stage.
            joint_drive_gains_scaling: Factor on the gains of drives.
            ignore_paths: Regular expressions, matched from the start of the path; matching prims and their descendants
                are skipped.
            collapse_fixed_joints: Whether to merge links connected by fixed joints into one body.
            enable_self_collisions: Whether bodies of one articulation collide with each other if the stage does not
                say; bodies connected by a joint never do.
            apply_up_axis_from_stage: Whether to keep the stage's axes and align gravity with them; otherwise z points
                up.
            root_path: Path of the prim below which to read.
            skip_mesh_approximation: Whether to ignore the approximations that prims request for meshes: static meshes
                then collide as their triangles, moving ones as their convex hulls.
            angles_in_degrees: Whether positions, velocities and gains of revolute joints in solvers' schemas are in
                degrees, as PhysX writes them; otherwise in radians. Those of UsdPhysics itself are always in degrees.
            base_joint: See `add_urdf`.
            parent_body: See `add_urdf`.
            override_root_xform: Whether `xform` is the pose of the prim with the articulation root, whatever its pose
                in the stage; without an articulation, that of the body.
            load_sites: Whether prims with NewtonSiteAPI or MjcSiteAPI become sites.
            load_visual_shapes: Whether geometry other than colliders becomes shapes without collision, with its
                normals, texture coordinates and material; a mesh with face subsets of different materials becomes one
                shape for each. A disabled collider always becomes such a shape.
            load_static_visual_shapes: The same for geometry without a body.
            hide_collision_shapes: Whether to hide the colliders of bodies that have visuals.
            force_show_colliders: Whether to show all colliders; otherwise their purpose and visibility decide.
            parse_mujoco_options: Whether custom attributes of MuJoCo's options, if the scene declares them, get the
                values of the stage.
            convert_mjc_equality_constraints: Whether MuJoCo's equalities become joints and couplings; otherwise they
                become rows of the table `mujoco:equality_constraint`, which have no effect here.
            force_position_velocity_actuation: Whether the target mode of all drives with both gains is
                `POSITION_VELOCITY`; otherwise it is `POSITION` for drives with a zero velocity target. The gains act
                either way.
            mesh_maxhullvert: See `add_urdf`; the limit of a prim itself takes precedence.
            only_load_enabled_joints: Whether to skip disabled joints. Otherwise they become joints with `joint_enabled`
                false, which a solver can enable: a body without another joint is the child of one and floats, and the
                other disabled joints close loops. Disabled equalities of MuJoCo become disabled rows.
            joint_ordering: See `add_urdf`.
            bodies_follow_joint_ordering: See `add_urdf`.
            **further: Other options of Newton's importer, which must have their default values.

        Returns:
            A dictionary. About prims: `path_body_map`, `path_joint_map`, `path_shape_map` (index by path),
            `path_shape_scale`, `path_body_relative_transform`. About the stage: `fps`, `duration`, `up_axis`,
            `mass_unit`, `linear_unit`. About the physics scene: `physics_scene_path`, `scene_attributes`, `physics_dt`,
            `max_solver_iterations`. Also `schema_attrs[solver][path][attribute]`; `findings`, the assumptions about
            inertials; and `articulation`, the result of the other importers.

        Raises:
            ParseError: The stage cannot be read.
            OptionError: The source is not USD, or an option is not supported.
            MissingDependencyError: usd-core is not installed.
        """
        from inertia_tools.sim.importing import usd, usd_source
        from inertia_tools.sim.importing.options import as_patterns, refuse_foreign
        from inertia_tools.sim.importing.tree_order import TreeOrder

        refuse_foreign("add_usd", further, usd_source.ONLY_SEEN, usd_source.REFUSED)
        options = usd_source.UsdOptions(
            schema_resolvers,
            xform,
            floating,
            joint_drive_gains_scaling,
            as_patterns("ignore_paths", ignore_paths),
            collapse_fixed_joints,
            enable_self_collisions,
            apply_up_axis_from_stage,
            root_path,
            skip_mesh_approximation,
            angles_in_degrees,
            base_joint,
            parent_body,
            override_root_xform,
            load_sites,
            load_visual_shapes,
            load_static_visual_shapes,
            hide_collision_shapes,
            force_show_colliders,
            parse_mujoco_options,
            convert_mjc_equality_constraints,
            force_position_velocity_actuation,
            mesh_maxhullvert,
            only_load_enabled_joints,
            TreeOrder(joint_ordering, bodies_follow_joint_ordering),
        )
        return usd.add_usd(self, source, options)

    def _import_rules(self, ignore_inertial_definitions: bool, parse_visuals_as_colliders: bool) -> ImportRules:
        from inertia_tools.sim.importing.rules import ImportRules

        return ImportRules(
            self.default_shape_density,
            ignore_inertial_definitions,
            parse_visuals_as_colliders,
            thickness=None if self.default_shape_cfg.is_solid else self.default_shape_cfg.margin,
        )

    def _add_robot(
        self,
        robot: Description,
        rules: ImportRules,
        xform: Xform | None,
        fixed_base: bool,
        collapse_fixed_joints: bool,
        self_collisions: bool = False,
    ) -> Articulation:
        from inertia_tools.sim.importing.articulation import RobotOptions, add_robot

        options = RobotOptions(rules, xform, fixed_base, collapse_fixed_joints, self_collisions)
        return add_robot(self, robot, options)
