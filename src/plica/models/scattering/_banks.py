"""Banks of Morlet wavelets: rotated and dilated in the plane, several to an octave on the line."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import cos, floor, log, log2, pi, sin, sqrt

import numpy as np

from plica._lazy import cached_property
from plica._types import Array
from plica.errors import InvalidInput
from plica.models.scattering._morlet import Morlet

OVERLAP = sqrt(0.5)  # the height at which neighbors on the line cross
BANDWIDTHS = 5.0  # a wavelet on the line ends so many widths above its frequency: what is sampled must hold it
LOW_PASS_WIDTH = 0.1  # cycles per sample, at scale 0


@dataclass(frozen=True, eq=False)
class Bank:
    """A low-pass filter and wavelets.

    Attributes
    ----------
    low_pass
        The Gaussian that takes the mean over about ``2**n_scales`` samples.
    wavelets
        From high to low frequencies.
    n_scales
        Scales are 0 to ``n_scales``.
    """

    low_pass: Morlet
    wavelets: tuple[Morlet, ...]
    n_scales: int

    @property
    def dimension(self) -> int:
        return len(self.low_pass.frequency)

    @cached_property
    def groups(self) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """Scales, each with the numbers of its wavelets; what one wavelet passes is sampled as coarsely as its scale allows."""
        scales = [min(w.scale, self.n_scales) for w in self.wavelets]
        return tuple((j, tuple(i for i, s in enumerate(scales) if s == j)) for j in sorted(set(scales)))

    def divided(self, by: float) -> Bank:
        """The bank with every filter divided by a number."""
        low = replace(self.low_pass, gain=self.low_pass.gain / by)
        return Bank(low, tuple(replace(w, gain=w.gain / by) for w in self.wavelets), self.n_scales)

    def sum_of_squares(self, w: Array) -> Array:
        r"""The Littlewood-Paley sum at frequencies (n, d), for real signals.

        .. math:: |\hat\phi(\omega)|^2 + \tfrac12 \sum_\lambda |\hat\psi_\lambda(\omega)|^2 + |\hat\psi_\lambda(-\omega)|^2
        """
        w = np.asarray(w, dtype=float)
        total = self.low_pass.transform(w) ** 2
        for wavelet in self.wavelets:
            total += 0.5 * (wavelet.transform(w) ** 2 + wavelet.transform(-w) ** 2)
        return total

    def __repr__(self) -> str:
        return f"<Bank of {len(self.wavelets)} wavelets in dimension {self.dimension}, {self.n_scales} scales>"


def wavelets_2d(n_scales: int, n_angles: int = 8) -> Bank:
    """Wavelets of ``n_angles`` directions in half a turn at each of ``n_scales`` octaves.

    The mother has frequency 3 pi / 4 and an envelope of 0.8 samples along it, and n_angles / 4 times that across [bruna2013]_.

    Examples
    --------
    >>> wavelets_2d(2)
    <Bank of 16 wavelets in dimension 2, 2 scales>
    """
    if n_scales < 1 or n_angles < 1:
        raise InvalidInput(f"{n_scales} scales and {n_angles} angles make no bank.", hint="give at least one of each")
    wavelets = []
    for j in range(n_scales):
        sigma, frequency = 0.8 * 2.0**j, 0.75 * pi / 2**j
        for turn in range(n_angles):
            angle = (int(n_angles / 2 - 1) - turn) * pi / n_angles
            along, across = np.array([cos(angle), sin(angle)]), np.array([-sin(angle), cos(angle)])
            covariance = sigma**2 * (np.outer(along, along) + np.outer(across, across) * (n_angles / 4) ** 2)
            wavelets.append(Morlet(frequency * along, covariance, j))
    low = Morlet(np.zeros(2), (0.8 * 2.0 ** (n_scales - 1)) ** 2 * np.eye(2), n_scales)
    return Bank(low, tuple(wavelets), n_scales)


def wavelets_1d(n_scales: int, per_octave: int = 1) -> Bank:
    """Wavelets on the line, ``per_octave`` in an octave, whose absolute values sum up to 1 in time [anden2014]_.

    Frequencies fall by equal factors until the widths reach that of the low-pass filter, then by equal steps.

    Examples
    --------
    >>> len(wavelets_1d(6, 8).wavelets), len(wavelets_1d(6, 1).wavelets)
    (38, 7)
    """
    if n_scales < 1 or per_octave < 1:
        raise InvalidInput(f"{n_scales} scales, {per_octave} in an octave make no bank.", hint="give at least one of each")
    step = 2 ** (1 / per_octave)
    narrow = LOW_PASS_WIDTH / 2**n_scales
    top = max(1 / (1 + 2 ** (3 / per_octave)), 0.35)
    # neighbors a factor apart, of widths in the same ratio, cross at the height OVERLAP
    width = top * (1 - 1 / step) / (1 + 1 / step) / sqrt(2 * log(1 / OVERLAP))
    bands: list[tuple[float, float]] = []
    lowest = width
    if width > narrow:
        bands = [(top, width)]
        while bands[-1][1] > narrow * step:
            bands.append((bands[-1][0] / step, bands[-1][1] / step))
        lowest = bands[-1][0]
    bands += [(lowest * (1 - q / per_octave), narrow) for q in range(1, per_octave)]
    low = Morlet(np.zeros(1), np.array([[(1 / (2 * pi * narrow)) ** 2]]), n_scales)
    return Bank(low, tuple(_band(*band) for band in bands), n_scales)


def _band(frequency: float, width: float) -> Morlet:
    """The wavelet of a frequency and a width in cycles per sample."""
    scale = floor(-log2(min(frequency + BANDWIDTHS * width, 0.5))) - 1
    sigma = 1 / (2 * pi * width)
    plain = Morlet(np.array([2 * pi * frequency]), np.array([[sigma**2]]), scale)
    t = np.arange(-int(12 * sigma) - 1, int(12 * sigma) + 2)
    envelope = np.exp(-0.5 * (t / sigma) ** 2) / (sigma * sqrt(2 * pi))
    size = np.abs(envelope * (np.exp(2j * pi * frequency * t) - plain.correction)).sum()
    return replace(plain, gain=1 / float(size))
