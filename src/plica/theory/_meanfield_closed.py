r"""Activations whose Gaussian averages have closed forms, and the table of all activations by name."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import pi

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.theory._meanfield_activations import Activation, Number, _like


@dataclass(frozen=True, eq=False)
class Closed(Activation):
    """An activation with closed forms: no quadrature, no error beyond rounding."""

    def quadrature_error(self, q: float) -> float:
        return 0.0


@dataclass(frozen=True, eq=False)
class LeakyReLU(Closed):
    """x where x > 0, slope * x elsewhere: ReLU (0), identity (1), abs (-1) [cho2009]_."""

    slope: float = 0.0

    def energy(self, q: Number) -> Number:
        return (1 + self.slope**2) / 2 * q

    def energy_growth(self, q: Number) -> Number:
        return _like(np.full(np.shape(q), (1 + self.slope**2) / 2), q)

    def covariance(self, k1: Number, k2: Number, k: Number) -> Number:
        # phi(x) = a x + (1 - a) relu(x), and E x relu(y) = k / 2
        a, size = self.slope, np.sqrt(np.multiply(k1, k2))
        c = _correlation(k1, k2, k)
        relu = size * (np.sqrt(1 - c**2) + c * (pi - np.arccos(c))) / (2 * pi)
        return _like(a * np.asarray(k) + (1 - a) ** 2 * relu, k)

    def slope_power(self, q: Number, power: int = 2) -> Number:
        return _like(np.full(np.shape(q), (1 + self.slope**power) / 2), q)

    def slope_covariance(self, k1: Number, k2: Number, k: Number) -> Number:
        a = self.slope
        return _like(a + (1 - a) ** 2 * (pi - np.arccos(_correlation(k1, k2, k))) / (2 * pi), k)

    def bend_energy(self, q: Number) -> Number:
        return _like(np.full(np.shape(q), 0.0 if self.slope == 1 else np.inf), q)


@dataclass(frozen=True, eq=False)
class Erf(Closed):
    """The error function, erf(x) [williams1997]_."""

    def energy(self, q: Number) -> Number:
        q = np.asarray(q, dtype=float)
        return _like(2 / pi * np.arcsin(2 * q / (1 + 2 * q)), q)

    def energy_growth(self, q: Number) -> Number:
        q = np.asarray(q, dtype=float)
        return _like(4 / pi / ((1 + 2 * q) * np.sqrt(1 + 4 * q)), q)

    def covariance(self, k1: Number, k2: Number, k: Number) -> Number:
        k1, k2, k = (np.asarray(v, dtype=float) for v in (k1, k2, k))
        return _like(2 / pi * np.arcsin(2 * k / np.sqrt((1 + 2 * k1) * (1 + 2 * k2))), k)

    def slope_power(self, q: Number, power: int = 2) -> Number:
        q = np.asarray(q, dtype=float)
        return _like((4 / pi) ** (power / 2) / np.sqrt(1 + 2 * power * q), q)

    def slope_covariance(self, k1: Number, k2: Number, k: Number) -> Number:
        k1, k2, k = (np.asarray(v, dtype=float) for v in (k1, k2, k))
        return _like(4 / pi / np.sqrt(1 + 2 * (k1 + k2) + 4 * (k1 * k2 - k * k)), k)

    def bend_energy(self, q: Number) -> Number:
        q = np.asarray(q, dtype=float)
        return _like(16 / pi * q / (1 + 4 * q) ** 1.5, q)


@dataclass(frozen=True, eq=False)
class Sine(Closed):
    """sin(x)."""

    def energy(self, q: Number) -> Number:
        return _like(-np.expm1(-2 * np.asarray(q, dtype=float)) / 2, q)

    def energy_growth(self, q: Number) -> Number:
        return _like(np.exp(-2 * np.asarray(q, dtype=float)), q)

    def covariance(self, k1: Number, k2: Number, k: Number) -> Number:
        middle = np.add(k1, k2) / 2
        return _like((np.exp(k - middle) - np.exp(-np.asarray(k) - middle)) / 2, k)

    def slope_power(self, q: Number, power: int = 2) -> Number:
        q = np.asarray(q, dtype=float)
        if power == 2:
            return _like((1 + np.exp(-2 * q)) / 2, q)
        if power == 4:
            return _like(3 / 8 + np.exp(-2 * q) / 2 + np.exp(-8 * q) / 8, q)
        return super().slope_power(q, power)

    def slope_covariance(self, k1: Number, k2: Number, k: Number) -> Number:
        middle = np.add(k1, k2) / 2
        return _like((np.exp(k - middle) + np.exp(-np.asarray(k) - middle)) / 2, k)

    def bend_energy(self, q: Number) -> Number:
        return self.energy(q)


@dataclass(frozen=True, eq=False)
class HardTanh(Closed):
    r"""min(max(x, -1), 1). By Price's theorem the covariance integrates :math:`P(|u_1|<1, |u_2|<1)`, a sum of Owen's T."""

    def energy(self, q: Number) -> Number:
        from scipy.special import erf, erfc

        h = _level(q)
        return _like(np.asarray(q) * (erf(h / np.sqrt(2)) - _corner(h)) + erfc(h / np.sqrt(2)), q)

    def energy_growth(self, q: Number) -> Number:
        return _like(np.asarray(self.slope_power(q)) - _corner(_level(q)), q)

    def covariance(self, k1: Number, k2: Number, k: Number) -> Number:
        size = np.sqrt(np.multiply(k1, k2, dtype=float))
        top = np.arcsin(_correlation(k1, k2, k))[..., None]
        x, w = _legendre(96)
        angle = top * (x + 1) / 2
        first, second = (np.asarray(v, dtype=float)[..., None] for v in (k1, k2))
        inside = self._both_inside(first, second, np.sin(angle)) * np.cos(angle)
        return _like(size * (inside @ w) * top[..., 0] / 2, k)

    def slope_power(self, q: Number, power: int = 2) -> Number:
        from scipy.special import erf

        return _like(erf(_level(q) / np.sqrt(2)), q)

    def slope_covariance(self, k1: Number, k2: Number, k: Number) -> Number:
        return _like(self._both_inside(np.asarray(k1, float), np.asarray(k2, float), _correlation(k1, k2, k)), k)

    @staticmethod
    def _both_inside(k1: Array, k2: Array, c: Array) -> Array:
        from scipy.special import owens_t

        h1, h2 = np.minimum(_level(k1), 1e8), np.minimum(_level(k2), 1e8)
        r = np.sqrt(np.maximum(1 - c * c, 1e-300))
        arguments = ((h1, h2 - c * h1), (h2, h1 - c * h2), (h1, h2 + c * h1), (h2, h1 + c * h2))
        return np.asarray(1 - 2 * sum(owens_t(h, numerator / (h * r)) for h, numerator in arguments))


@dataclass(frozen=True, eq=False)
class GELU(Closed):
    r"""x Phi(x), Phi the Gaussian distribution function; averages by Gaussian integration by parts [tsuchida2021]_."""

    def energy(self, q: Number) -> Number:
        return self.covariance(q, q, q)

    def energy_growth(self, q: Number) -> Number:
        # d/dq E phi^2 = E phi'^2 + E phi phi'', and phi'' = (2 - x^2) n(x) makes the second a Gaussian integral
        q = np.asarray(q, dtype=float)
        s = q / (1 + q)  # variance under the weight n(x); E x (2 - x^2) Phi(x) n(x) by parts once more
        weight = 1 / np.sqrt(2 * pi * (1 + q))
        mean = np.sqrt(1 / (2 * pi)) * s / np.sqrt(1 + s)  # E y Phi(y), y ~ N(0, s)
        third = mean * s * (2 + 1 / (1 + s))  # E y^3 Phi(y) = 2 s E y Phi + s E y^2 n
        return _like(np.asarray(self.slope_power(q)) + weight * (2 * mean - third), q)

    def covariance(self, k1: Number, k2: Number, k: Number) -> Number:
        k1, k2, k = (np.asarray(v, dtype=float) for v in (k1, k2, k))
        both, left, right, dense, _ = _gelu_parts(k1, k2, k)
        return _like(k * both + k * k1 * left + k1 * k2 * dense + k * k * dense + k * k2 * right, k)

    def slope_power(self, q: Number, power: int = 2) -> Number:
        return self.slope_covariance(q, q, q) if power == 2 else super().slope_power(q, power)

    def slope_covariance(self, k1: Number, k2: Number, k: Number) -> Number:
        both, left, right, _, corner = _gelu_parts(*(np.asarray(v, dtype=float) for v in (k1, k2, k)))
        return _like(both - left - right + corner, k)

    def bend_energy(self, q: Number) -> Number:
        q = np.asarray(q, dtype=float)
        s = q / (1 + 2 * q)
        return _like((4 - 4 * s + 3 * s * s) / (2 * pi * np.sqrt(1 + 2 * q)), q)


def _gelu_parts(k1: Array, k2: Array, k: Array) -> tuple[Array, Array, Array, Array, Array]:
    """E Phi Phi, E Phi'' Phi, E Phi Phi'', E Phi' Phi', E Phi'' Phi'' of a Gaussian pair."""
    det = 1 + k1 + k2 + (k1 * k2 - k * k)  # (1 + k1)(1 + k2) - k^2
    root = np.sqrt(det)
    both = 1 / 4 + np.arctan2(k, root) / (2 * pi)
    dense = 1 / (2 * pi * root)
    return both, -dense * k / (1 + k1), -dense * k / (1 + k2), dense, dense * k / det


def _correlation(k1: Number, k2: Number, k: Number) -> Array:
    size = np.sqrt(np.multiply(k1, k2, dtype=float))
    ratio = np.divide(k, size, out=np.zeros(np.broadcast_shapes(np.shape(k), np.shape(size))), where=size > 0)
    return np.clip(ratio, -1.0, 1.0)


def _level(q: Number) -> Array:
    """1 / sqrt(q), infinite at zero."""
    q = np.asarray(q, dtype=float)
    return np.asarray(np.divide(1.0, np.sqrt(q), out=np.full(q.shape, np.inf), where=q > 0))


def _corner(h: Array) -> Array:
    """2 h n(h), with n the Gaussian density: what the corners at h and -h contribute."""
    h = np.minimum(h, 40.0)  # beyond, the density is zero in floating point
    return np.asarray(np.sqrt(2 / pi) * h * np.exp(-h * h / 2))


@cache
def _legendre(n: int) -> tuple[Array, Array]:
    x, w = np.polynomial.legendre.leggauss(n)
    return x, w


def _tanh_slope(x: Array) -> Array:
    return 1 - np.tanh(x) ** 2


def _sigmoid(x: Array) -> Array:
    return np.asarray((1 + np.tanh(x / 2)) / 2)


def _leaky(slope: float, name: str) -> LeakyReLU:
    return LeakyReLU(
        name, lambda x: np.where(x > 0, x, slope * x), lambda x: np.where(x > 0, 1.0, slope), homogeneous=True, slope=slope
    )


def _special() -> dict[str, Activation]:
    from scipy.special import erf, ndtr

    def bell(x: Array) -> Array:
        return np.asarray(np.exp(-x * x / 2) / np.sqrt(2 * pi))

    return {
        "identity": _leaky(1.0, "identity"),
        "relu": _leaky(0.0, "relu"),
        "leaky-relu": _leaky(0.01, "leaky-relu"),
        "abs": _leaky(-1.0, "abs"),
        "hard-tanh": HardTanh("hard-tanh", lambda x: np.clip(x, -1, 1), lambda x: (np.abs(x) < 1).astype(float)),
        "tanh": Activation("tanh", np.tanh, _tanh_slope, lambda x: -2 * np.tanh(x) * _tanh_slope(x)),
        "sigmoid": Activation(
            "sigmoid",
            _sigmoid,
            lambda x: _tanh_slope(x / 2) / 4,
            lambda x: -np.tanh(x / 2) * _tanh_slope(x / 2) / 4,
        ),
        "erf": Erf(
            "erf",
            erf,
            lambda x: 2 / np.sqrt(pi) * np.exp(-x * x),
            lambda x: -4 / np.sqrt(pi) * x * np.exp(-x * x),
        ),
        "sine": Sine("sine", np.sin, np.cos, lambda x: -np.sin(x)),
        "gelu": GELU("gelu", lambda x: x * ndtr(x), lambda x: ndtr(x) + x * bell(x), lambda x: (2 - x * x) * bell(x)),
    }


@cache
def activations() -> dict[str, Activation]:
    """All activations by name."""
    return _special()


def activation(name: str | Activation, *, slope: float | None = None) -> Activation:
    """The activation with a name; ``slope`` is that of leaky ReLU on the negative side.

    Examples
    --------
    >>> activation("relu").energy(3.0)
    1.5
    >>> activation("leaky-relu", slope=0.5).slope_power(1.0)
    0.625
    """
    if isinstance(name, Activation):
        return name
    table = activations()
    if name not in table:
        raise InvalidInput(f"activation={name!r} is not known.", hint=f"one of {', '.join(table)}, or an Activation of your own")
    if slope is None:
        return table[name]
    if name != "leaky-relu":
        raise InvalidInput(f"slope={slope!r} was given for {name!r}.", hint="only leaky-relu has a slope")
    if not np.isfinite(slope):
        raise InvalidInput(f"slope={slope!r} is not a finite number.")
    return _leaky(float(slope), "leaky-relu")
