# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Links, inertias and support polygons as objects of a viser scene."""

from __future__ import annotations

import io
import socket
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from inertia_tools.description.types import Link
from inertia_tools.errors import MissingDependencyError, OptionError
from inertia_tools.spatial import Array, Pose
from inertia_tools.view.inertia_solids import InertiaSolids
from inertia_tools.view.link_surfaces import LinkSurface, link_surfaces

Colour = tuple[int, int, int]

BEFORE: Colour = (237, 92, 26)
AFTER: Colour = (15, 168, 115)
UNCHANGED: Colour = (51, 120, 230)
CHOSEN: Colour = (64, 128, 255)
CENTRE: Colour = (255, 190, 20)
BACKGROUND = {False: (246, 247, 249), True: (19, 23, 30)}
PORTS = range(1, 65536)


def open_server(host: str, port: int) -> Any:
    """Start serving a page.

    Args:
        host: Address to serve on.
        port: Port; if it is in use, the next free one is taken.

    Raises:
        MissingDependencyError: viser is not installed.
        OptionError: There is no such port, or the host cannot be used.
    """
    if port not in PORTS:
        raise OptionError("port", port, f"a number from {PORTS.start} to {PORTS.stop - 1}")
    try:
        import viser
    except ModuleNotFoundError as error:
        raise MissingDependencyError("viser", "the viewer", "pip install 'inertia_tools[view]'") from error
    _require_own_address(host)
    with redirect_stdout(io.StringIO()):  # viser prints a greeting, and standard output belongs to this program
        server: Any = viser.ViserServer(host=host, port=port, label="inertia_tools", verbose=False)
    server.scene.set_up_direction("+z")
    set_theme(server, is_dark=False)
    return server


def _require_own_address(host: str) -> None:
    """Check that a host can be served: viser, which does so in a thread, would wait for it forever.

    Raises:
        OptionError: The host has no address of this machine.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.bind(address)
    except (OSError, UnicodeError) as error:
        raise OptionError("host", host, f"an address of this machine ({error})") from error


def close_server(server: Any) -> None:
    """Stop serving a page."""
    with redirect_stdout(io.StringIO()):
        server.stop()


def set_theme(server: Any, *, is_dark: bool) -> None:
    """Make a page light or dark."""
    server.gui.configure_theme(dark_mode=is_dark, show_logo=False, show_share_button=False, control_width="large")
    server.scene.set_background_image(np.full((1, 1, 3), BACKGROUND[is_dark], dtype=np.uint8))


def link_path(name: str) -> str:
    """Return the unique path of a link in the scene tree."""
    return "/links/" + name.replace("%", "%25").replace("/", "%2F")


@dataclass
class ShownLink:
    """A link in a scene.

    Attributes:
        frame: Its frame, the parent of all its objects.
        meshes: Its meshes, with the colour of each.
        opacity: Opacity from 0 to 1.
    """

    frame: Any
    meshes: list[tuple[Any, Colour]] = field(default_factory=list)
    opacity: float | None = None

    def place(self, pose: Pose) -> None:
        """Put it at a pose in the world."""
        self.frame.position, self.frame.wxyz = pose.position, np.roll(pose.quaternion, 1)

    def paint(self, *, is_chosen: bool) -> None:
        """Show whether it is selected."""
        for mesh, colour in self.meshes:
            mesh.color = CHOSEN if is_chosen else colour

    def show(self, *, visible: bool) -> None:
        """Show or hide its meshes; other objects on it stay."""
        for mesh, _ in self.meshes:
            mesh.visible = visible

    def see_through(self, opacity: float) -> None:
        """Change its opacity, from 0 to 1."""
        for mesh, _ in self.meshes:
            mesh.opacity = opacity

    def on_click(self, work: Callable[[], None]) -> None:
        """Call a function when it is clicked, in a thread of viser."""
        for mesh, _ in self.meshes:
            mesh.on_click(lambda _: work())


def add_link(server: Any, name: str, link: Link, opacity: float | None = None) -> ShownLink:
    """Add a link with its surfaces.

    Args:
        server: Server of the scene.
        name: The link's name there.
        link: The link.
        opacity: Opacity from 0 to 1; None for opaque.
    """
    return add_surfaces(server, name, list(link_surfaces(link)), opacity)


def add_surfaces(server: Any, name: str, surfaces: list[LinkSurface], opacity: float | None = None) -> ShownLink:
    """Add a link from surfaces that were read before; see `add_link`."""
    path = link_path(name)
    shown = ShownLink(server.scene.add_frame(path, show_axes=False), opacity=opacity)
    for index, surface in enumerate(surfaces):
        red, green, blue = (round(255 * part) for part in surface.colour)
        mesh = server.scene.add_mesh_simple(
            f"{path}/shape_{index}",
            surface.vertices,
            surface.triangles,
            color=(red, green, blue),
            side="double",
            opacity=opacity,
            flat_shading=True,
            cast_shadow=opacity is None,
        )
        shown.meshes.append((mesh, (red, green, blue)))
    return shown


@dataclass
class ShownSolids:
    """The solids of an inertial in a scene."""

    ellipsoid: Any
    box: Any

    def show(self, *, ellipsoid: bool, box: bool) -> None:
        """Show or hide each."""
        self.ellipsoid.visible, self.box.visible = ellipsoid, box


def add_solids(server: Any, link: str, name: str, solids: InertiaSolids, colour: Colour, opacity: float) -> ShownSolids:
    """Add the solids of a link's inertial, hidden.

    Args:
        server: Server of the scene.
        link: The link's name there.
        name: Name that distinguishes these solids from others of the link.
        solids: The solids.
        colour: Red, green, blue from 0 to 255.
        opacity: Opacity from 0 to 1.
    """
    pose = solids.pose_link_solid
    look: dict[str, Any] = {
        "color": colour,
        "position": pose.position,
        "wxyz": np.roll(pose.quaternion, 1),
        "visible": False,
        "cast_shadow": False,
        "opacity": opacity if opacity < 1.0 else None,
    }
    path = f"{link_path(link)}/{name}"
    ellipsoid = server.scene.add_icosphere(f"{path}_ellipsoid", 1.0, scale=tuple(solids.semi_axes), **look)
    box = server.scene.add_box(f"{path}_box", dimensions=tuple(solids.edges), **(look | {"opacity": 0.5 * opacity}))
    return ShownSolids(ellipsoid, box)


def show_support(server: Any, corners: Array, height: float, *, is_above: bool) -> None:
    """Show a support polygon on the ground, replacing an earlier one.

    Args:
        server: Server of the scene.
        corners: Its corners, counter-clockwise [m], shape (n, 2); nothing is shown of fewer than three.
        height: Height of the ground [m].
        is_above: Whether the centre of mass is above it.
    """
    if len(corners) < 3:
        for part in ("area", "rim"):
            server.scene.remove_by_name(f"/support/{part}")
        return
    points = np.insert(corners, 2, height + 1e-4, axis=1)
    fan = np.array([[0, i, i + 1] for i in range(1, len(points) - 1)])
    colour = AFTER if is_above else BEFORE
    server.scene.add_mesh_simple("/support/area", points, fan, color=colour, opacity=0.25, side="double")
    rim = np.stack([points, np.roll(points, -1, axis=0)], axis=1)
    server.scene.add_line_segments("/support/rim", rim, colour, thickness=2.0, thickness_units="screen")


def show_centre(server: Any, centre: Array, height: float | None, size: float, text: str) -> None:
    """Show a centre of mass, and its projection onto the ground, replacing an earlier one.

    Args:
        server: Server of the scene.
        centre: The centre of mass [m], shape (3,).
        height: Height of the ground [m]; None without one.
        size: Radius of the ball that marks it [m].
        text: The label.
    """
    server.scene.add_icosphere("/centre/ball", size, CENTRE, position=centre, cast_shadow=False)
    above = centre + np.array([0.0, 0.0, 1.6 * size])
    server.scene.add_label("/centre/text", text, position=above, anchor="bottom-center")
    if height is not None:
        foot = np.array([centre[0], centre[1], height])
        line = np.array([[centre, foot]])
        server.scene.add_line_segments("/centre/line", line, CENTRE, thickness=2.0, thickness_units="screen")
