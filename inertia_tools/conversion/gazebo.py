# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Carrying the `<gazebo>` elements of a URDF into the converted model.

Settings that SDFormat has elements for are converted; everything else is copied. Elements of a link that was merged
into another go to that one: their poses are transformed, and names of the link and of its collisions in plugins and
sensors become those of the carrier.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inertia_tools.conversion.account import Account, Kind
from inertia_tools.conversion.extensions import LOCK, PRESERVE, Extension
from inertia_tools.conversion.gazebo_text import Renaming, moved_text
from inertia_tools.conversion.markup import Node
from inertia_tools.conversion.scene import Scene
from inertia_tools.conversion.sdf_shapes import WrittenShape
from inertia_tools.description.lump import MergedLink, lumped_name, shape_name
from inertia_tools.description.urdf_extensions import SAID
from inertia_tools.description.xml import Element
from inertia_tools.spatial import Pose

FLAGS = (PRESERVE, LOCK)

SURFACE = {
    "mu1": ("friction", "ode", "mu"),
    "mu2": ("friction", "ode", "mu2"),
    "fdir1": ("friction", "ode", "fdir1"),
    "kp": ("contact", "ode", "kp"),
    "kd": ("contact", "ode", "kd"),
    "minDepth": ("contact", "ode", "min_depth"),
    "min_depth": ("contact", "ode", "min_depth"),
    "maxVel": ("contact", "ode", "max_vel"),
    "max_vel": ("contact", "ode", "max_vel"),
}
"""Place of a link's setting in the surface of each of its collisions."""

OF_COLLISION = {"maxContacts": "max_contacts", "max_contacts": "max_contacts", "laserRetro": "laser_retro"}
OF_LINK = {"selfCollide": "self_collide", "self_collide": "self_collide", "gravity": "gravity"}
OF_AXIS = {"springReference": "spring_reference", "springStiffness": "spring_stiffness"}
OF_JOINT = {
    "provideFeedback": ("physics", "ode", "provide_feedback"),
    "implicitSpringDamper": ("physics", "ode", "implicit_spring_damper"),
    "cfmDamping": ("physics", "ode", "implicit_spring_damper"),
    "stopCfm": ("physics", "ode", "limit", "cfm"),
    "stopErp": ("physics", "ode", "limit", "erp"),
    "fudgeFactor": ("physics", "ode", "fudge_factor"),
}

MATERIAL_SCRIPTS = "file://media/materials/scripts/gazebo.material"


class Gazebo:
    """Carries extensions into the elements of a model."""

    def __init__(self, scene: Scene, names: Mapping[str, str], account: Account) -> None:
        self._extensions, self._account = scene.extensions, account
        self._merged: dict[str, list[MergedLink]] = {}
        for one in scene.merged:
            self._merged.setdefault(one.into, []).append(one)
        self._into = {one.link: one.into for one in scene.merged}
        self._names = Renaming(names, self._into, _collision_names(scene), account)
        self._report_lost(scene)

    def _report_lost(self, scene: Scene) -> None:
        """Note extensions that refer to a missing element, or to a removed joint."""
        known = {*scene.robot.links, *scene.robot.joints, *self._into}
        gone = {one.joint.name for one in scene.merged}
        for name, found in self._extensions.of.items():
            for extension in found:
                if name in known or extension.element.tag in FLAGS:
                    continue
                why = "the joint was lumped" if name in gone else "no link or joint has that name"
                message = f"<{extension.element.tag}> of <gazebo reference={name!r}> is omitted: {why}"
                self._account.note(Kind.DROPPED, name, message, extension.element.place)

    def apply_to_model(self, model: Node) -> None:
        """Add the elements about the model as a whole."""
        for extension in self._extensions.of_model:
            model.children.append(self._names.retargeted(extension.element, extension.text))
            self._carried("model", extension.element)

    def apply_to_link(self, name: str, node: Node, shapes: Sequence[WrittenShape]) -> None:
        """Add the elements about a link, and about the links merged into it."""
        parts = self._merged.get(name, [])
        of_others = {shape.place.offset for one in parts for shape in one.part.shapes}
        taken: set[tuple[str, str]] = set()
        self._apply(name, node, [shape for shape in shapes if shape.place.offset not in of_others], Pose(), taken)
        at: dict[int | None, list[WrittenShape]] = {}
        for shape in shapes:
            at.setdefault(shape.place.offset, []).append(shape)
        for one in parts:
            places = dict.fromkeys(shape.place.offset for shape in one.part.shapes)
            theirs = [shape for place in places for shape in at.get(place, ())]
            self._apply(one.link, node, theirs, one.pose_into_link, taken)

    def _apply(
        self, name: str, node: Node, shapes: Sequence[WrittenShape], pose: Pose, taken: set[tuple[str, str]]
    ) -> None:
        for extension in self._extensions.of.get(name, ()):
            element = extension.element
            if not self._set_known(name, node, shapes, extension):
                text = self._names.retargeted(element, moved_text(extension, pose))
                node.children.append(self._names.with_free_name(element, text, taken))
            self._carried(name, element)

    def _set_known(self, name: str, node: Node, shapes: Sequence[WrittenShape], extension: Extension) -> bool:
        """Write an element that has another place in SDFormat; return whether it was one."""
        element, tag, text = extension.element, extension.element.tag, extension.element.text.strip()
        collisions = [shape.node for shape in shapes if shape.kind == "collision"]
        visuals = [shape.node for shape in shapes if shape.kind == "visual"]
        if tag in SURFACE:
            for collision in collisions:
                _set(collision, ("surface", *SURFACE[tag]), text)
        elif tag in OF_COLLISION:
            for collision in collisions:
                _set(collision, (OF_COLLISION[tag],), text)
        elif tag == "material" and text:
            for visual in visuals:
                visual.children = [child for child in visual.children if not _is(child, "material")]
                script = visual.add("material").add("script")
                script.add("uri", MATERIAL_SCRIPTS)
                script.add("name", text)
        elif tag in OF_LINK:
            _set(node, (OF_LINK[tag],), "true" if text.lower() in SAID else "false")
        elif tag == "turnGravityOff":
            _set(node, ("gravity",), "false" if text.lower() in SAID else "true")
        elif tag == "dampingFactor":
            _set(node, ("velocity_decay", "linear"), text)
            _set(node, ("velocity_decay", "angular"), text)
        elif tag in ("visual", "collision"):
            for shape in visuals if tag == "visual" else collisions:
                _add_inside(shape, extension)
        elif tag == "inertial":
            message = "an inertial of <gazebo> has no effect; the link's own values are written"
            self._account.note(Kind.DROPPED, name, message, element.place)
        else:
            return False
        return True

    def apply_to_joint(self, name: str, node: Node) -> None:
        """Add the elements about a joint."""
        for extension in self._extensions.of.get(name, ()):
            element, tag = extension.element, extension.element.tag
            if tag in FLAGS:
                continue
            text = element.text.strip()
            if tag in OF_AXIS:
                _set(node, ("axis", "dynamics", OF_AXIS[tag]), text)
            elif tag in OF_JOINT:
                _set(node, OF_JOINT[tag], text)
            else:
                node.children.append(self._names.retargeted(element, extension.text))
            self._carried(name, element)

    def _carried(self, name: str, element: Element) -> None:
        if element.tag != "inertial":
            message = f"<{element.tag}> of <gazebo> is carried over"
            into = self._into.get(name)
            message += f" to link {into!r}, which {name!r} was merged into" if into else ""
            self._account.note(Kind.CARRIED, name, message, element.place)


def _collision_names(scene: Scene) -> dict[str, str]:
    """Return the names of collisions by their other names in a URDF for Gazebo.

    Those of parts are known by their former names; those of a link itself, by the names that libsdformat makes.
    """
    known: dict[str, str] = {}
    links = scene.robot.links
    carriers = {one.into for one in scene.merged}
    now = {name: {shape.place.offset: shape.name for shape in links[name].collisions} for name in carriers}
    for one in scene.merged:
        for number, shape in enumerate(one.part.collisions):
            known[shape_name(shape, one.link, "collision", number)] = now[one.into][shape.place.offset]
    for link in links.values():
        for number, shape in enumerate(link.collisions):
            if shape.name:
                known.setdefault(lumped_name(shape.name, link.name, "collision", number), shape.name)
    return {old: new for old, new in known.items() if old != new}


def _is(child: Node | str, tag: str) -> bool:
    return isinstance(child, Node) and child.tag == tag


def _add_inside(shape: Node, extension: Extension) -> None:
    """Copy the content of a <visual> or <collision> extension into a shape, whose pose and name are kept."""
    added = [child for child in extension.element.children if child.tag != "pose"]
    replaced = {child.tag for child in added}
    shape.children = [child for child in shape.children if isinstance(child, str) or child.tag not in replaced]
    shape.children += [extension.text_of(child) for child in added]


def _set(node: Node, path: Sequence[str], text: str) -> None:
    """Write a text into an element below another, creating those on the way; an existing text is replaced."""
    for tag in path:
        found = next((child for child in node.children if isinstance(child, Node) and child.tag == tag), None)
        node = found if found is not None else node.add(tag)
    node.text = text
