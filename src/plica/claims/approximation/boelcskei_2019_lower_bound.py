r"""Approximating a class takes as many bits as the class has.

Claim
    Networks with M nonzero weights of b bits that approximate every function of a class within eps need M (b + 2 log2 M + 2) >=
    log2 of the number of functions of the class that are more than 2 eps apart: for Lipschitz functions on [0, 1] at least
    floor(1/(2 eps)) - 1, so that M cannot grow more slowly than 1 / (eps log(1/eps)).
Source
    H. Bölcskei, P. Grohs, G. Kutyniok, P. Petersen, Optimal Approximation with Sparsely Connected Deep Neural Networks, SIAM J.
    Math. Data Sci. 1 (2019), by counting networks and quantizing weights [boelcskei2019].
Prediction
    plica.theory.approximation.lipschitz_packing_bits(eps) = m for eps just below 1/(2m); at least as many bits in networks
Measurement
    the 2^m functions with a tent up or down of height 1/(2m) on each of m intervals: their pairwise distances; for each of them a
    ReLU network within eps, its exact error, and the bits of its weights and places; and random networks,
    half as many as functions: how many functions each of them reaches, and all together
"""

from __future__ import annotations

from functools import partial
from itertools import product
from math import ceil, log2
from typing import TYPE_CHECKING

import numpy as np

from plica._palette import BOUND, MEASUREMENT
from plica.claims import Evidence, row
from plica.construct import interpolant
from plica.theory.approximation import lipschitz_packing_bits

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("boelcskei-2019-wavelets",)


def tents(signs: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Knots and values of the function with a tent of the given sign on each interval; its slopes are 1 and -1."""
    m = len(signs)
    values = np.zeros(2 * m + 1)
    values[1::2] = np.array(signs) / (2 * m)
    return np.arange(2 * m + 1) / (2 * m), values


def bits_of(signs: tuple[int, ...]) -> tuple[int, int, float]:
    """Nonzero weights of a network that is the function, the bits of all of them with their places, and its error."""
    x, y = tents(signs)
    net = interpolant(x, y)
    t = np.arange(8 * len(signs) + 1) / (8 * len(signs))
    error = float(np.abs(net(t[:, None])[:, 0] - np.interp(t, x, y)).max())
    M = net.n_weights
    b = 2 + ceil(log2(2 * len(signs) + 1))  # slopes change by 0, 1 or 2 up or down, knots are multiples of 1/(2m)
    return M, ceil(M * (b + 2 * log2(M) + 2)), error


def reached(m: int, n_networks: int, seed: int) -> tuple[int, int]:
    """Of networks near the functions, random and without help: the most functions within eps of one, and of all together."""
    rng = np.random.default_rng(seed)
    patterns = np.array(list(product((-1, 1), repeat=m)))
    x = np.arange(2 * m + 1) / (2 * m)
    values = np.zeros((len(patterns), 2 * m + 1))
    values[:, 1::2] = patterns / (2 * m)
    found, most = set(), 0
    for _ in range(n_networks):
        y = values[rng.integers(len(patterns))] + rng.uniform(-1.2, 1.2, 2 * m + 1) / (2 * m)
        net = interpolant(x, y)(x[:, None])[:, 0]
        near = np.flatnonzero(np.abs(values - net).max(1) < 0.999 / (2 * m)).tolist()
        found |= set(near)
        most = max(most, len(near))
    return most, len(found)


def check(scale: str) -> Evidence:
    rows, seen = [], {}
    for m in (4, 8) + ((11,) if scale == "full" else ()):
        patterns = np.array(list(product((-1, 1), repeat=m)))
        heights = patterns / (2 * m)
        nearest = min(float(np.abs(heights[0] - h).max()) for h in heights[1:])
        rows.append(row(nearest, "=", 1 / m, m=m, what="distance of two functions"))
        eps = 0.999 / (2 * m)
        rows.append(row(lipschitz_packing_bits(eps), "=", m, m=m, what="bits of the class"))
        rows.append(row(lipschitz_packing_bits(1.001 / (2 * m)), "=", m - 1, m=m, what="bits of the class, a little more error"))
        found = [bits_of(tuple(p)) for p in patterns[:: max(1, len(patterns) // 64)].tolist()]
        rows.append(row(max(f[2] for f in found), "<", eps, m=m, what="error of the networks"))
        rows.append(row(min(f[1] for f in found), ">=", m, m=m, what="bits of the networks"))
        seen[m] = (min(f[1] for f in found), max(f[0] for f in found))
        # the other side: no more than a logarithm too many
        rows.append(row(max(f[1] for f in found), "<=", 8 * m * (3 * log2(8 * m) + 6), m=m, what="bits of the networks"))
        n_networks = 2 ** (m - 1)
        most, covered = reached(m, n_networks, m)
        rows.append(row(most, "=", 1, m=m, what="most functions within eps of one network"))
        rows.append(row(covered, "<=", n_networks, m=m, what="functions reached by half as many networks"))
    return Evidence(rows, draw=partial(draw, {m: bits_of((1, -1) * (m // 2))[1] for m in (4, 8, 16, 32, 64)}))


def draw(found: dict[int, int], ax: Axes) -> None:
    """Bits of networks against bits of the class."""
    ax.loglog(list(found), list(found), "--", color=BOUND, label="bits of the class: a bound")
    ax.loglog(list(found), list(found.values()), "o-", color=MEASUREMENT, label="bits of networks")
    ax.set(xlabel=r"$m = 1 / (2 \varepsilon)$", ylabel="bits")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
