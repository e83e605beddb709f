# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Collision detection: which shapes are near each other, and where they touch.

`collider` says what a shape collides as, `broad_phase` lists the pairs that are near, `narrow_phase` finds the contacts
of each pair, and `detection` runs both on a model.
"""
