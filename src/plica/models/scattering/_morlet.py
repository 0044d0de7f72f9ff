r"""Morlet wavelets and Gaussians on the integers, written down by their Fourier transforms.

With a Gaussian :math:`G(\omega) = \exp(-\omega^T S \omega / 2)` of spatial covariance S the wavelet of frequency :math:`\xi` has

.. math:: \hat\psi(\omega) = c \sum_{k \in Z^d} G(\omega - \xi + 2 \pi k) - \kappa G(\omega + 2 \pi k), \qquad \hat\psi(0) = 0.

The sum over k is what sampling at integers does to a function of :math:`R^d`. Terms below e^{-40} are left out: the filter is
*defined* as the sum that remains.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import ceil, exp, pi, sqrt

import numpy as np

from plica._lazy import cached_property
from plica._types import Array

NEGLIGIBLE = 40.0  # minus the logarithm of the first term that is left out


@dataclass(frozen=True, eq=False)
class Morlet:
    """A wavelet, or with ``frequency`` zero the Gaussian that remains.

    Attributes
    ----------
    frequency
        Where its Fourier transform has its bump, in radians per sample.
    covariance
        Of its Gaussian envelope in space, in samples squared.
    scale
        What it passes may be sampled at every ``2**scale``-th place.
    gain
        A factor.
    """

    frequency: Array
    covariance: Array
    scale: int
    gain: float = 1.0

    @property
    def is_low_pass(self) -> bool:
        return not self.frequency.any()

    @cached_property
    def correction(self) -> float:
        """kappa: the share of the plain Gaussian whose subtraction makes the mean zero."""
        zero = np.zeros((1, len(self.frequency)))
        return 0.0 if self.is_low_pass else float(self._bump(zero - self.frequency)[0] / self._bump(zero)[0])

    @cached_property
    def aliases(self) -> Array:
        """The multiples of 2 pi at which the bump is repeated."""
        least = float(np.linalg.eigvalsh(self.covariance)[0])
        farthest = float(np.abs(self.frequency).max())
        n = max(1, ceil((sqrt(2 * NEGLIGIBLE / least) + farthest) / (2 * pi) - 0.5))
        return 2 * pi * np.array(list(product(range(-n, n + 1), repeat=len(self.frequency))), dtype=float)

    @cached_property
    def _root(self) -> Array:
        """The square root of the covariance: u = root^T omega has a Gaussian exp(-|u|^2 / 2)."""
        return np.linalg.cholesky(self.covariance)

    def _squares(self, w: Array) -> Iterator[Array]:
        """|u|^2 at frequencies, one in each row, for each alias."""
        u = w @ self._root
        for alias in self.aliases @ self._root:
            yield np.square(u + alias).sum(axis=1)

    def _bump(self, w: Array) -> Array:
        """The periodic Gaussian at frequencies, one in each row."""
        return np.asarray(sum(np.exp(-0.5 * square) for square in self._squares(w)))

    def transform(self, w: Array) -> Array:
        """The Fourier transform, which is real, at frequencies (n, d).

        Examples
        --------
        >>> wavelet = Morlet(np.array([2.0]), np.array([[1.0]]), 0)
        >>> wavelet.transform(np.array([[0.0], [2.0], [-2.0]])).round(3)
        array([0.   , 0.982, 0.056])
        """
        w = np.asarray(w, dtype=float)
        if self.is_low_pass:
            return self.gain * self._bump(w)
        return self.gain * (self._bump(w - self.frequency) - self.correction * self._bump(w))

    def curvature_upper_bounds(self, w: Array, radius: float) -> Array:
        """Bounds of the second derivatives, in any direction, of the squared Fourier transform, on balls around frequencies."""
        parts = self._derivative_bounds(w - self.frequency, radius)
        if not self.is_low_pass:
            parts = parts + self.correction * self._derivative_bounds(w, radius)
        value, slope, second = self.gain * parts
        return np.asarray(2 * (slope**2 + value * second))

    def _derivative_bounds(self, w: Array, radius: float) -> Array:
        """(3, n): bounds of the periodic Gaussian, its slope and its second derivatives on balls around frequencies."""
        stretch = sqrt(float(np.linalg.eigvalsh(self.covariance)[-1])) * (1 + 1e-12)
        total = np.zeros((3, len(w)))
        for square in self._squares(w):
            u = np.maximum(np.sqrt(square) - stretch * radius, 0.0)
            value = np.exp(-0.5 * u**2) * (1 + 1e-12)
            # u exp(-u^2/2) is largest at 1; |u^2 - 1| exp(-u^2/2) is at most 1, and (1 + u^2) exp(-u^2/2) falls from 1 on
            total[0] += value
            total[1] += stretch * np.where(u > 1, u * value, exp(-0.5))
            total[2] += stretch**2 * np.where(u > 1.6, (1 + u**2) * value, 1.0)
        return total
