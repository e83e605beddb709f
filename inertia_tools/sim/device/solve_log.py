# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""How the solves of a scene have converged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from inertia_tools.sim.kernels.work_types import LEAST_DECADE, RESIDUAL_BINS, SOLVE_BINS

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SolveLog:
    """Solves of islands, one a substep, in two rows: those without a new contact, and those with one.

    Attributes:
        newton_steps: How many took so many Newton steps, shape (2, `SOLVE_BINS`); the last bin counts those of more.
        decades: How many left a natural residual of Coulomb's law, over g h^2, in the decade from
            10^(LEAST_DECADE + i) on, shape (2, `RESIDUAL_BINS`); the first bin counts all that is less. Islands
            without contacts leave none.
    """

    newton_steps: Counts
    decades: Counts

    @classmethod
    def of(cls, rows: Any) -> SolveLog:
        """Sum up the log of all islands."""
        solves, residuals = rows.solve_log.numpy(), rows.residual_log.numpy()
        return cls(
            solves.reshape(-1, 2, SOLVE_BINS).sum(axis=0, dtype=np.int64),
            residuals.reshape(-1, 2, RESIDUAL_BINS).sum(axis=0, dtype=np.int64),
        )

    def __add__(self, other: SolveLog) -> SolveLog:
        """Put two logs together."""
        return SolveLog(self.newton_steps + other.newton_steps, self.decades + other.decades)

    def quantile(self, part: int, share: float) -> int:
        """Return how many Newton steps such a share of the solves of a part took at most; zero where there are none."""
        counts = self.newton_steps[part]
        return int(np.searchsorted(np.cumsum(counts), share * counts.sum())) if counts.sum() else 0

    def share_above(self, part: int, decade: int) -> float:
        """Return the share of solves of a part whose residual is 10^decade g h^2 or more."""
        counts = self.decades[part]
        return float(counts[decade - LEAST_DECADE :].sum() / max(counts.sum(), 1))
