# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A page that shows a simulation while it runs, and controls it.

viser serves the page. Its callbacks run in threads of their own: they leave wishes, and `show`, which the thread of the
simulation calls, carries out what touches the simulation.
"""

from __future__ import annotations

import math
import time as clock
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from inertia_tools.errors import MissingDependencyError
from inertia_tools.spatial import quaternion_from_rotation
from inertia_tools.view.history import QUANTITIES, History
from inertia_tools.view.link_surfaces import link_surfaces

if TYPE_CHECKING:
    from inertia_tools.sim.simulation import Simulation

FRAME_PERIOD = 1.0 / 30.0  # Of the page [s].
PLOT_PERIOD = 0.25  # Of its curves, which are sent whole [s].
ARROW_SCALE = 0.3  # Length of an arrow as long as the weight of all that moves [m].
STANDARD_GRAVITY = 9.81  # [m/s^2]
PULL_FREQUENCY = 2.0  # Of the spring between a dragged body and the mouse [Hz].
NOTHING = "nothing"
INERTIA_COLOUR = (230, 90, 20)
ARROW_COLOUR = (255, 150, 0)


class Controls(Protocol):
    """What the page can ask for; each is called in a thread of viser."""

    def pause(self, paused: bool) -> None:
        """Stop time, or let it run."""

    def step(self) -> None:
        """Make one step."""

    def reset(self) -> None:
        """Go back to the start."""


@dataclass(frozen=True)
class Pace:
    """What the page says of time.

    Attributes:
        time: Simulated time [s].
        factor: Simulated seconds for each real one, as achieved.
        state: What the simulation is doing, in a word.
    """

    time: float
    factor: float = math.nan
    state: str = ""


class Viewer:
    """The page of a simulation.

    Args:
        controls: What it can ask for; None for a page without buttons.
        port: Where it is served.
        host: To whom: by default this machine alone, as whoever sees the page can control the simulation.

    Raises:
        MissingDependencyError: viser is not installed.
    """

    def __init__(self, controls: Controls | None = None, port: int = 8080, host: str = "127.0.0.1") -> None:
        try:
            import viser
        except ModuleNotFoundError as error:
            raise MissingDependencyError("viser", "the viewer", "pip install viser") from error
        self._server: Any = viser.ViserServer(host=host, port=port, label="inertia_tools", verbose=False)
        self._server.scene.set_up_direction("+z")
        self._server.scene.add_grid("/ground", width=20.0, height=20.0, cell_size=0.5)
        self._history = History()
        self._model: Any = None
        self._frames: dict[str, Any] = {}
        self._inertias: list[Any] = []
        self._target: tuple[str, Any] | None = None
        self._pulled = ""
        self._shown = self._plotted = -math.inf
        self._build_panel(controls)

    @property
    def port(self) -> int:
        """Where the page is served: the port that was asked for, or the next free one."""
        return int(self._server.get_port())

    def show(self, simulation: Simulation, pace: Pace) -> None:
        """Show a simulation as it is now, unless that was done just before; pull at what is dragged."""
        now = clock.monotonic()
        if now - self._shown < FRAME_PERIOD:
            return
        self._shown = now
        if simulation.model is not self._model:
            self._show_entities(simulation)
        snapshot = simulation.snapshot()
        with self._server.atomic():
            for name, frame in self._frames.items():
                row = snapshot.names.index(name)
                frame.position, frame.wxyz = snapshot.positions[row], np.roll(snapshot.quaternions[row], 1)
            force = self._show_contacts(simulation)
        factor = "" if math.isnan(pace.factor) else f", factor {pace.factor:.2f}"
        self._status.value = f"{pace.time:.2f} s{factor} {pace.state}".rstrip()
        self._history.add(pace.time, snapshot.kinetic_energy, snapshot.potential_energy, force)
        if now - self._plotted > PLOT_PERIOD:
            self._plotted = now
            self._show_curves()
        self._pull(simulation)

    def close(self) -> None:
        """Stop serving the page."""
        self._server.stop()

    # The panel

    def _build_panel(self, controls: Controls | None) -> None:
        gui, empty = self._server.gui, np.zeros(1)
        self._status = gui.add_text("time", initial_value="", disabled=True)
        if controls is not None:
            paused = gui.add_checkbox("paused", initial_value=False)
            paused.on_update(lambda _: controls.pause(bool(paused.value)))
            for name, work in (("step", controls.step), ("reset", controls.reset)):
                gui.add_button(name).on_click(lambda _, work=work: work())
        inertias = gui.add_checkbox("inertias", initial_value=False)
        inertias.on_update(lambda _: self._show_inertias(bool(inertias.value)))
        self._with_inertias = inertias
        self._drag = gui.add_dropdown("drag", options=(NOTHING,), initial_value=NOTHING)
        self._drag.on_update(lambda _: self._begin_drag(str(self._drag.value)))
        from viser import uplot

        self._curves = [
            gui.add_uplot(
                data=(empty, empty),
                series=(uplot.Series(label="time [s]"), uplot.Series(label=quantity, stroke="orange", width=2)),
                title=quantity,
                aspect=2.0,
            )
            for quantity in QUANTITIES
        ]

    def _show_curves(self) -> None:
        table = self._history.table
        for curve, values in zip(self._curves, table[1:], strict=True):
            curve.data = (table[0], values)

    # The scene

    def _show_entities(self, simulation: Simulation) -> None:
        """Show the links of a simulation in the place of those of another."""
        for frame in self._frames.values():
            frame.remove()
        self._model, self._frames, self._inertias = simulation.model, {}, []
        for entity in simulation.entities:
            for link in entity.robot.links.values():
                name = entity.scoped(link.name)
                self._frames[name] = self._server.scene.add_frame(_path(name), show_axes=False)
                for index, surface in enumerate(link_surfaces(link)):
                    colour = tuple(round(255 * part) for part in surface.colour)
                    self._server.scene.add_mesh_simple(
                        f"{_path(name)}/shape_{index}", surface.vertices, surface.triangles, color=colour, side="double"
                    )
        self._add_inertias(simulation)
        self._drag.options = (NOTHING, *simulation.names)

    def _add_inertias(self, simulation: Simulation) -> None:
        """Put a box of equal inertia where each body has its mass."""
        for name, place in simulation.places.items():
            if place.body < 0 or not simulation.model.moves[place.body]:
                continue
            inertial = simulation.model.inertials[place.body]
            sizes, axes = inertial.equivalent_box, inertial.principal_axes
            in_link = place.pose_body_link.inverse()
            centre, turn = in_link.transform_points(inertial.com), in_link.rotation @ axes
            self._inertias.append(
                self._server.scene.add_box(
                    f"{_path(name)}/inertia",
                    dimensions=tuple(np.maximum(sizes, 1e-4)),
                    color=INERTIA_COLOUR,
                    opacity=0.5,
                    position=centre,
                    wxyz=np.roll(quaternion_from_rotation(turn), 1),
                    visible=bool(self._with_inertias.value),
                )
            )

    def _show_inertias(self, visible: bool) -> None:
        for handle in self._inertias:
            handle.visible = visible

    def _show_contacts(self, simulation: Simulation) -> float:
        """Show contacts as arrows, and return the sum of their sizes [N]."""
        contacts = simulation.contacts()
        starts = np.concatenate([np.zeros((0, 3)), *(contact.positions for contact in contacts)])
        forces = np.concatenate([np.zeros((0, 3)), *(contact.forces for contact in contacts)])
        ends = starts + ARROW_SCALE / max(simulation.mass * STANDARD_GRAVITY, 1e-9) * forces
        if len(starts):
            points = np.stack([starts, ends], axis=1)
            self._server.scene.add_arrows(
                "/contacts", points, ARROW_COLOUR, shaft_radius=0.005, head_radius=0.012, head_length=0.03
            )
        else:
            self._server.scene.remove_by_name("/contacts")
        return float(np.linalg.norm(forces, axis=1).sum())

    # Dragging

    def _begin_drag(self, link: str) -> None:
        """Offer a handle by which a link is pulled; called in a thread of viser."""
        old, self._target = self._target, None
        if old is not None:
            old[1].remove()
        if link in self._frames:
            position = self._frames[link].position
            handle = self._server.scene.add_transform_controls(
                "/drag", scale=0.3, position=position, disable_rotations=True
            )
            self._target = (link, handle)

    def _pull(self, simulation: Simulation) -> None:
        """Pull a dragged link towards its handle, as a critically damped spring with the mass of all would."""
        target = self._target
        if self._pulled and (target is None or target[0] != self._pulled):
            if self._pulled in simulation.names:
                simulation.apply_wrench(self._pulled, (0.0, 0.0, 0.0))
            self._pulled = ""
        if target is None or target[0] not in simulation.names:
            return
        link, handle = target
        snapshot = simulation.snapshot()
        row, rate = snapshot.names.index(link), 2.0 * math.pi * PULL_FREQUENCY
        mass = simulation.mass
        gap = np.asarray(handle.position, dtype=np.float64) - snapshot.positions[row]
        force = mass * (rate**2 * gap - 2.0 * rate * snapshot.linear_velocities[row])
        simulation.apply_wrench(link, force, duration=-1.0)
        self._pulled = link


def _path(link: str) -> str:
    """Return the place of a link in the page's tree of things."""
    return "/links/" + link.replace("/", "|")
