# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The XPBD solver, which steps the bodies and then the particles of a state."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import fields, replace
from operator import attrgetter
from typing import Any

import numpy as np
import warp as wp

from inertia_tools.errors import OptionError, SimulationError
from inertia_tools.sim.constraints.drive_law import fill_drive_efforts
from inertia_tools.sim.device.contacts import Contacts
from inertia_tools.sim.device.control import Control
from inertia_tools.sim.device.custom_arrays import carry_over
from inertia_tools.sim.device.state import State
from inertia_tools.sim.model.changes import take_over
from inertia_tools.sim.model.finite import check_finite
from inertia_tools.sim.model.model import Model
from inertia_tools.sim.model.observables import Observables, observables_of, observe
from inertia_tools.sim.scene.given import need
from inertia_tools.sim.scene.notices import SceneWarning
from inertia_tools.sim.solver_base import SolverBase
from inertia_tools.sim.step.body_stepping import BodyStepping
from inertia_tools.sim.step.sleep import Sleep
from inertia_tools.sim.step.solver_parameters import LIVE, SolverParameters
from inertia_tools.sim.step.step_arguments import check_step, check_types


class SolverXPBD(SolverBase):
    """Extended position-based dynamics (XPBD) of rigid and soft bodies.

    `docs/xpbd.md` describes each parameter for each joint solver. All parameters are also attributes. Those of the
    constraint solve, `substeps`, `enable_restitution` and `check_finite` may be set between steps; the others may not.

    Args:
        model: The scene.
        iterations: Passes over contacts and joints in each substep; at least 2 are made.
        soft_body_relaxation: In (0, 1], without effect, as constraints of soft bodies are solved at once; another value
            than the default causes a warning.
        soft_contact_relaxation: Likewise, for contacts of particles.
        joint_linear_relaxation: Fraction of each linear multiplier of a joint that a sweep applies, in (0, 1].
        joint_angular_relaxation: Fraction of each angular multiplier of a joint that a sweep applies, in (0, 1].
        joint_linear_compliance: Linear compliance of the constrained directions of joints [m/N].
        joint_angular_compliance: Angular compliance of the constrained axes of joints [rad/(N m)].
        rigid_contact_relaxation: Fraction of each contact multiplier that a pass applies, in (0, 1].
        rigid_contact_con_weighting: Whether to divide that fraction among the contacts of two bodies.
        angular_damping: Rate at which angular momentum decays [1/s].
        enable_restitution: Whether shapes bounce according to their restitution.
        rigid_contact_restitution_iterations: At least 1, without effect: impacts are solved to convergence.
        particle_enable_self_contact: Whether particles collide with each other; they always collide with shapes.
        substeps: Minimum number of substeps per step.
        joint_turn_limit: Maximum rotation of a body on a joint per substep [rad]. Islands with faster bodies halve
            their substeps, down to 1/512. Twice the angle takes half the time at four times the energy error.
        threads: Number of CPU threads that step the worlds of a replicated model, or the islands of a single scene;
            None for one per core if there is enough work.
        joint_solver: "direct" solves all joints of a tree at once; "sweeps" solves them one by one, with relaxation.
        contact_solver: "auto" or "direct": contacts are solved together with the joints, all at once.
        check_finite: Whether to check the state after every step, which waits for the device.
        dtype: "float32" or "float64" to assert the model's precision, which `finalize` sets; None accepts either.
        sleep: Whether to skip the steps of a scene that has been at rest for half a second, until forces or states
            change; see `wake`. A scene with particles does not sleep.

    Raises:
        OptionError: A parameter is out of range or not supported.
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
        self._threads, self._wants_sleep = threads, sleep
        self._device = wp.get_device(model.device)
        self._recorded: list[Any] = []  # kept alive for graphs that callers captured
        self._no_control = model.control()
        self._sums_reactions = False
        self._prepare()

    def _prepare(self) -> None:
        """Allocate the work data of steps, initially and after the model was rebuilt."""
        model = self.model
        self._built_times, self._changed_times = model.built_times, model.changed_times
        self._bodies = BodyStepping(model, self.parameters, self._threads, sums_reactions=self._sums_reactions)
        self._sleep = Sleep(model) if self._wants_sleep and model.soft is None else None
        self._soft = self._stepping()

    def bring_up_to_date(self, contacts: Contacts | None) -> None:
        """Prepare again, and reset contacts, if the model was rebuilt because bodies became kinematic or dynamic."""
        if self._built_times != self.model.built_times:
            if self._recorded:
                said = "a graph captured before body_flags changed still steps the old scene"
                warnings.warn(f"{said}; capture it again", SceneWarning, stacklevel=3)
            self._prepare()
        if contacts is not None and contacts.anchored.model is self.model:
            contacts.bring_up_to_date()

    def _notice_changes(self) -> None:
        """Discard cached results of the last step if the model was changed since."""
        self._changed_times = self.model.changed_times
        self._bodies.invalidate_rows()
        self.wake()

    def _stepping(self) -> Any:
        """Return the solver of particles; None if there are no particles."""
        if self.model.soft is None:
            return None
        from inertia_tools.sim.step.particle_stepping import ParticleStepping

        return ParticleStepping(self.model, self.parameters, self._bodies.substep)

    def change_parameter(self, name: str, value: Any) -> None:
        """Set a parameter that may change between steps; the next step uses it.

        Raises:
            OptionError: The value is out of range.
        """
        self.parameters = replace(self.parameters, **{name: value})
        self.parameters.warn_of_unused([name])
        self._bodies.change_parameters(self.parameters)
        if name in ("enable_restitution", "substeps"):
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
        """Advance one step from a state to another, which may be the same object.

        Args:
            state_in: State at the start; its `body_f` and `particle_f` act throughout the step.
            state_out: Receives the state at the end; attributes that users added to states are copied to it.
            control: Targets and efforts of drives; None for no drives.
            contacts: Contacts to use and fill, the same object in every step; None for a step without contacts.
            dt: Length of the step [s].
            observables: Additional quantities to compute, from `observables`.

        Raises:
            OptionError: The length of the step is not positive, or an argument has the wrong type.
            SimulationError: A state, the control or the contacts belong to another scene; or `check_finite` is set and
                a state is not finite.
        """
        check_types(state_in, state_out, control, contacts, dt)
        dt = float(dt)
        if observables is not None:
            need("observables", observables, Observables, "observables()")
        control = control or self._no_control
        if self.model.built_times > 0:
            self.bring_up_to_date(contacts)
        if self._changed_times != self.model.changed_times:
            self._notice_changes()
        if state_in.custom and state_in is not state_out:
            carry_over(state_in.custom, state_out.custom)
        if self._sleep is not None and self._sleep.lasts(state_in, state_out, control, contacts, dt):
            return
        if self._device.is_capturing:
            self._recorded.append(self._bodies.record(state_in, state_out, control, contacts, dt))
        elif self._soft is None:
            self._bodies.step(state_in, state_out, control, contacts, dt)
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
            check_finite(self.model, state_out, "after this step", state_in, control)

    def observables(self, kinds: Iterable[str], *, contacts: Contacts | None = None) -> Observables:
        """Return arrays that steps fill with quantities besides the state.

        Args:
            kinds: Names in `ObservableKind`: wrenches of contacts, and of joints.
            contacts: The contacts that are passed to steps, if their wrenches are requested.

        Raises:
            OptionError: There is no such kind, or the model is in double precision.
            SimulationError: Wrenches of contacts are requested without contacts.
        """
        if contacts is not None:
            need("contacts", contacts, Contacts, "model.contacts()")
        found = observables_of(self.model, kinds, contacts)
        if found.body_parent_f is not None and not self._sums_reactions:
            self._sums_reactions = True
            self._bodies.sum_reactions()
        return found

    def notify_model_changed(self, flags: int) -> None:
        """Apply changes of the model, from the next step on.

        Bodies whose `body_flags` were changed become kinematic or dynamic: parts of the model are rebuilt, which takes
        as long as `finalize`, and contacts lose their friction state. Callers must capture their graphs again.

        Args:
            flags: Combination of `SolverNotifyFlags`.

        Raises:
            OptionError: A flag is unknown, a value of a joint, a material or a particle is out of range, gravity is
                not finite, or copies that `replicate` has made would differ in `body_flags`.
            SimulationError: A dynamic body has invalid mass properties.
        """
        take_over(self.model, flags)
        self.bring_up_to_date(None)
        self._notice_changes()
        self._bodies.update_twists()

    @property
    def is_asleep(self) -> bool:
        """Return whether steps are skipped because everything is at rest."""
        return self._sleep is not None and self._sleep.is_asleep

    def go_on_from(self, other: SolverXPBD, contacts: Contacts) -> None:
        """Prepare to step with contacts, and take over the sleep state of another solver with the same parameters."""
        self._bodies.ensure_capacity(contacts)
        self._bodies.adopt_rest(other._bodies)

    def wake(self) -> None:
        """Wake a sleeping scene; changes of states, forces, drives and gravity wake it by themselves."""
        if self._sleep is not None:
            self._sleep.wake()

    def update_contacts(self, contacts: Contacts, state: State | None = None) -> None:
        """Write the forces of the last step to `contacts.force`, and its contact points to `contacts.rigid_contact_*`.

        Args:
            contacts: Contacts of the last step.
            state: State whose body poses apply; by default that at the end of the step.

        Raises:
            OptionTypeError: `contacts` or `state` has the wrong type.
            ValueError: Forces were not requested of the model, there was no step yet, or the last step had no contacts,
                or contacts of another size.
        """
        need("contacts", contacts, Contacts, "model.contacts()")
        if state is not None:
            need("state", state, State, "model.state()")
        if contacts.force is None:
            raise ValueError(
                'contacts have no forces; call model.request_contact_attributes("force") before contacts()'
            )
        if self._bodies.last is None:
            raise ValueError("there are no forces before the first step; call step(..., contacts, dt) first")
        stepped, ended = self._bodies.last
        if stepped is None:
            raise ValueError("there are no forces after a step without contacts; call step(..., contacts, dt) first")
        for name in ("rigid_contact_max", "slot_count"):
            given, had = getattr(contacts, name), getattr(stepped, name)
            if given != had:
                said = f"{name} of these contacts is {given}, but {had} of the contacts of the last step"
                raise ValueError(f"{said}; pass the contacts of the step, or contacts of the same size")
        if contacts is not stepped:
            for name in ("has_row", "force", "torque", "point", "normal", "depth"):
                wp.copy(getattr(contacts.data, name), getattr(stepped.data, name))
        contacts.list_step(state or ended, contacts.force)


def _parameter(name: str) -> property:
    """Return a property of the solver for a parameter that may change between steps."""
    return property(
        lambda solver: getattr(solver.parameters, name),
        lambda solver, value: solver.change_parameter(name, value),
        doc=f"`{name}` of `SolverParameters`.",
    )


def _lasting(name: str, value_of: Callable[[SolverXPBD], Any]) -> property:
    """Return a read-only property of the solver for a parameter of its constructor."""

    def refuse(solver: SolverXPBD, value: Any) -> None:
        raise SimulationError(f"{name} is fixed at construction; make another: SolverXPBD(model, {name}={value!r})")

    return property(value_of, refuse, doc=f"`{name}`, as given to the constructor.")


for _field in fields(SolverParameters):
    _name = _field.name
    is_live = _name in LIVE or _name == "check_finite"  # which is read after each step
    setattr(SolverXPBD, _name, _parameter(_name) if is_live else _lasting(_name, attrgetter(f"parameters.{_name}")))
for _name, _where in (("threads", "_threads"), ("dtype", "model.precision.name"), ("sleep", "_wants_sleep")):
    setattr(SolverXPBD, _name, _lasting(_name, attrgetter(_where)))
