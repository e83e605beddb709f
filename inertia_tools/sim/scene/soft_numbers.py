# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""The particles and elements of a scene as arrays, checked."""

from __future__ import annotations

import numpy as np

from inertia_tools.errors import OptionError, SimulationError
from inertia_tools.sim.scene.particles import ParticleFlags
from inertia_tools.sim.scene.scene import Scene
from inertia_tools.sim.scene.soft_elements import SURFACE_RANGES, VOLUME_RANGES

REALS: dict[str, tuple[int, ...]] = {
    "particle_q": (3,),
    "particle_qd": (3,),
    "particle_mass": (),
    "particle_radius": (),
    "spring_rest_length": (),
    "spring_stiffness": (),
    "spring_damping": (),
    "spring_control": (),
    "tri_poses": (2, 2),
    "tri_areas": (),
    "tri_activations": (),
    "tri_materials": (5,),
    "edge_rest_angle": (),
    "edge_rest_length": (),
    "edge_bending_properties": (2,),
    "tet_poses": (3, 3),
    "tet_activations": (),
    "tet_materials": (3,),
    "attachment_point": (3,),
    "attachment_stiffness": (),
    "attachment_damping": (),
}
"""Arrays of real numbers, with the shape of an entry."""

MAY_BE_NEGATIVE = frozenset(
    {"particle_q", "particle_qd", "spring_control", "tri_poses", "tri_activations", "edge_rest_angle", "tet_poses",
     "tet_activations", "attachment_point"}
)  # fmt: skip
"""Those of which a number may be negative."""

MAY_BE_INFINITE = frozenset({"attachment_stiffness"})
"""Those of which a number may be infinite."""


def _worlds_of_particles(builder: Scene) -> np.ndarray:
    """Return the world of each particle, -1 for what is in all of them; all are in world 0 where none was begun.

    Raises:
        SimulationError: Worlds were begun one by one, and copies of all of them are asked for besides.
    """
    worlds = np.array(builder.particle_world, dtype=np.int32)
    if not builder.world_label:
        return np.zeros_like(worlds)
    if builder.world_count > len(builder.world_label) and len(worlds):
        raise SimulationError(
            "a scene with particles in several worlds cannot be replicated; build one world and call replicate(count)"
        )
    return worlds


def soft_numbers(builder: Scene) -> dict[str, np.ndarray]:
    """Return all arrays of a scene, checked, for users may have written to the builder's lists."""
    counts = {
        "particle": builder.particle_count, "spring": builder.spring_count, "tri": builder.tri_count,
        "edge": builder.edge_count, "tet": builder.tet_count, "attachment": builder.attachment_particle_body_count,
    }  # fmt: skip
    made = {name: _column(builder, name, counts, shape) for name, shape in REALS.items()}
    particles, bodies = counts["particle"], builder.body_count
    for name, width in (("tri_indices", 3), ("edge_indices", 4), ("tet_indices", 4)):
        made[name] = _indices(builder, name, (counts[name.split("_")[0]], width), particles)
    made["spring_indices"] = _indices(builder, "spring_indices", (2 * counts["spring"],), particles)
    made["tet_smoothed"] = _indices(builder, "tet_smoothed", (counts["tet"],), 2)
    made["attachment_particle"] = _indices(builder, "attachment_particle", (counts["attachment"],), particles)
    made["attachment_body"] = _indices(builder, "attachment_body", (counts["attachment"],), bodies)
    made["attachment_enabled"] = _indices(builder, "attachment_enabled", (counts["attachment"],), 2)
    made["particle_flags"] = _indices(builder, "particle_flags", (particles,), 2 * int(max(ParticleFlags)))
    for name in (*SURFACE_RANGES, *VOLUME_RANGES):
        parts = len(builder.surface_label if name in SURFACE_RANGES else builder.volume_label)
        made[name] = _indices(builder, name, (parts,), 1 + max(counts.values()))
    made["particle_world"] = _worlds_of_particles(builder)
    made["particle_inv_mass"] = inverse_masses(made["particle_mass"], made["particle_flags"])
    made["tet_volumes"] = 1.0 / (6.0 * np.linalg.det(made["tet_poses"]))
    return made


def inverse_masses(mass: np.ndarray, flags: np.ndarray) -> np.ndarray:
    """Return the inverse mass of each particle [1/kg]; zero where it has no mass or is not active."""
    moves = (mass > 0.0) & ((flags & int(ParticleFlags.ACTIVE)) != 0)
    return np.where(moves, 1.0 / np.where(moves, mass, 1.0), 0.0)


def _column(builder: Scene, name: str, counts: dict[str, int], shape: tuple[int, ...]) -> np.ndarray:
    """Return a list of the builder as an array, shape (count, *shape).

    Raises:
        OptionError: It has another length, or a number that is not finite, or negative where none can be.
    """
    wanted = (counts[name.split("_")[0]], *shape)
    listed = name.replace("attachment_", "attachment_particle_body_body_" if name.endswith("point") else
                          "attachment_particle_body_")  # fmt: skip
    given = getattr(builder, listed)
    try:
        values = np.array(given, dtype=np.float64).reshape(wanted if not len(given) else (len(given), *shape))
    except (TypeError, ValueError) as error:
        raise OptionError(listed, "a list of other objects", f"numbers of shape {wanted}") from error
    if values.shape != wanted:
        raise OptionError(listed, f"of length {len(given)}", f"of length {wanted[0]}")
    wrong = np.isnan(values) if name in MAY_BE_INFINITE else ~np.isfinite(values)
    if name not in MAY_BE_NEGATIVE:
        wrong |= values < 0.0
    if wrong.any():
        index = int(np.nonzero(wrong)[0][0])
        limit = "finite" if name in MAY_BE_NEGATIVE else "finite and not negative"
        raise OptionError(f"{listed}[{index}]", given[index], limit)
    return values


def _indices(builder: Scene, name: str, shape: tuple[int, ...], bound: int) -> np.ndarray:
    """Return whole numbers of a list of the builder, zero or more and below a bound, int32.

    Raises:
        OptionError: There are more or fewer, or one is beyond all.
    """
    listed = name.replace("attachment_", "attachment_particle_body_")
    given = getattr(builder, listed)
    try:
        values = np.array(given, dtype=np.int64)
    except (TypeError, ValueError) as error:
        raise OptionError(listed, "a list of other objects", f"whole numbers of shape {shape}") from error
    if values.size != int(np.prod(shape)):
        raise OptionError(listed, f"of {values.size} numbers", f"of {int(np.prod(shape))}")
    rows = values.reshape(shape)
    least = np.zeros(rows.shape[1:], dtype=int)
    if name == "edge_indices":
        least[1] = -1
    if ((rows < least) | (rows >= bound)).any():
        raise OptionError(listed, int(rows[(rows < least) | (rows >= bound)][0]), f"whole numbers below {bound}")
    return rows.astype(np.int32)
