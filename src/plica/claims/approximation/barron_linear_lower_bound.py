r"""Barron: no fixed set of n functions does as well.

Claim
    For every choice of n functions on [0, 1]^d, some function with Barron constant C is farther than kappa (C/d) n^{-1/d} from
    all their linear combinations, in the mean square over the cube, kappa = 1 / (8 pi e^{pi - 1}): fixed features suffer from the
    dimension, where n units that follow the function have (2 C)^2 / n.
Source
    A. Barron, IEEE Trans. Inf. Theory 39 (1993), Theorem 6 [barron1993]. The constant kappa is from memory,
    since no copy of the theorem was found; the bound by N orthogonal functions, which is sharper, is proved in a line.
Prediction
    plica.theory.approximation.barron_linear_lower_bound(n, d, constant=C); for any n functions at least r (1 - n/N)^{1/2}, if N
    orthogonal functions of length r have that constant; exactly r_{n+1}, the length of the next wave, for the n slowest waves
Measurement
    the largest distance of waves of constant C = 1, cos 2 pi k . x / (2 pi |k|), to spans of the n slowest waves, of polynomials
    and of random cosines, by least squares on a grid that integrates the waves exactly
"""

from __future__ import annotations

from functools import partial
from itertools import product
from math import exp, pi, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import PREDICTION, SERIES
from plica.claims import Evidence, row
from plica.theory.approximation import barron_linear_lower_bound

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("barron-rate",)
SEED = 1993


def frequencies(d: int, count: int) -> np.ndarray:
    """The slowest integer frequencies, one of each pair k, -k, without 0."""
    reach = range(-6, 7) if d > 1 else range(-(count + 1), count + 2)
    all_of_them = [k for k in product(reach, repeat=d) if k > (0,) * d]
    return np.array(sorted(all_of_them, key=lambda k: (sum(v * v for v in k), k))[:count])


def spans(d: int, n: int, x: np.ndarray) -> dict[str, np.ndarray]:
    """Columns: n functions at the points of the grid."""
    rng = np.random.default_rng(SEED)
    exponents = sorted(product(range(n if d == 1 else 8), repeat=d), key=sum)[:n]
    return {
        "slowest waves": np.cos(2 * pi * x @ frequencies(d, n).T),
        "polynomials": np.stack([np.prod((2 * x - 1) ** np.array(e), axis=1) for e in exponents], 1),
        "random cosines": np.cos(2 * pi * x @ rng.normal(size=(d, n)) * 2 + rng.uniform(0, 2 * pi, n)),
    }


def largest_distance(columns: np.ndarray, x: np.ndarray, waves: np.ndarray) -> float:
    """Of the waves of constant 1 from the span, root mean square over the grid."""
    basis = np.linalg.qr(columns)[0]
    lengths = 2 * pi * np.linalg.norm(waves, axis=1)
    targets = np.cos(2 * pi * x @ waves.T) / lengths
    rest = targets - basis @ (basis.T @ targets)
    return float(np.sqrt((rest**2).mean(0)).max())


def check(scale: str) -> Evidence:
    rows, curves = [], {}
    for d, side in ((1, 256), (2, 32), (3, 16)):
        axis = (np.arange(side) + 0.5) / side
        x = np.stack(np.meshgrid(*[axis] * d), -1).reshape(-1, d)
        for n in (4, 16, 32) if scale == "full" else (4, 16):
            waves = frequencies(d, 2 * n)
            length = 1 / (sqrt(2) * 2 * pi * float(np.linalg.norm(waves[-1])))  # of the shortest of 2n orthogonal functions
            for name, columns in spans(d, n, x).items():
                measured = largest_distance(columns, x, waves)
                curves[d, n, name] = measured
                about: dict[str, Any] = {"d": d, "n": n, "span": name}
                rows.append(row(measured, ">=", barron_linear_lower_bound(n, d, constant=1.0), against="Barron's bound", **about))
                rows.append(row(measured, ">=", length * sqrt(1 / 2), against="r (1 - n/N)^(1/2), N = 2n", **about))
                if name == "slowest waves":
                    expected = 1 / (sqrt(2) * 2 * pi * float(np.linalg.norm(waves[n])))
                    numbers: dict[str, Any] = {"kind": "estimated", "standard_error": 1e-9}
                    rows.append(row(measured, "=", expected, against="the next wave", **numbers, **about))
    value = barron_linear_lower_bound(8, 3, constant=2.0)
    rows.append(row(value, "=", 2 / (3 * 8 * pi * exp(pi - 1)) / 2, tolerance=1e-12, d=3, n=8, against="by hand"))
    return Evidence(rows, draw=partial(draw, curves), seed=SEED)


def draw(curves: dict[tuple[int, int, str], float], ax: Axes) -> None:
    """Distances for the slowest waves, and Barron's bound."""
    for color, d in zip(SERIES, (1, 2, 3), strict=False):
        found = {n: v for (k, n, name), v in curves.items() if k == d and name == "slowest waves"}
        ax.loglog(list(found), list(found.values()), "o-", color=color, label=f"d = {d}: slowest waves")
        n = np.array(list(found))
        ax.loglog(n, [barron_linear_lower_bound(int(k), d, constant=1.0) for k in n], ":", color=color)
    ax.plot([], [], ":", color=PREDICTION, label="Barron's bound")
    ax.set(xlabel="functions n", ylabel="largest distance, C = 1")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
