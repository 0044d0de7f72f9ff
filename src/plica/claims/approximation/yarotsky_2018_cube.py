r"""Yarotsky 2018, in d dimensions: an error of W^{-2/d} for W weights.

Claim
    Every function on [0, 1]^d with Lipschitz constant one in the largest coordinate is within 3/(2K) of a ReLU network with of
    the order of K^{d/2} weights and layers, outside of strips as thin as one likes: an error of the order of W^{-2/d} for W
    weights. A method whose weights depend continuously on the function needs ceil(K/3)^d of them.
Source
    D. Yarotsky, Optimal Approximation of Continuous Functions by Very Deep ReLU Networks, COLT 2018, Theorem 1, the rate
    W^{-2/d} [yarotsky2018]; Z. Shen, H. Yang, S. Zhang, Deep Network Approximation Characterized by Number of Neurons, CiCP 28
    (2020), with the strips left out [shen2020]. The way through the cubes, forth and back, is ours.
Prediction
    on [0, K]^d, where the error is 3/2: the centers of neighboring cubes have distance 1, so that heights with steps of one on
    the way are within 1 of the function at the centers, and it changes by 1/2 at most from there to a corner. With m =
    ceil(K^d / n) blocks of n bits, n the nearest integer to K^{d/2}: 2 d (K - 1) units for ramps, 3 (d - 1) for the way, 2 m +
    5 n for the walk, 3 n + 3 + 2 d layers, and 2 to 3 weights a unit; plica.theory.approximation.lipschitz_parameters for
    continuous methods
Measurement
    the network of plica.construct.stored_surface at the corners, centers and far ends of all cubes, d = 2, 3, 4, and its largest
    distance from functions that are affine on each cube, in rationals; its units, layers and weights, counted
Remark
    That no network does better, up to a logarithm, follows from how many points networks label in every way: claim
    bartlett-2019-vc. The theorem without strips is not built here.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from itertools import product
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import BOUND, SERIES
from plica.claims import Evidence, control, row
from plica.construct import Construction, stored_surface
from plica.theory.approximation import lipschitz_parameters

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("yarotsky-2018-deep", "bartlett-2019-vc", "curse-of-dimensionality", "yarotsky-2017-rate")
SEED = 1802
STRIP = Fraction(1, 2**20)
SIDES = {2: (4, 8, 16, 32), 3: (4, 6, 9), 4: (3, 5)}
FURTHER = {2: (24, 48), 3: (12, 13), 4: (4, 6)}
Lines = list[list[Fraction]]


def zigzags(K: int, d: int, rng: np.random.Generator) -> Lines:
    """For every axis values at 0, ..., K that go up or down by 1/d: their sum has Lipschitz constant one.

    The first begins at 1/2 where d is odd, so that the values at centers are whole numbers now and then.
    """
    lines = [[Fraction(int(v), d) for v in np.concatenate([[0], np.cumsum(rng.choice([-1, 1], K))])] for _ in range(d)]
    return [[v + Fraction(d % 2, 2) for v in lines[0]], *lines[1:]]


def heights(lines: Lines) -> np.ndarray:
    """The largest numbers up to f + 1 at the centers that are even and odd in turn: each step on the way changes one index."""
    K, d = len(lines[0]) - 1, len(lines)
    table = np.zeros((K,) * d, dtype=int)
    for cube in product(range(K), repeat=d):
        top = (sum((line[i] + line[i + 1] for line, i in zip(lines, cube, strict=True)), Fraction(0)) / 2 + 1).__floor__()
        table[cube] = top if (top - sum(cube)) % 2 == 0 else top - 1
    return table


def distance(built: Construction, lines: Lines) -> tuple[Fraction, int]:
    """The largest distance from f at the corners of all cubes, and how often a cube has more than one value."""
    K, d = len(lines[0]) - 1, len(lines)
    end = float(1 - STRIP)
    inside = np.array([[0.0] * d, [0.5] * d, [end] * d, *(end * np.eye(d))])
    cubes = np.array(list(product(range(K), repeat=d)))
    values = built((cubes[:, None] + inside).reshape(-1, d))[:, 0].reshape(len(cubes), len(inside))
    worst = Fraction(0)
    for cube, value in zip(cubes.tolist(), values[:, 0].tolist(), strict=True):
        ends = [(line[i], line[i + 1]) for line, i in zip(lines, cube, strict=True)]  # the lowest and the highest corner
        for extreme in (min, max):
            worst = max(worst, abs(Fraction(value) - sum((extreme(pair) for pair in ends), Fraction(0))))
    return worst, int((values != values[:, :1]).any(-1).sum())


def check(scale: str) -> Evidence:
    rng = np.random.default_rng(SEED)
    rows, seen = [], []
    sides = SIDES if scale != "full" else {d: SIDES[d] + FURTHER[d] for d in SIDES}
    for d, K in ((dimension, K) for dimension, some in sides.items() for K in some):
        lines, n = zigzags(K, d, rng), round(K ** (d / 2))
        built = stored_surface(heights(lines).tolist(), bits=n, jump=STRIP)
        error, bent = distance(built, lines)
        about: dict[str, Any] = {"d": d, "K": K}
        rows.append(row(error, "=" if K > 4 else "<=", Fraction(3, 2), what="error on [0, K]^d", **about))
        rows.append(control(bent, "=", 0, what="cubes with more than one value", **about))
        units = 2 * d * (K - 1) + 3 * (d - 1) + 2 * ceil(K**d / n) + 5 * n
        rows.append(row(built.n_units, "=", units, what="units", **about))
        rows.append(row(built.depth, "=", 3 * n + 3 + 2 * d, what="layers", **about))
        rows += [row(built.n_weights, relation, c * units, what="weights", **about) for relation, c in ((">", 2), ("<", 3))]
        side = ceil(Fraction(K, 3))
        rows.append(control(lipschitz_parameters(Fraction(3, 2 * K), d), "=", side**d, what="continuous methods", **about))
        seen.append((d, K, built.n_weights))
    return Evidence(rows, draw=partial(draw, seen), seed=SEED)


def draw(seen: list[tuple[int, int, int]], ax: Axes) -> None:
    """Weights against K for each dimension, beside the parameters of continuous methods."""
    for d, color in zip(SIDES, SERIES, strict=False):
        sizes = sorted((K, W) for dimension, K, W in seen if dimension == d)
        ax.plot(*zip(*sizes, strict=True), "o-", color=color, label=f"d = {d}: of the order of $K^{{{d / 2:g}}}$")
        ends = [K for K, _ in sizes]
        ax.plot(ends, [lipschitz_parameters(Fraction(3, 2 * K), d) for K in ends], "--", color=BOUND, linewidth=0.8)
    ax.plot([], [], "--", color=BOUND, label=r"continuous methods: $\lceil K/3 \rceil^d$")
    ax.set(xlabel="K = 3 / (2 error)", ylabel="parameters", xscale="log", yscale="log")
    ax.set_xticks([4, 8, 16, 32], ["4", "8", "16", "32"])
    ax.minorticks_off()
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
