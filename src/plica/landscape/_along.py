"""Curvature along a training: the share of negative eigenvalues, their mass, and the ends of the spectrum at every state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.geometry import Budget, Meter, watched
from plica.landscape._curvature import Curvature, Part
from plica.landscape._spectrum import spectrum

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WHOLE = 400  # parameters up to which all eigenvalues are computed


@dataclass(frozen=True, eq=False)
class CurvaturePath:
    """The Hessian at the states of a training.

    Attributes
    ----------
    losses
        The loss at each state.
    index, index_error
        The share of eigenvalues below ``-zero`` times the largest magnitude, and its standard error (0 where all were computed).
    negative_mass, negative_mass_error
        The sum of the magnitudes of negative eigenvalues over that of all.
    least, largest
        The ends of the spectrum, as far as they were seen.
    kind
        ``"exact"`` if all eigenvalues were computed, in double precision, else ``"estimated"``.
    """

    losses: Array
    index: Array
    index_error: Array
    negative_mass: Array
    negative_mass_error: Array
    least: Array
    largest: Array
    kind: str

    def table(self) -> list[dict[str, float]]:
        """One row for each state."""
        names = ("losses", "index", "index_error", "negative_mass", "negative_mass_error", "least", "largest")
        columns = [getattr(self, name) for name in names]
        return [
            {"state": float(i), **dict(zip(names, map(float, row), strict=True))}
            for i, row in enumerate(zip(*columns, strict=True))
        ]

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Index and negative mass against the loss."""
        from plica.plot import plot_curvature_path

        return plot_curvature_path(self, ax=ax)

    def __repr__(self) -> str:
        return (
            f"<CurvaturePath of {len(self.losses)} states: index {self.index[0]:.3g} to {self.index[-1]:.3g}, "
            f"negative mass {self.negative_mass[0]:.3g} to {self.negative_mass[-1]:.3g}, {self.kind}>"
        )


def curvature_path(
    states: Sequence[Any],
    x: Any,
    y: Any,
    *,
    loss: str | Callable[..., Any] = "squared",
    part: Part = "hessian",
    zero: float = 1e-8,
    n_vectors: int = 8,
    n_steps: int = 60,
    seed: int = 0,
    budget: Budget | None = None,
    progress: Callable[[dict[str, Any]], None] | None = None,
) -> CurvaturePath:
    """The index and the negative mass of the Hessian at the states of a training.

    Parameters
    ----------
    states
        Models in order.
    x, y, loss, part
        As in :class:`plica.landscape.Curvature`.
    zero
        Eigenvalues within this share of the largest magnitude count as zero.
    n_vectors, n_steps, seed
        Of the quadrature (:func:`plica.landscape.spectrum`) for models of more than 400 parameters.
    progress
        Called after each state.

    Examples
    --------
    >>> from plica.learn import mlp
    >>> x = np.random.default_rng(0).normal(size=(20, 2))
    >>> path = curvature_path([mlp([2, 6, 1], seed=s) for s in range(2)], x, x[:, :1])
    >>> path.kind, path.index.shape, bool((path.index < 1).all())
    ('exact', (2,), True)
    """
    if not states:
        raise InvalidInput("no states.", hint="give the models of a training, in order")
    rows, is_whole = [], True
    with watched(Meter(budget or Budget(), len(states))):
        for i, state in enumerate(states):
            curvature = Curvature(state, x, y, loss=loss, part=part)
            if curvature.n_parameters <= WHOLE:
                rows.append((curvature.value(), *_of_all(np.linalg.eigvalsh(curvature.matrix()), zero)))
            else:
                is_whole = False
                seen = spectrum(curvature, n_vectors=n_vectors, n_steps=n_steps, seed=seed)
                low, high = min(float(n.min()) for n in seen.nodes), max(float(n.max()) for n in seen.nodes)
                share, below = seen.share_below(-zero * max(abs(low), abs(high))), seen.negative_mass
                rows.append((curvature.value(), share.value, share.standard_error, below.value, below.standard_error, low, high))
            if progress is not None:
                progress({"states_done": i + 1, "n_states": len(states)})
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    losses, index, index_error, negative, negative_error, least, largest = columns
    kind = "exact" if is_whole else "estimated"
    return CurvaturePath(losses, index, index_error, negative, negative_error, least, largest, kind)


def _of_all(values: Array, zero: float) -> tuple[float, float, float, float, float, float]:
    size = float(np.abs(values).max())
    mass = float(np.maximum(-values, 0).sum()) / max(float(np.abs(values).sum()), 1e-300)
    return float((values < -zero * size).mean()), 0.0, mass, 0.0, float(values[0]), float(values[-1])
