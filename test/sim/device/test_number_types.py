# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Types of the arrays of models and states, as scripts compare them with those of Warp."""

import numpy as np
import pytest
import warp as wp

import inertia_tools as it

SINGLE = {
    "body_q": wp.transform,
    "body_qd": wp.spatial_vector,
    "body_com": wp.vec3,
    "body_mass": wp.float32,
    "body_inertia": wp.mat33,
    "body_f": wp.spatial_vector,
    "joint_X_p": wp.transform,
    "joint_axis": wp.vec3,
    "shape_scale": wp.vec3,
    "shape_transform": wp.transform,
}
DOUBLE = {
    wp.transform: wp.transformd,
    wp.spatial_vector: wp.spatial_vectord,
    wp.vec3: wp.vec3d,
    wp.float32: wp.float64,
    wp.mat33: wp.mat33d,
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_arrays_have_the_named_types_of_warp(dtype):
    builder = it.ModelBuilder()
    body = builder.add_link(mass=1.0, inertia=np.eye(3))
    builder.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1)
    builder.add_articulation([builder.add_joint_revolute(-1, body)])
    model = builder.finalize(dtype=dtype)
    for owner in (model, model.state()):
        for name, kind in SINGLE.items():
            if hasattr(owner, name):
                assert getattr(owner, name).dtype is (kind if dtype == "float32" else DOUBLE[kind]), name
