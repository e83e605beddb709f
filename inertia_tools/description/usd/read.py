# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Reading a USD stage into a `Description`.

The world is a link that never moves, the root of one tree. A body without a joint floats in it; a disabled or kinematic
one is fixed to it. Lengths and masses are converted to SI; axes are not changed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from inertia_tools.description.link import DeclaredInertial, Link, Shape
from inertia_tools.description.source import Document, Place
from inertia_tools.description.types import WORLD, Description, Format, Remark
from inertia_tools.description.usd.actuation import Actuation, read_actuation
from inertia_tools.description.usd.attributes import applied_schemas, numbers, stated_or
from inertia_tools.description.usd.body_index import WORLD_PATH, BodyIndex
from inertia_tools.description.usd.colliders import ShapeReader
from inertia_tools.description.usd.composition import composition_remarks
from inertia_tools.description.usd.joint_tree import JointTree
from inertia_tools.description.usd.lines import Lines
from inertia_tools.description.usd.mass import MASS_APIS, NEWTON_TENSOR, read_mass, tensor_fault
from inertia_tools.description.usd.misfits import naming_misfits
from inertia_tools.description.usd.names import name_of
from inertia_tools.description.usd.placement import Placement
from inertia_tools.description.usd.stage import open_stage, refusing, units_of
from inertia_tools.description.usd.subsets import by_material
from inertia_tools.description.usd.survey import COLLISION_API, SITE_APIS, Selection, Survey, is_physical, survey
from inertia_tools.description.usd.unused_mass import unused_masses
from inertia_tools.description.usd_bodies import AuthoredMass, Collider, UsdBodies, UsdBody
from inertia_tools.errors import InertiaToolsError, ParseError
from inertia_tools.spatial import Array, Pose

EARTH = 9.81
"""Default gravity of a scene [m/s^2]."""


def read_usd(document: Document) -> Description:
    """Read the stage of a document.

    Raises:
        MissingDependencyError: usd-core is not installed.
        ParseError: The stage cannot be opened.
    """
    return read_stage(open_stage(document), document)


def document_of(stage: Any) -> Document:
    """Return a document for an open stage."""
    layer = stage.GetRootLayer()
    path = Path(layer.realPath) if layer.realPath else None
    return Document(layer.ExportToString().encode(), layer.identifier, path)


def read_stage(stage: Any, document: Document, selection: Selection | None = None) -> Description:
    """Read an open stage.

    Args:
        stage: A `pxr.Usd.Stage`.
        document: The document from which it was opened.
        selection: The selected prims; all by default.

    Raises:
        ParseError: A joint names a prim that is not a body, a value has the wrong type, or the selection is empty.
    """
    try:
        with refusing(document):
            return _StageReader(stage, document, selection or Selection()).read()
    except InertiaToolsError:
        raise
    except (ArithmeticError, AttributeError, TypeError, ValueError) as error:
        reason = f"a value has an unusable type or size: {error}"
        raise ParseError(reason, document.name) from error


class _StageReader:
    """Reads one stage."""

    def __init__(self, stage: Any, document: Document, selection: Selection) -> None:
        self._stage, self._document = stage, document
        self._units = units_of(stage, document.name)
        self._placement = Placement(self._units.metre)
        self._selection = selection
        self._found: Survey = survey(stage, selection)
        self._remarks: list[Remark] = []
        self._index = BodyIndex(self._found.bodies, self._placement)
        self._lines = Lines(document)

    def read(self) -> Description:
        """Read everything."""
        self._remarks += composition_remarks(self._stage, self._lines)
        self._require_bodies()
        self._require_places()
        shapes, colliders = self._read_shapes()
        bodies = {}
        for path, prim in self._index.prims.items():
            with naming_misfits(prim, self._lines):
                bodies[path] = self._body(prim, colliders.get(path, []))
        self._remarks += unused_masses(self._found, self._index.link, self._lines)
        links = {WORLD: Link(WORLD, self._place, collisions=tuple(shapes[WORLD_PATH, True]), is_static=True)}
        for path, body in bodies.items():
            links[self._index.link[path]] = self._link(body, shapes)
        tree = JointTree(self._found, self._index, self._placement, self._units, self._lines)
        tree.grow(bodies, self._selection.keeps_disabled_joints)
        actuation = read_actuation(self._found.actuators, tree.joints, tree.paths, self._stage, self._units)
        self._remark_on_units()
        self._remark_on_groups()
        self._remark_on_instancers()
        self._remark_on_actuators(actuation)
        return Description(
            name=self._name(),
            format=Format.USD,
            document=self._document,
            links=links,
            joints={name: actuation.apply(joint) for name, joint in tree.joints.items()},
            roots=(WORLD,),
            loop_joints=tree.loops,
            apart=self._read_filters(),
            remarks=(*self._remarks, *tree.remarks),
            usd=UsdBodies(
                stage=self._stage,
                units=self._units,
                bodies={self._index.link[path]: body for path, body in bodies.items()},
                colliders=tuple(colliders.get(WORLD_PATH, ())),
                joint_paths=tree.paths,
                articulation_roots=tuple(str(prim.GetPath()) for prim in self._found.articulation_roots),
                scenes=tuple(str(prim.GetPath()) for prim in self._found.scenes),
                collision_groups=tuple(str(prim.GetPath()) for prim in self._found.groups),
                materials=tuple(sorted(self._found.materials)),
                gravity=self._gravity(),
                disabled_joints=tree.disabled,
                tethers=tree.tethers,
                sites=self._sites(),
                scenery=tuple(shapes.get((WORLD_PATH, False), ())),
            ),
        )

    @property
    def _place(self) -> Place:
        return self._lines.whole

    def _require_bodies(self) -> None:
        """Report a stage without bodies.

        Raises:
            ParseError: It refers to files that may contain them and cannot be read.
        """
        if self._found.bodies:
            return
        broken = next((remark for remark in self._remarks if remark.level == "error"), None)
        if broken is not None:
            raise ParseError(broken.message, broken.place.file, broken.place.line)
        message = "the stage has no rigid body; apply PhysicsRigidBodyAPI to the prims that are links"
        is_scenery = any(COLLISION_API in apis for _, _, apis in self._found.gprims)
        self._remarks.append(Remark("info" if is_scenery else "warning", "no-bodies", "", message, self._place))

    def _require_places(self) -> None:
        """Refuse transforms that are not finite.

        Raises:
            ParseError: The transform of a body or of geometry has entries that are not finite.
        """
        prims = (*self._found.bodies, *(prim for prim, _, _ in self._found.gprims))
        if np.isfinite(np.array([self._placement.of(prim)[0] for prim in prims])).all():
            return
        for prim in prims:
            if not np.isfinite(self._placement.of(prim)[0]).all():
                place = self._lines.place(prim)
                message = (
                    f"{prim.GetPath()}: its transform has entries that are not finite numbers; correct its xformOps"
                )
                raise ParseError(message, place.file, place.line)

    def _name(self) -> str:
        prim = self._stage.GetDefaultPrim()
        return name_of(prim) if prim else Path(self._document.name.strip("<>")).stem

    def _read_shapes(self) -> tuple[dict[tuple[str, bool], list[Shape]], dict[str, list[Collider]]]:
        """Read all geometry: shapes by body and by whether they collide, and colliders by body."""
        reader = ShapeReader(self._units, self._placement, self._found.materials, self._lines)
        shapes: dict[tuple[str, bool], list[Shape]] = {(WORLD_PATH, True): []}
        colliders: dict[str, list[Collider]] = {}
        for prim, body, apis in self._found.gprims:
            if not SITE_APIS.isdisjoint(apis):
                continue
            path = WORLD_PATH if body is None else str(body.GetPath())
            with naming_misfits(prim, self._lines):
                read = reader.read(prim, apis, self._index.pose_of(path), body)
            if read is None:
                continue
            shape, collider = read
            if collider is not None:
                colliders.setdefault(path, []).append(collider)
            collides = collider is not None and collider.is_enabled
            shapes.setdefault((path, collides), []).extend([shape] if collides else by_material(prim, shape))
        for prim in self._found.unknown:
            kind = str(prim.GetTypeName())
            message = f"{prim.GetPath()} is of the unknown type {kind}, so it is ignored; write Physics{kind}"
            self._remarks.append(Remark("warning", "unknown-type", "", message, self._lines.place(prim)))
        for prim in self._found.stray_colliders:
            message = f"{prim.GetPath()} has PhysicsCollisionAPI but is not geometry; apply it to geometry prims"
            self._remarks.append(Remark("warning", "stray-collider", "", message, self._lines.place(prim)))
        return shapes, colliders

    def _sites(self) -> dict[str, tuple[Shape, ...]]:
        """Read the markers of each link and of the world, by name of the link."""
        reader = ShapeReader(self._units, self._placement, self._found.materials, self._lines)
        found: dict[str, list[Shape]] = {}
        for prim, body, apis in self._found.gprims:
            path = WORLD_PATH if body is None else str(body.GetPath())
            read = None if SITE_APIS.isdisjoint(apis) else reader.read(prim, apis, self._index.pose_of(path))
            if read is not None:
                found.setdefault(WORLD if body is None else self._index.link[path], []).append(read[0])
        return {name: tuple(shapes) for name, shapes in found.items()}

    def _body(self, prim: Any, colliders: list[Collider]) -> UsdBody:
        path = str(prim.GetPath())
        has_mass = not MASS_APIS.isdisjoint(applied_schemas(prim))
        stretch = self._placement.of(prim)[2]
        stated = read_mass(prim, self._units, stretch) if has_mass else None
        fault = tensor_fault(prim)
        if fault:
            message = f"{path}: {NEWTON_TENSOR} is ignored: {fault}"
            self._remarks.append(
                Remark("warning", "ignored-tensor", self._index.link[path], message, self._lines.place(prim))
            )
        return UsdBody(
            path=path,
            stated=stated,
            colliders=tuple(colliders),
            pose_world_body=self._index.pose[path],
            is_enabled=bool(stated_or(prim, "physics:rigidBodyEnabled", True)),
            is_kinematic=bool(stated_or(prim, "physics:kinematicEnabled", False)),
            stretch=stretch,
            instances=_instances(prim),
        )

    def _link(self, body: UsdBody, shapes: dict[tuple[str, bool], list[Shape]]) -> Link:
        place = self._lines.place(self._index.prims[body.path])
        return Link(
            name=self._index.link[body.path],
            place=place,
            declared=None if body.stated is None else declared_of(body.stated, place),
            collisions=tuple(shapes.get((body.path, True), ())),
            visuals=tuple(shapes.get((body.path, False), ())),
            is_static=not body.is_enabled or body.is_kinematic,
        )

    def _read_filters(self) -> frozenset[frozenset[str]]:
        """List the pairs of links that never touch; a filter on a collider applies to its whole body."""
        pairs = set()
        for prim in self._found.filters:
            relationship = prim.GetRelationship("physics:filteredPairs")
            others = [self._stage.GetPrimAtPath(path) for path in (relationship.GetTargets() if relationship else ())]
            ends = [self._index.above(other) for other in (prim, *others) if other]
            names = [None if path is None else self._index.link[path] for path in ends]
            pairs |= {frozenset({names[0], name}) for name in names[1:] if name not in (None, names[0])}
        return frozenset(frozenset(name for name in pair if name is not None) for pair in pairs if None not in pair)

    def _remark_on_groups(self) -> None:
        if self._found.groups:
            names = ", ".join(str(prim.GetPath()) for prim in self._found.groups)
            message = f"collision groups ({names}) filter collisions in scenes; other formats cannot store them"
            self._remarks.append(Remark("info", "collision-group", "", message, self._place))

    def _remark_on_instancers(self) -> None:
        """Report the point instancers of bodies or colliders; those of visuals have no effect on physics."""
        for prim in self._found.instancers:
            relationship = prim.GetRelationship("prototypes")
            prototypes = [
                self._stage.GetPrimAtPath(path) for path in (relationship.GetTargets() if relationship else ())
            ]
            if any(is_physical(prototype) for prototype in prototypes if prototype):
                what = "makes copies of bodies or colliders, which are not read; use instances"
                message = f"{prim.GetPath()} {what}"
                self._remarks.append(Remark("error", "point-instancer", "", message, self._lines.place(prim)))

    def _remark_on_actuators(self, actuation: Actuation) -> None:
        if actuation.unused:
            message = f"some joint actuation is not read: {'; '.join(actuation.unused)}"
            self._remarks.append(Remark("warning", "unused-actuator", "", message, self._place))

    def _gravity(self) -> Array | None:
        """Return the gravity vector of the first scene; by default, that of the earth along the stage's up axis."""
        if not self._found.scenes:
            return None
        scene = self._found.scenes[0]
        with naming_misfits(scene, self._lines):
            return self._stated_gravity(scene)

    def _stated_gravity(self, scene: Any) -> Array:
        direction = numbers(stated_or(scene, "physics:gravityDirection", (0.0, 0.0, 0.0)))
        magnitude = float(stated_or(scene, "physics:gravityMagnitude", -np.inf))
        assert direction is not None
        length = float(np.linalg.norm(direction))
        down = direction / length if length > 0.0 else -np.eye(3)["XYZ".index(self._units.up_axis)]
        return np.asarray(down * (magnitude * self._units.metre if 0.0 <= magnitude < np.inf else EARTH))

    def _remark_on_units(self) -> None:
        if self._units.is_assumed:
            message = "the stage states no metersPerUnit; metres are assumed (OpenUSD's default is 0.01); state it"
            self._remarks.append(Remark("info", "unit-assumed", "", message, self._place))


def declared_of(stated: AuthoredMass, place: Place) -> DeclaredInertial | None:
    """Return a prim's stated values as a declaration; None if it states only a density, or nothing."""
    if stated.mass is None and stated.com is None and not stated.has_tensor:
        return None
    centre = np.zeros(3) if stated.com is None else stated.com
    tensor: Array | None
    if stated.tensor is not None:
        pose, tensor = Pose(centre), stated.tensor
    else:
        pose = Pose(centre, np.eye(3) if stated.axes is None else stated.axes)
        tensor = None if stated.diagonal is None else np.diag(stated.diagonal)
    absent = () if stated.has_tensor else ("ixx", "iyy", "izz")
    defaulted = () if stated.com is not None else ("pose",)
    return DeclaredInertial(stated.mass, pose, tensor, place, absent, defaulted)


def _instances(prim: Any) -> tuple[str, ...]:
    """Return the paths of the instances that contain a prim, outer ones first."""
    found: list[str] = []
    while prim.IsInstanceProxy():
        prim = prim.GetParent()
        if prim.IsInstance():
            found.insert(0, str(prim.GetPath()))
    return tuple(found)
