r"""Activations and their Gaussian averages: closed forms where they exist, quadrature where not.

For u ~ N(0, q) and for a pair (u1, u2) with variances k1, k2 and covariance k:

=========================  =====================================  ===========================
``energy(q)``              :math:`E\,\varphi(u)^2`                the length map
``energy_growth(q)``       :math:`dE\,\varphi(u)^2 / dq`          its slope
``covariance(k1, k2, k)``  :math:`E\,\varphi(u_1)\varphi(u_2)`    the correlation map
``slope_power(q, m)``      :math:`E\,\varphi'(u)^m`               chi_1, Jacobian moments
``slope_covariance``       :math:`E\,\varphi'(u_1)\varphi'(u_2)`  depth scales, tangent kernel
``bend_energy(q)``         :math:`E\,\varphi''(u)^2`              chi_2
=========================  =====================================  ===========================
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from plica._types import Array
from plica.theory._meanfield_quadrature import expectation, expectation_of_pair

Number = Any  # a float or an array of floats

_AT_ONCE = 8  # covariances: each is a mean over up to 768 x 768 nodes


@dataclass(frozen=True, eq=False)
class Activation:
    """An activation by its function and derivatives; every average is computed by quadrature.

    Parameters
    ----------
    name
        For people.
    function, derivative, second_derivative
        Of arrays. Without a second derivative ``bend_energy`` is infinite: the activation has kinks.
    homogeneous
        Whether phi(a x) = a phi(x) for positive a.

    Examples
    --------
    >>> softplus = Activation("softplus", lambda x: np.logaddexp(0, x), lambda x: 1 / (1 + np.exp(-x)))
    >>> round(float(softplus.slope_power(1.0)), 4)
    0.2934
    """

    name: str
    function: Callable[[Array], Array]
    derivative: Callable[[Array], Array]
    second_derivative: Callable[[Array], Array] | None = None
    homogeneous: bool = False

    def energy(self, q: Number) -> Number:
        s = _deviation(q)
        return _like(expectation(lambda z: self.function(s * z) ** 2)[0], q)

    def energy_growth(self, q: Number) -> Number:
        q = np.asarray(q, dtype=float)
        bend = self.second_derivative
        if bend is not None:  # the heat equation: d/dq E g(sqrt(q) z) = E g'' / 2
            s = _deviation(q)
            return _like(expectation(lambda z: self.derivative(s * z) ** 2 + self.function(s * z) * bend(s * z))[0], q)
        # the same, integrated by parts twice: E (z^2 - 1) g / 2q
        s = _deviation(np.maximum(q, 1e-8))
        value = expectation(lambda z: (z * z - 1) * self.function(s * z) ** 2)[0]
        return _like(value / (2 * np.maximum(q, 1e-8)), q)

    def covariance(self, k1: Number, k2: Number, k: Number) -> Number:
        return self._pair(self.function, k1, k2, k)[0]

    def slope_power(self, q: Number, power: int = 2) -> Number:
        s = _deviation(q)
        return _like(expectation(lambda z: self.derivative(s * z) ** power)[0], q)

    def slope_covariance(self, k1: Number, k2: Number, k: Number) -> Number:
        return self._pair(self.derivative, k1, k2, k)[0]

    def bend_energy(self, q: Number) -> Number:
        bend = self.second_derivative
        if bend is None:
            return _like(np.full(np.shape(q), np.inf), q)
        s = _deviation(q)
        return _like(expectation(lambda z: bend(s * z) ** 2)[0], q)

    def quadrature_error(self, q: float) -> float:
        """The largest estimated error of the averages over one variable at q; zero for closed forms."""
        s = _deviation(q)
        values = [expectation(lambda z: self.function(s * z) ** 2)[1], expectation(lambda z: self.derivative(s * z) ** 2)[1]]
        return max(values)

    @classmethod
    def _pair(cls, g: Callable[[Array], Array], k1: Number, k2: Number, k: Number) -> tuple[Number, float]:
        first, second, both = np.broadcast_arrays(*(np.asarray(v, dtype=float) for v in (k1, k2, k)))
        if both.size > _AT_ONCE:
            flat = [v.reshape(-1) for v in (first, second, both)]
            parts = [cls._pair(g, *(v[i : i + _AT_ONCE] for v in flat)) for i in range(0, both.size, _AT_ONCE)]
            return np.concatenate([np.asarray(part) for part, _ in parts]).reshape(both.shape), max(error for _, error in parts)
        s1 = np.sqrt(first)[..., None, None]
        along = np.divide(both, np.sqrt(first), out=np.zeros_like(both), where=first > 0)
        across = np.sqrt(np.maximum(second - along**2, 0.0))
        u2 = (along[..., None, None], across[..., None, None])
        value, error = expectation_of_pair(lambda a, b: g(s1 * a) * g(u2[0] * a + u2[1] * b))
        return _like(value, both), error


def _deviation(q: Number) -> Array:
    return np.asarray(np.sqrt(np.asarray(q, dtype=float))[..., None])


def _like(value: Array, model: Number) -> Number:
    """A float for a float, an array for an array."""
    return float(value) if np.ndim(model) == 0 else np.asarray(value)
