# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A page that shows a robot before and after its correction: joints, inertias, findings, and a settle test.

viser serves the page, and calls back in its own threads: callbacks that take long, or access a simulation, queue a
request, which `serve` executes.
"""

from __future__ import annotations

import queue
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from inertia_tools.description.kinematics import poses_at
from inertia_tools.inertia.correction import Correction
from inertia_tools.inertia.finding import Severity
from inertia_tools.inertial import Inertial
from inertia_tools.spatial import Pose
from inertia_tools.view.decimation import decimated, shares
from inertia_tools.view.inertia_solids import inertia_solids, is_outsized
from inertia_tools.view.joint_sliders import JointSliders
from inertia_tools.view.link_surfaces import LinkSurface, link_surfaces, radius_of, radius_of_robot
from inertia_tools.view.link_text import finding_html, link_html, robot_html
from inertia_tools.view.report.rows import FindingRow, finding_rows, link_rows
from inertia_tools.view.report.scene import inertial_after, inertial_before
from inertia_tools.view.settle_panel import SettlePanel
from inertia_tools.view.support import Support, support
from inertia_tools.view.viser_scene import (
    AFTER,
    BEFORE,
    UNCHANGED,
    ShownLink,
    ShownSolids,
    add_solids,
    add_surfaces,
    close_server,
    open_server,
    set_theme,
    show_centre,
    show_support,
)

NONE = "(none)"
MOST_TRIANGLES = 100_000
"""Maximum number of triangles of all links; larger meshes are simplified, for machines without a graphics card."""

MOST_FINDINGS = 200
"""Maximum number of findings with a button; with more, the page is slow."""

OPACITY = 0.45
WAITING = 0.1
"""Time that `serve` waits for a request before it checks whether to stop [s]."""

GRID = (150, 160, 172)
"""Colour of the ground's lines, visible on white and on black."""

MARKS = {"error": (190, 40, 60), "warning": (160, 100, 10), "info": (70, 105, 150)}
"""Colours of findings by severity."""


class RobotPage:
    """The page of a robot.

    Args:
        correction: The robot, its findings and their correction.
        port: Port of the page; if it is in use, the next free one is taken.
        host: Address to serve on: by default this machine alone.
        fixed_base: Whether the root is bolted to the world in the settle test.

    Raises:
        MissingDependencyError: viser is not installed.
        OptionError: The port or the host cannot be used.
    """

    def __init__(
        self, correction: Correction, port: int = 8080, host: str = "127.0.0.1", fixed_base: bool = False
    ) -> None:
        self._server = open_server(host, port)
        self._correction = correction
        self._robot = correction.robot
        self._rows = {row.name: row for row in link_rows(correction)}
        self._findings = list(finding_rows(correction))
        self._wishes: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._links: dict[str, ShownLink] = {}
        self._solids: dict[str, list[tuple[str, ShownSolids, bool]]] = {}
        self._chosen = ""
        self._support: Support | None = None
        self._add_links()
        self._build_panel(fixed_base)
        self._show_solids()
        self.pose({})
        self._look_at_all()

    @property
    def port(self) -> int:
        """The port of the page: the requested one, or the next free one."""
        return int(self._server.get_port())

    @property
    def chosen(self) -> str:
        """Name of the selected link; empty for none."""
        return self._chosen

    def serve(self, is_over: Callable[[], bool]) -> None:
        """Execute requests of the page until `is_over` returns true."""
        while not is_over():
            try:
                wish = self._wishes.get(timeout=WAITING)
            except queue.Empty:
                continue
            wish()

    def close(self) -> None:
        """Stop serving the page."""
        self._settling.stop()
        close_server(self._server)

    def choose(self, name: str) -> None:
        """Select a link, or none for an empty name."""
        if name == self._chosen:
            return
        for link in (self._chosen, name):
            if link in self._links:
                self._links[link].paint(is_chosen=link == name)
        self._chosen = name
        if self._link_list.value != (name or NONE):
            self._link_list.value = name or NONE
        self._about.content = self._about_chosen()
        self._show_solids()

    def pose(self, positions: Mapping[str, float]) -> None:
        """Set the joints to positions [rad or m]; unnamed ones are at zero."""
        world = self._robot.pose_world_document
        poses = {name: world @ pose for name, pose in poses_at(self._robot, positions).items()}
        with self._server.atomic():
            self.place(poses)
            if not self._robot.is_world:
                self._support = support(self._robot, poses)
                self._show_ground()
            self._show_centre(poses)

    def place(self, poses: Mapping[str, Pose]) -> None:
        """Put links at poses in the world."""
        for name, link in self._links.items():
            link.place(poses[name])

    # The scene

    def _add_links(self) -> None:
        surfaces = _simplified({name: list(link_surfaces(link)) for name, link in self._robot.links.items()})
        self._radius = radius_of_robot(self._robot, surfaces)
        for entry in self._correction.report.links:
            name = entry.link
            self._links[name] = add_surfaces(self._server, name, surfaces[name], OPACITY)
            self._links[name].on_click(partial(self.choose, name))
            radius = radius_of(surfaces[name])
            self._solids[name] = []
            if entry.changed:
                self._add_solids(name, "before", inertial_before(entry), radius)
                self._add_solids(name, "after", inertial_after(entry), radius)
            else:
                self._add_solids(name, "unchanged", inertial_after(entry), radius)

    def _add_solids(self, link: str, kind: str, inertial: Inertial | None, radius: float) -> None:
        solids = inertia_solids(inertial)
        if solids is None:
            return
        colour = {"before": BEFORE, "after": AFTER, "unchanged": UNCHANGED}[kind]
        shown = add_solids(self._server, link, kind, solids, colour, 0.5 if kind == "before" else 1.0)
        self._solids[link].append((kind, shown, is_outsized(solids, radius, self._radius)))

    def _show_solids(self) -> None:
        """Show the selected solids; outsized ones only for the selected link."""
        wanted = {"before": self._with_before.value, "after": self._with_after.value, "unchanged": True}
        with self._server.atomic():
            for link, solids in self._solids.items():
                for kind, shown, is_outsized in solids:
                    is_shown = bool(wanted[kind]) and (not is_outsized or link == self._chosen)
                    shown.show(
                        ellipsoid=is_shown and bool(self._with_ellipsoids.value),
                        box=is_shown and bool(self._with_boxes.value),
                    )

    def _show_ground(self) -> None:
        height = 0.0 if self._support is None else self._support.height
        size = max(10.0 * self._radius, 1.0)
        cell = 10.0 ** np.floor(np.log10(max(self._radius, 1e-3)))
        self._server.scene.add_grid(
            "/ground",
            width=size,
            height=size,
            cell_size=cell,
            cell_color=GRID,
            section_size=5.0 * cell,
            section_color=GRID,
            position=(0.0, 0.0, height),
        )

    def _show_centre(self, poses: Mapping[str, Pose]) -> None:
        """Show the centre of mass of the corrected robot, and whether it is above the support polygon."""
        parts = (
            inertial.transform(poses[entry.link])
            for entry in self._correction.report.links
            if (inertial := inertial_after(entry)) is not None and inertial.is_finite() and inertial.mass > 0.0
        )
        whole = Inertial.sum(parts)
        if not whole.mass > 0.0:
            return
        carrier = self._support
        show_centre(
            self._server,
            whole.com,
            None if carrier is None else carrier.height,
            0.025 * self._radius,
            f"{whole.mass:.4g} kg",
        )
        if carrier is not None:
            margin = carrier.margin(whole.com)
            show_support(self._server, carrier.polygon, carrier.height, is_above=margin is not None and margin >= 0.0)

    def _look_at_all(self) -> None:
        """Place the initial camera so that the whole robot is visible."""
        poses = self._robot.link_poses
        middle = self._robot.pose_world_document.transform_points(
            np.mean([pose.position for pose in poses.values()], axis=0) if poses else np.zeros(3)
        )
        camera = self._server.initial_camera
        camera.look_at = tuple(middle)
        camera.position = tuple(middle + max(self._radius, 0.1) * np.array([1.9, -1.6, 1.1]))

    # The panel

    def _build_panel(self, fixed_base: bool) -> None:
        gui = self._server.gui
        self._link_list = gui.add_dropdown("link", options=(NONE, *self._links), initial_value=NONE)
        self._link_list.on_update(lambda _: self.choose("" if self._link_list.value == NONE else self._link_list.value))
        tabs = gui.add_tab_group()
        with tabs.add_tab("Robot"):
            self._build_layers()
            self._about = gui.add_html(self._about_chosen())
        with tabs.add_tab(f"Findings ({sum(not row.explained_by for row in self._findings)})"):
            self._build_findings()
        with tabs.add_tab("Joints"):
            self._sliders = JointSliders(self._server, self._robot, self.pose)
        with tabs.add_tab("Settle"):
            self._settling = SettlePanel(self, self._server, self._correction, fixed_base)

    def _build_layers(self) -> None:
        gui = self._server.gui
        names = ("ellipsoids", "boxes", "before", "after")
        boxes = [gui.add_checkbox(name, initial_value=name != "boxes") for name in names]
        self._with_ellipsoids, self._with_boxes, self._with_before, self._with_after = boxes
        for box in boxes:
            box.on_update(lambda _: self._show_solids())
        opacity = gui.add_slider("opacity", min=0.0, max=1.0, step=0.05, initial_value=OPACITY)
        opacity.on_update(lambda _: self._see_through(float(opacity.value)))
        dark = gui.add_checkbox("dark", initial_value=False)
        dark.on_update(lambda _: set_theme(self._server, is_dark=bool(dark.value)))

    def _see_through(self, opacity: float) -> None:
        with self._server.atomic():
            for link in self._links.values():
                link.see_through(opacity)

    def _build_findings(self) -> None:
        gui = self._server.gui
        shown = [row for row in self._findings if not row.explained_by][:MOST_FINDINGS]
        hidden = len(self._findings) - len(shown)
        self._finding = gui.add_html("<p style='padding:0 12px'>Click a finding to see its link.</p>")
        for row in shown:
            label = f"{row.link or 'robot'}: {row.code}"
            button = gui.add_button(label, color=MARKS[row.severity], hint=row.message)
            button.on_click(lambda _, row=row: self._choose_finding(row))
        if hidden:
            gui.add_html(f"<p>{hidden} more, which follow from these or are beyond the first {MOST_FINDINGS}.</p>")
        if not shown:
            gui.add_html("<p>Nothing was found.</p>")

    def _choose_finding(self, row: FindingRow) -> None:
        self._finding.content = finding_html(row)
        if row.link:
            self.choose(row.link)

    def _about_chosen(self) -> str:
        if not self._chosen:
            counts = {severity: self._correction.report.count(severity) for severity in Severity}
            return robot_html(self._correction, counts)
        findings = [row for row in self._findings if row.link == self._chosen]
        return link_html(self._rows[self._chosen], findings)

    # Requests

    def wish(self, work: Callable[[], None]) -> None:
        """Queue a request for `serve`."""
        self._wishes.put(work)

    @property
    def positions(self) -> dict[str, float]:
        """Positions of the sliders [rad or m]."""
        return self._sliders.positions

    @property
    def ground(self) -> float:
        """Height of the ground under the robot at the sliders' positions, in its frame [m]."""
        return 0.0 if self._support is None else self._support.height


def _simplified(surfaces: Mapping[str, list[LinkSurface]]) -> dict[str, list[LinkSurface]]:
    """Return the surfaces of links, by name, with few enough triangles."""
    all_of_them = [one for shown in surfaces.values() for one in shown]
    kept = iter(shares([len(one.triangles) for one in all_of_them], MOST_TRIANGLES))
    return {
        name: [replace(one, mesh=decimated(one.mesh, next(kept))) for one in shown] for name, shown in surfaces.items()
    }
