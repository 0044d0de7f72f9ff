"""Singular values of the Jacobians of many random networks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.measure._ensemble_signal import _input
from plica.measure._ensembles import Ensemble


@dataclass(frozen=True, eq=False)
class Jacobians:
    """Singular values (networks, values) of the derivative of the last layer's activations with respect to the input."""

    ensemble: Ensemble
    singular_values: Array

    @property
    def squared(self) -> Array:
        """Squared singular values, the eigenvalues of J J^T."""
        return np.asarray(self.singular_values**2)

    @property
    def moments(self) -> tuple[float, float]:
        """Mean and variance of the squared singular values of all networks together."""
        return float(self.squared.mean()), float(self.squared.var())

    @property
    def moment_errors(self) -> tuple[float, float]:
        """Standard errors of the two, from network to network."""
        n = len(self.squared)
        if n < 2:
            return float("inf"), float("inf")
        means, seconds = self.squared.mean(1), (self.squared**2).mean(1)
        variances = seconds - 2 * means.mean() * means  # first order of E l^2 - (E l)^2
        return float(means.std(ddof=1) / np.sqrt(n)), float(variances.std(ddof=1) / np.sqrt(n))

    @property
    def relative_variance(self) -> tuple[float, float]:
        """Variance over squared mean of the squared singular values, network by network, and its standard error.

        The size of a Jacobian varies from network to network far more than the shape of its spectrum, which this is.
        """
        found = (self.squared**2).mean(1) / self.squared.mean(1) ** 2 - 1
        return float(found.mean()), float(found.std(ddof=1) / np.sqrt(len(found))) if len(found) > 1 else float("inf")

    def __repr__(self) -> str:
        mean, variance = self.moments
        return f"<Jacobians of {self.ensemble!r}: squared singular values have mean {mean:.4g}, variance {variance:.4g}>"

    def _repr_html_(self) -> str:
        from plica._show import facts_html

        (mean, variance), errors = self.moments, self.moment_errors
        facts = {"networks": len(self.singular_values), "largest": float(self.singular_values.max())}
        return facts_html(self, facts | {"mean of squares": mean, "variance of squares": variance, "standard errors": errors})


def estimate_jacobians(ensemble: Ensemble, x: Any) -> Jacobians:
    """See :meth:`Ensemble.estimate_jacobians`."""
    if ensemble.keep < 1:
        raise InvalidInput("the Jacobian under dropout is random.", hint="leave keep at 1")
    point = _input(ensemble, x)
    entries = 4 * ensemble.widths[0] * max(ensemble.widths)
    values = ensemble.in_chunks(partial(_singular_values, ensemble, point), entries=entries)
    return Jacobians(ensemble, np.concatenate(values))


def _singular_values(ensemble: Ensemble, point: Array, rngs: list[np.random.Generator]) -> Array:
    return np.asarray(np.linalg.svd(_jacobians(ensemble, point, rngs), compute_uv=False))


def _jacobians(ensemble: Ensemble, point: Array, rngs: list[np.random.Generator]) -> Array:
    phi = ensemble.phi
    z = np.broadcast_to(point, (len(rngs), len(point)))
    J = np.broadcast_to(np.eye(len(point)), (len(rngs), len(point), len(point)))
    h = K = None
    for layer in range(ensemble.depth):
        W, b = ensemble.draw(rngs, layer)
        new, inner = np.einsum("kij,kj->ki", W, z), W @ J
        if b is not None:
            new = new + b
        if ensemble.skip and h is not None and K is not None:
            new, inner = new + ensemble.skip * h, inner + ensemble.skip * K
        h, K = new, inner
        z, slopes = phi.with_slope(h)
        J = slopes[:, :, None] * K
    return np.asarray(J)
