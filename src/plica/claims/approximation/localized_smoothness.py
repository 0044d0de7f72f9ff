r"""Where the data keep away from a kink, more derivatives count.

Claim
    f(x) = sum_i |x_i - 1/3| + x_i^2 / 8 on [0, 1]^d has one bounded derivative, and networks that interpolate it on n equal
    pieces a side need N = O(eps^{-d}) pieces. On data in [1/2, 1]^d it has two, and N = O(eps^{-d/2}) are enough: a class that
    is localized has a higher smoothness m_eff, and the rate is eps^{-d_eff / m_eff}.
Source
    Theories of Deep Learning, lecture 4, on data classes, whose localization can raise the smoothness [oxford-lecture-4]; the
    definition of T. Poggio et al. [poggio2017]. The function and its errors are ours.
Prediction
    with h = 1/n, n a power of two, the kink stands at a third of its piece: errors d (4h/9 + h^2/36) there and d h^2/32 on the
    data, by calculus; plica.theory.approximation.effective_dimension(d, m), m = 1 and 2, the slope of log N against
    log(1 / error)
Measurement
    the largest error of the networks, enclosed on their exact pieces (plica.construct.approximation_error), and the pieces
    (plica.count_regions) of plica.construct.interpolant, one for each of d = 1, 2 coordinates, added
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import SERIES
from plica.claims import Evidence, row
from plica.construct import approximation_error, estimate_effective_dimension, interpolant, variables
from plica.geometry import Box, Segment, count_regions
from plica.network import Linear, Network, Rectifier
from plica.theory.approximation import effective_dimension

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "certified"
SEE = ("data-class-dimension", "effective-dimension", "boelcskei-2019-wavelets")
KINK = Fraction(1, 3)
STARTS = {1: Fraction(0), 2: Fraction(1, 2)}  # where the cube of the data begins, by the derivatives that f has there
Curves = dict[str, tuple[list[int], list[float]]]


def network(d: int, n: int) -> Network:
    """The sum over d coordinates of the interpolant with n equal pieces."""
    x = np.arange(n + 1) / n
    inner, outer = interpolant(x, np.abs(x - float(KINK)) + x**2 / 8).network.dense_layers
    assert inner.bias is not None and outer.bias is not None
    hidden = Linear(np.kron(np.eye(d), inner.weight), np.tile(inner.bias, d))
    return Network.sequential(d, [hidden, Rectifier(), Linear(np.tile(outer.weight, d), d * outer.bias)])


def predicted(d: int, n: int, m: int) -> Fraction:
    """The largest error of chords: at the kink, a third into its piece, or in the middle of any piece that is a parabola."""
    h = Fraction(1, n)
    return d * (4 * h / 9 + h**2 / 36 if m == 1 else h**2 / 32)


def check(scale: str) -> Evidence:
    rows, curves = [], {}
    sizes = {1: (8, 16, 32, 64), 2: (4, 8, 16)}
    if scale == "full":
        sizes = {1: (8, 32, 128, 512), 2: (4, 8, 16, 32)}
    for d in (1, 2):
        x = variables(d)
        target = sum(abs(v - KINK) + v**2 / 8 for v in x)
        for m, start in STARTS.items():
            low, high = [float(start)] * d, [1.0] * d
            domain = Segment(low, high) if d == 1 else Box(low, high)
            pieces: list[int] = []
            errors = []
            for n in sizes[d]:
                net = network(d, n)
                pieces.append(count_regions(net, domain).n_regions or 0)
                found = approximation_error(net, target, domain)
                errors.append(float(found.low + found.high) / 2)
                about: dict[str, Any] = {"d": d, "m": m, "n": n}
                rows.append(row(pieces[-1], "=", int((1 - start) * n) ** d, what="pieces", **about))
                known = float(predicted(d, n, m))
                rows.append(row(errors[-1], "=", known, kind="certified", tolerance=1e-5, what="largest error", **about))
            slope = estimate_effective_dimension(pieces, errors).value
            expected = float(effective_dimension(d, m))
            rows.append(row(slope, "=", expected, kind="certified", tolerance=0.02, what="slope", d=d, m=m))
            curves[f"d = {d}, {'all of the cube' if m == 1 else 'data in [1/2, 1]'}"] = (pieces, errors)
    return Evidence(rows, draw=partial(draw, curves))


def draw(curves: Curves, ax: Axes) -> None:
    """Error against pieces: steeper where the data keep away from the kink."""
    for color, style, (name, (pieces, errors)) in zip(SERIES, ("o-", "s--", "o-", "s--"), curves.items(), strict=False):
        ax.loglog(pieces, errors, style, color=color, markersize=4, label=name)
    ax.set(xlabel="pieces N", ylabel="largest error on the data")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
