# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Soft bodies of random placement and sizes, and what their lists say."""

import numpy as np

import inertia_tools as it


def random_pose(seed: int) -> dict[str, object]:
    random = np.random.default_rng(seed)
    quaternion = random.normal(size=4)
    return {
        "pos": random.uniform(-5.0, 5.0, 3),
        "rot": quaternion / np.linalg.norm(quaternion),
        "vel": random.uniform(-1.0, 1.0, 3),
    }


def soft_box(counts=(3, 2, 4), cells=(0.1, 0.2, 0.05), density=120.0, **options) -> it.ModelBuilder:
    builder = it.ModelBuilder()
    dims = dict(zip(("dim_x", "dim_y", "dim_z", "cell_x", "cell_y", "cell_z"), (*counts, *cells), strict=True))
    builder.add_soft_grid(**dims, density=density, **options)
    return builder


def points(builder: it.ModelBuilder) -> np.ndarray:
    return np.array(builder.particle_q)


def volumes(builder: it.ModelBuilder) -> np.ndarray:
    corners = points(builder)[np.array(builder.tet_indices)]
    return np.linalg.det(corners[:, 1:] - corners[:, :1]) / 6.0


def areas_and_normals(builder: it.ModelBuilder) -> tuple[np.ndarray, np.ndarray]:
    corners = points(builder)[np.array(builder.tri_indices)]
    doubled = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(doubled, axis=1)
    return 0.5 * length, doubled / length[:, None]
