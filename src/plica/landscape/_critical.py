"""Critical points of a loss, of any index: from a model on, the length of the gradient is made small.

Steps are those of Levenberg and Marquardt for the equations gradient = 0, whose Jacobian is the Hessian. They go uphill as
readily as downhill, so that saddles attract them as minima do; they may also end where the gradient is not zero but cannot be
made smaller nearby, which its length tells.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.geometry import Budget, Meter, watched
from plica.landscape._curvature import Curvature
from plica.landscape._directions import from_vector, moved


@dataclass(frozen=True, eq=False)
class CriticalPoint:
    """Where a search for a critical point ended.

    Attributes
    ----------
    model
        A torch module in double precision.
    value, gradient_norm
        The loss, and how long its gradient is.
    start_norm
        How long the gradient was at the beginning.
    eigenvalues
        Of the Hessian, in order, in double precision.
    n_steps
        How many steps were accepted.
    """

    model: Any
    value: float
    gradient_norm: float
    start_norm: float
    eigenvalues: Array
    n_steps: int

    @property
    def index(self) -> float:
        """The share of negative eigenvalues."""
        return float((self.eigenvalues < 0).mean())

    def __repr__(self) -> str:
        return f"<CriticalPoint: loss {self.value:.4g}, index {self.index:.3g}, gradient {self.gradient_norm:.1e}>"


def critical_point(
    model: Any,
    x: Any,
    y: Any,
    *,
    loss: str | Callable[..., Any] = "squared",
    n_steps: int = 100,
    enough: float = 1e-10,
    budget: Budget | None = None,
) -> CriticalPoint:
    """Search for a critical point from a small smooth model on.

    Parameters
    ----------
    model, x, y, loss
        As in :class:`plica.landscape.Curvature`; every step needs all eigenvectors.
    n_steps, enough
        Steps at most, and the length of the gradient at which to stop.

    Examples
    --------
    >>> import torch
    >>> _ = torch.manual_seed(0)
    >>> model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
    >>> x = np.random.default_rng(0).normal(size=(20, 2))
    >>> found = critical_point(model, x, x[:, :1] * x[:, 1:], n_steps=30)
    >>> found.gradient_norm < found.start_norm
    True
    """
    if n_steps < 1 or not enough >= 0:
        raise InvalidInput(
            f"n_steps = {n_steps}, enough = {enough}.", hint="at least one step, and a length that is not negative"
        )
    with watched(Meter(budget or Budget(), n_steps)):
        here = _State.at(moved(model), x, y, loss)
        start, damping, accepted = here.norm, 0.01 * float(np.abs(here.values).max()), 0
        for _ in range(n_steps):
            if here.norm <= enough:
                break
            there = None
            for _ in range(12):  # more damping until the gradient is shorter
                step = here.vectors @ (here.values * (here.vectors.T @ here.gradient) / (here.values**2 + damping**2))
                candidate = moved(here.model, (-1.0, from_vector(here.model, step)))
                if float(np.linalg.norm(Curvature(candidate, x, y, loss=loss).gradient())) < here.norm:
                    there = _State.at(candidate, x, y, loss)
                    break
                damping *= 4
            if there is None:
                break
            here, damping, accepted = there, damping / 4, accepted + 1
    return CriticalPoint(here.model, here.value, here.norm, start, here.values, accepted)


@dataclass(frozen=True, eq=False)
class _State:
    model: Any
    value: float
    gradient: Array
    norm: float
    values: Array
    vectors: Array

    @staticmethod
    def at(model: Any, x: Any, y: Any, loss: str | Callable[..., Any]) -> _State:
        curvature = Curvature(model, x, y, loss=loss)
        gradient = curvature.gradient()
        values, vectors = np.linalg.eigh(curvature.matrix())
        return _State(model, curvature.value(), gradient, float(np.linalg.norm(gradient)), values, vectors)
