# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Putting what is bolted to the world elsewhere in no time."""

from __future__ import annotations

import numpy as np

from inertia_tools.errors import SimulationError
from inertia_tools.sim.scene.given import as_finite_vector
from inertia_tools.sim.scene.xform import as_pose
from inertia_tools.sim.simulation.placing import Placing
from inertia_tools.spatial import ArrayLike


class Teleporting(Placing):
    """New places of bolted robots, to which nothing is carried but themselves."""

    def teleport(self, link: str, position: ArrayLike, quaternion: ArrayLike) -> None:
        """Put a robot that is bolted to the world elsewhere, as one rigid body; its joints and their rates stay.

        It is no motion: what touches the robot does not feel it, nor does the robot. `move` moves it.

        Args:
            link: The bolted link that gets this pose.
            position: Its origin [m].
            quaternion: Its orientation (x, y, z, w).

        Raises:
            OptionError: A number is not finite, or the quaternion is no rotation.
            UnknownLinkError: There is no such link.
            SimulationError: The world does not hold its body, or it is the world's.
        """
        if not self.is_bolted(link):
            raise SimulationError(f"link {link!r} is not bolted to the world, or is part of it; see set_body_state")
        place, motion, built = self._link_place(link), self.motion(), self._built
        becomes = as_pose([*as_finite_vector("position", position), *np.ravel(quaternion)])
        change = becomes @ (motion.pose(place.body) @ place.pose_body_link).inverse()
        self._place({place.body: change @ motion.pose(place.body)}, self._coordinates(), motion)
        carried = built.articulation.tree(built.articulation.root_of[link])
        bodies = sorted({built.articulation.links[name].body for name in carried})
        qd, length = motion.qd.copy(), built.state.data.h_last.numpy()
        qd[bodies] = (qd[bodies].reshape(-1, 2, 3) @ change.rotation.T).reshape(-1, 6)
        built.state.body_qd.assign(qd)
        length[place.body] = 0.0  # no step has left it anywhere from where its new pose could be a motion
        built.state.data.h_last.assign(length)
