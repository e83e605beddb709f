# SPDX-FileCopyrightText: The inertia_tools authors
# SPDX-License-Identifier: Apache-2.0
"""Log of the convergence of the solves of a scene."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from inertia_tools.sim.kernels.work_types import LEAST_DECADE, RESIDUAL_BINS, SOLVE_BINS

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SolveLog:
    """Histograms of the solves of islands, one solve per substep, in two rows: without and with a new contact.

    Attributes:
        newton_steps: Number of solves by Newton steps, shape (2, `SOLVE_BINS`); the last bin counts all larger numbers.
        decades: Number of solves by the natural residual of Coulomb's law, over g h^2, in decades from 10^(LEAST_DECADE
            + i) on, shape (2, `RESIDUAL_BINS`); the first bin counts all smaller ones. Islands without contacts are not
            counted.
    """

    newton_steps: Counts
    decades: Counts

    @classmethod
    def of(cls, rows: Any) -> SolveLog:
        """Return the sum of the logs of all islands."""
        solves, residuals = rows.solve_log.numpy(), rows.residual_log.numpy()
        return cls(
            solves.reshape(-1, 2, SOLVE_BINS).sum(axis=0, dtype=np.int64),
            residuals.reshape(-1, 2, RESIDUAL_BINS).sum(axis=0, dtype=np.int64),
        )

    def __add__(self, other: SolveLog) -> SolveLog:
        """Return the sum of two logs."""
        return SolveLog(self.newton_steps + other.newton_steps, self.decades + other.decades)

    def quantile(self, part: int, share: float) -> int:
        """Return the number of Newton steps that a share of the solves of a row did not exceed.

        It is zero if there are no solves.
        """
        counts = self.newton_steps[part]
        return int(np.searchsorted(np.cumsum(counts), share * counts.sum())) if counts.sum() else 0

    def share_above(self, part: int, decade: int) -> float:
        """Return the share of the solves of a row with a residual of at least 10^decade g h^2."""
        counts = self.decades[part]
        return float(counts[decade - LEAST_DECADE :].sum() / max(counts.sum(), 1))
