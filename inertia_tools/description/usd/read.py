# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""From a USD stage to a `Description`.

The world is a link that never moves, the root of one tree. A body that no joint holds floats in it; one that is
switched off or kinematic is fixed to it. Lengths and masses are converted to SI; axes stay as they are.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from inertia_tools.description.joint import Joint, JointType
from inertia_tools.description.link import DeclaredInertial, Link, Shape
from inertia_tools.description.source import Document, Place
from inertia_tools.description.staged import AuthoredMass, Collider, StageBody, StagedBodies
from inertia_tools.description.types import WORLD, Description, Format, Remark
from inertia_tools.description.usd.attributes import authored, numbers, stated_or
from inertia_tools.description.usd.colliders import ShapeReader
from inertia_tools.description.usd.joints import StageJoint, joint_between, read_frame, stacked
from inertia_tools.description.usd.mass import MASS_API, NAMES, read_mass
from inertia_tools.description.usd.names import names_of
from inertia_tools.description.usd.placement import Placement
from inertia_tools.description.usd.stage import open_stage, units_of
from inertia_tools.description.usd.survey import Selection, Survey, survey
from inertia_tools.description.usd.tree import WORLD_PATH, Branch, grow
from inertia_tools.errors import ParseError
from inertia_tools.spatial import Array, Pose

EARTH = 9.81
"""Free fall where a scene names none [m/s^2]."""


def read_usd(document: Document) -> Description:
    """Read the stage of a document.

    Raises:
        MissingDependencyError: usd-core is not installed.
        ParseError: The stage cannot be opened.
    """
    return read_stage(open_stage(document), document)


def document_of(stage: Any) -> Document:
    """Return a document for a stage that is open already."""
    layer = stage.GetRootLayer()
    path = Path(layer.realPath) if layer.realPath else None
    return Document(layer.ExportToString().encode(), layer.identifier, path)


def read_stage(stage: Any, document: Document, selection: Selection | None = None) -> Description:
    """Read a stage that is open.

    Args:
        stage: A `pxr.Usd.Stage`.
        document: What it was opened from.
        selection: Which prims count; all by default.

    Raises:
        ParseError: A joint names what is no body.
    """
    return _StageReader(stage, document, selection or Selection()).read()


class _StageReader:
    """Reads one stage."""

    def __init__(self, stage: Any, document: Document, selection: Selection) -> None:
        self._stage, self._document = stage, document
        self._units = units_of(stage)
        self._placement = Placement(self._units.metre)
        self._found: Survey = survey(stage, selection)
        self._remarks: list[Remark] = []
        self._names = names_of(self._found.bodies, {WORLD})
        self._link_at = {WORLD_PATH: WORLD, **self._names}
        self._poses = {str(prim.GetPath()): self._placement.of(prim)[1] for prim in self._found.bodies}

    def read(self) -> Description:
        """Read everything."""
        shapes, colliders = self._read_shapes()
        bodies = {path: self._body(prim, colliders.get(path, [])) for path, prim in self._by_path().items()}
        links = {WORLD: Link(WORLD, self._place, collisions=tuple(shapes[WORLD_PATH, True]), is_static=True)}
        for path, body in bodies.items():
            links[self._names[path]] = self._link(body, shapes)
        joints, loops, paths = self._read_joints(bodies)
        self._remark_on_units()
        self._remark_on_groups()
        return Description(
            name=self._name(),
            format=Format.USD,
            document=self._document,
            links=links,
            joints=joints,
            roots=(WORLD,),
            loop_joints=loops,
            apart=self._read_filters(),
            remarks=tuple(self._remarks),
            staged=StagedBodies(
                stage=self._stage,
                units=self._units,
                bodies={self._names[path]: body for path, body in bodies.items()},
                colliders=tuple(colliders.get(WORLD_PATH, ())),
                joint_paths=paths,
                articulation_roots=tuple(str(prim.GetPath()) for prim in self._found.articulation_roots),
                scenes=tuple(str(prim.GetPath()) for prim in self._found.scenes),
                gravity=self._gravity(),
                disabled_joints=tuple(j.path for j in self._stage_joints() if not j.is_enabled),
            ),
        )

    @property
    def _place(self) -> Place:
        return Place(self._document.name)

    def _by_path(self) -> dict[str, Any]:
        return {str(prim.GetPath()): prim for prim in self._found.bodies}

    def _name(self) -> str:
        prim = self._stage.GetDefaultPrim()
        return str(prim.GetName()) if prim else Path(self._document.name).stem

    def _read_shapes(self) -> tuple[dict[tuple[str, bool], list[Shape]], dict[str, list[Collider]]]:
        """Read all geometry: shapes by body and by whether they collide, and colliders by body."""
        reader = ShapeReader(self._units, self._placement, self._found.materials, self._document.name)
        shapes: dict[tuple[str, bool], list[Shape]] = {(WORLD_PATH, True): []}
        colliders: dict[str, list[Collider]] = {}
        for prim, body, apis in self._found.gprims:
            path = WORLD_PATH if body is None else str(body.GetPath())
            read = reader.read(prim, apis, self._poses.get(path, Pose()))
            if read is None:
                continue
            shape, collider = read
            if collider is not None:
                colliders.setdefault(path, []).append(collider)
            if collider is None or collider.is_enabled:
                shapes.setdefault((path, collider is not None), []).append(shape)
        for prim in self._found.stray_colliders:
            message = f"{prim.GetPath()} has PhysicsCollisionAPI and is no geometry; apply it to the prims that are"
            self._remarks.append(Remark("warning", "stray-collider", "", message, self._place))
        return shapes, colliders

    def _body(self, prim: Any, colliders: list[Collider]) -> StageBody:
        path = str(prim.GetPath())
        has_mass = MASS_API in [str(name) for name in prim.GetAppliedSchemas()]
        if not has_mass and any(authored(prim, name) is not None for name in NAMES):
            message = f"{path} states mass properties without PhysicsMassAPI, so they are ignored; apply it"
            self._remarks.append(Remark("warning", "missing-mass-api", self._names[path], message, self._place))
        stretch = self._placement.of(prim)[2]
        return StageBody(
            path=path,
            stated=read_mass(prim, self._units, stretch) if has_mass else None,
            colliders=tuple(colliders),
            pose_world_body=self._poses[path],
            is_enabled=bool(stated_or(prim, "physics:rigidBodyEnabled", True)),
            is_kinematic=bool(stated_or(prim, "physics:kinematicEnabled", False)),
            stretch=stretch,
            instances=_instances(prim),
        )

    def _link(self, body: StageBody, shapes: dict[tuple[str, bool], list[Shape]]) -> Link:
        return Link(
            name=self._names[body.path],
            place=self._place,
            declared=None if body.stated is None else declared_of(body.stated, self._place),
            collisions=tuple(shapes.get((body.path, True), ())),
            visuals=tuple(shapes.get((body.path, False), ())),
            is_static=not body.is_enabled or body.is_kinematic,
        )

    def _stage_joints(self) -> list[StageJoint]:
        """Read the joints whose bodies are bodies, or the world."""
        if not hasattr(self, "_joints"):
            read = [joint for prim in self._found.joints if (joint := self._stage_joint(prim)) is not None]
            self._joints = stacked(read)
        return self._joints

    def _stage_joint(self, prim: Any) -> StageJoint | None:
        sides = []
        for side in (0, 1):
            target = _target(prim, f"physics:body{side}")
            if target is not None and not target:
                raise ParseError(f"{prim.GetPath()}: physics:body{side} names no prim", self._document.name)
            path = WORLD_PATH if target is None else self._body_above(target)
            frame = read_frame(prim, side, target, self._poses.get(path, Pose()), self._placement)
            sides.append((path, frame))
        (body0, frame0), (body1, frame1) = sides
        if body0 == body1:
            self._remarks.append(self._loose(prim))
            return None
        return StageJoint(
            prim=prim,
            path=str(prim.GetPath()),
            body0=body0,
            body1=body1,
            frame0=frame0,
            frame1=frame1,
            excluded=bool(stated_or(prim, "physics:excludeFromArticulation", False)),
            is_enabled=bool(stated_or(prim, "physics:jointEnabled", True)),
        )

    def _loose(self, prim: Any) -> Remark:
        message = f"{prim.GetPath()} joins nothing to nothing; name two bodies, or one and the world"
        return Remark("warning", "loose-joint", "", message, self._place)

    def _body_above(self, prim: Any) -> str:
        """Return the path of the body that a prim stands on; that of the world for none."""
        while prim and not prim.IsPseudoRoot():
            if str(prim.GetPath()) in self._poses:
                return str(prim.GetPath())
            prim = prim.GetParent()
        return WORLD_PATH

    def _read_joints(self, bodies: dict[str, StageBody]) -> tuple[dict[str, Joint], tuple[Joint, ...], dict[str, str]]:
        """Make trees of the joints; what nothing holds floats, or is fixed where it stands still."""
        stage_joints = [joint for joint in self._stage_joints() if joint.is_enabled]
        roots = [str(prim.GetPath()) for prim in self._found.articulation_roots if str(prim.GetPath()) in bodies]
        forest = grow(list(bodies), stage_joints, roots)
        every = [one for joint in self._stage_joints() for one in (joint, *joint.stack)]
        names = names_of([joint.prim for joint in every], set())
        joints: dict[str, Joint] = {}
        for path, body in bodies.items():
            branch = forest.branches.get(path)
            joint = self._standing(body) if branch is None else self._branch_joint(branch, names)
            joints[joint.name] = joint
        loops = tuple(
            self._branch_joint(Branch(joint, joint.body0, joint.body1, False), names) for joint in forest.loops
        )
        return joints, loops, {names[joint.path]: joint.path for joint in every}

    def _branch_joint(self, branch: Branch, names: dict[str, str]) -> Joint:
        return joint_between(
            branch.joint,
            names,
            (self._link_at[branch.parent], self._link_at[branch.child]),
            branch.is_reversed,
            self._units,
            self._place,
        )

    def _standing(self, body: StageBody) -> Joint:
        """Return the joint that the world has with a body which no joint holds."""
        link = self._names[body.path]
        stands = not body.is_enabled or body.is_kinematic
        type_ = JointType.FIXED if stands else JointType.FLOATING
        return Joint(f"world to {link}", type_, WORLD, link, body.pose_world_body, self._place)

    def _read_filters(self) -> frozenset[frozenset[str]]:
        """List the pairs of links that never touch; a filter on a collider counts for its whole body."""
        pairs = set()
        for prim in self._found.filters:
            relationship = prim.GetRelationship("physics:filteredPairs")
            one = self._link_at[self._body_above(prim)]
            for path in relationship.GetTargets() if relationship else ():
                other = self._stage.GetPrimAtPath(path)
                if other:
                    pairs.add(frozenset({one, self._link_at[self._body_above(other)]}))
        return frozenset(pair for pair in pairs if len(pair) == len(("one", "other")))

    def _remark_on_groups(self) -> None:
        if self._found.groups:
            names = ", ".join(str(prim.GetPath()) for prim in self._found.groups)
            message = f"collision groups are not read ({names}); keep pairs apart by PhysicsFilteredPairsAPI"
            self._remarks.append(Remark("warning", "collision-group", "", message, self._place))

    def _gravity(self) -> Array | None:
        """Return the free fall of the first scene; where it names none, that of the earth along the stage's up axis."""
        if not self._found.scenes:
            return None
        scene = self._found.scenes[0]
        direction = numbers(stated_or(scene, "physics:gravityDirection", (0.0, 0.0, 0.0)))
        magnitude = float(stated_or(scene, "physics:gravityMagnitude", -np.inf))
        assert direction is not None
        length = float(np.linalg.norm(direction))
        down = direction / length if length > 0.0 else -np.eye(3)["XYZ".index(self._units.up_axis)]
        return np.asarray(down * (magnitude * self._units.metre if 0.0 <= magnitude < np.inf else EARTH))

    def _remark_on_units(self) -> None:
        if self._units.is_assumed:
            message = "the stage states no metersPerUnit; metres are assumed (OpenUSD's default is 0.01), write it"
            self._remarks.append(Remark("info", "unit-assumed", "", message, self._place))


def declared_of(stated: AuthoredMass, place: Place) -> DeclaredInertial | None:
    """Return what a prim states as a declaration; None where it states nothing but a density."""
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


def _target(prim: Any, name: str) -> Any | None:
    """Return the prim that a relationship names first; None where it names none."""
    relationship = prim.GetRelationship(name)
    paths = relationship.GetTargets() if relationship else []
    return prim.GetStage().GetPrimAtPath(paths[0]) if paths else None


def _instances(prim: Any) -> tuple[str, ...]:
    """Return the paths of the instances that a prim stands in, outer ones first."""
    found: list[str] = []
    while prim.IsInstanceProxy():
        prim = prim.GetParent()
        if prim.IsInstance():
            found.insert(0, str(prim.GetPath()))
    return tuple(found)
