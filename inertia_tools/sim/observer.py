# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Batched reading of all links and joints of a scene, since observers read them after every step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import warp as wp

from inertia_tools.inertial import Inertial
from inertia_tools.kernel_loading import load
from inertia_tools.sim import observation_kernels as kernels
from inertia_tools.sim.importing.articulation import Articulation
from inertia_tools.sim.importing.link_place import LinkPlace
from inertia_tools.sim.kernels.on_device import OnDevice
from inertia_tools.sim.kernels.precision import precision
from inertia_tools.sim.model.model import Model
from inertia_tools.sim.named_joints import NamedJoints
from inertia_tools.sim.observation import OF_LINK, Snapshot
from inertia_tools.sim.scene.body_motion import BodyMotion, rows_of
from inertia_tools.sim.scene.built_joint import BuiltJoint
from inertia_tools.sim.scene.joint_kind import ANGULAR_X, JointKind
from inertia_tools.spatial import Array

AT_ORIGIN = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
"""Position and quaternion of the world frame."""


class Observer:
    """Reads snapshots of a scene.

    Kernels read and write host arrays that share memory with NumPy.
    """

    def __init__(self, articulation: Articulation, joints: NamedJoints, model: Model) -> None:
        """Precompute the constant data.

        Args:
            articulation: The links and their bodies.
            joints: The joints.
            model: The scene; its mass properties may change.
        """
        self._model, self._host = model, OnDevice(precision("float64"), "cpu")
        self.names, self._joint_names = tuple(articulation.links), joints.names
        self._coordinates = np.array([joints.places[name] for name in joints.names], dtype=int)
        count = model.body_count
        bodies = self._host.sized(kernels.SeenBodies, count + 1)
        q, qd, fall = (getattr(bodies, name).numpy() for name in ("q", "qd", "fall"))
        self._q, self._qd, self._fall, q[count] = q[:count], qd[:count], fall[:count], AT_ORIGIN
        states, rates, energies = (
            wp.zeros(shape, dtype=wp.float64, device="cpu")
            for shape in ((len(self.names), OF_LINK), len(joints.names), (count, 2))
        )
        self._states, self._rates, self._energies = states.numpy(), rates.numpy(), energies.numpy()
        links = self._links(list(articulation.links.values()))
        read = self._joints([joints.freedoms[name].joint for name in joints.names])
        self._read_dofs = np.array([joints.dofs[name] for name in joints.names], dtype=int)
        named = {one.joint for one in joints.freedoms.values()}
        first = dict(zip(model.built_joints, model.joint_qd_start.numpy().tolist(), strict=False))
        self._unnamed = {
            joint: slice(first[joint], first[joint] + joint.dof_count)
            for joint in model.built_joints
            if joint.dof_count and joint not in named and joint.kind is not JointKind.FREE
        }
        """Degrees of freedom of joints without names; free joints have no rotors."""
        self._joint_of_dof = np.repeat(np.arange(model.joint_count), np.diff(model.joint_qd_start.numpy()))
        self._several: dict[BuiltJoint, list[tuple[int, int]]] = {}
        """Degrees of freedom of joints with several, whose axes move: row of each one's velocity, and its number."""
        for row, one in enumerate(joints.freedoms.values()):
            if len(one.joint.dofs) > 1:
                self._several.setdefault(one.joint, []).append((row, one.number))
        load((kernels.see,), "cpu")
        seen = [bodies, links, read, states, rates, energies]
        count = max(len(self.names), len(joints.names), count, 1)  # a launch with dim 0 does nothing
        self._launch = wp.launch(kernels.see, count, seen, device="cpu", record_cmd=True)
        self._inertials: tuple[Inertial, ...] | None = None
        self._bodies, self._kept = bodies, seen  # a recorded launch does not keep its inputs alive

    def snapshot(self, motion: BodyMotion, joint_q: Array, time: float) -> Snapshot:
        """Return the current state of all links and joints; NaN for bodies whose state is not finite.

        Args:
            motion: Poses and velocities of the bodies.
            joint_q: `State.joint_q`.
            time: Simulated time [s].
        """
        self._take_masses(motion.inertials)
        self._q[:], self._qd[:], self._fall[:] = motion.q, motion.qd, self._model.body_falls
        self._launch.launch()
        for joint, freedoms in self._several.items():
            rates = motion.joint_rates(joint)
            for row, number in freedoms:
                self._rates[row] = rates[number]
        kinetic, potential = self._energies.sum(axis=0).tolist()
        return Snapshot(
            time=time,
            names=self.names,
            states=self._states.copy(),
            joint_names=self._joint_names,
            joints=np.stack([joint_q[self._coordinates], self._rates], axis=1),
            kinetic_energy=kinetic + self._rotor_energy(motion),
            potential_energy=potential,
        )

    def _rotor_energy(self, motion: BodyMotion) -> float:
        """Return the kinetic energy of the rotors of enabled joints, whose rates are read already [J]."""
        rotors = self._model.joint_armature.numpy() * self._model.joint_enabled.numpy()[self._joint_of_dof]
        if not rotors.any():
            return 0.0
        rates = np.zeros(len(rotors))
        rates[self._read_dofs] = self._rates
        for joint, dofs in self._unnamed.items():
            if rotors[dofs].any():
                rates[dofs] = motion.joint_rates(joint)
        return 0.5 * float(rotors @ rates**2)

    def _row(self, bodies: list[int]) -> Any:
        """Return the rows of bodies in `SeenBodies`; the world, -1, has the last row."""
        return self._host.array(np.mod(bodies, self._model.body_count + 1), wp.int32)

    def _links(self, places: Sequence[LinkPlace]) -> Any:
        links, poses = kernels.SeenLinks(), [place.pose_body_link for place in places]
        links.body = self._row([place.body for place in places])
        links.place = self._host.array(rows_of(poses), wp.transformd)
        return links

    def _joints(self, built: Sequence[BuiltJoint]) -> Any:
        joints = kernels.SeenJoints()
        joints.parent, joints.child = (self._row([getattr(one, side) for one in built]) for side in ("parent", "child"))
        joints.axis = self._host.array([one.pose_parent.rotation[:, 0] for one in built], wp.vec3d)
        joints.anchor = self._host.array([one.pose_child.position for one in built], wp.vec3d)
        joints.turns = self._host.array([one.coordinate == ANGULAR_X for one in built], wp.int32)
        return joints

    def _take_masses(self, inertials: tuple[Inertial, ...]) -> None:
        """Write mass properties to the arrays of the kernels; zero for static bodies."""
        if self._inertials is inertials:
            return
        self._inertials = inertials
        for body, (inertial, moves) in enumerate(zip(inertials, self._model.moves, strict=True)):
            self._bodies.com.numpy()[body] = inertial.com
            self._bodies.mass.numpy()[body] = inertial.mass if moves else 0.0
            self._bodies.inertia.numpy()[body] = inertial.inertia if moves else 0.0
