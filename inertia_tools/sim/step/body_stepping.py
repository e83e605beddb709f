# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Steps of rigid bodies: kernels that find contacts and islands and solve them, captured into graphs and replayed."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import warp as wp

from inertia_tools.errors import SimulationError
from inertia_tools.kernel_loading import block_of, collection_paused, load
from inertia_tools.sim.device.anchored_contacts import narrow_kernels
from inertia_tools.sim.device.contacts import Contacts
from inertia_tools.sim.device.control import Control
from inertia_tools.sim.device.nearby_contacts import nearby_step_kernels
from inertia_tools.sim.device.scratch import islands_of, scratch_of, stamp
from inertia_tools.sim.device.state import State
from inertia_tools.sim.kernels.graphs import Graphs, captured
from inertia_tools.sim.kernels.scene_types import scene_type
from inertia_tools.sim.kernels.struct_array import struct_array
from inertia_tools.sim.model.model import Model
from inertia_tools.sim.step.kernels import Stage, begin_kernel, step_kernel
from inertia_tools.sim.step.solver_parameters import SolverParameters
from inertia_tools.sim.step.step_arguments import check_step
from inertia_tools.sim.step.work_partition import WorkShare, partition_work, threads_for

LEAST_ITERATIONS = 2
"""The first iteration solves for drives, the next one checks limits against the result."""


class BodyStepping:
    """Steps of the rigid bodies of a scene.

    Args:
        model: The scene.
        parameters: Parameters of the constraint solve.
        threads: Threads that share the work on a CPU; None for as many as are worth it.
        sums_reactions: Whether joint wrenches are summed even if the final state does not request them.

    Attributes:
        last: The contacts of the last step, if it had some, and the state at its end; None before the first one.
    """

    def __init__(
        self, model: Model, parameters: SolverParameters, threads: int | None, *, sums_reactions: bool = False
    ) -> None:
        self._model, self._parameters, self._sums_reactions = model, parameters, sums_reactions
        self._device = wp.get_device(model.device)
        self._graphs = Graphs()
        self._loaded: set[bool] = set()  # kernels of steps with contacts, or without
        self._scratch = scratch_of(model)
        self._islands = islands_of(model)
        self._has_twists = model.has_twists
        self._substeps = parameters.substeps if model.soft is None else 1  # of one launch
        self._place_in_step = (0, 0)  # substeps of a step before this one and after it, as `launch` has them
        self._launch_arrays: dict[tuple[int, int], Any] = {}  # arrays of such pairs
        self._no_contacts: Contacts | None = None
        self._shares = partition_work(model, threads)
        most = max(len(shares) for shares in self._shares)
        self._pool = ThreadPoolExecutor(most) if most > 1 else None
        self.last: tuple[Contacts | None, State] | None = None

    def step(self, state_in: State, state_out: State, control: Control, contacts: Contacts | None, dt: float) -> None:
        """Advance bodies by the substeps of a step, or by one of them where particles are solved before each.

        Raises:
            OptionError: The step has no length.
            SimulationError: A state, the drives or the contacts are of another scene.
        """
        key: tuple[Any, ...] = (state_in.key, state_out.key, control.key, id(contacts), dt)
        if contacts is not None and contacts.nearby is not None:
            if (*key, contacts.nearby.generation) not in self._graphs:
                check_step(self._model, state_in, state_out, control, contacts, dt)
                self._load(True)
            contacts.nearby.search(contacts, state_in, dt)
            key = (*key, contacts.nearby.generation)
        found = self._graphs.get(key)
        if found is None:
            check_step(self._model, state_in, state_out, control, contacts, dt)
            found = self._graphs.keep(key, *self._captured(state_in, state_out, control, contacts, dt))
        for together in found[0]:
            if len(together) == 1 or self._pool is None:
                wp.capture_launch(together[0])
            else:
                list(self._pool.map(wp.capture_launch, together))  # a replay releases Python's lock
        self.last = contacts, state_out

    def substep(
        self, state: State, control: Control, contacts: Contacts | None, h: float, before: int, after: int
    ) -> None:
        """Advance bodies by one substep of a step; so many were made before, and so many come after."""
        if self._place_in_step != (before, after):
            self._place_in_step = (before, after)
            if self._place_in_step not in self._launch_arrays:
                self._launch_arrays[self._place_in_step] = self._model.array([before, after], wp.int32)
            wp.copy(self._islands.launch, self._launch_arrays[self._place_in_step])
        self.step(state, state, control, contacts, h)

    def record(
        self, state_in: State, state_out: State, control: Control, contacts: Contacts | None, dt: float
    ) -> tuple[Any, Any]:
        """Launch a step into a graph that a caller is capturing; return the data that it refers to.

        Raises:
            OptionError: The step has no length.
            SimulationError: The scene has particles, or so many shapes that their pairs are searched between steps; or
                an argument is of another scene.
        """
        if self._model.soft is not None or (contacts is not None and contacts.nearby is not None):
            said = (
                "no step of particles, or of a scene whose pairs are searched (ModelBuilder.broad_phase), is captured"
            )
            raise SimulationError(f"{said}; move it out of wp.ScopedCapture: the solver captures what can be")
        check_step(self._model, state_in, state_out, control, contacts, dt)
        scene, on_device = self._prepared(state_in, state_out, control, contacts, dt)
        for share in (one for shares in self._shares for one in shares):
            self._launch(on_device, state_in, contacts, dt, share)
        self.last = contacts, state_out
        return scene, on_device

    def lasting(self) -> dict[str, Any]:
        """Return the data that one step leaves to the next; see `saved_state`."""
        return {"scratch": self._scratch, "islands": self._islands, "no_contacts": self._no_contacts}

    def change_parameters(self, parameters: SolverParameters) -> None:
        """Use other parameters from the next step on."""
        self._parameters = parameters
        self._substeps = parameters.substeps if self._model.soft is None else 1
        self._graphs.clear()
        self.invalidate_rows()
        stamp(self._islands)

    def sum_reactions(self) -> None:
        """Sum joint wrenches from the next step on."""
        if not self._sums_reactions:
            self._sums_reactions = True
            self._graphs.clear()
            stamp(self._islands)

    def update_twists(self) -> None:
        """Capture steps again if torsional or rolling friction has appeared or disappeared."""
        if self._model.has_twists != self._has_twists:
            self._has_twists = self._model.has_twists
            self._graphs.clear()

    def invalidate_rows(self) -> None:
        """Find rows and islands again in the next step, though nothing has moved."""
        self._islands.rows_key.zero_()

    def adopt_rest(self, other: BodyStepping) -> None:
        """Treat islands at rest in another stepping with the same parameters as at rest in this one."""
        wp.copy(self._islands.stamps, other._islands.stamps)

    def ensure_capacity(self, contacts: Contacts | None) -> None:
        """Enlarge the lists of islands to hold all possible rows."""
        if contacts is not None and len(self._islands.row) < contacts.slot_count and contacts.nearby is not None:
            self._islands.row = self._model.zeros(contacts.slot_count, wp.int32)
            self._islands.working_row = self._model.zeros(contacts.slot_count, wp.int32)
            self._graphs.clear()  # they hold the address of the old one
            self.invalidate_rows()

    def _captured(
        self, state_in: State, state_out: State, control: Control, contacts: Contacts | None, dt: float
    ) -> tuple[list[list[Any]], Any]:
        """Return the graphs of a step, by rounds that are replayed together, and the data that they refer to."""
        scene, on_device = self._prepared(state_in, state_out, control, contacts, dt)
        graphs: list[list[Any]] = []
        for shares in self._shares:
            graphs.append([])
            for share in shares:
                launch = partial(self._launch, on_device, state_in, contacts, dt, share)
                graphs[-1].append(captured(launch, self._model.device))
        return graphs, (state_in, state_out, control, contacts, scene, on_device)

    def _prepared(
        self, state_in: State, state_out: State, control: Control, contacts: Contacts | None, dt: float
    ) -> tuple[Any, Any]:
        """Load the kernels of a step, and return their data, on the host and on the device."""
        self._load(contacts is not None)
        self.ensure_capacity(contacts)
        scene = self._scene(state_in, state_out, control, contacts, dt)
        return scene, struct_array(scene, self._model.device)

    def _load(self, contacts: bool) -> None:
        """Compile the kernels of steps with or without contacts, or load them from the cache."""
        if contacts in self._loaded:
            return
        p = self._model.precision
        with collection_paused():
            others = self._kernels_of_contacts() if contacts else ()
            load((step_kernel(p), *others, begin_kernel(p)), self._device)
        self._loaded.add(contacts)

    def _kernels_of_contacts(self) -> tuple[Any, ...]:
        """Return the kernels that find contacts before a step."""
        if self._model.nearby is not None:
            return nearby_step_kernels(self._model.precision)
        return narrow_kernels(self._model.precision) if len(self._model.anchored) else ()

    def _launch(self, scene: Any, state_in: State, contacts: Contacts | None, dt: float, share: WorkShare) -> None:
        """Launch the work of a share."""
        model, used = self._model, contacts or self._empty_contacts()
        if contacts is not None and len(model.anchored) and share.stage != Stage.ISLANDS:
            used.anchored.launch(scene, state_in, dt, share.first, share.count)
        begin, step = begin_kernel(model.precision), step_kernel(model.precision)
        kernels = (begin,) if share.stage == Stage.BEGIN else (begin, step)
        for first, count in share.launches():
            threads, spread = threads_for(max(count, 1), self._device)
            for kernel in kernels:
                inputs = [scene, int(share.stage), first, share.stride, count, threads, spread]
                block = block_of(kernel.module, self._device)
                wp.launch(kernel, dim=threads * spread, inputs=inputs, device=self._device, block_dim=block)

    def _scene(self, state_in: State, state_out: State, control: Control, contacts: Contacts | None, dt: float) -> Any:
        """Return the data of the kernels."""
        model, scene = self._model, scene_type(self._model.precision)()
        used = contacts or self._empty_contacts()
        settings = self._options(state_out, contacts is not None, dt)
        used.rows.has_twists = int(self._has_twists)
        parts = {
            "bodies": model.bodies,
            "joints": model.joints,
            "loops": model.loops,
            "shapes": model.shapes,
            "control": control.data,
            "contacts": used.data,
            "rows": used.rows,
            "anchored": used.anchored.data,
            "colliders": model.colliders,
            **self._scratch,
            "clusters": model.clusters,
            "islands": self._islands,
            "state_in": state_in.data,
            "state_out": state_out.data,
        }
        for name, part in parts.items():
            setattr(scene, name, part)
        scene.settings = struct_array(settings, model.device, model.copy_count)
        scene.options = struct_array(settings, model.device, model.copy_count * model.clusters.count)
        return scene

    def _options(self, state_out: State, contacts: bool, dt: float) -> Any:
        """Return the settings of a step, which each island has a copy of."""
        model, options, given = self._model, self._model.precision.Options(), self._parameters
        options.dt, options.per_impulse, options.least_substeps = dt, 1.0 / dt, self._substeps
        options.joint_turn_limit = given.joint_turn_limit
        options.iterations = max(given.iterations, LEAST_ITERATIONS)
        options.contacts = int(contacts and (model.slot_count > 0 or model.nearby is not None))
        options.bounces = int(given.enable_restitution)
        options.sweeps = int(given.joint_solver == "sweeps")
        options.reactions = int(state_out.has_parent_f or self._sums_reactions)
        options.linear_compliance = given.joint_linear_compliance
        options.angular_compliance = given.joint_angular_compliance
        options.linear_relaxation = given.joint_linear_relaxation
        options.angular_relaxation = given.joint_angular_relaxation
        options.contact_relaxation = given.rigid_contact_relaxation
        options.contact_weighting = int(given.rigid_contact_con_weighting)
        options.angular_damping = given.angular_damping
        return options

    def _empty_contacts(self) -> Contacts:
        """Return the contacts of steps without any."""
        if self._no_contacts is None:
            self._no_contacts = self._model.contacts()
        return self._no_contacts
