# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The pose graph and the attachment graph: the pose of each frame, and the link that carries it.

Both are traversed with a list instead of recursion, so that files may be nested to any depth.
"""

from __future__ import annotations

from inertia_tools.description.sdf.scope import WORLD, Frame, FrameKind, Scope, walk
from inertia_tools.description.sdf.values import text_in
from inertia_tools.description.xml import Element
from inertia_tools.spatial import Pose

MOST_SHOWN = 6
"""Maximum number of frames of a cycle in a message."""


class PoseGraph:
    """Poses of frames and the links that carry them, found on demand and cached."""

    def __init__(self) -> None:
        self._local: dict[Frame, Pose] = {}
        self._carriers: dict[Frame, Frame | None] = {}
        self._origins: dict[tuple[Scope, Scope], Pose] = {}

    def pose(self, seen_from: Scope, frame: Frame) -> Pose:
        """Return a frame seen from the origin of its scope or of an enclosing one.

        Raises:
            ParseError: A frame that it depends on is unknown, or depends on it.
        """
        self._resolve(frame)
        return self._origin(seen_from, frame.scope) @ self._local[frame]

    def relative(self, scope: Scope, outer: Frame, inner: Frame) -> Pose:
        """Return one frame of a scope, or of the scopes in it, seen from another.

        Raises:
            ParseError: A frame that they depend on is unknown, or depends on itself.
        """
        return self.pose(scope, outer).inverse() @ self.pose(scope, inner)

    def carrier(self, frame: Frame) -> Frame | None:
        """Return the link to which a frame is finally attached; None if it is the world.

        Raises:
            ParseError: Frames are attached to each other in a circle, to an unknown one, or to a model without links.
        """
        walked: dict[Frame, None] = {}
        end: Frame | None = frame
        while end is not None and end.kind is not FrameKind.LINK:
            if end in self._carriers:
                end = self._carriers[end]
                break
            if end in walked:
                raise _cycle("attachments", [*walked][[*walked].index(end) :], end)
            walked[end] = None
            end = _carried_by(end, frame)
        self._carriers.update(dict.fromkeys(walked, end))
        return end

    def _origin(self, seen_from: Scope, scope: Scope) -> Pose:
        """Return the origin of a scope seen from an enclosing one, and cache the intermediate ones."""
        path: list[Scope] = []
        while scope is not seen_from and (seen_from, scope) not in self._origins:
            path.append(scope)
            assert scope.parent is not None, "the frame is not in that scope"
            scope = scope.parent
        pose = self._origins.get((seen_from, scope), Pose())
        for inner in reversed(path):
            assert inner.holder is not None
            self._resolve(inner.holder)
            pose = self._origins[seen_from, inner] = pose @ self._local[inner.holder]
        return pose

    def _resolve(self, wanted: Frame) -> None:
        stack: dict[Frame, None] = {wanted: None}
        while stack:
            frame = next(reversed(stack))
            missing = None
            if frame not in self._local:
                missing = next((needed for needed in _needs(frame) if needed not in self._local), None)
            if missing is None:
                stack.popitem()
                self._local.setdefault(frame, self._placed(frame))
            elif missing in stack:
                raise _cycle("poses", [*stack][[*stack].index(missing) :], missing)
            else:
                stack[missing] = None

    def _placed(self, frame: Frame) -> Pose:
        """Compute a frame's pose in its scope, given the poses of the frames that it depends on."""
        if frame.kind is FrameKind.ORIGIN:
            return Pose()
        base = self._chained(frame.scope, reference(frame))
        pose = base @ frame.pose
        if frame.placement:
            assert frame.inner is not None
            pose = pose @ self._chained(frame.inner, _placement(frame)).inverse()
        return pose

    def _chained(self, seen_from: Scope, frame: Frame) -> Pose:
        path = _path(seen_from, frame)
        pose = self._local[path[0]]
        for holder in path[1:]:
            pose = self._local[holder] @ pose
        return pose


def reference(frame: Frame) -> Frame:
    """Return the frame that a frame's pose is relative to.

    Raises:
        ParseError: The frame that the file names does not exist.
    """
    if frame.relative_to:
        found = frame.scope.find(frame.relative_to)
        if found is None:
            at = frame.element.only("pose") or frame.element
            raise frame.scope.unknown(frame.relative_to, at, f"the pose of {frame.kind.value} {frame.name!r}")
        return found
    if frame.kind is FrameKind.JOINT:
        return joint_end(frame, "child")
    if frame.kind is FrameKind.FRAME:
        return attachment(frame)
    return frame.scope.origin


def attachment(frame: Frame) -> Frame:
    """Return the frame to which a `<frame>` is attached: the origin of its scope by default.

    Raises:
        ParseError: The frame that the file names does not exist.
    """
    name = frame.element.attributes.get("attached_to", "")
    found = frame.scope.find(name) if name else frame.scope.origin
    if found is None:
        raise frame.scope.unknown(name, frame.element, f"attached_to of frame {frame.name!r}")
    return found


def joint_end(joint: Frame, role: str) -> Frame:
    """Return the frame that a joint names as its parent or child; its parent may be the world.

    Raises:
        ParseError: It names none, or one that does not exist.
    """
    name = text_in(joint.element, role) or joint.element.required(role).attributes.get("link", "")
    if role == "parent" and name == WORLD:
        return world_around(joint.scope).origin
    found = joint.scope.find(name)
    if found is None:
        raise joint.scope.unknown(name, joint.element.required(role), f"the {role} of joint {joint.name!r}")
    return found


def world_around(scope: Scope) -> Scope:
    """Return the scope of the world that contains a scope."""
    while scope.parent is not None and not scope.is_world:
        scope = scope.parent
    return scope


def _carried_by(frame: Frame, first: Frame) -> Frame | None:
    """Return the frame to which one that is not a link is attached; None if it is the world.

    Raises:
        ParseError: There is none; the error names the first frame of the chain.
    """
    if frame.kind is FrameKind.ORIGIN and frame.scope.is_world:
        return None
    if frame.kind is FrameKind.JOINT:
        return joint_end(frame, "child")
    if frame.kind is FrameKind.FRAME:
        return attachment(frame)
    canonical = canonical_link(frame.inner or frame.scope)
    if canonical is None:
        raise first.element.error(f"{first.name!r} is attached to a model without a link; add one")
    return canonical


def canonical_link(scope: Scope) -> Frame | None:
    """Return the link that carries a model's frame: the named one, else its first, else that of a nested model.

    Raises:
        ParseError: The named link does not exist.
    """
    name = scope.element.attributes.get("canonical_link", "")
    if name and not scope.is_world:
        found = scope.find(name)
        if found is None or found.kind is not FrameKind.LINK:
            raise scope.unknown(name, scope.element, "canonical_link")
        return found
    waiting, deeper = [scope], list[Scope]()
    while waiting:
        for frame in walk(waiting.pop(0), only_merged=True):
            if frame.kind is FrameKind.LINK:
                return frame
            if frame.inner is not None and not frame.inner.is_merged:
                deeper.append(frame.inner)
        if not waiting:
            waiting, deeper = deeper, []
    return None


def _needs(frame: Frame) -> list[Frame]:
    """List the frames that must be placed before one can be."""
    if frame.kind is FrameKind.ORIGIN:
        return []
    needed = _path(frame.scope, reference(frame))
    if frame.placement:
        assert frame.inner is not None
        needed += _path(frame.inner, _placement(frame))
    return needed


def _placement(frame: Frame) -> Frame:
    assert frame.inner is not None
    found = frame.inner.find(frame.placement)
    if found is None:
        raise frame.inner.unknown(frame.placement, frame.element, f"the placement frame of model {frame.name!r}")
    return found


def _path(seen_from: Scope, frame: Frame) -> list[Frame]:
    """List a frame and the models that contain it, up to a scope."""
    path, scope = [frame], frame.scope
    while scope is not seen_from:
        assert scope.holder is not None and scope.parent is not None, "the frame is not in that scope"
        path.append(scope.holder)
        scope = scope.parent
    return path


def _cycle(what: str, frames: list[Frame], closing: Frame) -> Exception:
    names = [repr(frame.name) for frame in frames]
    shown = names if len(names) <= MOST_SHOWN else [*names[: MOST_SHOWN - 1], "..."]
    element: Element = closing.element
    return element.error(f"{what} form a cycle: {' -> '.join([*shown, names[0]])}; change one reference")
