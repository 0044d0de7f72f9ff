r"""What is proved about scattering transforms, with its constants.

A Gaussian low-pass filter of standard deviation :math:`\sigma` moves least under translations:
:math:`\sup_\omega |\omega| e^{-\sigma^2 \omega^2 / 2} = 1 / (\sigma \sqrt e)`. Dilations move frequencies by equal factors, and
so do wavelets: what a dilation by 1 - s changes is bounded by s, whatever the frequency.
"""

from __future__ import annotations

from math import e, exp, sqrt

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
