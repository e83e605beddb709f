# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Instantaneous moves of robots that are bolted to the world."""

from __future__ import annotations

from inertia_tools.errors import SimulationError
from inertia_tools.sim.scene.given import as_finite_vector, as_rotation
from inertia_tools.sim.simulation.placing import Placing
from inertia_tools.spatial import ArrayLike, Pose


class Teleporting(Placing):
    """Methods that teleport bolted robots without dragging other bodies along."""

    def teleport(self, link: str, position: ArrayLike, quaternion: ArrayLike) -> None:
        """Move a bolted robot to a new pose as one rigid body; joints keep their positions and velocities.

        The move is instantaneous and exerts no forces on the robot or on bodies in contact; `move` makes a real motion.

        Args:
            link: The bolted link that gets the pose.
            position: Position of its origin in the world [m], shape (3,).
            quaternion: Its orientation in the world (x, y, z, w).

        Raises:
            OptionError: A number is not finite, or the quaternion is zero.
            UnknownLinkError: There is no such link.
            SimulationError: The link is not bolted to the world, or is part of it.
        """
        if not self.is_bolted(link):
            raise SimulationError(f"link {link!r} is not bolted to the world, or is part of it; see set_body_state")
        place, motion, built = self._link_place(link), self.motion(), self._built
        becomes = Pose(as_finite_vector("position", position), as_rotation("quaternion", quaternion))
        change = becomes @ (motion.pose(place.body) @ place.pose_body_link).inverse()
        self._place({place.body: change @ motion.pose(place.body)}, self._coordinates(), motion)
        carried = built.articulation.tree(built.articulation.root_of[link])
        bodies = sorted({built.articulation.links[name].body for name in carried})
        qd, length = motion.qd.copy(), built.state.data.h_last.numpy()
        qd[bodies] = (qd[bodies].reshape(-1, 2, 3) @ change.rotation.T).reshape(-1, 6)
        built.state.body_qd.assign(qd)
        length[place.body] = 0.0  # no previous pose, so that the new one is not read as a motion
        built.state.data.h_last.assign(length)
