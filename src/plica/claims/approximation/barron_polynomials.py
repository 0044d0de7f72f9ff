r"""Polynomials on a ball have a finite Barron constant.

Claim
    A polynomial on a bounded set is the restriction of a function with a finite Barron constant C, and n cosines reach a squared
    error of at most (r C)^2 / n there.
Source
    A. Barron, IEEE Trans. Inf. Theory 39 (1993), section IX [barron1993]; an example of the University of Washington lecture
    [washington-lecture].
Prediction
    a constant that no longer changes with the number of waves; at most C^2 / n, and exactly V / n, the variance of one wave
Measurement
    x^2 and x^3 times a smooth window that is 1 on [-1, 1] and 0 beyond 2, as a Fourier series of period 4 by FFT: its constant
    with 2^9 and 2^11 points, its error on [-1, 1], and the mean squared error at points of [-1, 1] of plica.construct.barron
"""

from __future__ import annotations

from functools import partial
from math import pi, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import BOUND, MEASUREMENT, REFERENCE
from plica.claims import Evidence, control, row
from plica.construct import CosineSpectrum, barron

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("barron-rate", "barron-gaussian")
SEED = 1993


def window(x: np.ndarray) -> np.ndarray:
    """1 on [-1, 1], 0 beyond 2, smooth between."""
    t = np.clip(np.abs(x) - 1, 1e-12, 1 - 1e-12)
    up, down = np.exp(-1 / t), np.exp(-1 / (1 - t))
    return np.asarray(down / (up + down))


def spectrum(power: int, n: int) -> CosineSpectrum:
    """The Fourier series of period 4 of the windowed power, from n equally spaced points."""
    x = -2 + 4 * np.arange(n) / n
    c = np.fft.rfft(x**power * window(x))[1 : n // 2] / n
    k = np.arange(1, n // 2)
    c = c * np.exp(1j * pi * k)  # the points start at -2
    keep = np.abs(c) * k > 1e-6
    return CosineSpectrum((pi / 2 * k[keep])[:, None], 2 * np.abs(c[keep]), np.angle(c[keep]))


def variance(s: CosineSpectrum, x: np.ndarray) -> float:
    """Of one wave C (cos(w x + b) - cos b) / |w|, averaged over x: written out as a sum over the waves."""
    w, total = s.frequencies[:, 0], s.constant
    weights = np.abs(s.amplitudes) * w / total
    waves = total / w * (np.cos(np.outer(x, w) + s.phases) - np.cos(s.phases))
    return float(((waves**2) @ weights - (waves @ weights) ** 2).mean())


def check(scale: str) -> Evidence:
    rows, seen = [], {}
    x = np.linspace(-1, 1, 41)
    n, n_networks = 16, 10_000 if scale == "full" else 2700
    for power in (1, 2, 3) if scale == "full" else (2, 3):
        coarse, s = spectrum(power, 2**9), spectrum(power, 2**11)
        about: dict[str, Any] = {"f": f"x^{power}"}
        rows.append(row(s.constant, "=", coarse.constant, tolerance=1e-3, what="constant, more waves", **about))
        shift = float(s(np.zeros((1, 1)))[0])
        series = s(x[:, None]) - shift
        rows.append(control(float(np.abs(series - x**power).max()), "<=", 1e-5, what="error of the series on [-1, 1]", **about))
        errors = []
        for k in range(n_networks):
            net = barron(s, n, units="cos", seed=SEED + k)
            errors.append(float(((net(x[:, None])[:, 0] - shift - x**power) ** 2).mean()))
        mean, spread = float(np.mean(errors)), float(np.std(errors) / sqrt(n_networks))
        numbers: dict[str, Any] = {"kind": "estimated", "standard_error": spread}
        rows.append(row(mean, "<=", s.constant**2 / n, what="mean squared error, bound", **numbers, **about))
        numbers["standard_error"] = n * spread
        rows.append(row(n * mean, "=", variance(s, x), what="n times the error", **numbers, **about))
        seen[power] = (s, shift)
    return Evidence(rows, draw=partial(draw, *seen[3]), seed=SEED)


def draw(s: CosineSpectrum, shift: float, ax: Axes) -> None:
    """The cube, its extension, and 64 random cosines."""
    t = np.linspace(-2, 2, 500)
    ax.plot(t, s(t[:, None]) - shift, color=REFERENCE, linewidth=2.5, label="extension of $x^3$")
    ax.plot(
        t, barron(s, 512, units="cos", seed=SEED)(t[:, None])[:, 0] - shift, color=MEASUREMENT, linewidth=1, label="512 cosines"
    )
    for edge in (-1, 1):
        ax.axvline(edge, color=BOUND, linestyle=":", linewidth=1)
    ax.set(xlabel="x", ylabel="value")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
