r"""Functions with enough bounded derivatives have a finite Barron constant.

Claim
    If all derivatives of f on R^d from the first up to order s > 1 + d/2 are square integrable, f has a finite Barron constant:
    C <= (2 pi)^{-d/2} c sqrt(sum_k C(s - 1, k) |D^{k+1} f|^2), k = 0, ..., s - 1, with c^2 = pi^{d/2} Gamma(s - 1 - d/2) /
    Gamma(s - 1). The constant cannot be smaller, and one derivative less is too few.
Source
    A. Barron, IEEE Trans. Inf. Theory 39 (1993), section IX, example 15, floor(d/2) + 2 derivatives [barron1993]; an example of
    the University of Washington lecture, "functions with bounded derivatives" [washington-lecture]; the constant is the
    inequality of Cauchy and Schwarz, written out in plica.theory.approximation.barron_derivative_constant.
Prediction
    in one dimension C <= sqrt((|f'|^2 + |f''|^2) / 2), equal for f' = exp(-|x|); c by its formula; for a tent, whose second
    derivative is no function, the integral of |w f^(w)| up to R grows by (2/pi) log 100 from R to 100 R
Measurement
    C from the transform of f', the cosine integral of its values (by quadrature); norms of derivatives by quadrature over x; c as
    a radial integral of (1 + r^2)^{1-s}
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import exp, gamma, inf, log, pi, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.integrate import quad

from plica._palette import BOUND, MEASUREMENT
from plica.claims import Evidence, row
from plica.theory.approximation import barron_derivative_constant

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("barron-rate", "barron-gaussian", "barron-polynomials")

#: f' and f'' of even f', whose transform is real
SLOPES: dict[str, tuple[Callable[[float], float], Callable[[float], float]]] = {
    "exp(-|x|)": (lambda x: exp(-abs(x)), lambda x: -np.sign(x) * exp(-abs(x))),
    "exp(-x^2/2)": (lambda x: exp(-x * x / 2), lambda x: -x * exp(-x * x / 2)),
    "(1 - x^2) exp(-x^2/2)": (lambda x: (1 - x * x) * exp(-x * x / 2), lambda x: (x**3 - 3 * x) * exp(-x * x / 2)),
    "(1 + |x|) exp(-|x|)": (lambda x: (1 + abs(x)) * exp(-abs(x)), lambda x: -x * exp(-abs(x))),
}


def transform(slope: Callable[[float], float], w: float) -> float:
    """Of an even function: (1/pi) times the integral of f'(x) cos(w x) over x > 0."""
    found = quad(slope, 0, 40, weight="cos", wvar=w, limit=200) if w else quad(slope, 0, 40)
    return float(found[0]) / pi


def constant(slope: Callable[[float], float]) -> float:
    """The integral of |w f^(w)|; beyond 60 the transforms fall like w^{-2} or faster, and the tail is added as such."""
    w, weights = np.polynomial.legendre.leggauss(48)
    total = 0.0
    for a, b in ((0.0, 1.5), (1.5, 6.0), (6.0, 60.0)):
        nodes = (b - a) / 2 * w + (a + b) / 2
        total += float(weights @ np.abs([transform(slope, float(v)) for v in nodes])) * (b - a) / 2
    return 2 * (total + 60.0 * abs(transform(slope, 60.0)))


def norm(f: Callable[[float], float]) -> float:
    return float(2 * quad(lambda x: f(x) ** 2, 0, inf)[0])


def radial(d: int, s: int) -> float:
    """The root of the integral of (1 + |w|^2)^{1-s} over R^d: a sphere's area times an integral over the radius."""
    area = 2 * pi ** (d / 2) / gamma(d / 2)
    return sqrt(area * quad(lambda r: r ** (d - 1) * (1 + r * r) ** (1 - s), 0, inf)[0])


def tent(R: float) -> float:
    """The integral of |w f^(w)| up to R for the tent 1 - |x|: (4/pi) times that of sin^2(w/2)/w."""
    return float(4 / pi * sum(quad(lambda w: np.sin(w / 2) ** 2 / w, a, a + 2 * pi)[0] for a in 2 * pi * np.arange(int(R))))


def check(scale: str) -> Evidence:
    rows, seen = [], []
    rounding: dict[str, Any] = {"kind": "estimated", "standard_error": 1e-7}
    for name, (first, second) in SLOPES.items():
        found = constant(first)
        bound = barron_derivative_constant(1, 2) / sqrt(2 * pi) * sqrt(norm(first) + norm(second))
        equal = name == "exp(-|x|)"
        slack: dict[str, Any] = {"tolerance": 1e-3} if equal else {}
        rows.append(
            row(found, "=" if equal else "<", bound, what="C, against derivatives", f=name, d=1, s=2, **slack, **rounding)
        )
        seen.append((name, found, bound))
    for d, s in ((1, 2), (2, 3), (3, 3), (3, 4), (4, 4), (5, 4)) + (((8, 6), (9, 7)) if scale == "full" else ()):
        about: dict[str, Any] = {"what": "c, by its integral", "d": d, "s": s}
        rows.append(row(radial(d, s), "=", barron_derivative_constant(d, s), tolerance=1e-6, **rounding, **about))
    grown = tent(400) - tent(4)
    rows.append(row(grown, "=", 2 / pi * log(100), tolerance=0.01, what="a tent: growth from R to 100 R", d=1, s=1, **rounding))
    return Evidence(rows, draw=partial(draw, seen))


def draw(seen: list[tuple[str, float, float]], ax: Axes) -> None:
    """C of each function beside what its derivatives allow."""
    for i, (_, found, bound) in enumerate(seen):
        ax.plot([0, bound], [i, i], color=BOUND, linewidth=6, alpha=0.35, solid_capstyle="butt")
        ax.plot(found, i, "o", color=MEASUREMENT)
    ax.set_yticks(range(len(seen)), [f"f' = {name}" for name, _, _ in seen], fontsize=8)
    ax.set(xlim=(0, None), ylim=(len(seen) - 0.4, -0.6), xlabel="Barron's constant and its bound")
    ax.spines[["top", "right"]].set_visible(False)
