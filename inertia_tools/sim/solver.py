# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The XPBD solver: steps a state by one kernel, captured into a graph once and replayed."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import warp as wp

from inertia_tools.errors import OptionError, OptionTypeError, SimulationError
from inertia_tools.kernel_loading import block_of, load
from inertia_tools.sim.constraints.drive_law import fill_drive_efforts
from inertia_tools.sim.device.anchored_contacts import narrow_kernels
from inertia_tools.sim.device.contacts import Contacts
from inertia_tools.sim.device.control import Control
from inertia_tools.sim.device.custom_arrays import carry_over
from inertia_tools.sim.device.nearby_contacts import nearby_step_kernels
from inertia_tools.sim.device.scratch import islands_of, scratch_of, stamp
from inertia_tools.sim.device.state import State
from inertia_tools.sim.kernels.graphs import Graphs, captured
from inertia_tools.sim.kernels.scene_types import scene_type
from inertia_tools.sim.kernels.struct_array import struct_array
from inertia_tools.sim.model.changes import take_over
from inertia_tools.sim.model.finite import check_finite
from inertia_tools.sim.model.model import Model
from inertia_tools.sim.model.observables import Observables, observables_of, observe
from inertia_tools.sim.scene.given import need
from inertia_tools.sim.scene.notices import SceneWarning
from inertia_tools.sim.solver_base import SolverBase
from inertia_tools.sim.step.kernels import Stage, begin_kernel, step_kernel
from inertia_tools.sim.step.shares import Share, shares_of, threads_for
from inertia_tools.sim.step.sleep import Sleep
from inertia_tools.sim.step.solver_parameters import LIVE, SolverParameters
from inertia_tools.sim.step.step_arguments import check_step

LEAST_ITERATIONS = 2
"""One pass finds what drives do, the next one whether that violates a limit."""


class SolverXPBD(SolverBase):
    """Extended position-based dynamics of rigid and soft bodies.

    `docs/xpbd.md` says what each parameter means under each way to solve joints. Parameters by which constraints are
    solved, and `enable_restitution`, are attributes too, which may be set between steps.

    Args:
        model: The scene.
        iterations: Passes over contacts and joints in each substep; at least 2 are made.
        soft_body_relaxation: Above 0, at most 1; soft bodies are solved at once, which has nothing to relax.
        soft_contact_relaxation: Likewise, for contacts of particles.
        joint_linear_relaxation: Ratio of a multiplier of displacement that a sweep applies, above 0, at most 1.
        joint_angular_relaxation: Ratio of a multiplier of rotation, likewise.
        joint_linear_compliance: Displacement that a joint gives per force on what it holds [m/N].
        joint_angular_compliance: Rotation that it gives per torque [rad/(N m)].
        rigid_contact_relaxation: Ratio of a contact's multiplier that a pass applies, above 0, at most 1.
        rigid_contact_con_weighting: Share that ratio among the contacts of two bodies.
        angular_damping: Rate at which angular momentum decays [1/s].
        enable_restitution: Shapes bounce by their restitution.
        rigid_contact_restitution_iterations: At least 1; impacts are solved until they are done.
        particle_enable_self_contact: Particles touch each other; they touch shapes in any case.
        substeps: Substeps of each step, at least.
        joint_turn_limit: Angle [rad] by which a body on a joint may turn in a substep. Islands with faster ones halve
            theirs, down to a 64th. Twice the angle takes half the time, and lets four times the error of energy pass.
        threads: Threads that step the worlds of a replicated model, or the islands of a single one, on a CPU; None for
            one a core, where there is enough to share out.
        joint_solver: "direct" solves the joints of a tree at once; "sweeps" one after the other, with relaxation.
        contact_solver: "auto" or "direct": contacts are solved with the joints, all at once.
        check_finite: Look at the state after every step, which waits for the device.
        dtype: "float32" or "float64", to make sure of the model's precision, which `finalize` sets; None for either.
        sleep: Leave out the steps of a scene that has lain still for half a second, until something acts on it
            otherwise or is moved; see `wake`. A scene with particles does not sleep.

    Raises:
        OptionError: A parameter is out of range, or asks for something that this solver does not do.
    """

    def __init__(
        self,
        model: Model,
        iterations: int = 2,
        soft_body_relaxation: float = 0.9,
        soft_contact_relaxation: float = 0.9,
        joint_linear_relaxation: float = 0.7,
        joint_angular_relaxation: float = 0.4,
        joint_linear_compliance: float = 0.0,
        joint_angular_compliance: float = 0.0,
        rigid_contact_relaxation: float = 0.8,
        rigid_contact_con_weighting: bool = True,
        angular_damping: float = 0.0,
        enable_restitution: bool = False,
        *,
        rigid_contact_restitution_iterations: int = 2,
        particle_enable_self_contact: bool = True,
        substeps: int = 10,
        joint_turn_limit: float = 0.1,
        joint_solver: str = "direct",
        contact_solver: str = "auto",
        threads: int | None = None,
        check_finite: bool = False,
        dtype: str | np.dtype[Any] | None = None,
        sleep: bool = False,
    ) -> None:
        super().__init__(model)
        self.parameters = SolverParameters(
            iterations=iterations,
            soft_body_relaxation=soft_body_relaxation,
            soft_contact_relaxation=soft_contact_relaxation,
            joint_linear_relaxation=joint_linear_relaxation,
            joint_angular_relaxation=joint_angular_relaxation,
            joint_linear_compliance=joint_linear_compliance,
            joint_angular_compliance=joint_angular_compliance,
            rigid_contact_relaxation=rigid_contact_relaxation,
            rigid_contact_con_weighting=rigid_contact_con_weighting,
            rigid_contact_restitution_iterations=rigid_contact_restitution_iterations,
            angular_damping=angular_damping,
            enable_restitution=enable_restitution,
            particle_enable_self_contact=particle_enable_self_contact,
            substeps=substeps,
            joint_turn_limit=joint_turn_limit,
            joint_solver=joint_solver,
            contact_solver=contact_solver,
            check_finite=check_finite,
        )
        self.parameters.warn_of_unused()
        if dtype is not None and str(dtype) != model.precision.name:
            raise OptionError("dtype", dtype, f"{model.precision.name!r}, as the model; finalize(dtype=...) sets it")
        self.substeps = self.parameters.substeps
        self._threads, self._wants_sleep = threads, sleep
        self._device = wp.get_device(model.device)
        self._recorded: list[Any] = []  # what graphs of callers refer to
        self._no_control = model.control()
        self._sums_reactions = False
        self._places: dict[tuple[int, int], Any] = {}  # arrays of such pairs
        self._pool: ThreadPoolExecutor | None = None
        self._graphs = Graphs()
        self._prepare()

    def _prepare(self) -> None:
        """Make what steps work in, at first and when the model was built again."""
        model = self.model
        self._built_times, self._changed_times = model.built_times, model.changed_times
        self._graphs.clear()
        self._scratch = scratch_of(model)
        self._islands = islands_of(model)
        self._among = (0, 0)  # substeps of a step before this one and after it, as `launch` has them
        self._no_contacts: Contacts | None = None
        self._loaded: set[bool] = set()  # kernels of steps with contacts, or without
        self._has_twists = model.has_twists
        self._stepped: Contacts | None = None
        self._ended: State | None = None
        self._shares = shares_of(model, self._threads)
        most = max(len(shares) for shares in self._shares)
        if most > 1 and self._pool is None:
            self._pool = ThreadPoolExecutor(most)
        self._sleep = Sleep(model) if self._wants_sleep and model.soft is None else None
        self._soft = self._stepping()

    def _bring_up_to_date(self, contacts: Contacts | None) -> None:
        """Begin again where the model was built again, as bodies have become kinematic or dynamic."""
        if self._built_times != self.model.built_times:
            if self._recorded:
                said = "a graph that was captured before body_flags were changed steps the scene as it was"
                warnings.warn(f"{said}; capture it again", SceneWarning, stacklevel=3)
            self._prepare()
        if contacts is not None and contacts.anchored.model is self.model:
            contacts.bring_up_to_date()

    def _notice_changes(self) -> None:
        """Let nothing stay as it was in the last step, as the model was changed since, by whatever."""
        self._changed_times = self.model.changed_times
        self._find_anew()
        self.wake()

    def _stepping(self) -> Any:
        """Return what steps particles; None where there are none."""
        if self.model.soft is None:
            return None
        from inertia_tools.sim.step.particle_stepping import Stepping

        given = self.parameters
        return Stepping(
            self.model, self.substeps, given.enable_restitution, given.particle_enable_self_contact, self._step_share
        )

    def change_parameter(self, name: str, value: Any) -> None:
        """Set one of the parameters that are attributes, from the next step on.

        Raises:
            OptionError: It is out of range.
        """
        self.parameters = replace(self.parameters, **{name: value})
        self.parameters.warn_of_unused([name])
        self._graphs.clear()
        self._find_anew()
        stamp(self._islands)
        if name == "enable_restitution":
            self._soft = self._stepping()

    def step(
        self,
        state_in: State,
        state_out: State,
        control: Control | None,
        contacts: Contacts | None,
        dt: float,
        *,
        observables: Observables | None = None,
    ) -> None:
        """Advance from one state to another, which may be the same one.

        Args:
            state_in: State at the beginning; its `f` acts throughout the step.
            state_out: State at the end; attributes that users added to states are carried over to it.
            control: Drives; None for none.
            contacts: Contacts to use and fill, the same from step to step; None for a world without contacts.
            dt: Length of the step [s].
            observables: What is wanted besides, as `observables` makes it.

        Raises:
            OptionError: The step has no length, or an argument is of another type.
            SimulationError: A state, the drives or the contacts are of another scene; or a body has left the finite
                numbers, where `check_finite` asks to look.
        """
        _check_types(state_in, state_out, control, contacts, dt)
        dt = float(dt)
        if observables is not None:
            need("observables", observables, Observables, "observables()")
        control = control or self._no_control
        if self.model.built_times > 0:
            self._bring_up_to_date(contacts)
        if self._changed_times != self.model.changed_times:
            self._notice_changes()
        if state_in.custom and state_in is not state_out:
            carry_over(state_in.custom, state_out.custom)
        if self._sleep is not None and self._sleep.lasts(state_in, state_out, control, contacts, dt):
            return
        if self._device.is_capturing:
            self._record(state_in, state_out, control, contacts, dt)
        elif self._soft is None:
            self._step_bodies(state_in, state_out, control, contacts, dt)
        else:
            check_step(self.model, state_in, state_out, control, contacts, dt)
            self._soft.step(state_in, state_out, control, contacts, dt)
        if state_out.custom:
            fill_drive_efforts(self.model, control, state_out)
        if observables is not None:
            observe(self.model, observables, state_out, contacts)
        if self._sleep is not None:
            self._sleep.watch(state_out, control, contacts, dt)
        if self.parameters.check_finite:
            check_finite(self.model, state_out, "after this step")

    def _record(
        self, state_in: State, state_out: State, control: Control, contacts: Contacts | None, dt: float
    ) -> None:
        """Launch a step into a graph that a caller is capturing; it refers to the states that it was captured with.

        Raises:
            SimulationError: The scene has particles, or so many shapes that their pairs are searched between steps.
        """
        if self._soft is not None or (contacts is not None and contacts.nearby is not None):
            said = "a step of particles, or of a scene whose pairs are searched (ModelBuilder.broad_phase), is no graph"
            raise SimulationError(f"{said}; take it out of wp.ScopedCapture: steps are captured by themselves")
        check_step(self.model, state_in, state_out, control, contacts, dt)
        self._load(contacts is not None)
        self.make_room(contacts)
        scene = self._scene(state_in, state_out, control, contacts, dt)
        on_device: Any = struct_array(scene, self.model.device)
        self._recorded.append((scene, on_device))
        for share in (one for shares in self._shares for one in shares):
            self._launch(on_device, state_in, contacts, dt, share)
        self._stepped, self._ended = contacts, state_out

    def _step_share(
        self, state: State, control: Control, contacts: Contacts | None, h: float, before: int, after: int
    ) -> None:
        """Advance bodies by one substep of a step; so many were made before, and so many come after."""
        if self._among != (before, after):
            self._among = (before, after)
            if self._among not in self._places:
                self._places[self._among] = self.model.array([before, after], wp.int32)
            wp.copy(self._islands.launch, self._places[self._among])
        self._step_bodies(state, state, control, contacts, h)

    def _step_bodies(
        self, state_in: State, state_out: State, control: Control, contacts: Contacts | None, dt: float
    ) -> None:
        """Advance bodies by the substeps of a step, or by one of them where particles are solved before each."""
        key: tuple[Any, ...] = (state_in.key, state_out.key, control.key, id(contacts), dt)
        if contacts is not None and contacts.nearby is not None:
            if (*key, contacts.nearby.generation) not in self._graphs:
                check_step(self.model, state_in, state_out, control, contacts, dt)
                self._load(True)
            contacts.nearby.search(contacts, state_in, dt)
            key = (*key, contacts.nearby.generation)
        found = self._graphs.get(key)
        if found is None:
            check_step(self.model, state_in, state_out, control, contacts, dt)
            found = self._graphs.keep(key, *self._captured(state_in, state_out, control, contacts, dt))
        for together in found[0]:
            if len(together) == 1 or self._pool is None:
                wp.capture_launch(together[0])
            else:
                list(self._pool.map(wp.capture_launch, together))  # a replay lets go of Python's lock
        self._stepped, self._ended = contacts, state_out

    def observables(self, kinds: Iterable[str], *, contacts: Contacts | None = None) -> Observables:
        """Return arrays that steps fill with what is wanted besides the state.

        Args:
            kinds: Names of `ObservableKind`: the wrenches of contacts, and those that joints exert.
            contacts: The contacts that steps are given, where theirs are wanted.

        Raises:
            OptionError: There is no such kind.
            SimulationError: Forces of contacts are wanted, and no contacts given.
        """
        if contacts is not None:
            need("contacts", contacts, Contacts, "model.contacts()")
        found = observables_of(self.model, kinds, contacts)
        if found.body_parent_f is not None and not self._sums_reactions:
            self._sums_reactions = True
            self._graphs.clear()
            stamp(self._islands)
        return found

    def notify_model_changed(self, flags: int) -> None:
        """Take over what was changed in the model, from the next step on.

        Bodies whose `body_flags` were changed become kinematic or dynamic: parts of the model are built again, which
        takes as long as `finalize`, and contacts forget what friction holds. A captured graph of a caller's is captured
        again.

        Args:
            flags: Sum of `SolverNotifyFlags`.

        Raises:
            OptionError: A flag is unknown, a value of a joint, a material or a particle is out of range, gravity is
                not finite, or copies that `replicate` has made would differ in `body_flags`.
            SimulationError: A body got mass properties with which it cannot move.
        """
        take_over(self.model, flags)
        self._bring_up_to_date(None)
        self._notice_changes()
        if self.model.has_twists != self._has_twists:
            self._has_twists = self.model.has_twists
            self._graphs.clear()

    @property
    def is_asleep(self) -> bool:
        """Tell whether steps are left out, as everything lies still."""
        return self._sleep is not None and self._sleep.is_asleep

    def _find_anew(self) -> None:
        """Let the next step not keep the rows and islands of the last one, though nothing has moved."""
        self._islands.rows_key.zero_()

    def rest_as(self, other: SolverXPBD) -> None:
        """Let what is at rest for another solver, of the same parameters, be so for this one."""
        wp.copy(self._islands.stamps, other._islands.stamps)

    def make_room(self, contacts: Contacts | None) -> None:
        """See that the lists of islands hold all rows that there may be."""
        if contacts is not None and len(self._islands.row) < contacts.slot_count and contacts.nearby is not None:
            self._islands.row = self.model.zeros(contacts.slot_count, wp.int32)
            self._graphs.clear()  # they hold the address of the old one
            self._find_anew()

    def wake(self) -> None:
        """Wake a scene that sleeps; changes of states, forces, drives and gravity do so by themselves."""
        if self._sleep is not None:
            self._sleep.wake()

    def update_contacts(self, contacts: Contacts, state: State | None = None) -> None:
        """Write the forces of the last step to `contacts.force`, and its contacts to `contacts.rigid_contact_*`.

        Args:
            contacts: Those of the last step.
            state: Where bodies are; by default the state at the end of that step.

        Raises:
            OptionTypeError: They are no contacts, or it is no state.
            ValueError: Forces were not requested of the model, no step was made, or the last one had no contacts or
                some of another size.
        """
        need("contacts", contacts, Contacts, "model.contacts()")
        if state is not None:
            need("state", state, State, "model.state()")
        if contacts.force is None:
            raise ValueError(
                'contacts have no forces; call model.request_contact_attributes("force") before contacts()'
            )
        if self._stepped is None:
            when = "before the first step" if self._ended is None else "after a step without contacts"
            raise ValueError(f"there are no forces {when}; call step(..., contacts, dt) first")
        for name in ("rigid_contact_max", "slot_count"):
            given, stepped = getattr(contacts, name), getattr(self._stepped, name)
            if given != stepped:
                said = f"{name} of these contacts is {given}, that of those of the last step {stepped}"
                raise ValueError(f"{said}; make both alike, or give those of the step")
        if contacts is not self._stepped:
            for name in ("close", "force", "torque", "point", "normal", "depth"):
                wp.copy(getattr(contacts.data, name), getattr(self._stepped.data, name))
        assert self._ended is not None, "a step with contacts has an end"
        contacts.list_step(state or self._ended, contacts.force)

    def _captured(
        self, state_in: State, state_out: State, control: Control, contacts: Contacts | None, dt: float
    ) -> tuple[list[list[Any]], Any]:
        """Return the graphs of a step, in each round those that are replayed together, and what they work on."""
        self._load(contacts is not None)
        self.make_room(contacts)
        scene = self._scene(state_in, state_out, control, contacts, dt)
        on_device: Any = struct_array(scene, self.model.device)
        graphs: list[list[Any]] = []
        for shares in self._shares:
            graphs.append([])
            for share in shares:
                launch = partial(self._launch, on_device, state_in, contacts, dt, share)
                graphs[-1].append(captured(launch, self.model.device))
        return graphs, (state_in, state_out, control, contacts, scene, on_device)

    def _load(self, contacts: bool) -> None:
        """Compile the kernels of steps with contacts or without, or take them from the cache."""
        if contacts in self._loaded:
            return
        p, others = self.model.precision, self._kernels_of_contacts() if contacts else ()
        load((step_kernel(p), *others, begin_kernel(p)), self._device)
        self._loaded.add(contacts)

    def _kernels_of_contacts(self) -> tuple[Any, ...]:
        """Return the kernels that find contacts before a step."""
        if self.model.nearby is not None:
            return nearby_step_kernels(self.model.precision)
        return narrow_kernels(self.model.precision) if len(self.model.anchored) else ()

    def _launch(self, scene: Any, state_in: State, contacts: Contacts | None, dt: float, share: Share) -> None:
        """Launch what a share is to do."""
        model, touched = self.model, contacts or self._untouched()
        if contacts is not None and len(model.anchored) and share.stage != Stage.ISLANDS:
            touched.anchored.launch(touched.data, state_in, dt, share.first, share.count)
        begin, step = begin_kernel(model.precision), step_kernel(model.precision)
        kernels = (begin,) if share.stage == Stage.BEGIN else (begin, step)
        for first, count in share.launches():
            threads, spread = threads_for(max(count, 1), self._device)
            for kernel in kernels:
                inputs = [scene, int(share.stage), first, share.stride, count, threads, spread]
                block = block_of(kernel.module, self._device)
                wp.launch(kernel, dim=threads * spread, inputs=inputs, device=self._device, block_dim=block)

    def _scene(self, state_in: State, state_out: State, control: Control, contacts: Contacts | None, dt: float) -> Any:
        """Return what the kernel works on."""
        model, scene = self.model, scene_type(self.model.precision)()
        touched = contacts or self._untouched()
        settings = self._options(state_out, contacts is not None, dt)
        touched.rows.has_twists = int(self._has_twists)
        parts = {
            "bodies": model.bodies,
            "joints": model.joints,
            "loops": model.loops,
            "shapes": model.shapes,
            "control": control.data,
            "contacts": touched.data,
            "rows": touched.rows,
            "anchored": touched.anchored.data,
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
        options, given = self.model.precision.Options(), self.parameters
        options.dt, options.per_impulse, options.least_substeps = dt, 1.0 / dt, self._body_substeps
        options.joint_turn_limit = given.joint_turn_limit
        options.iterations = max(given.iterations, LEAST_ITERATIONS)
        options.contacts = int(contacts and (self.model.slot_count > 0 or self.model.nearby is not None))
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

    @property
    def _body_substeps(self) -> int:
        """Substeps of bodies that one launch makes."""
        return self.substeps if self._soft is None else 1

    def _untouched(self) -> Contacts:
        if self._no_contacts is None:
            self._no_contacts = self.model.contacts()
        return self._no_contacts


def _check_types(state_in: Any, state_out: Any, control: Any, contacts: Any, dt: Any) -> None:
    """Refuse arguments of a step that are something else than what they are for.

    Raises:
        OptionTypeError: One is.
    """
    need("state_in", state_in, State, "model.state()")
    need("state_out", state_out, State, "model.state()")
    if control is not None:
        need("control", control, Control, "model.control()")
    if contacts is not None:
        need("contacts", contacts, Contacts, "model.contacts()")
    if isinstance(dt, str) or not hasattr(dt, "__float__") or getattr(dt, "ndim", 0) > 0:
        raise OptionTypeError("dt", dt, "a number of seconds")


def _parameter(name: str) -> property:
    """Return an attribute of the solver that is one of its parameters."""
    return property(
        lambda solver: getattr(solver.parameters, name),
        lambda solver, value: solver.change_parameter(name, value),
        doc=f"`{name}` of `SolverParameters`.",
    )


for _name in LIVE:
    setattr(SolverXPBD, _name, _parameter(_name))
