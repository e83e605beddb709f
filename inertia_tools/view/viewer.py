# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A page that shows and controls a running simulation.

viser serves the page. Its callbacks run in their own threads: they queue requests, and `show`, which the thread of the
simulation calls, executes those that access the simulation.
"""

from __future__ import annotations

import math
import time as clock
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from inertia_tools.view.curves import Curves
from inertia_tools.view.inertia_solids import inertia_solids
from inertia_tools.view.soft_shapes import ShownSoft
from inertia_tools.view.viser_scene import (
    UNCHANGED,
    ShownLink,
    ShownSolids,
    add_link,
    add_solids,
    close_server,
    open_server,
)

if TYPE_CHECKING:
    from inertia_tools.sim.simulation import Simulation

FRAME_PERIOD = 1.0 / 30.0  # Update period of the page [s].
ARROW_SCALE = 0.3  # Length of an arrow for the weight of all moving bodies [m].
STANDARD_GRAVITY = 9.81  # [m/s^2]
PULL_FREQUENCY = 2.0  # Frequency of the spring between a dragged body and the mouse [Hz].
NOTHING = "nothing"
ARROW_COLOUR = (255, 150, 0)


class Controls(Protocol):
    """Requests of the page; each is called in a thread of viser."""

    def pause(self, paused: bool) -> None:
        """Stop or start time."""

    def step(self) -> None:
        """Make one step."""

    def reset(self) -> None:
        """Reset to the start."""


@dataclass(frozen=True)
class Pace:
    """The page's data about time.

    Attributes:
        time: Simulated time [s].
        factor: Achieved simulated seconds per real second.
        state: State of the simulation, in a word.
    """

    time: float
    factor: float = math.nan
    state: str = ""


class Viewer:
    """The page of a simulation.

    Args:
        controls: Executes its requests; None for a page without buttons.
        port: Its port.
        host: Address to serve on: by default this machine alone, since everybody who sees the page can control the
            simulation.

    Raises:
        MissingDependencyError: viser is not installed.
    """

    def __init__(self, controls: Controls | None = None, port: int = 8080, host: str = "127.0.0.1") -> None:
        self._server = open_server(host, port)
        self._server.scene.add_grid("/ground", width=20.0, height=20.0, cell_size=0.5)
        self._model: Any = None
        self._frames: dict[str, ShownLink] = {}
        self._inertias: list[ShownSolids] = []
        self._soft: ShownSoft | None = None
        self._target: tuple[str, Any] | None = None
        self._pulled = ""
        self._shown = -math.inf
        self._build_panel(controls)

    @property
    def port(self) -> int:
        """The port of the page: the requested one, or the next free one."""
        return int(self._server.get_port())

    def show(self, simulation: Simulation, pace: Pace) -> None:
        """Show the current state of a simulation, at most once per frame period, and pull a dragged link."""
        now = clock.monotonic()
        if now - self._shown < FRAME_PERIOD:
            return
        self._shown = now
        if simulation.model is not self._model:
            self._show_entities(simulation)
        snapshot = simulation.snapshot()
        with self._server.atomic():
            for name, frame in self._frames.items():
                frame.place(snapshot.pose(name))
            if self._soft is not None:
                self._soft.place(simulation.soft_snapshot())
            force = self._show_contacts(simulation)
        factor = "" if math.isnan(pace.factor) else f", factor {pace.factor:.2f}"
        self._status.value = f"{pace.time:.2f} s{factor} {pace.state}".rstrip()
        self._curves.add(pace.time, snapshot.kinetic_energy, snapshot.potential_energy, force)
        self._pull(simulation)

    def close(self) -> None:
        """Stop serving the page."""
        close_server(self._server)

    # The panel

    def _build_panel(self, controls: Controls | None) -> None:
        gui = self._server.gui
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
        self._curves = Curves(self._server)

    # The scene

    def _show_entities(self, simulation: Simulation) -> None:
        """Replace the displayed links by those of another simulation."""
        for frame in self._frames.values():
            frame.frame.remove()
        if self._soft is not None:
            self._soft.remove()
        self._model, self._frames, self._inertias = simulation.model, {}, []
        self._soft = ShownSoft(self._server, simulation.soft_snapshot()) if simulation.model.soft is not None else None
        for entity in simulation.entities:
            for link in entity.robot.links.values():
                name = entity.scoped(link.name)
                self._frames[name] = add_link(self._server, name, link)
        self._add_inertias(simulation)
        self._drag.options = (NOTHING, *simulation.names)

    def _add_inertias(self, simulation: Simulation) -> None:
        """Add a box of equal inertia at the centre of mass of each body."""
        for name, place in simulation.places.items():
            if place.body < 0 or not simulation.model.moves[place.body]:
                continue
            inertial = simulation.model.inertials[place.body].transform(place.pose_body_link.inverse())
            solids = inertia_solids(inertial)
            if solids is not None:
                self._inertias.append(add_solids(self._server, name, "inertia", solids, UNCHANGED, 0.8))
        self._show_inertias(bool(self._with_inertias.value))

    def _show_inertias(self, visible: bool) -> None:
        for solids in self._inertias:
            solids.show(ellipsoid=False, box=visible)

    def _show_contacts(self, simulation: Simulation) -> float:
        """Show contacts as arrows, and return the sum of their magnitudes [N]."""
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
        """Add a handle for pulling a link; called in a thread of viser."""
        old, self._target = self._target, None
        if old is not None:
            old[1].remove()
        if link in self._frames:
            position = self._frames[link].frame.position
            handle = self._server.scene.add_transform_controls(
                "/drag", scale=0.3, position=position, disable_rotations=True
            )
            self._target = (link, handle)

    def _pull(self, simulation: Simulation) -> None:
        """Pull a dragged link towards its handle, as a critically damped spring for the total mass would."""
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
