r"""Yarotsky: W weights reach an error of W^{-2} in very deep networks, where continuous methods reach 1/(2W).

Claim
    Every function on [0, 1] with Lipschitz constant one is within 1/N of a ReLU network with of the order of sqrt N weights and
    layers, outside of jumps as short as one likes; a method whose weights depend continuously on the function needs N/2.
Source
    D. Yarotsky, Optimal Approximation of Continuous Functions by Very Deep ReLU Networks, COLT 2018, Theorem 1, the rate W^{-2/d}
    in d = 1 [yarotsky2018]; Z. Shen, H. Yang, S. Zhang, Deep Network Approximation Characterized by Number of Neurons, CiCP 28
    (2020), with the jumps left out [shen2020].
Prediction
    on [0, N], where the error is 1: the walk with steps of one whose height at i has the parity of i and is the largest such up
    to f(i) + 1 is never more than 1 away, and is 1 away from a constant; 7 (m - 1) + 13 n + 1 weights for m blocks of n steps,
    N = m n, up to two more and fewer by one for each that vanishes, and at most 3 n + 3 layers; against
    plica.theory.approximation.lipschitz_parameters
Measurement
    the network of plica.construct.stored_walk: its pieces in each block (plica.decompose), which must end at integers; its values
    there and where the function has a kink; its weights that are not zero, counted
Remark
    Which bits are stored jumps from function to function, so the theorem does not contradict claim curse-of-dimensionality, whose
    lower bound for free weights is that of claim bartlett-2019-vc. In d dimensions: claim yarotsky-2018-cube. The theorem
    without jumps is not built here.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import pairwise
from math import ceil
from operator import mul
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import BOUND, MEASUREMENT, PREDICTION
from plica.claims import Evidence, control, row
from plica.construct import Construction, stored_walk
from plica.geometry import Segment, decompose
from plica.theory.approximation import lipschitz_parameters

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("bartlett-2019-vc", "curse-of-dimensionality", "yarotsky-2017-rate")
SEED = 1802
JUMP = Fraction(1, 2**20)

Function = Callable[[Fraction], Fraction]


def zigzag(N: int, rng: np.random.Generator) -> tuple[Function, list[Fraction]]:
    """A function with slopes 1 and -1 that turns at multiples of 1/8, about once in two steps, and where it turns."""
    turns = sorted({0, N} | {int(t) / 8 for t in rng.choice(8 * N, size=N // 2, replace=False)})
    kinks = [Fraction(t) for t in turns]
    heights = [Fraction(0)]
    for k, (a, b) in enumerate(pairwise(kinks)):
        heights.append(heights[-1] + (b - a) * (-1) ** k)

    def f(x: Fraction) -> Fraction:
        k = min(max(int(np.searchsorted(turns, float(x), side="right")) - 1, 0), len(kinks) - 2)
        return heights[k] + (x - kinks[k]) * (-1) ** k

    return f, kinks


def walk(f: Function, N: int) -> list[int]:
    """The heights of the parity of i in (f(i) - 1, f(i) + 1]."""
    heights = []
    for i in range(N + 1):
        top = (f(Fraction(i)) + 1).__floor__()
        heights.append(top if (top - i) % 2 == 0 else top - 1)
    return heights


def distance(built: Construction, f: Function, kinks: list[Fraction], N: int, n: int) -> Fraction:
    """The largest error outside of jumps: the network is straight between integers, so it is at one of them or at a kink."""
    places = {Fraction(i) for i in range(N + 1)} | {k for k in kinks if (-k) % n > JUMP}
    points = sorted(places)
    values = built(np.array([[float(p)] for p in points]))[:, 0]
    return max(abs(Fraction(float(v)) - f(p)) for p, v in zip(points, values, strict=True))


def bends(built: Construction, blocks: range, n: int) -> list[int]:
    """Ends of pieces inside of blocks, whether they are whole numbers: yes and no."""
    count = [0, 0]
    for j in blocks:
        pieces = decompose(built.network, Segment([float(j * n)], [j * n + n - 0.5]))
        for i in range(1, pieces.n_cells):
            place = pieces.exact_vertex(i)[0] * Fraction(2 * n - 1, 2)
            count[place.denominator > 1] += 1
    return count


def n_weights(heights: list[int], m: int, n: int) -> int:
    """As the proof counts them: fewer by one for blocks that begin as high as the one before, or repeat its steps."""
    starts = [heights[j * n] for j in range(m)]
    blocks = [tuple(b - a for a, b in pairwise(heights[j * n : (j + 1) * n + 1])) for j in range(m)]
    repeated = sum(a == b for a, b in pairwise(starts)) + sum(a == b for a, b in pairwise(blocks))
    return 7 * (m - 1) + 13 * n + 1 + (starts[0] != 0) + (1 in blocks[0]) - repeated


def check(scale: str) -> Evidence:
    rng = np.random.default_rng(SEED)
    rows, seen = [], []
    sizes = [(4, 4), (8, 8), (16, 16), (64, 48)] + ([(32, 32), (48, 48), (256, 48)] if scale == "full" else [])
    for m, n in sizes:
        N = m * n
        for name in ("zigzag", "constant", "slope one half"):
            if name == "zigzag":
                f, kinks = zigzag(N, rng)
            else:
                slope = Fraction(0) if name == "constant" else Fraction(1, 2)
                f, kinks = partial(mul, slope), []
            built = stored_walk(walk(f, N), bits=n, jump=JUMP)
            about: dict[str, Any] = {"f": name, "blocks": m, "bits": n}
            rows.append(row(distance(built, f, kinks, N, n), "=" if name == "constant" else "<=", 1, what="error", **about))
            if name == "zigzag":
                if n <= 8:
                    whole, other = bends(built, range(2), n)
                    rows.append(control(other, "=", 0, what="bends between integers", **about))
                    rows.append(control(whole, "=", 2 * (n - 1), what="bends at integers", **about))
                rows.append(row(built.n_weights, "=", n_weights(walk(f, N), m, n), what="weights", **about))
                rows.append(row(built.depth, "<=", 3 * n + 3, what="layers", **about))
                continuous = lipschitz_parameters(Fraction(1, N), 1)
                seen.append((N, built.n_weights, continuous))
                if m > n:
                    rows.append(row(built.n_weights, "<", continuous, what="weights, against continuous methods", **about))
                    rows.append(control(continuous, "=", ceil(N / 2), what="continuous methods", **about))
    return Evidence(rows, draw=partial(draw, seen), seed=SEED)


def draw(seen: list[tuple[int, int, int]], ax: Axes) -> None:
    """Weights against 1 / error: as built, and as continuous methods need."""
    square = sorted(seen)
    N = [s[0] for s in square]
    ax.loglog(N, [s[2] for s in square], "--", color=BOUND, label="continuous methods need")
    ax.loglog(N, [s[1] for s in square], "o", color=MEASUREMENT, label="stored bits")
    ax.loglog(N, [20 * n**0.5 for n in N], color=PREDICTION, linewidth=1, label="20 √N")
    ax.set(xlabel="1 / error", ylabel="weights")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
