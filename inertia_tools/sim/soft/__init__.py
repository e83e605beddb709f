# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Soft bodies: particles, springs, membranes, bending edges and tetrahedra, solved by Newton's method in each substep.

All computations are in double precision, whatever the precision of the model. `docs/soft_bodies.md` describes the
method.
"""
