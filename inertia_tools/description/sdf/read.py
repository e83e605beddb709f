# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Reading an SDFormat document into a `Description`."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping

import numpy as np

from inertia_tools.description.colour import sdf_colour
from inertia_tools.description.geometry import OtherGeometry
from inertia_tools.description.joint import Joint
from inertia_tools.description.link import AttachedFrame, Link, Shape
from inertia_tools.description.sdf.build import Builder
from inertia_tools.description.sdf.geometry import mesh_optimization, read_geometry
from inertia_tools.description.sdf.graph import PoseGraph
from inertia_tools.description.sdf.inertial import OPTIMIZATION, read_inertial, read_params, spelling_remark
from inertia_tools.description.sdf.joints import Surroundings, forest, link_name, read_joint
from inertia_tools.description.sdf.scope import SEPARATOR, Frame, FrameKind, Scope, walk
from inertia_tools.description.sdf.surface import read_surface
from inertia_tools.description.sdf.values import has_text, numbers_in, optional_number, pose_of, text_in, truth_of
from inertia_tools.description.sensor import SensorBlock
from inertia_tools.description.source import Document
from inertia_tools.description.tree import by_name
from inertia_tools.description.types import MISSING_INCLUDE, WORLD, Description, Format, Model, Remark
from inertia_tools.description.xml import Element
from inertia_tools.errors import ParseError
from inertia_tools.spatial import Array, Pose, are_usable

LOG = logging.getLogger(__name__)

WITHOUT_MASS = ("empty", "image")
"""Shapes of SDFormat that are known to be empty."""


def read_sdf(root: Element, document: Document) -> Description:
    """Read an `<sdf>` element with a world or models.

    Raises:
        ParseError: The document is not valid SDFormat.
    """
    builder = Builder()
    world = builder.build(root, document)
    frames = [*walk(world)]
    tops = [frame for frame in world.frames if frame.kind is FrameKind.MODEL]
    is_one_model = len(tops) == 1 and tops[0].inner is not None and not tops[0].inner.prefix
    top = tops[0].inner if is_one_model else None
    reader = _Reader(world, top or world, builder.remarks)
    links = by_name("link", [reader.link(frame) for frame in frames if frame.kind is FrameKind.LINK])
    if not links and (
        any(remark.code == MISSING_INCLUDE for remark in builder.remarks) or any(_may_move(frame) for frame in frames)
    ):
        raise root.error(_why_empty(builder.remarks))
    joints = [*filter(None, map(reader.joint, (frame for frame in frames if frame.kind is FrameKind.JOINT)))]
    trees, loops, roots = forest(by_name("joint", joints).values(), links)
    attached = reader.frames(frames)
    return Description(
        name=tops[0].name if is_one_model else world.element.attributes.get("name", ""),
        format=Format.SDF,
        document=document,
        links=links,
        joints=trees,
        roots=roots,
        root_poses={name: reader.pose_of_link[name] for name in roots},
        models=reader.models(frames),
        loop_joints=loops,
        is_world=not is_one_model,
        pose_world_document=reader.graph.pose(world, tops[0]) if is_one_model else Pose(),
        remarks=tuple(builder.remarks),
        frames=attached,
        sensors=tuple(reader.sensors(frames, {**by_name("joint", loops), **trees})),
        gravity=None if is_one_model else _gravity(world.element),
    )


def _self_collides(link: Element, model: Element) -> bool:
    """Return whether a link collides with others of its model: by its own setting, else by the model's."""
    of_model = truth_of(text_in(model, "self_collide"), model, "<self_collide>")
    return truth_of(text_in(link, "self_collide"), link, "<self_collide>", default=of_model)


def _gravity(world: Element) -> Array | None:
    """Return the gravity vector of a world [m/s^2], shape (3,); None if it states none.

    Before SDFormat 1.6 it is in `<physics>`.
    """
    holders = (world, *world.all("physics"))
    holder = next((one for one in holders if has_text(one, "gravity")), None)
    if holder is None:
        return None
    gravity = np.array(numbers_in(holder, "gravity", 3))
    if not are_usable(gravity):
        raise holder.required("gravity").error("<gravity> holds a value that is not a finite number; write digits")
    return gravity


def _may_move(frame: Frame) -> bool:
    """Return whether a frame is that of a model that is not static, and so must have a link."""
    inner = frame.inner
    return inner is not None and not (inner.is_static or inner.is_world)


def _why_empty(remarks: list[Remark]) -> str:
    missing = next((remark for remark in remarks if remark.code == MISSING_INCLUDE), None)
    return "the document has no <link>; add one" if missing is None else f"the document has no link: {missing.message}"


class _Reader:
    """Reads links and joints with the poses of their frames."""

    def __init__(self, world: Scope, document_scope: Scope, remarks: list[Remark]) -> None:
        self.graph = PoseGraph()
        self.pose_of_link: dict[str, Pose] = {}
        self._document_scope = document_scope
        self._around = Surroundings(self.graph, world)
        self._remarks = remarks

    def link(self, frame: Frame) -> Link:
        element, name = frame.element, link_name(frame)
        self.pose_of_link[name] = self.graph.pose(self._document_scope, frame)
        inertial = element.only("inertial")
        if inertial is not None:
            self._remark_on_pose(inertial, name)
            self._remarks += filter(None, [spelling_remark(inertial, name)])
        return Link(
            name=name,
            place=element.place,
            declared=None if inertial is None else read_inertial(inertial),
            collisions=tuple(self._shape(child, frame, inertial) for child in element.all("collision")),
            visuals=tuple(self._shape(child, frame, None) for child in element.all("visual")),
            is_static=frame.scope.is_static,
            self_collides=_self_collides(element, frame.scope.element),
            gravity_scale=float(truth_of(text_in(element, "gravity"), element, "<gravity>", default=True)),
        )

    def joint(self, frame: Frame) -> Joint | None:
        """Read a joint; one that names a part of a missing model is omitted with a remark."""
        try:
            return read_joint(frame, self._around)
        except ParseError as error:
            self._remark_on_missing(f"joint {frame.name!r}", frame, error)
            return None

    def _remark_on_missing(self, what: str, frame: Frame, error: ParseError) -> None:
        """Report an element that is omitted with a missing included model; raise any other error."""
        if not any(remark.code == MISSING_INCLUDE for remark in self._remarks):
            raise error
        message = f"{what} is omitted: {error.reason}"
        self._remarks.append(Remark("error", MISSING_INCLUDE, "", message, frame.element.place))

    def frames(self, frames: list[Frame]) -> tuple[AttachedFrame, ...]:
        named = (self._frame(frame) for frame in frames if frame.kind is FrameKind.FRAME)
        return tuple(filter(None, named))

    def _frame(self, frame: Frame) -> AttachedFrame | None:
        """Read a frame; one that is attached to a part of a missing model is omitted with a remark."""
        try:
            return self._attached(frame)
        except ParseError as error:
            self._remark_on_missing(f"frame {frame.name!r}", frame, error)
            return None

    def _attached(self, frame: Frame) -> AttachedFrame:
        link, name, world = self.graph.carrier(frame), frame.scope.prefix + frame.name, self._around.world_scope
        if link is None:
            return AttachedFrame(name, WORLD, self.graph.pose(world, frame), frame.element.place)
        pose = self.graph.relative(world, link, frame)
        return AttachedFrame(name, link_name(link), pose, frame.element.place)

    def sensors(self, frames: list[Frame], joints: Mapping[str, Joint]) -> Iterator[SensorBlock]:
        """Yield the sensors on links and joints; one whose pose depends on a missing frame is omitted."""
        for frame in frames:
            name = frame.scope.prefix + frame.name
            is_link, is_joint = frame.kind is FrameKind.LINK, frame.kind is FrameKind.JOINT and name in joints
            for element in frame.element.all("sensor") if is_link or is_joint else ():
                try:
                    of_pose = element.only("pose")
                    stands = self._frame_of_pose(of_pose, frame)
                except ParseError as error:
                    LOG.warning("a sensor is omitted: %s", error)
                    continue
                if is_link:
                    yield SensorBlock(link_name(frame), "", stands, element)
                else:
                    joint = joints[name]
                    yield SensorBlock(joint.child, name, joint.pose_child_joint @ stands, element)

    def _frame_of_pose(self, pose: Element | None, frame: Frame) -> Pose:
        """Return the frame that a pose is relative to, seen from its default frame."""
        name = "" if pose is None else pose.attributes.get("relative_to", "")
        if not name or pose is None:
            return Pose()
        found = frame.scope.find(name)
        if found is None:
            raise frame.scope.unknown(name, pose, "relative_to")
        return self.graph.relative(frame.scope, frame, found)

    def models(self, frames: list[Frame]) -> tuple[Model, ...]:
        held: dict[Scope, list[str]] = {}
        for frame in frames:
            if frame.kind is FrameKind.LINK:
                scope: Scope | None = frame.scope
                while scope is not None:
                    held.setdefault(scope, []).append(link_name(frame))
                    scope = scope.parent
        return tuple(
            self._model(frame, frame.inner, held.get(frame.inner, []))
            for frame in frames
            if frame.inner is not None and not frame.inner.is_merged
        )

    def _model(self, frame: Frame, inner: Scope, links: list[str]) -> Model:
        is_document = inner is self._document_scope
        pose = Pose() if is_document else self.graph.pose(self._document_scope, frame)
        name = inner.prefix.removesuffix(SEPARATOR) or frame.name
        return Model(name, pose, tuple(links), inner.is_static, inner.element.place, inner.is_world)

    def _shape(self, element: Element, link: Frame, inertial: Element | None) -> Shape:
        holder = element.required("geometry")
        geometry = read_geometry(holder, link.scope.document)
        if isinstance(geometry, OtherGeometry) and geometry.kind not in WITHOUT_MASS:
            self._remark_on_geometry(geometry, holder, link_name(link))
        stands = holder.children[0] if holder.children else holder
        return Shape(
            geometry=geometry,
            pose_link_shape=self._pose_in_link(element.only("pose"), link),
            name=element.attributes.get("name", ""),
            place=stands.place,
            density=_density(element, inertial),
            params=_params(element, inertial),
            colour=sdf_colour(element) if element.tag == "visual" else None,
            surface=read_surface(element) if element.tag == "collision" else None,
        )

    def _pose_in_link(self, pose: Element | None, link: Frame) -> Pose:
        stated = pose_of(pose)
        name = "" if pose is None else pose.attributes.get("relative_to", "") or pose.attributes.get("frame", "")
        if not name or pose is None:
            return stated
        found = link.scope.find(name)
        if found is None:
            raise link.scope.unknown(name, pose, "relative_to")
        with np.errstate(invalid="ignore"):  # the pose of a shape may not be finite
            return self.graph.relative(link.scope, link, found) @ stated

    def _remark_on_geometry(self, geometry: OtherGeometry, holder: Element, link: str) -> None:
        message = f"<{geometry.kind}> is not a shape of SDFormat up to 1.12; it has no mass here, use another"
        self._remarks.append(Remark("warning", "unknown-geometry", link, message, holder.children[0].place))

    def _remark_on_pose(self, inertial: Element, link: str) -> None:
        pose = inertial.only("pose")
        name = "" if pose is None else pose.attributes.get("relative_to", "")
        if pose is not None and name:
            message = (
                f"relative_to={name!r} does not apply to the pose of an inertial, which is in the link frame; it was "
                "ignored, remove it"
            )
            self._remarks.append(Remark("warning", "ignored-relative-to", link, message, pose.place))


def _density(element: Element, inertial: Element | None) -> float | None:
    """Return the density of a collision [kg/m^3]: its own, else the link's, else none."""
    own = optional_number(element, "density")
    return own if own is not None or inertial is None else optional_number(inertial, "density")


def _params(element: Element, inertial: Element | None) -> Mapping[str, str] | None:
    """Return the parameters of a collision: its own, else the link's; with them the optimization of a mesh."""
    words = read_params(element.only("auto_inertia_params"))
    if words is None and inertial is not None:
        words = read_params(inertial.only("auto_inertia_params"))
    optimization = mesh_optimization(element.required("geometry"))
    return words if optimization is None else {**(words or {}), OPTIMIZATION: optimization}
