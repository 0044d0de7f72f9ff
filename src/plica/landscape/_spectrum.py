r"""The density of a Hessian's spectrum by stochastic Lanczos quadrature, with standard errors.

For a random vector v with independent entries of variance 1, v^T f(A) v has the mean trace f(A), and m Lanczos steps
integrate polynomials f of degree 2 m - 1 without error (Golub and Meurant). Every vector gives one estimate; their spread
is the error.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.geometry import Budget, Meter, watched
from plica.landscape._curvature import Curvature, lanczos

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Estimate:
    """A mean over random vectors and its standard error."""

    value: float
    standard_error: float


@dataclass(frozen=True, eq=False)
class Spectrum:
    """The spectrum of a symmetric operator, seen by random vectors.

    Attributes
    ----------
    nodes, weights
        For each vector the eigenvalues of its tridiagonal matrix (the nodes of Gauss' quadrature) and their weights, which add
        up to 1.
    n_parameters
        The size of the operator.
    """

    nodes: tuple[Array, ...]
    weights: tuple[Array, ...]
    n_parameters: int

    @property
    def kind(self) -> str:
        return "estimated"

    def mean(self, f: Callable[[Array], Array]) -> Estimate:
        """The mean of f over the spectrum: trace f(A) / n."""
        values = [float((w * f(x)).sum()) for x, w in zip(self.nodes, self.weights, strict=True)]
        spread = float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("inf")
        return Estimate(float(np.mean(values)), spread)

    def share_below(self, level: float) -> Estimate:
        """The share of eigenvalues below a level; at 0 this is the index over the number of parameters."""
        return self.mean(lambda x: (x < level).astype(float))

    @property
    def negative_mass(self) -> Estimate:
        """The sum of the magnitudes of negative eigenvalues over that of all."""
        whole, below = self.mean(np.abs), self.mean(lambda x: np.maximum(-x, 0.0))
        ratios = [
            float((w * np.maximum(-x, 0)).sum() / max((w * np.abs(x)).sum(), 1e-300))
            for x, w in zip(self.nodes, self.weights, strict=True)
        ]
        return Estimate(below.value / max(whole.value, 1e-300), float(np.std(ratios, ddof=1) / np.sqrt(len(ratios))))

    def density(self, at: Array, *, width: float | None = None) -> tuple[Array, Array]:
        """The density at some points, smoothed by a Gaussian, and its standard error at each."""
        span = max(float(x.max()) for x in self.nodes) - min(float(x.min()) for x in self.nodes)
        width = span / 100 if width is None else width
        each = [
            (w * np.exp(-0.5 * ((np.asarray(at)[:, None] - x) / width) ** 2)).sum(axis=1) / (width * np.sqrt(2 * np.pi))
            for x, w in zip(self.nodes, self.weights, strict=True)
        ]
        return np.mean(each, axis=0), np.std(each, axis=0, ddof=1) / np.sqrt(len(each))

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """The density on a logarithmic scale, with a band of two standard errors."""
        from plica.plot import plot_spectrum

        return plot_spectrum(self, ax=ax)

    def __repr__(self) -> str:
        low, high = min(float(x.min()) for x in self.nodes), max(float(x.max()) for x in self.nodes)
        seen = f"seen by {len(self.nodes)} vectors, estimated"
        return f"<Spectrum of {self.n_parameters:,} eigenvalues from {low:.4g} to {high:.4g}, {seen}>"


def spectrum(curvature: Any, *, n_vectors: int = 10, n_steps: int = 80, seed: int = 0, budget: Budget | None = None) -> Spectrum:
    """The spectrum of a Hessian, or of any symmetric matrix, by stochastic Lanczos quadrature.

    Examples
    --------
    >>> seen = spectrum(np.diag(np.arange(1.0, 201.0)), n_vectors=20, n_steps=30)
    >>> trace = seen.mean(lambda x: x)
    >>> bool(abs(trace.value - 100.5) < 4 * trace.standard_error + 1e-9)
    True
    """
    n = curvature.n_parameters if isinstance(curvature, Curvature) else len(curvature)
    if n_vectors < 2 or n_steps < 1:
        raise InvalidInput(f"{n_vectors} vectors and {n_steps} steps.", hint="at least two vectors, for an error, and one step")
    rng = np.random.default_rng(seed)
    nodes, weights = [], []
    with watched(Meter(budget or Budget(), n_vectors)):
        for _ in range(n_vectors):
            run = lanczos(curvature, rng.choice([-1.0, 1.0], size=n), min(n_steps, n))
            values, vectors = run.ritz()
            nodes.append(values)
            weights.append(vectors[0] ** 2)
    return Spectrum(tuple(nodes), tuple(weights), n)
