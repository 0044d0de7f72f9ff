r"""Functions given by their spectra: :math:`f(x) = \int \hat f(\omega) e^{i \omega \cdot x} d\omega`, with Barron's constant."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from math import gamma, pi
from typing import Any

import numpy as np

from plica._lazy import cached_property
from plica._types import Array
from plica.errors import InvalidInput
from plica.theory.approximation import barron_constant_gaussian


class Spectrum(ABC):
    """A real function by its Fourier transform: frequencies, amplitudes and phases."""

    n_inputs: int

    @property
    @abstractmethod
    def constant(self) -> float:
        r"""Barron's constant :math:`\int |\omega| |\hat f(\omega)| d\omega`."""

    @abstractmethod
    def __call__(self, x: Any) -> Array:
        """The function at the rows of x."""

    @abstractmethod
    def sample(self, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
        r"""Frequencies (n, d) with density :math:`|\omega||\hat f| / C`, and the phase of each."""


@dataclass(frozen=True)
class GaussianSpectrum(Spectrum):
    r""":math:`\exp(-|x|^2 / 2\sigma^2)`; its transform is the density of :math:`N(0, I/\sigma^2)`.

    Examples
    --------
    >>> round(GaussianSpectrum(2).constant, 4)
    1.2533
    """

    n_inputs: int
    sigma: float = 1.0

    def __post_init__(self) -> None:
        if self.n_inputs < 1 or not self.sigma > 0:
            raise InvalidInput(f"the dimension and sigma must be positive, got {self.n_inputs} and {self.sigma}.")

    @property
    def constant(self) -> float:
        return barron_constant_gaussian(self.n_inputs, sigma=self.sigma)

    def __call__(self, x: Any) -> Array:
        return np.exp(-(np.asarray(x, dtype=np.float64) ** 2).sum(-1) / (2 * self.sigma**2))

    def sample(self, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
        lengths = np.sqrt(rng.chisquare(self.n_inputs + 1, size=n)) / self.sigma
        return lengths[:, None] * directions(n, self.n_inputs, rng), np.zeros(n)


@dataclass(frozen=True, eq=False, repr=False)
class CosineSpectrum(Spectrum):
    r"""A sum of cosines :math:`\sum_j a_j \cos(\omega_j \cdot x + b_j)`: a spectrum of points.

    Examples
    --------
    >>> CosineSpectrum([[3.0, 4.0], [0.0, 1.0]], [2.0, -1.0]).constant
    11.0
    """

    frequencies: Any
    amplitudes: Any
    phases: Any = None

    def __post_init__(self) -> None:
        w, a = np.atleast_2d(np.asarray(self.frequencies, dtype=np.float64)), np.asarray(self.amplitudes, dtype=np.float64)
        b = np.zeros(len(a)) if self.phases is None else np.asarray(self.phases, dtype=np.float64)
        if len(w) != len(a) or b.shape != a.shape or a.ndim != 1:
            raise InvalidInput(f"{len(w)} frequencies need as many amplitudes and phases, got {len(a)} and {len(b)}.")
        if not (np.isfinite(w).all() and np.isfinite(a).all() and np.isfinite(b).all()) or not (np.abs(a) @ np.abs(w)).any():
            raise InvalidInput("a spectrum needs finite numbers, and a frequency and an amplitude that are not zero.")
        for name, value in (("frequencies", w), ("amplitudes", a), ("phases", b)):
            object.__setattr__(self, name, value)

    @property
    def n_inputs(self) -> int:  # type: ignore[override]
        return int(self.frequencies.shape[1])

    @cached_property
    def _masses(self) -> Array:
        return np.abs(self.amplitudes) * np.linalg.norm(self.frequencies, axis=1)

    @property
    def constant(self) -> float:
        return float(self._masses.sum())

    def __repr__(self) -> str:
        return f"<CosineSpectrum of {len(self.amplitudes)} waves in {self.n_inputs} variables, constant {self.constant:.6g}>"

    def __call__(self, x: Any) -> Array:
        return np.cos(np.asarray(x, dtype=np.float64) @ self.frequencies.T + self.phases) @ self.amplitudes

    def sample(self, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
        j = rng.choice(len(self.amplitudes), size=n, p=self._masses / self.constant)
        return self.frequencies[j], self.phases[j] + np.where(self.amplitudes[j] < 0, pi, 0.0)


@dataclass(frozen=True, eq=False)
class RadialSpectrum(Spectrum):
    r"""A radial transform :math:`\hat f(\omega) = \rho(|\omega|) \ge 0`; integrals by Gauss's rule on [0, cutoff].

    Parameters
    ----------
    density
        :math:`\rho`, for an array of lengths.
    n_inputs
        The dimension.
    cutoff
        Where the density may be taken as zero.

    Examples
    --------
    >>> import numpy as np
    >>> s = RadialSpectrum(lambda r: np.exp(-r * r / 2) / (2 * np.pi), 2, cutoff=12.0)
    >>> round(s.constant, 4), s([[0.0, 0.0], [1.0, 0.0]]).round(4)
    (1.2533, array([1.    , 0.6065]))
    """

    density: Callable[[Array], Array]
    n_inputs: int
    cutoff: float

    def __post_init__(self) -> None:
        if self.n_inputs < 1 or not self.cutoff > 0:
            raise InvalidInput(f"the dimension and the cutoff must be positive, got {self.n_inputs} and {self.cutoff}.")
        values = np.asarray(self.density(self._nodes[0]))
        if values.shape != self._nodes[0].shape or not np.isfinite(values).all() or (values < 0).any() or not values.any():
            raise InvalidInput("the density of a radial spectrum must be finite, zero or more, and not zero everywhere.")

    @cached_property
    def _nodes(self) -> tuple[Array, Array]:
        t, w = np.polynomial.legendre.leggauss(400)
        return (t + 1) * self.cutoff / 2, w * self.cutoff / 2

    @cached_property
    def _moments(self) -> Array:
        """Weights of the nodes in the integral over R^d of |w| f^(w)."""
        r, w = self._nodes
        sphere = 2 * pi ** (self.n_inputs / 2) / gamma(self.n_inputs / 2)
        return sphere * w * r**self.n_inputs * self.density(r)

    @property
    def constant(self) -> float:
        return float(self._moments.sum())

    def __call__(self, x: Any) -> Array:
        from scipy.special import jv

        r, w = self._nodes
        size = np.linalg.norm(np.asarray(x, dtype=np.float64), axis=-1)
        order, z = self.n_inputs / 2 - 1, np.maximum(np.multiply.outer(size, r), 1e-8)
        wave = (2 * pi) ** (self.n_inputs / 2) * jv(order, z) / z**order  # the mean of exp(i w x) over a sphere, times its area
        out: Array = wave @ (w * self.density(r) * r ** (self.n_inputs - 1))
        return out

    def sample(self, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
        heights = np.concatenate([[0.0], np.cumsum(self._moments)]) / self.constant
        edges = np.concatenate([[0.0], np.cumsum(self._nodes[1])])
        lengths = np.interp(rng.random(n), heights, edges)
        return lengths[:, None] * directions(n, self.n_inputs, rng), np.zeros(n)


def directions(n: int, d: int, rng: np.random.Generator) -> Array:
    """Random unit vectors."""
    v = rng.normal(size=(n, d))
    return v / np.linalg.norm(v, axis=1, keepdims=True)


def ball(n: int, d: int, radius: float, rng: np.random.Generator) -> Array:
    """Points that are uniform in a ball."""
    return radius * rng.random((n, 1)) ** (1 / d) * directions(n, d, rng)
