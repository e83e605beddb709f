# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Classes of what the simulator warns of, so that a caller can silence or raise each by itself."""

from __future__ import annotations


class NewtonWarning(UserWarning):
    """All warnings of the simulator, by the name that scripts written for Newton filter them by."""


class SceneWarning(NewtonWarning):
    """Something that was asked of a scene and that the solver does not do."""


class InertiaWarning(NewtonWarning):
    """Mass properties that were corrected, assumed, or left impossible."""
