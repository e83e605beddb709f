# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Warning classes of the simulator, so that callers can silence or raise each by itself."""

from __future__ import annotations


class NewtonWarning(UserWarning):
    """All warnings of the simulator, by the name that scripts written for Newton filter them by."""


class SceneWarning(NewtonWarning):
    """A requested feature of a scene that the solver does not support."""


class InertiaWarning(NewtonWarning):
    """Mass properties that were corrected, assumed, or left impossible."""
