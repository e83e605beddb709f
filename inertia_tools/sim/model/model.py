# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""A finished scene on a device, and what can be made and asked of it."""

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
        structure: The structure of arrays that has it.
        name: Its name there.
        frequency: What it has one entry for.
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

    What is on the device may be written to between steps: arrays of degrees of freedom (`joint_armature` and its like)
    and `joint_enabled` are read in every step; after others, and as a rule, call `SolverXPBD.notify_model_changed`.
    """

    AttributeAssignment: ClassVar[type[Assignment]] = Assignment
    AttributeFrequency: ClassVar[type[AttributeFrequency]] = AttributeFrequency

    _requested: set[str] = field(default_factory=set, init=False, repr=False)
    _search: SceneSearch = field(default_factory=SceneSearch, init=False, repr=False)
    _led_search: SceneSearch = field(default_factory=lambda: SceneSearch(finds_led=True), init=False, repr=False)
    _looks: Any = field(default=None, init=False, repr=False)
    _work: Any = field(default=None, init=False, repr=False)  # scratch of `collide`

    @property
    def gravity(self) -> Any:
        """Acceleration of free fall in each world of the scene, and of what is in none [m/s^2], Warp array.

        Assigning a vector sets all of them.
        """
        return self.bodies.gravity

    @gravity.setter
    def gravity(self, gravity: ArrayLike) -> None:
        self.set_gravity(gravity)

    @property
    def ground(self) -> bool:
        """False: the ground is a shape like others; scripts of Warp's own simulator switch it off here."""
        return False

    @ground.setter
    def ground(self, ground: bool) -> None:
        if ground:
            raise OptionError("ground", ground, "False: ModelBuilder.add_ground_plane adds a plane before finalize")

    def set_gravity(self, gravity: ArrayLike, world: int | None = None) -> None:
        """Let everything fall otherwise from the next step on, and states that are made from now on.

        Args:
            gravity: Acceleration of free fall [m/s^2], shape (3,); or one for each world, shape (worlds, 3), which
                leaves what is in none as it is; or one for each and one for that.
            world: The world where it changes, -1 for what is in none; None for all of them. A scene in which no world
                was begun is world 0.

        Raises:
            OptionError: It is not finite, or of another shape.
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
        """Return the state at the start: all bodies where they were built, and as fast."""
        return start_state(self, self._requested)

    def motion(self, state: State) -> BodyMotion:
        """Return how the bodies lie and move in a state, in double precision.

        In single precision what rounding leaves out of a state is kept beside it, and counts here: far from the origin,
        and where small differences matter, this says more than `body_q` and `body_qd`.

        Raises:
            OptionTypeError: It is no state.
        """
        return motion_of(self, need("state", state, State, "model.state()"))

    def control(self, requires_grad: bool = False, clone_variables: bool = True) -> Control:
        """Return drives that aim at what their joints were built with, and no efforts."""
        return start_control(self)

    def request_state_attributes(self, *names: str) -> None:
        """Have states that are made from now on carry more.

        There is "body_parent_f"; and "mujoco:qfrc_actuator", the effort of each degree of freedom's drive at the end
        of the step [N m or N], in `state.mujoco.qfrc_actuator`: within its limit, without `Control.joint_f`, and NaN
        where a drive holds rigidly, whose effort is what the joint carries.

        Raises:
            OptionError: There is no such attribute.
        """
        self._request(names, STATE_ATTRIBUTES)

    def request_contact_attributes(self, *names: str) -> None:
        """Have contacts that are made from now on carry more; there are "force" and "solve_log".

        Raises:
            OptionError: There is no such attribute.
        """
        self._request(names, CONTACT_ATTRIBUTES)

    def request(self, name: str) -> None:
        """Have states or contacts carry more.

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
        """Return contacts that hold nothing yet.

        Args:
            rigid_contact_max: Entries that their `rigid_contact_*` have; with 0 or None as many as the model says.

        Raises:
            OptionError: That is no whole number, 1 or more.
        """
        is_own = rigid_contact_max is None or as_number(rigid_contact_max) == 0.0
        most = 0 if is_own else as_count("rigid_contact_max", rigid_contact_max)
        return empty_contacts(self, "force" in self._requested, logs="solve_log" in self._requested, most=most)

    def acting_contacts(self, contacts: Contacts) -> ActingContacts:
        """Return the contacts that bore a force in the last step, with their forces, torques, materials and shapes.

        Raises:
            OptionTypeError: They are no contacts.
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
        """Find where shapes touch or nearly touch in a state, without moving anything; a step does so by itself.

        Every pair of shapes is looked at: terrain and the triangles of meshes that stay too, which the solver does not
        feel yet. Room for contacts grows as it is needed; none is dropped but those that a patch can spare. Particles
        near shapes are listed in `Contacts.soft_contact_*`, without forces. While a caller captures a graph it does
        nothing, and answers zero: a step finds its contacts itself.

        Args:
            state: Where the bodies are.
            contacts: `geometry` takes the contacts. `data` takes points, normals and depths of what the solver feels;
                the depth is zero where nothing overlaps, and forces are zero. None makes some.
            foresight: Distance beyond the margins up to which contacts are found of all shapes [m]; of those whose
                `gap` is larger, up to that. With inf those of all pairs are listed.
            with_led: List contacts between kinematic bodies, and of them with the world, too; nothing answers to them.

        Returns:
            The number of contacts that overlap; or the contacts, where none were given.

        Raises:
            OptionTypeError: They are no state or no contacts.
            OptionError: The foresight is no distance.
            SimulationError: A mesh that moves is flat, or there are several worlds.
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
            raise SimulationError("collide looks at a single world; a step finds the contacts of each by itself")
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
        """Discard the contact searches, which were made for the scene before `body_flags` were changed."""
        self._search, self._led_search = SceneSearch(), SceneSearch(finds_led=True)
        self._looks = self._work = None

    def _soft_step(self) -> Any:
        """Return the solver of soft bodies for contact queries, made on first use."""
        if self._looks is None:
            from inertia_tools.sim.soft.soft_step import SoftStep

            self._looks = SoftStep(self, enable_restitution=False)
        return self._looks


def _device_array(struct: str, name: str) -> property:
    """Return an attribute that is an array of one of the structures of a model."""
    return property(attrgetter(f"{struct}.{name}"), doc=f"Warp array `{name}` of `{struct}`; see `Precision`.")


for _name, _place in DEVICE_ARRAYS.items():
    setattr(Model, _name, _device_array(_place.structure, _place.name))
