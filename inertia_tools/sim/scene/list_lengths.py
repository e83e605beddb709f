# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""First checks of `finalize`: lengths of lists that users may write to, and worlds that were not ended."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import fields

from inertia_tools.errors import OptionError
from inertia_tools.sim.scene.bodies import SceneBodies
from inertia_tools.sim.scene.notices import SceneWarning
from inertia_tools.sim.scene.scene import Scene
from inertia_tools.sim.scene.worlds import EVERYWHERE

OF_COORDINATES, OF_DOFS = ("joint_q",), ("joint_qd", "joint_f", "joint_act")


def check_finished(scene: Scene) -> None:
    """Refuse a scene with lists of unequal lengths, and warn of a world that is still open.

    Raises:
        OptionError: A list is longer or shorter.
    """
    if scene.current_world != EVERYWHERE:
        said = f"world {scene.current_world} is still open: further elements are added to it"
        warnings.warn(f"{said}; call end_world()", SceneWarning, stacklevel=4)
    for name, count in _lengths(scene):
        found = len(getattr(scene, name))
        if found != count:
            raise OptionError(name, f"of length {found}", f"of length {count}; use the builder's methods to change it")


def _lengths(scene: Scene) -> Iterator[tuple[str, int]]:
    """Iterate over the names of lists and their expected lengths.

    Lists of particles are checked where they are used.
    """
    bodies = len(scene.body_name)
    yield from ((one.name, bodies) for one in fields(SceneBodies) if one.name.startswith("body_"))
    yield from ((name, scene.joint_coord_count) for name in OF_COORDINATES)
    yield from ((name, scene.joint_dof_count) for name in OF_DOFS)
