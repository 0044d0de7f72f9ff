r"""Yarotsky 2018, in the plane: as many weights as there are rows of squares.

Claim
    Every function on [0, 1]^2 with Lipschitz constant one in the larger coordinate is within 3/(2K) of a ReLU network with of the
    order of K weights and layers, outside of strips as thin as one likes: an error of the order of W^{-2/d} for W weights, d = 2.
    A method whose weights depend continuously on the function needs ceil(K/3)^2 of them.
Source
    D. Yarotsky, Optimal Approximation of Continuous Functions by Very Deep ReLU Networks, COLT 2018, Theorem 1, the rate W^{-2/d}
    in d = 2 [yarotsky2018]; Z. Shen, H. Yang, S. Zhang, Deep Network Approximation Characterized by Number of Neurons, CiCP 28
    (2020), with the strips left out [shen2020]. The way through the squares, forth and back, is ours.
Prediction
    on [0, K]^2, where the error is 3/2: the centers of neighboring squares have distance 1, so that heights with steps of one on
    the way are within 1 of the function at the centers, and it changes by 1/2 at most from there to a corner; 11 K - 1 units,
    3 K + 7 layers, 28 K to 33 K weights; against plica.theory.approximation.lipschitz_parameters
Measurement
    the network of plica.construct.stored_surface at the corners, centers and far ends of all squares, and its largest distance
    from functions that are affine on each square, in rationals; its units, layers and weights, counted
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import BOUND, MEASUREMENT
from plica.claims import Evidence, control, row
from plica.construct import Construction, stored_surface
from plica.theory.approximation import lipschitz_parameters

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("yarotsky-2018-deep", "curse-of-dimensionality", "yarotsky-2017-rate")
SEED = 1802
STRIP = Fraction(1, 2**20)
Line = list[Fraction]


def zigzag(K: int, rng: np.random.Generator) -> Line:
    """Values at 0, ..., K of a function that goes up or down by 1/2 between integers."""
    return [Fraction(int(v), 2) for v in np.concatenate([[0], np.cumsum(rng.choice([-1, 1], K))])]


def heights(first: Line, second: Line) -> list[list[int]]:
    """The largest numbers up to f + 1 at the centers that are even and odd in turn, on the way forth and back."""
    K = len(first) - 1
    table = [[0] * K for _ in range(K)]
    for k, (i, step) in enumerate(product(range(K), repeat=2)):
        j = step if i % 2 == 0 else K - 1 - step
        top = ((first[i] + first[i + 1] + second[j] + second[j + 1]) / 2 + 1).__floor__()
        table[i][j] = top if (top - k) % 2 == 0 else top - 1
    return table


def distance(built: Construction, first: Line, second: Line) -> tuple[Fraction, int]:
    """The largest distance from f(x) + g(y) at the corners of all squares, and how often a square has more than one value."""
    K = len(first) - 1
    inside = [0.0, 0.5, float(1 - STRIP)]
    points = np.array([[i + a, j + b] for i, j in product(range(K), repeat=2) for a, b in product(inside, repeat=2)])
    values = built(points)[:, 0].reshape(K, K, len(inside) ** 2)
    corners = product(range(K), range(K), (0, 1), (0, 1))
    worst = max(abs(Fraction(float(values[i, j, 0])) - first[i + a] - second[j + b]) for i, j, a, b in corners)
    return worst, int((values != values[..., :1]).any(-1).sum())


def check(scale: str) -> Evidence:
    rng = np.random.default_rng(SEED)
    rows, weights = [], {}
    for K in (4, 8, 16, 32) + ((24, 48) if scale == "full" else ()):
        first, second = zigzag(K, rng), zigzag(K, rng)
        built = stored_surface(heights(first, second), bits=K, jump=STRIP)
        error, bent = distance(built, first, second)
        about: dict[str, Any] = {"K": K}
        rows.append(row(error, "<=", Fraction(3, 2), what="error on [0, K]^2", **about))
        if K > 4:
            rows.append(row(error, "=", Fraction(3, 2), what="attained", **about))
        rows.append(control(bent, "=", 0, what="squares with more than one value", **about))
        rows.append(row(built.n_units, "=", 11 * K - 1, what="units", **about))
        rows.append(row(built.depth, "=", 3 * K + 7, what="layers", **about))
        rows += [row(built.n_weights, relation, c * K, what="weights", **about) for relation, c in (("<=", 33), (">=", 28))]
        weights[K] = built.n_weights
    for K in weights:
        side = Fraction(K, 3).__ceil__()
        rows.append(control(lipschitz_parameters(Fraction(3, 2 * K), 2), "=", side**2, what="continuous methods", K=K))
    return Evidence(rows, draw=partial(draw, weights), seed=SEED)


def draw(weights: dict[int, int], ax: Axes) -> None:
    """Weights against K, and the parameters of continuous methods."""
    sizes = sorted(weights)
    ax.plot(sizes, [weights[K] for K in sizes], "o-", color=MEASUREMENT, label="weights of the network")
    ax.plot(sizes, [lipschitz_parameters(Fraction(3, 2 * K), 2) for K in sizes], "--", color=BOUND, label="continuous methods")
    ax.set(xlabel="K = 3 / (2 error)", ylabel="parameters", xscale="log", yscale="log")
    ax.set_xticks(sizes, [str(K) for K in sizes])
    ax.minorticks_off()
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
