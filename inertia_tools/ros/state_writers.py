# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Fast serialisation of a simulator's frequent messages, those of `simulation_messages`.

Messages of a robot keep their length while its links stay the same, and those of contacts while the same bodies touch
at the same number of points. Each is therefore a `MessageTemplate`, created for the first such message.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from builtin_interfaces.msg import Time
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import Header

from inertia_tools.ros import simulation_messages as messages
from inertia_tools.ros.message_templates import MessageTemplate
from inertia_tools.sim.collide.contact_geometry import Indices
from inertia_tools.sim.device.contact_points import OF_PAIR, OF_POINT
from inertia_tools.sim.observation import OF_LINK, ContactTable, Snapshot, SoftSnapshot
from inertia_tools.spatial import Array, cross_products

if TYPE_CHECKING:
    from inertia_tools.msg import ContactForces

NO_NUMBERS, NO_JOINTS = np.zeros(0), np.zeros((0, 2))

MOST_KEPT = 64
"""Maximum number of cached templates; those of contacts come and go as feet lift off."""


@dataclass(frozen=True, eq=False)
class _Touching:
    """The last contacts; most pairs stay in contact, and the same objects are passed again then.

    Attributes:
        pairs, starts: As in `ContactTable`.
        names: Names of the links.
        frame, time_step: Frame and time step of the message.
        firsts: Row of the first link of each pair among the links, shape (pairs,).
        template: The template to fill.
    """

    pairs: tuple[tuple[str, str], ...]
    starts: Indices
    names: tuple[str, ...]
    frame: str
    time_step: float
    firsts: Indices
    template: MessageTemplate

    def fits(self, contacts: ContactTable, snapshot: Snapshot, frame: str, time_step: float) -> bool:
        """Return whether the same pairs touch at the same numbers of points."""
        same = self.pairs is contacts.pairs and self.starts is contacts.starts and self.names is snapshot.names
        return same and (self.frame, self.time_step) == (frame, time_step)


class StateWriters:
    """Serialises the states of one simulator."""

    def __init__(self) -> None:
        self._templates: dict[Hashable, MessageTemplate] = {}
        self._touching: _Touching | None = None
        self._clock = MessageTemplate(lambda numbers, stamp, count: Clock(clock=stamp), 0)

    def clock(self, nanoseconds: int) -> bytes:
        """Return a serialised `Clock`."""
        return self._clock.filled(NO_NUMBERS, nanoseconds)

    def body_states(self, snapshot: Snapshot, frame: str, nanoseconds: int, step: int) -> bytes:
        """Return a serialised `BodyStates`; see `to_body_states`."""
        names = snapshot.names

        def make(numbers: Array, stamp: Time, count: int) -> Any:
            *states, kinetic, potential = numbers.tolist()
            marked = Snapshot(0.0, names, np.reshape(states, (-1, OF_LINK)), (), NO_JOINTS, kinetic, potential)
            return messages.to_body_states(marked, Header(stamp=stamp, frame_id=frame), count)

        template = self._template(("bodies", frame, names), make, OF_LINK * len(names) + 2)
        energies = snapshot.kinetic_energy, snapshot.potential_energy
        return template.filled(np.append(snapshot.states, energies), nanoseconds, step)

    def joint_state(self, snapshot: Snapshot, efforts: Mapping[str, float], nanoseconds: int) -> bytes:
        """Return a serialised `JointState`; see `to_joint_state`."""
        names = tuple(efforts)

        def make(numbers: Array, stamp: Time, count: int) -> Any:
            position, velocity, effort = numbers.reshape(3, -1).tolist()
            return JointState(
                header=Header(stamp=stamp), name=names, position=position, velocity=velocity, effort=effort
            )

        template = self._template(("joints", names), make, 3 * len(names))
        joints = snapshot.joints
        if names != snapshot.joint_names:
            joints = joints[[snapshot.joint_names.index(name) for name in names]]
        return template.filled(np.concatenate([*joints.T, list(efforts.values())]), nanoseconds)

    def contact_forces(
        self, contacts: ContactTable, snapshot: Snapshot, frame: str, nanoseconds: int, time_step: float
    ) -> bytes:
        """Return a serialised `ContactForces`; see `to_contact_forces`."""
        if self._touching is None or not self._touching.fits(contacts, snapshot, frame, time_step):
            self._touching = self._find_touching(contacts, snapshot, frame, time_step)
        template, origins = self._touching.template, snapshot.positions[self._touching.firsts]
        wrenches = contacts.wrenches.copy()
        wrenches[:, 3:] -= cross_products(origins, wrenches[:, :3])
        return template.filled(np.append(contacts.points, wrenches), nanoseconds)

    def _find_touching(self, contacts: ContactTable, snapshot: Snapshot, frame: str, time_step: float) -> _Touching:
        """Store contacts of pairs that differ from the last ones."""
        pairs, starts = contacts.pairs, contacts.starts

        def make(numbers: Array, stamp: Time, count: int) -> Any:
            return _marked_contacts(pairs, starts, numbers, Header(stamp=stamp, frame_id=frame), time_step)

        count = contacts.points.size + contacts.wrenches.size
        template = self._template(("contacts", frame, time_step, pairs, starts.tobytes()), make, count)
        row = {name: number for number, name in enumerate(snapshot.names)}
        firsts = np.array([row[first] for first, _ in pairs], dtype=int)
        return _Touching(pairs, starts, snapshot.names, frame, time_step, firsts, template)

    def soft_mesh(self, soft: SoftSnapshot, frame: str, nanoseconds: int, lifetime: float) -> bytes:
        """Return a serialised `Marker`; see `to_soft_mesh`."""
        corners = soft.corners

        def make(numbers: Array, stamp: Time, count: int) -> Any:
            return messages.to_soft_mesh(numbers.reshape(-1, 3), Header(stamp=stamp, frame_id=frame), lifetime)

        template = self._template(("soft mesh", frame, lifetime, len(corners)), make, corners.size)
        return template.filled(corners.ravel(), nanoseconds)

    def _template(self, key: Hashable, make: Callable[[Array, Time, int], Any], count: int) -> MessageTemplate:
        """Return the template of a kind of message, created on first use."""
        template = self._templates.pop(key, None)
        if template is None:
            template = MessageTemplate(make, count)
            if len(self._templates) >= MOST_KEPT:
                del self._templates[next(iter(self._templates))]
        self._templates[key] = template  # the most recently used one is dropped last
        return template


def _marked_contacts(
    pairs: tuple[tuple[str, str], ...], starts: Indices, numbers: Array, header: Header, time_step: float
) -> ContactForces:
    """Return contacts with these numbers, in the order in which `contact_forces` has them."""
    points, wrenches = np.split(numbers, [OF_POINT * int(starts[-1])])
    wrenches = wrenches.reshape(-1, OF_PAIR)
    message = messages.to_contact_forces([], {}, header, time_step)
    table = ContactTable(pairs, starts, points.reshape(-1, OF_POINT), wrenches)
    for contact, wrench in zip(table.by_pair(), wrenches, strict=True):
        message.contacts.append(messages.to_body_contact(contact, wrench[:3], wrench[3:]))
    return message
