# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The XPBD solver: steps a state, bodies and particles in turn."""

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
    """Extended position-based dynamics of rigid and soft bodies.

    `docs/xpbd.md` says what each parameter means under each way to solve joints. Parameters by which constraints are
    solved, `substeps`, `enable_restitution` and `check_finite` are attributes too, which may be set between steps; the
    others are attributes that may not.

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
        self._threads, self._wants_sleep = threads, sleep
        self._device = wp.get_device(model.device)
        self._recorded: list[Any] = []  # what graphs of callers refer to
        self._no_control = model.control()
        self._sums_reactions = False
        self._prepare()

    def _prepare(self) -> None:
        """Make what steps work in, at first and when the model was built again."""
        model = self.model
        self._built_times, self._changed_times = model.built_times, model.changed_times
        self._bodies = BodyStepping(model, self.parameters, self._threads, sums_reactions=self._sums_reactions)
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
        self._bodies.invalidate_rows()
        self.wake()

    def _stepping(self) -> Any:
        """Return what steps particles; None where there are none."""
        if self.model.soft is None:
            return None
        from inertia_tools.sim.step.particle_stepping import ParticleStepping

        return ParticleStepping(self.model, self.parameters, self._bodies.substep)

    def change_parameter(self, name: str, value: Any) -> None:
        """Set one of the parameters that are attributes, from the next step on.

        Raises:
            OptionError: It is out of range.
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
        check_types(state_in, state_out, control, contacts, dt)
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
            check_finite(self.model, state_out, "after this step")

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
            self._bodies.sum_reactions()
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
        self._bodies.update_twists()

    @property
    def is_asleep(self) -> bool:
        """Tell whether steps are left out, as everything lies still."""
        return self._sleep is not None and self._sleep.is_asleep

    def go_on_from(self, other: SolverXPBD, contacts: Contacts) -> None:
        """Be ready to step with contacts, and let what is at rest for another solver, of the same parameters, be so."""
        self._bodies.ensure_capacity(contacts)
        self._bodies.adopt_rest(other._bodies)

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
        if self._bodies.last is None:
            raise ValueError("there are no forces before the first step; call step(..., contacts, dt) first")
        stepped, ended = self._bodies.last
        if stepped is None:
            raise ValueError("there are no forces after a step without contacts; call step(..., contacts, dt) first")
        for name in ("rigid_contact_max", "slot_count"):
            given, had = getattr(contacts, name), getattr(stepped, name)
            if given != had:
                said = f"{name} of these contacts is {given}, that of those of the last step {had}"
                raise ValueError(f"{said}; make both alike, or give those of the step")
        if contacts is not stepped:
            for name in ("has_row", "force", "torque", "point", "normal", "depth"):
                wp.copy(getattr(contacts.data, name), getattr(stepped.data, name))
        contacts.list_step(state or ended, contacts.force)


def _parameter(name: str) -> property:
    """Return an attribute of the solver that is one of its parameters."""
    return property(
        lambda solver: getattr(solver.parameters, name),
        lambda solver, value: solver.change_parameter(name, value),
        doc=f"`{name}` of `SolverParameters`.",
    )


def _lasting(name: str, value_of: Callable[[SolverXPBD], Any]) -> property:
    """Return an attribute of the solver that is set when it is made, and not later."""

    def refuse(solver: SolverXPBD, value: Any) -> None:
        raise SimulationError(f"{name} lasts as long as a solver; make another: SolverXPBD(model, {name}={value!r})")

    return property(value_of, refuse, doc=f"`{name}`, as it was given.")


for _field in fields(SolverParameters):
    _name = _field.name
    is_live = _name in LIVE or _name == "check_finite"  # which is looked at after each step
    setattr(SolverXPBD, _name, _parameter(_name) if is_live else _lasting(_name, attrgetter(f"parameters.{_name}")))
for _name, _where in (("threads", "_threads"), ("dtype", "model.precision.name"), ("sleep", "_wants_sleep")):
    setattr(SolverXPBD, _name, _lasting(_name, attrgetter(_where)))
