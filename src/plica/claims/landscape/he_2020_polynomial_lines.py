r"""He, Wang and Tao: between folds of weights the loss of a ReLU network is a polynomial.

Claim
    On a straight line of all weights of a network of L layers with piecewise-linear activations, the outputs are polynomials of
    degree L between finitely many breakpoints and the squared loss one of degree 2 L; at the breakpoints the loss is
    continuous, and its derivative jumps.
Source
    F. He, B. Wang, D. Tao, Piecewise Linear Activations Substantially Shape the Loss Surfaces of Neural Networks, ICLR 2020
    [hewangtao2020]: the cells of the loss surface are multilinear in the weights. Restricted to a line it is said here.
Prediction
    differences of order 2 L + 1 of equally spaced values inside a piece vanish, those of order 2 L do not; across a
    breakpoint they do not vanish either
Measurement
    the breakpoints of plica.landscape.loss_line, and values of networks with mixed weights evaluated in fractions, which share
    nothing with it
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from itertools import pairwise
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import MEASUREMENT, REFERENCE
from plica._types import Array
from plica.claims import Evidence, control, row
from plica.exact import exactly
from plica.landscape import LossLine, loss_line
from plica.network import Network, random_network

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "certified"
SEE = ("grid-misses-ridges", "relu-curvature-folds")
SEED = 20


def exact_loss(a: Network, b: Network, x: Array, t: Fraction) -> Fraction:
    """The mean square of the outputs of the network (1 - t) a + t b, in fractions."""
    h = exactly(x)
    pairs = list(zip(a.dense_layers, b.dense_layers, strict=True))
    for i, (p, q) in enumerate(pairs):
        W, c = ((1 - t) * exactly(u) + t * exactly(v) for u, v in ((p.weight, q.weight), (p.bias, q.bias)))
        h = h @ W.T + c
        if i < len(pairs) - 1:
            h = h * (h > 0)
    return Fraction((h * h).sum()) / h.size


def difference(values: list[Fraction]) -> Fraction:
    """The difference of highest order."""
    n = len(values) - 1
    return sum((Fraction((-1) ** (n - k) * comb(n, k)) * v for k, v in enumerate(values)), Fraction(0))


def differences(a: Network, b: Network, x: Array, low: Fraction, high: Fraction, degree: int) -> tuple[Fraction, Fraction]:
    """Those of order ``degree`` and one more, of values spread over an interval."""
    values = [exact_loss(a, b, x, low + (high - low) * Fraction(k, degree + 1)) for k in range(degree + 2)]
    return difference(values[:-1]), difference(values)


def check(scale: str) -> Evidence:
    rows, shown = [], None
    for n_layers in (1, 2, 3) + ((4,) if scale == "full" else ()):
        widths = [3, *[5] * (n_layers - 1), 2]
        a, b = (random_network(widths, seed=SEED + s) for s in (0, 1))
        x = np.random.default_rng(SEED).normal(size=(2, 3))
        line = loss_line(a, b, x, np.zeros((2, 2)))
        shown = line
        ends = [Fraction(0), *(Fraction(float(t)) for t in line.breakpoints().mean(axis=1)), Fraction(1)]
        margin = Fraction(1, 10**9)  # far more than the enclosures of breakpoints are wide
        pieces = [(p + margin, q - margin) for p, q in pairwise(ends) if q - p > 10 * margin]
        found = [differences(a, b, x, p, q, 2 * n_layers) for p, q in pieces]
        about: dict[str, Any] = {"layers": n_layers, "pieces": len(pieces)}
        rows.append(row(sum(d[1] != 0 for d in found), "=", 0, what="pieces that are no polynomial of degree 2 L", **about))
        rows.append(row(sum(d[0] != 0 for d in found), ">", 0, what="pieces whose degree is 2 L, not less", **about))
        if n_layers > 1:
            across = [differences(a, b, x, p[0], q[1], 2 * n_layers) for p, q in pairwise(pieces)]
            bent = sum(d[1] != 0 for d in across)
            rows.append(control(bent, "=", len(across), what="breakpoints over which no polynomial continues", **about))
            t = Fraction(3, 8)
            truth = exact_loss(a, b, x, t)
            value = line.at(float(t))
            outside = int(not Fraction(value.low) <= truth <= Fraction(value.high))
            rows.append(row(outside, "=", 0, kind="certified", what="enclosures of the loss at 3/8 that miss it", **about))
    assert shown is not None
    return Evidence(rows, draw=partial(draw, shown), seed=SEED)


def draw(line: LossLine, ax: Axes) -> None:
    """The loss along the line, and its breakpoints."""
    t = np.linspace(0, 1, 400)
    ax.vlines(line.breakpoints().mean(axis=1), 0, 1, transform=ax.get_xaxis_transform(), color=REFERENCE, linewidth=0.5)
    ax.plot(t, line(t), color=MEASUREMENT)
    ax.set(xlabel="t", ylabel="squared loss", title=f"{line.n_breakpoints} breakpoints, outputs of degree {line.degree}")
    ax.spines[["top", "right"]].set_visible(False)
