# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Collision detection: broad phase, narrow phase and contact manifolds.

`collider` chooses the collision geometry of a shape, `broad_phase` lists the pairs of nearby colliders, `narrow_phase`
finds the contacts of each pair, and `detection` runs both on a model. `docs/collision.md` describes the methods and
their accuracy.
"""
