# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Bodies whose mass properties are compiled, as in MJCF: geoms with mass, and the rules for all bodies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal

from inertia_tools.description.flex_body import FlexBody
from inertia_tools.description.geometry import Mesh
from inertia_tools.description.link import Shape
from inertia_tools.description.source import Document, Place
from inertia_tools.spatial import Pose

REFUSES = "mujoco-refuses"
"""Code of findings about files that MuJoCo's compiler refuses."""

InertiaSource = Literal["auto", "true", "false"]
MeshInertia = Literal["convex", "exact", "legacy", "shell"]


@dataclass(frozen=True)
class Compiler:
    """The settings of `<compiler>` that affect poses, files and mass properties.

    Attributes:
        in_degrees: Angles are in degrees, else in radians.
        eulerseq: Axes of the three rotations of `euler`; a small letter rotates about the moved axis, a capital about
            the fixed one.
        autolimits: A range alone makes a joint limited.
        meshdir: Folder of the mesh files, relative to the main file.
        strippath: Only the last part of a file's name counts.
        inertiafromgeom: "true" takes mass from geoms, "false" from `<inertial>`, "auto" from `<inertial>` where there
            is one.
        inertiagrouprange: First and last group of the geoms that carry mass.
        boundmass: Least mass of a body [kg].
        boundinertia: Least principal moment of a body [kg m^2].
        balanceinertia: If a tensor violates the triangle inequality, the mean of its moments replaces it.
        settotalmass: Mass to which all bodies are scaled together [kg]; not positive for none.
        fitaabb: Primitives are fitted to the bounding box of a mesh, else to its box of inertia.
        discardvisual: Geoms that touch nothing are removed after their mass is added to their bodies.
    """

    in_degrees: bool = True
    eulerseq: str = "xyz"
    autolimits: bool = True
    meshdir: str = ""
    strippath: bool = False
    inertiafromgeom: InertiaSource = "auto"
    inertiagrouprange: tuple[int, int] = (0, 5)
    boundmass: float = 0.0
    boundinertia: float = 0.0
    balanceinertia: bool = False
    settotalmass: float = -1.0
    fitaabb: bool = False
    discardvisual: bool = False


@dataclass(frozen=True, eq=False)
class MeshAsset:
    """A mesh and how it contributes mass."""

    name: str
    geometry: Mesh
    inertia: MeshInertia
    place: Place


@dataclass(frozen=True, eq=False)
class Geom:
    """A geom that contributes mass.

    Attributes:
        name: Its name; may be empty.
        type: Keyword of its shape.
        size: Its sizes as in MJCF: radius, half length, or half edges [m], shape (3,).
        pose_body_geom: Its frame seen from the body.
        place: Its location in the file.
        mass: Mass that the file states [kg]; None leaves it to the density.
        density: Density [kg/m^3]; for a shell, mass per area [kg/m^2].
        group: Number of its group.
        is_shell: Its mass is in its surface.
        mesh: The mesh that it is, or that it is fitted to.
        fitscale: Scale factor of a fitted shape.
        shape: The same geom as a shape of any format.
        class_name: Class that it names; empty for none.
        touches: It can touch others.
        condim: Dimensions of its contacts: 1 without friction, 3 with sliding, 4 and 6 with torsional and rolling.
    """

    name: str
    type: str
    size: tuple[float, float, float]
    pose_body_geom: Pose
    place: Place
    mass: float | None = None
    density: float = 1000.0
    group: int = 0
    is_shell: bool = False
    mesh: MeshAsset | None = None
    fitscale: float = 1.0
    shape: Shape | None = None
    class_name: str = ""
    touches: bool = True
    condim: int = 3

    def copied(self, name: str, pose_body_frame: Pose) -> Geom:
        """Return the geom under another name, in another frame seen from the body."""
        pose = pose_body_frame @ self.pose_body_geom
        shape = None if self.shape is None else replace(self.shape, name=name, pose_link_shape=pose)
        return replace(self, name=name, pose_body_geom=pose, shape=shape)


@dataclass(frozen=True, eq=False)
class Site:
    """A named place on a body.

    Attributes:
        name: Its name; may be empty.
        pose_body_site: Its frame seen from the body.
        place: Its location in the file.
        type: Keyword of its displayed shape.
        size: Its sizes as in MJCF, as those of a geom [m]; its shape may need fewer.
        colour: Its colour; None when the file states none.
    """

    name: str
    pose_body_site: Pose
    place: Place
    type: str = "sphere"
    size: tuple[float, float, float] = (0.005, 0.005, 0.005)
    colour: tuple[float, float, float, float] | None = None


@dataclass(frozen=True, eq=False)
class Row:
    """An element of a section other than bodies, with the attributes of its class.

    Attributes:
        tag: Its name.
        attributes: Its attributes as text; referenced names are those of the whole document.
        inner: Its children.
        place: Its location in the file.
        compiler: The settings of its model.
    """

    tag: str
    attributes: Mapping[str, str]
    inner: tuple[Row, ...]
    place: Place
    compiler: Compiler


@dataclass(frozen=True, eq=False)
class Stated:
    """The attributes of a document as text, including those of classes.

    Attributes:
        elements: Attributes of bodies, joints, geoms and sites, by file and offset of the element.
        option: Attributes of `<option>`; later ones override earlier ones.
        flags: Attributes of its `<flag>`.
        pairs: Explicit contact pairs of geoms.
        tendons: Tendons, with their paths.
        equalities: Equalities between bodies, joints and tendons.
        actuators: Actuators.
    """

    elements: Mapping[tuple[str, int | None], Mapping[str, str]] = field(default_factory=dict)
    option: Mapping[str, str] = field(default_factory=dict)
    flags: Mapping[str, str] = field(default_factory=dict)
    pairs: tuple[Row, ...] = ()
    tendons: tuple[Row, ...] = ()
    equalities: tuple[Row, ...] = ()
    actuators: tuple[Row, ...] = ()

    def words(self, place: Place) -> Mapping[str, str]:
        """Return the attributes of the element at a place; none if there is no such element."""
        return self.elements.get(place.element, {})


@dataclass(frozen=True, eq=False)
class MjcfBodies:
    """The data that determine the mass properties of the bodies of an MJCF document.

    Attributes:
        compiler: The settings of the main model.
        geoms: Geoms of each body in document order, by the body's name.
        own_poses: Pose stated by each body, in its enclosing frame, by the body's name.
        sites: Sites of each body that has some, by the body's name.
        files: Documents that the main one includes or attaches, by the name of the file.
        compilers: The settings for bodies of attached models, by the body's name.
        classes: Default class for the children of a body that names one, by the body's name.
        unused: Unsupported actuators and equalities, each with the reason.
        flexes: Flexible bodies, whose free points are also bodies.
        motors: Actuators that exert a commanded effort and hold no position.
        stated: The attributes of the document as text.
    """

    compiler: Compiler
    geoms: Mapping[str, tuple[Geom, ...]]
    own_poses: Mapping[str, Pose]
    sites: Mapping[str, tuple[Site, ...]] = field(default_factory=lambda: MappingProxyType({}))
    files: Mapping[str, Document] = field(default_factory=lambda: MappingProxyType({}))
    compilers: Mapping[str, Compiler] = field(default_factory=lambda: MappingProxyType({}))
    classes: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    unused: tuple[str, ...] = ()
    motors: tuple[str, ...] = ()
    flexes: tuple[FlexBody, ...] = ()
    stated: Stated = field(default_factory=Stated)

    def compiler_of(self, body: str) -> Compiler:
        """Return the settings for a body; total mass and fitting of primitives are those of the main model."""
        return self.compilers.get(body, self.compiler)
