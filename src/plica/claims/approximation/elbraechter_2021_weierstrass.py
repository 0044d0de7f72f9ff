r"""A function without a derivative, with exponentially small error.

Claim
    Weierstrass' function sum_k 2^{-k} cos(2^k pi x), continuous and nowhere differentiable, is approximated within eps by ReLU
    networks of depth O(log^2(1/eps)) and O(log^3(1/eps)) units, where equally spaced knots need more than a power of 1/eps.
Source
    D. Elbrächter, D. Perekrestenko, P. Grohs, H. Bölcskei, IEEE Trans. Inf. Theory 67 (2021) [elbraechter2021]; G. H. Hardy,
    Trans. AMS 17 (1916), for a b >= 1 [hardy1916].
Prediction
    an error of at most eps; depth at most log2(1/eps)^2 / 2 + 20, and exactly that of the deepest term: one layer for the
    absolute value, k for the folds of cos(2^k pi x), and m + 2 for each of the ceil(log2 n) products in a row, where 4^{-m} is
    its accuracy and n the least odd degree with 4 J_{n+2}(pi / 2) <= 4^{-m} / 4; units at most 2 log2(1/eps)^3 + 400; the
    slope 1 of the knots against 1/eps, up to a logarithm
Measurement
    sums of plica.construct.cosine_network, the k-th term to an accuracy of at most 2^k eps / (4 K), evaluated at dyadic points
    and against the series with phases reduced in integers; the interpolation error of equally spaced knots at the same points
Remark
    4 J_{n+2} bounds what Chebyshev interpolation of degree n misses of half a period; a square to within 4^{-m} takes m
    layers. Degrees grow more slowly than log(1/eps), so these networks have a depth of log(1/eps) log log(1/eps), and log^2 is
    room. Depth was first held from above only; accuracies that are powers of 4 need more units, so that 250 above became 400.
"""

from __future__ import annotations

from functools import partial
from math import ceil, factorial, log2, pi
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import BOUND, MEASUREMENT
from plica.claims import Evidence, control, row
from plica.construct import Construction, cosine_network

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("elbraechter-2021-cosine",)
LEVELS = 14  # points j / 2^14 of [-1, 1]


def series(n_terms: int = 50) -> np.ndarray:
    """The function at all j / 2^LEVELS: the phase 2^k j / 2^LEVELS is an integer modulo 2^(LEVELS + 1), exactly."""
    j = np.arange(-(2**LEVELS), 2**LEVELS + 1)
    total = np.zeros(len(j))
    for k in range(n_terms):
        phase = (j * pow(2, k, 2 ** (LEVELS + 1))) % 2 ** (LEVELS + 1)
        total += 2.0**-k * np.cos(pi * phase / 2**LEVELS)
    return total


def networks(eps: float) -> list[tuple[float, Construction]]:
    """Terms with their networks: those after K are smaller than eps / 2 together, the others are off by eps / 2 together."""
    return [(2.0**-k, cosine_network(2.0**k * pi, 4.0**-m)) for k, m in enumerate(digits(eps))]


def digits(eps: float) -> list[int]:
    """For each term the digits of base 4 it is needed to: an error of at most 2^k eps / (4 K)."""
    K = ceil(log2(4 / eps))
    return [max(1, ceil(log2(4 * K / eps / 2**k) / 2)) for k in range(K)]


def depth_of_term(k: int, m: int) -> int:
    """Layers of cos(2^k pi x) to m digits of base 4: the absolute value, folds, and products of m + 2 layers in a row."""
    degree = next(n for n in range(3, 40, 2) if 4 * bessel(n + 2, pi / 2) <= 4.0 ** -(m + 1))
    return 1 + k + ceil(log2(degree)) * (m + 2)


def bessel(n: int, x: float) -> float:
    """J_n(x) by its series."""
    return sum((-1) ** i * (x / 2) ** (n + 2 * i) / (factorial(i) * factorial(i + n)) for i in range(12))


def knots_needed(W: np.ndarray, eps: float) -> int:
    """Equally spaced pieces, a power of two, whose interpolant is within eps at all points."""
    x = np.arange(len(W))
    for level in range(1, LEVELS + 1):
        knots = x[:: 2 ** (LEVELS + 1 - level)]
        if float(np.abs(np.interp(x, knots, W[knots]) - W).max()) <= eps:
            return 2**level
    return 2 ** (LEVELS + 1)


def check(scale: str) -> Evidence:
    W = series()
    x = np.linspace(-1, 1, 2 ** (LEVELS + 1) + 1)[:, None]
    rows, seen, pieces = [], {}, {}
    for eps in (0.3, 0.1, 0.03, 0.01) + ((0.003, 0.001) if scale == "full" else ()):
        terms = networks(eps)
        total = sum(weight * net(x)[:, 0] for weight, net in terms)
        error = float(np.abs(total - W).max())
        depth, units = max(net.depth for _, net in terms), sum(net.n_units for _, net in terms)
        bits = log2(1 / eps)
        seen[eps], pieces[eps] = units, knots_needed(W, eps)
        rows.append(row(error, "<=", eps, eps=eps, what="largest error"))
        rows.append(row(depth, "<=", 0.5 * bits**2 + 20, eps=eps, what="depth"))
        layers = max(depth_of_term(k, m) for k, m in enumerate(digits(eps)))
        rows.append(row(depth, "=", layers, eps=eps, what="depth of the deepest term"))
        rows.append(row(units, "<=", 2 * bits**3 + 400, eps=eps, what="units"))
    halvings = 0.5 ** np.arange(1, 9)
    slope = float(np.polyfit(-np.log(halvings), np.log([knots_needed(W, e) for e in halvings]), 1)[0])
    about: dict[str, Any] = {"eps": "1/2 to 1/256", "what": "slope of equally spaced knots"}
    # the count is a power of two, so that the slope is known to a twentieth
    rows.append(row(slope, "=", 1.0, kind="estimated", standard_error=0.012, **about))
    rows.append(control(float(W[len(W) // 2]), "=", 2.0, kind="estimated", standard_error=1e-12, eps="", what="value at 0"))
    return Evidence(rows, draw=partial(draw, seen, pieces))


def draw(seen: dict[float, int], pieces: dict[float, int], ax: Axes) -> None:
    """Units of the network and equally spaced knots against the accuracy."""
    inverse = [1 / e for e in seen]
    ax.loglog(inverse, list(seen.values()), "o-", color=MEASUREMENT, label="ReLUs of the deep network")
    ax.loglog(inverse, list(pieces.values()), "s--", color=BOUND, label="equally spaced pieces")
    ax.set(xlabel="1 / error", ylabel="size")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
