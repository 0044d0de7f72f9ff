"""How much the loss bends between folds, and how much at them, along a line of weights.

The slope of the loss changes from one end of a line to the other by the integral of the second derivative between folds,
which the Hessian of automatic differentiation sees, and by the jumps at folds, which it does not see.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from plica.landscape._line import LossLine


@dataclass(frozen=True)
class FoldedCurvature:
    """The change of slope along a line.

    Attributes
    ----------
    total
        The slope at the end minus the slope at the beginning.
    at_folds
        The sum of all jumps of the slope, and of their magnitudes.
    between_folds
        The rest: the integral of the second derivative that automatic differentiation computes.
    n_folds
        How many breakpoints there are.
    """

    total: float
    at_folds: float
    magnitude_at_folds: float
    n_folds: int

    @property
    def between_folds(self) -> float:
        return self.total - self.at_folds


def folded_curvature(line: LossLine) -> FoldedCurvature:
    """Split the change of slope of a polynomial loss into what happens at folds and between them.

    Examples
    --------
    >>> import plica
    >>> a, b = (plica.random_network([2, 4, 1], seed=s) for s in (0, 1))
    >>> line = plica.landscape.loss_line(a, b, np.ones((1, 2)), np.ones((1, 1)))
    >>> split = folded_curvature(line)
    >>> split.n_folds == line.n_breakpoints
    True
    """
    kinks = line.kinks()
    jumps = kinks[:, 2] - kinks[:, 1]
    total = line.derivatives(1.0)[0] - line.derivatives(0.0)[1]
    return FoldedCurvature(total, float(jumps.sum()), float(np.abs(jumps).sum()), len(jumps))
