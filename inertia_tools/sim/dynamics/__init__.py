# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Dynamics of joint trees in their degrees of freedom, in NumPy and double precision.

The equations are those of Featherstone, "Rigid Body Dynamics Algorithms" (2008), in world axes: M(q) a + c(q, v) = f,
where f are the efforts on the degrees of freedom besides gravity. Joints that close loops, and couplings of two joints,
are ignored.
"""
