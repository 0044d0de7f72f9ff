r"""What is proved about scattering transforms, with its constants.

A Gaussian low-pass filter of standard deviation :math:`\sigma` moves least under translations:
:math:`\sup_\omega |\omega| e^{-\sigma^2 \omega^2 / 2} = 1 / (\sigma \sqrt e)`. Dilations move frequencies by equal factors, and
so do wavelets: what a dilation by 1 - s changes is bounded by s, whatever the frequency. Deformations x(u - tau(u)) are dilations
and translations that change from place to place: the slope of tau bounds what they change, and tau over the mean's width.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import e, exp, pi, sqrt

import numpy as np

from plica.errors import InvalidInput


def n_paths(n_scales: int, n_angles: int, order: int = 2) -> int:
    """Channels of a scattering transform of the plane: 1 + J L + L^2 J (J - 1) / 2.

    Examples
    --------
    >>> n_paths(2, 8), n_paths(3, 8), n_paths(4, 6, order=1)
    (81, 217, 25)
    """
    if n_scales < 1 or n_angles < 1 or not 0 <= order <= 2:
        raise InvalidInput(f"{n_scales} scales, {n_angles} angles, order {order}.", hint="positive numbers, order 0, 1 or 2")
    J, L = n_scales, n_angles
    return (1, 1 + J * L, 1 + J * L + L * L * J * (J - 1) // 2)[order]


def translation_constant(sigma: float, order: int) -> float:
    r"""K in |S T_c x - S x| <= K |c| |x| for a non-expansive transform with a Gaussian mean of standard deviation ``sigma``.

    Wavelets commute with translations, so only the last mean tells a translated signal from the signal: on the coefficients
    of each order, whose energy is at most that of x, it changes by :math:`|c| / (\sigma \sqrt e)` at most.

    Examples
    --------
    >>> round(translation_constant(1.6, 0), 4), translation_constant(1.6, 3) / translation_constant(1.6, 0)
    (0.3791, 2.0)
    """
    if sigma <= 0 or order < 0:
        raise InvalidInput(f"sigma = {sigma}, order = {order}.", hint="a positive width, an order from 0 up")
    return sqrt(order + 1) / (sigma * sqrt(e))


def dilation_constant(width: float, *, n_points: int = 2001) -> float:
    r"""K in |S x_s - S x| <= K |log(1 - s)| |x| for pure tones and one Morlet wavelet in each octave.

    The wavelet is :math:`\hat\psi(u) = e^{-a^2 (u - 1)^2 / 2} - \kappa e^{-a^2 u^2 / 2}` in units of its frequency, a its
    ``width`` in space times its frequency. The constant is the largest value of
    :math:`(\frac12 \sum_j (2^j u \hat\psi'(2^j u))^2)^{1/2}` over an octave; the energy of a real tone is on two frequencies, of
    which a wavelet passes one.

    Examples
    --------
    >>> round(dilation_constant(2.5), 3)
    1.72
    """
    if width <= 0:
        raise InvalidInput(f"width = {width}.", hint="a positive number")
    kappa = exp(-(width**2) / 2)
    u = np.exp2(np.linspace(0, 1, n_points))
    total = np.zeros_like(u)
    for j in range(-12, 9):
        v = 2.0**j * u
        slope = -(width**2) * ((v - 1) * np.exp(-((width * (v - 1)) ** 2) / 2) - kappa * v * np.exp(-((width * v) ** 2) / 2))
        total += (v * slope) ** 2
    return float(np.sqrt(total.max() / 2))


def commutator_constant(width: float, slope: float) -> float:
    r"""C in |h * (L x) - L (h * x)| <= C s |L x|, for L x(u) = x(u - tau(u)) with |tau'| <= s = ``slope`` and a Morlet filter h.

    The operator has the kernel :math:`h(u-w) - (1-\tau'(w)) h(u-w-\tau(u)+\tau(w))`, whose rows and columns have absolute sums
    of at most s times :math:`\int \sup |z h'| + \sup |h| \, dz`, suprema over stretches by 1 - s to 1 + s (Schur's test). With
    :math:`h(z) = g(z) (e^{i q z} - \kappa)` under a Gaussian g of mass 1 and standard deviation 1, q the ``width`` of the filter
    times its frequency (0: the Gaussian itself), that is at most
    :math:`(1+\kappa) ((1+s) r^{-3} + r^{-1}) + q \sqrt{2/\pi} \, r^{-2}` with r = 1 - s; the filter's scale does not matter.

    Examples
    --------
    >>> commutator_constant(0.0, 0.0), round(commutator_constant(3.0, 0.01), 3)
    (2.0, 4.516)
    """
    if width < 0 or not 0 <= slope < 1:
        raise InvalidInput(f"width = {width}, slope = {slope}.", hint="a width from 0 up, a slope below 1")
    kappa, r = exp(-(width**2) / 2) if width else 0.0, 1 - slope
    return (1 + kappa) * ((1 + slope) / r**3 + 1 / r) + width * sqrt(2 / pi) / r**2


def deformation_bound(
    slope: float, shift: float, *, order: int, sigma: float, wavelets: Sequence[tuple[float, float]], gain: float = 1.0
) -> float:
    r"""K in |S L x - S x| <= K |x| for a non-expansive scattering transform on the line and a deformation L x(u) = x(u - tau(u)).

    Each layer of wavelets adds what its filters and L do not commute by, the last mean what it moves:
    :math:`K = (1-s)^{-1/2} (s (m B + C_\phi) + \sqrt{m+1} \sqrt{2/\pi} \, |\tau|_\infty / \sigma)`, B the root of the sum of
    squares of the filters' constants. The theorem of [mallat2012]_ has a B that does not grow with the number of scales.

    Parameters
    ----------
    slope, shift
        The largest absolute values of tau' and tau.
    order
        m, the number of wavelets on a path.
    sigma, gain
        Of the Gaussian that takes means: its standard deviation, and its value at frequency 0.
    wavelets
        Width times frequency, and gain, of each.

    Examples
    --------
    >>> round(deformation_bound(0.01, 0.0, order=1, sigma=16.0, wavelets=[(3.0, 1.0)] * 4), 3)
    0.114
    >>> deformation_bound(0.0, 0.0, order=2, sigma=16.0, wavelets=[])
    0.0
    """
    if shift < 0 or order < 0 or sigma <= 0:
        raise InvalidInput(f"shift = {shift}, order = {order}, sigma = {sigma}.", hint="numbers from 0 up, a positive width")
    mean = gain * commutator_constant(0.0, slope)
    layer = sqrt(mean**2 + sum((g * commutator_constant(w, slope)) ** 2 for w, g in wavelets))
    moved = gain * sqrt(order + 1) * sqrt(2 / pi) * shift / sigma
    return (slope * (order * layer + mean) + moved) / sqrt(1 - slope)
