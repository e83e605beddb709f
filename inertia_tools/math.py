# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Functions for kernels of users, by the module that users of Newton know."""

from inertia_tools.sim.kernels.scalar_functions import boltzmann as boltzmann
from inertia_tools.sim.kernels.scalar_functions import leaky_max as leaky_max
from inertia_tools.sim.kernels.scalar_functions import leaky_min as leaky_min
from inertia_tools.sim.kernels.scalar_functions import normalize_with_norm as normalize_with_norm
from inertia_tools.sim.kernels.scalar_functions import orthonormal_basis as orthonormal_basis
from inertia_tools.sim.kernels.scalar_functions import safe_div as safe_div
from inertia_tools.sim.kernels.scalar_functions import smooth_max as smooth_max
from inertia_tools.sim.kernels.scalar_functions import smooth_min as smooth_min
from inertia_tools.sim.kernels.scalar_functions import vec_abs as vec_abs
from inertia_tools.sim.kernels.scalar_functions import vec_allclose as vec_allclose
from inertia_tools.sim.kernels.scalar_functions import vec_inside_limits as vec_inside_limits
from inertia_tools.sim.kernels.scalar_functions import vec_leaky_max as vec_leaky_max
from inertia_tools.sim.kernels.scalar_functions import vec_leaky_min as vec_leaky_min
from inertia_tools.sim.kernels.scalar_functions import vec_max as vec_max
from inertia_tools.sim.kernels.scalar_functions import vec_min as vec_min
from inertia_tools.sim.kernels.spatial_functions import quat_between_vectors_robust as quat_between_vectors_robust
from inertia_tools.sim.kernels.spatial_functions import quat_decompose as quat_decompose
from inertia_tools.sim.kernels.spatial_functions import quat_velocity as quat_velocity
from inertia_tools.sim.kernels.spatial_functions import transform_twist as transform_twist
from inertia_tools.sim.kernels.spatial_functions import transform_wrench as transform_wrench
from inertia_tools.sim.kernels.spatial_functions import velocity_at_point as velocity_at_point
from inertia_tools.sim.scene.axis_rotation import quat_between_axes as quat_between_axes
