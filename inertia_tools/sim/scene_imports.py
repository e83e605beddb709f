# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Robots and worlds from files, as bodies, shapes and joints of a scene."""

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
"""A file, the text of one, or what was read from it."""


@dataclass
class SceneImports(Scene):
    """Adds robots and worlds; each format has its method, and all of them `add_description`."""

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
        """Add a robot as its file states it; its meshes collide as their hulls, its links not with each other.

        Of a USD stage come with it: custom attributes, materials, where bodies and joints start and how they move then,
        and what solvers' schemas state of joints and shapes. `add_usd` also looks at scenes and articulations.

        Args:
            robot: The description.
            xform: Pose of its root link, or of the document's frame where there are several roots; by default the
                lowest point of its geometry touches z = 0, or, on a fixed base, the identity.
            fixed_base: The root does not move, nor does what floats on a joint; a root named `world` never does.
            collapse_fixed_joints: Make one body of links that fixed joints hold together. Otherwise only frames without
                mass are merged, which would not move as bodies of their own.
            schema_resolvers: As for `add_usd`; of no use for other formats.
            angles_in_degrees: As for `add_usd`.

        Raises:
            SimulationError: A link has an impossible inertial, or moves and has none.
            OptionError: It is no description; or there are resolvers, and it is not of USD.
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
        """Read a URDF and add it, by the rules of Newton's page, and with the defaults of Newton's importer.

        Every link becomes a body, and every joint a joint; the root is on a fixed joint unless something else is asked
        for. What an `<inertial>` states wins. A link without one weighs what its colliders weigh at the default
        density; a mass without a tensor takes tensor and centre of mass of the colliders, scaled to it; visuals weigh
        nothing unless they are made colliders. Every assumption is in the `findings` of the result. Values that no body
        can have are left to `finalize`.

        Args:
            source: A file, its text, or a description.
            xform: Pose of the robot's frame, seen from `parent_body`.
            floating: The root is on a free joint if True, else on a fixed one.
            base_joint: Options of `add_joint` for the joint of the root, instead.
            parent_body: Body that the root is joined to, of the last articulation, which it becomes part of; -1 is the
                world.
            scale: Factor on all lengths. Stated masses stay, so stated tensors grow by its square: they are the mass
                times squared lengths. Masses from colliders grow by its cube.
            hide_visuals: Visuals are not drawn.
            parse_visuals_as_colliders: The visuals of a link, where it has any, take the place of its collisions.
            up_axis: Axis of the file that points up; it is turned to that of the scene.
            force_show_colliders: Colliders are drawn even if there are visuals.
            enable_self_collisions: Links touch each other, but not those that a joint joins.
            ignore_inertial_definitions: Take nothing from `<inertial>`; colliders give all masses.
            joint_ordering: Order of the joints: "dfs" each branch to its end, "bfs" those near the root first, None as
                in the file.
            bodies_follow_joint_ordering: Bodies stand in the order of the joints; otherwise as in the file.
            collapse_fixed_joints: Make one body of links that fixed joints hold together.
            collapse_massless_fixed_root: Make one body of frames without mass at a free root and what is fixed to them.
            override_root_xform: `xform` is the pose of the root itself.
            joint_damping_mode: `<dynamics damping>` is that of the joint itself if "passive", of its drive if "drive".
            mesh_maxhullvert: Most corners of the hulls that meshes collide as, four or more; None keeps all.
            package_dirs: As `package_path`.
            package_path: Folders to search first for packages that the file names.
            **further: Other options of Newton's importer, at their defaults.

        Raises:
            ParseError: The file cannot be read.
            OptionError: An option has no meaning, or contradicts another.
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
        """Return the turn that brings the up axis of a file to that of the scene.

        Raises:
            OptionError: It is no axis.
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
        """Read an SDFormat model or world and add it; its defaults and automatic inertials are those of libsdformat.

        Args:
            source: As for `add_urdf`.
            ignore_inertial_definitions: As for `add_urdf`.
            parse_visuals_as_colliders: As for `add_urdf`.
            scale: As for `add_urdf`.
            collapse_fixed_joints: As for `add_description`.
            xform: As for `add_description`.
            fixed_base: As for `add_description`.
            enable_self_collisions: Links of one model touch each other, but not those that a joint joins.
            package_path: As for `add_urdf`.

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
        """Read an MJCF document and add its bodies, with the mass properties that MuJoCo's compiler gives them.

        Every body becomes a body; one that stands in the world without a joint is on a fixed one, and geoms of the
        world are the world's. An `<inertial>` locks its body: shapes that are added later do not change it. A body
        without one weighs what its geoms weigh, and more with what is added. Names and defaults are those of Newton's
        importer; options of it that have no meaning here are refused by name.

        Args:
            source: A file, its text, or a description.
            xform: Pose of the document's frame, seen from `parent_body`; the identity by default.
            floating: Bodies in the world are free if True, fixed if False, and as the document says if None.
            base_joint: As for `add_urdf`.
            parent_body: As for `add_urdf`.
            armature_scale: Factor on the armature of joints.
            scale: As for `add_urdf`.
            hide_visuals: Visuals are not drawn.
            parse_visuals_as_colliders: As for `add_urdf`.
            parse_meshes: Geoms that are meshes count; otherwise they neither touch nor weigh.
            parse_sites: Sites become shapes that touch nothing.
            parse_visuals: Geoms that touch nothing become shapes.
            up_axis: Axis of the document that points up: X, Y or Z.
            ignore_names: Regular expressions; what has a name that one matches from the start is left out: bodies with
                all that stands in them, joints, geoms.
            ignore_classes: The same for the classes of bodies and geoms.
            visual_classes: Geoms of these classes do not touch, whatever their masks.
            collider_classes: Geoms of these classes are colliders.
            no_class_as_colliders: A geom of other classes or none touches, if its masks let it.
            force_show_colliders: As for `add_urdf`.
            enable_self_collisions: Bodies touch each other as `contype`, `conaffinity` and `<exclude>` let them, but
                not those that a joint joins; otherwise bodies do not.
            ignore_inertial_definitions: Take nothing from `<inertial>`; geoms give all masses.
            collapse_fixed_joints: As for `add_urdf`.
            collapse_massless_fixed_root: As for `add_urdf`.
            skip_equality_constraints: Leave `<equality>` out.
            legacy_margin_gap: Geoms rest at their margin less their gap, as in MuJoCo before 3.9.
            parse_mujoco_options: Keep `<option>` as custom attributes; see `SolverMuJoCo.register_custom_attributes`.
            convert_mjc_equality_constraints: Equalities become joints and couplings; otherwise rows of the table
                `mujoco:equality_constraint`, which hold nothing together here.
            ctrl_direct: Actuators are rows of the table `mujoco:actuator` alone, and drive nothing here; otherwise
                those of joints drive them, too.
            override_root_xform: As for `add_urdf`.
            mesh_maxhullvert: As for `add_urdf`; what a mesh states goes first.
            package_path: Folders to search first for what the file names.
            path_resolver: Returns the path of a file that the document names, or the text of an included one, of the
                folder of the document (None for text) and of the name; by default files are where MuJoCo finds them.
            **further: Other options of Newton's importer, at their defaults.

        Raises:
            ParseError: The file cannot be read, or MuJoCo refuses it for what would move otherwise here. What else it
                refuses or looks past is a `SceneWarning` each.
            OptionError: It is no MJCF, or an option has no meaning here.
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
        """Read a USD stage and add its bodies, joints and colliders, with what solvers' schemas state of them.

        Mass properties follow the rules in docs/usd.md; lengths and masses are converted to SI, and the axis that
        points up is turned to z. Names and defaults are those of Newton's importer; options of it that have no meaning
        here are refused by name. Gravity is that of the stage's scene, where it has one.

        Args:
            source: A file, the text of a layer, an open `pxr.Usd.Stage`, or a description that was read from one.
            schema_resolvers: Where solvers' values are looked for, the first with the highest priority; by default
                Newton's schemas alone.
            xform: Pose of the stage; the identity by default.
            floating: Bodies in the world are free if True, fixed if False, and as the stage says if None.
            joint_drive_gains_scaling: Factor on the gains of drives.
            ignore_paths: Regular expressions; prims with a path that one matches from the start are left out, with all
                under them.
            collapse_fixed_joints: Make one body of links that fixed joints hold together.
            enable_self_collisions: Bodies of one articulation touch each other, where the stage does not say; those
                that a joint joins never do.
            apply_up_axis_from_stage: Keep the stage's axes, and let gravity point along them; otherwise z points up.
            root_path: Only what stands under this prim.
            skip_mesh_approximation: Meshes collide as if their prims did not ask for anything: as their triangles while
                they stay, as their hulls while they move.
            angles_in_degrees: Positions, velocities and gains of turning joints in solvers' schemas are by degree, as
                PhysX writes them; otherwise by radian. What UsdPhysics itself has is by degree always.
            base_joint: As for `add_urdf`.
            parent_body: As for `add_urdf`.
            override_root_xform: `xform` is the pose of the prim with the articulation root, wherever the stage puts
                it; of a body that stands under none, that of the body.
            load_sites: Prims with NewtonSiteAPI or MjcSiteAPI become sites.
            load_visual_shapes: Geometry that is no collider becomes shapes that touch nothing, with the normals,
                texture coordinates and material that it states; a mesh with subsets of faces that have materials of
                their own is a shape for each. A disabled collider becomes such a shape in any case.
            load_static_visual_shapes: The same of geometry on no body.
            hide_collision_shapes: Colliders of bodies with something else to see are not drawn.
            force_show_colliders: All colliders are drawn; otherwise those whose purpose and visibility let a viewport
                draw them.
            parse_mujoco_options: Custom attributes of MuJoCo's options, where the scene declares them, have the values
                of the stage.
            convert_mjc_equality_constraints: MuJoCo's equalities are joints and couplings; otherwise rows of the table
                `mujoco:equality_constraint`, which hold nothing together here.
            force_position_velocity_actuation: The target mode of drives with both gains is `POSITION_VELOCITY`; of
                those that aim at rest it is `POSITION` otherwise. The gains act either way.
            mesh_maxhullvert: As for `add_urdf`; what a prim states goes first.
            only_load_enabled_joints: Joints that are switched off are left out. Otherwise they are joints with
                `joint_enabled` false, which a solver can switch on: a body that nothing else carries hangs on one and
                floats, the others close loops. Equalities of MuJoCo that are switched off are rows that say so.
            joint_ordering: As for `add_urdf`.
            bodies_follow_joint_ordering: As for `add_urdf`.
            **further: Other options of Newton's importer, at their defaults.

        Returns:
            What became of each prim: `path_body_map`, `path_joint_map`, `path_shape_map` (index by path),
            `path_shape_scale`, `path_body_relative_transform`; of the stage `fps`, `duration`, `up_axis`, `mass_unit`,
            `linear_unit`; of the scene `physics_scene_path`, `scene_attributes`, `physics_dt`,
            `max_solver_iterations`; `schema_attrs[solver][path][attribute]`; `findings`, what was assumed about
            inertials; and `articulation`, what the other importers return.

        Raises:
            ParseError: The stage cannot be read.
            OptionError: It is no USD, or an option has no meaning here.
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
