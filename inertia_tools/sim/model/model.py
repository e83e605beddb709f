# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A finished scene on a device, with its states, controls and contacts."""

from __future__ import annotations

from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, ClassVar, NamedTuple, overload

import numpy as np
import warp as wp

from inertia_tools.errors import OptionError, SimulationError, UnknownWorldError
from inertia_tools.kernel_loading import launch
from inertia_tools.sim.device.acting_contacts import ActingContacts, acting_contacts
from inertia_tools.sim.device.contacts import Contacts, empty_contacts
from inertia_tools.sim.device.control import Control, start_control
from inertia_tools.sim.device.drive_efforts import DRIVE_EFFORTS
from inertia_tools.sim.device.joint_arrays import DOF_FIELDS
from inertia_tools.sim.device.model_data import ModelData
from inertia_tools.sim.device.scene_search import SceneSearch
from inertia_tools.sim.device.state import State, start_state
from inertia_tools.sim.device.state_reading import motion_of
from inertia_tools.sim.scene.body_motion import BodyMotion
from inertia_tools.sim.scene.custom_attributes import AttributeAssignment as Assignment
from inertia_tools.sim.scene.custom_attributes import AttributeFrequency
from inertia_tools.sim.scene.given import as_count, as_finite_vector, as_index, as_number, as_numbers, need
from inertia_tools.spatial import ArrayLike

STATE_ATTRIBUTES = ("body_parent_f", DRIVE_EFFORTS)
CONTACT_ATTRIBUTES = ("force", "solve_log")


class DeviceArray(NamedTuple):
    """An array of a model that users may write to.

    Attributes:
        structure: Attribute of the model with the structure that contains it.
        name: Its name in the structure.
        frequency: Kind of element of each entry.
    """

    structure: str
    name: str
    frequency: AttributeFrequency


DEVICE_ARRAYS = {
    **{
        f"joint_{config}": DeviceArray("joints", array, AttributeFrequency.JOINT_DOF)
        for array, config in DOF_FIELDS.items()
    },
    "joint_enabled": DeviceArray("joints", "enabled", AttributeFrequency.JOINT),
    "joint_type": DeviceArray("joints", "kind", AttributeFrequency.JOINT),
    "joint_parent": DeviceArray("joints", "parent", AttributeFrequency.JOINT),
    "joint_child": DeviceArray("joints", "child", AttributeFrequency.JOINT),
    "body_mass": DeviceArray("bodies", "mass", AttributeFrequency.BODY),
    "body_inertia": DeviceArray("bodies", "inertia", AttributeFrequency.BODY),
    "body_com": DeviceArray("bodies", "com", AttributeFrequency.BODY),
    "body_gravity_scale": DeviceArray("bodies", "gravity_scale", AttributeFrequency.BODY),
    "shape_material_mu": DeviceArray("shapes", "mu", AttributeFrequency.SHAPE),
    "shape_material_mu_torsional": DeviceArray("shapes", "mu_torsional", AttributeFrequency.SHAPE),
    "shape_material_mu_rolling": DeviceArray("shapes", "mu_rolling", AttributeFrequency.SHAPE),
    "shape_material_restitution": DeviceArray("shapes", "restitution", AttributeFrequency.SHAPE),
}
"""Arrays that users may write to, by Newton's names."""


@dataclass(eq=False)
class Model(ModelData):
    """A finished scene.

    Arrays on the device may be written to between steps. Every step reads `joint_enabled` and the arrays of degrees of
    freedom, such as `joint_armature`. After changes of other arrays call `SolverXPBD.notify_model_changed`; it is safe
    after any change.
    """

    AttributeAssignment: ClassVar[type[Assignment]] = Assignment
    AttributeFrequency: ClassVar[type[AttributeFrequency]] = AttributeFrequency

    _requested: set[str] = field(default_factory=set, init=False, repr=False)
    _search: SceneSearch = field(default_factory=SceneSearch, init=False, repr=False)
    _led_search: SceneSearch = field(default_factory=lambda: SceneSearch(finds_led=True), init=False, repr=False)
    _looks: Any = field(default=None, init=False, repr=False)
    _work: Any = field(default=None, init=False, repr=False)  # work data of `collide`

    def __repr__(self) -> str:
        counts = (self.body_count, "bodies"), (self.joint_count, "joints"), (self.shape_count, "shapes")
        parts = ", ".join(f"{count} {what}" for count, what in (*counts, (self.particle_count, "particles")))
        return f"<{type(self).__name__} of {parts} on {self.device}>"

    @property
    def gravity(self) -> Any:
        """Acceleration of gravity in each world, and last that of bodies in no world [m/s^2], Warp array of vectors.

        Assigning a vector sets all entries.
        """
        return self.bodies.gravity

    @gravity.setter
    def gravity(self, gravity: ArrayLike) -> None:
        self.set_gravity(gravity)

    @property
    def ground(self) -> bool:
        """Always False: the ground is an ordinary shape. Scripts for Warp's own simulator set it to False."""
        return False

    @ground.setter
    def ground(self, ground: bool) -> None:
        if ground:
            raise OptionError("ground", ground, "False: ModelBuilder.add_ground_plane adds a plane before finalize")

    def set_gravity(self, gravity: ArrayLike, world: int | None = None) -> None:
        """Set gravity, from the next step on and in new states.

        Args:
            gravity: Acceleration of gravity [m/s^2], shape (3,); or one vector for each world, shape (worlds, 3), which
                keeps that of bodies in no world; or with a last row for those, shape (worlds + 1, 3).
            world: World to change, -1 for bodies in no world, None for all. A scene without explicit worlds is world 0.

        Raises:
            OptionError: The vector is not finite, or has another shape.
            UnknownWorldError: There is no such world.
        """
        rows, values = len(self.gravities), np.array(self.gravities)
        worlds = max(rows - 1, 1)
        if np.ndim(gravity) == 2 and world is None:
            given = as_numbers("gravity", gravity, f"one vector, or one for each of {worlds} worlds")
            if given.shape not in ((worlds, 3), (rows, 3)):
                raise OptionError("gravity", given.shape, f"one vector, or one for each of {worlds} worlds")
            values[: len(given)] = [as_finite_vector("gravity", row) for row in given]
        else:
            if world is not None and not -1 <= as_index("world", world, "a world") < worlds:
                raise UnknownWorldError(world, worlds)
            values[slice(None) if world is None else world] = as_finite_vector("gravity", gravity)
        self.take_gravities(values)

    def state(self, requires_grad: bool = False) -> State:
        """Return a new state with the initial poses and velocities of the scene."""
        return start_state(self, self._requested)

    def motion(self, state: State) -> BodyMotion:
        """Return the poses and velocities of the bodies in a state, in double precision.

        A state in single precision also stores the rounding residuals, which are included here. The result is therefore
        more accurate than `body_q` and `body_qd`, which matters far from the origin and for small differences.

        Raises:
            OptionTypeError: `state` is not a state.
        """
        return motion_of(self, need("state", state, State, "model.state()"))

    def control(self, requires_grad: bool = False, clone_variables: bool = True) -> Control:
        """Return a new control with the model's `joint_target_q`, `joint_target_qd`, `joint_f` and activations.

        Args:
            requires_grad: Without effect, as steps are not differentiated.
            clone_variables: Whether the control has copies of these arrays, or the arrays of the model themselves.
        """
        return start_control(self, cloned=clone_variables)

    def request_state_attributes(self, *names: str) -> None:
        """Add optional attributes to states created from now on.

        There are two. "body_parent_f" is the wrench of the joints on each body. "mujoco:qfrc_actuator" is the effort of
        each degree of freedom's drive at the end of the step [N m or N], in `state.mujoco.qfrc_actuator`: within its
        limit, without `Control.joint_f`, and NaN for rigid drives, whose effort is the load of the joint.

        Raises:
            OptionError: There is no such attribute.
        """
        self._request(names, STATE_ATTRIBUTES)

    def request_contact_attributes(self, *names: str) -> None:
        """Add the optional attributes "force" or "solve_log" to contacts created from now on.

        Raises:
            OptionError: There is no such attribute.
        """
        self._request(names, CONTACT_ATTRIBUTES)

    def request(self, name: str) -> None:
        """Add an optional attribute to states or contacts created from now on.

        Raises:
            OptionError: There is no such attribute.
        """
        self._request((name,), (*STATE_ATTRIBUTES, *CONTACT_ATTRIBUTES))

    def _request(self, names: tuple[str, ...], known: tuple[str, ...]) -> None:
        for name in names:
            if name not in known:
                raise OptionError("attribute", name, " or ".join(known))
        self._requested.update(names)

    def contacts(self, rigid_contact_max: int | None = None) -> Contacts:
        """Return empty contacts.

        Make them once and pass them to each step: what carries over from step to step lies in them, and a step with new
        ones is captured anew, which takes milliseconds.

        Args:
            rigid_contact_max: Number of entries of `rigid_contact_*`; None or 0 for `Model.rigid_contact_max`.

        Raises:
            OptionError: `rigid_contact_max` is not a positive whole number.
        """
        is_own = rigid_contact_max is None or as_number(rigid_contact_max) == 0.0
        most = 0 if is_own else as_count("rigid_contact_max", rigid_contact_max)
        return empty_contacts(self, "force" in self._requested, logs="solve_log" in self._requested, most=most)

    def acting_contacts(self, contacts: Contacts) -> ActingContacts:
        """Return the contacts with a force in the last step, with forces, torques, materials and shapes.

        Raises:
            OptionTypeError: `contacts` are not contacts.
        """
        return acting_contacts(self, need("contacts", contacts, Contacts, "model.contacts()"))

    @overload
    def collide(
        self, state: State, contacts: None = None, foresight: float = 0.0, *, with_led: bool = False
    ) -> Contacts: ...

    @overload
    def collide(self, state: State, contacts: Contacts, foresight: float = 0.0, *, with_led: bool = False) -> int: ...

    def collide(
        self, state: State, contacts: Contacts | None = None, foresight: float = 0.0, *, with_led: bool = False
    ) -> int | Contacts:
        """Find the contacts and near contacts in a state, without moving anything; steps do so by themselves.

        It tests every pair of shapes, including terrain and triangles of static meshes. The buffer of contacts grows as
        needed; only redundant points of a contact patch are dropped. Particles near shapes are listed in
        `Contacts.soft_contact_*`, without forces. During graph capture it does nothing and returns zero, since steps
        find their contacts themselves.

        Args:
            state: State with the poses of the bodies.
            contacts: Contacts to fill: `geometry` receives all contacts; `data` receives points, normals and depths of
                those that the solver handles, with zero depth where nothing overlaps, and zero forces. None creates new
                ones.
            foresight: Detection distance beyond the margins [m]; a larger `gap` of a shape takes precedence. With inf
                all pairs are listed.
            with_led: Whether to list contacts of kinematic bodies with each other and with the world, which have no
                effect on motion.

        Returns:
            The number of overlapping contacts; or the contacts, if `contacts` is None.

        Raises:
            OptionTypeError: `state` or `contacts` has the wrong type.
            OptionError: The foresight is negative or not a number.
            SimulationError: A moving mesh is flat, or there are several worlds.
        """
        from inertia_tools.sim.collide.detect import detect_kernel

        need("state", state, State, "model.state()")
        if not as_number(foresight) >= 0.0:
            raise OptionError("foresight", foresight, "a number of metres, zero or more")
        if contacts is not None:
            need("contacts", contacts, Contacts, "model.contacts()")
        else:
            made = self.contacts()
            self.collide(state, made, foresight, with_led=with_led)
            return made
        if wp.get_device(self.device).is_capturing:
            return 0
        if self.copy_count > 1:
            raise SimulationError("collide supports a single world; a step finds the contacts of each world by itself")
        contacts.bring_up_to_date()
        if self._work is None:
            self._work = self.zeros(self.body_count, self.precision.Body)
        inputs = [self.bodies, self.shapes, contacts.data, self._work, state.data]
        launch(detect_kernel(self.precision), self.copy_count, inputs, [], self.device)
        search = self._led_search if with_led else self._search
        search.find(self, state, contacts.geometry, foresight)
        contacts.list_found()
        if self.soft is not None:
            self._soft_step().look(state, contacts)
        return int(np.count_nonzero(contacts.geometry.depths > 0.0))

    def forget_searches(self) -> None:
        """Discard cached collision detection after a change of `body_flags`."""
        self._search, self._led_search = SceneSearch(), SceneSearch(finds_led=True)
        self._looks = self._work = None

    def _soft_step(self) -> Any:
        """Return the soft-body solver for contact queries, created on first use."""
        if self._looks is None:
            from inertia_tools.sim.soft.soft_step import SoftStep

            self._looks = SoftStep(self, enable_restitution=False)
        return self._looks


def _device_array(struct: str, name: str) -> property:
    """Return a property for an array in one of the model's structures."""
    return property(attrgetter(f"{struct}.{name}"), doc=f"Warp array `{name}` of `{struct}`; see `Precision`.")


for _name, _place in DEVICE_ARRAYS.items():
    setattr(Model, _name, _device_array(_place.structure, _place.name))
