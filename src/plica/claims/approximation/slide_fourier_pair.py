r"""A Fourier pair without its constant.

Claim
    With F(w) = integral f(x) e^{-i w x} dx the inverse is f(x) = integral F(w) e^{i w x} dw.
Source
    University of Washington lecture, on Barron's theorem [washington-lecture].
Prediction
    f(0) = 1 for f(x) = exp(-x^2 / 2) in each variable
Measurement
    both integrals for the Gaussian by the trapezoidal rule, which converges faster than any power; its error is the
    difference to half the number of points. As a control f(0) of plica.construct.RadialSpectrum for F times (2 pi)^{-d}, which is
    (2 pi)^{-d/2} exp(-|w|^2 / 2)
Remark
    One of the two needs the factor (2 pi)^{-d}. Barron's constant is defined with f(x) = integral e^{i w x} F(w) dw, so
    that F carries it.
"""

from __future__ import annotations

from functools import partial
from math import pi
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import BOUND, PREDICTION
from plica._types import Array
from plica.claims import Evidence, Row, control, counterexample
from plica.construct import RadialSpectrum

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "misprint (text)"
EXPECTED = "refuted"
KIND = "estimated"
SEE = ("barron-gaussian",)


def round_trip(n: int) -> float:
    """f(0) after the transform and the printed inverse, in one variable."""
    x = np.linspace(-12.0, 12.0, n)
    step = x[1] - x[0]
    forward = (np.exp(-(x**2) / 2) * np.exp(-1j * np.outer(x, x))).sum(1) * step
    return float((forward.sum() * step).real)


def density(d: int, length: Array) -> Array:
    """(2 pi)^(-d) times the transform of the Gaussian on R^d, which is (2 pi)^(d/2) exp(-|w|^2 / 2)."""
    return np.asarray((2 * pi) ** (-d / 2) * np.exp(-(length**2) / 2))


def check(scale: str) -> Evidence:
    fine, coarse = round_trip(801), round_trip(401)
    error = abs(fine - coarse) + 1e-13
    rows: list[Row] = [
        counterexample(fine**d, "=", 1.0, truth=(2 * pi) ** d, kind="estimated", standard_error=d * error * fine ** (d - 1), d=d)
        for d in (1, 2, 3)
    ]
    for d in (1, 2, 3):
        spectrum = RadialSpectrum(partial(density, d), d, cutoff=12.0)
        about: dict[str, Any] = {"kind": "estimated", "standard_error": 1e-13, "d": d, "what": "with the factor"}
        rows.append(control(float(spectrum(np.zeros((1, d)))[0]), "=", 1.0, **about))
    return Evidence(rows, draw=draw, note=f"The factor is (2 pi)^d; in one variable {fine:.12f} against {2 * pi:.12f}.")


def draw(ax: Axes) -> None:
    """A Gaussian, and what the printed pair makes of it: there and back again, 2 pi times as large."""
    x = np.linspace(-12.0, 12.0, 401)
    step = x[1] - x[0]
    waves = np.exp(-1j * np.outer(x, x))
    back = (waves.conj() @ (waves @ np.exp(-(x**2) / 2) * step) * step).real
    seen = np.abs(x) < 4
    ax.plot(x[seen], back[seen], color=BOUND, label="there and back, as printed")
    ax.plot(x[seen], np.exp(-(x[seen] ** 2) / 2), color=PREDICTION, label="the function")
    ax.axhline(2 * pi, color=BOUND, linewidth=0.8, linestyle=":")
    ax.text(-4, 2 * pi, "2π", va="top")
    ax.set(xlabel="x", ylim=(0, 7.2))
    ax.legend(frameon=False, fontsize=8, loc="center left")
    ax.spines[["top", "right"]].set_visible(False)
