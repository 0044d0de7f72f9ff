r"""The curse of dimensionality: every further dimension multiplies the parameters.

Claim
    No method that is linear in W parameters, or whose parameters depend continuously on the function, is within less than 1 /
    (2N) of all functions on [0, 1]^d with Lipschitz constant one, if W < N^d; steps on n^d boxes are within 1 / (2n). For an
    error eps as many as (1 / 2 eps)^d parameters are needed and enough.
Source
    R. DeVore, R. Howard, C. Micchelli, Manuscripta Math. 63 (1989) [devore1989], the order eps^{-d/m} for m derivatives; the
    constant for linear methods and m = 1 is V. Tikhomirov's argument, written out in
    plica.theory.approximation.lipschitz_width.
Prediction
    plica.theory.approximation.lipschitz_width, plica.theory.approximation.lipschitz_parameters
Measurement
    for linear methods (ReLU networks with random hidden weights, cosines, steps on boxes) of W parameters in d = 1, 2, 3: the
    combination of values that vanishes on all of them, in exact rationals, the function of pyramids that it names, and how far
    the best fit stays away from it at their tops; for continuous methods (gradient descent from a fixed start for a unit with W
    weights, and the W largest values) pyramids f for which f and -f have the same parameters, found by solving for them, and how
    far what they stand for is from one of the two; from above the steps of plica.construct.step_function on the same functions,
    exactly. That networks with freely chosen weights need eps^{-d/2m} is Yarotsky's theorem: claim yarotsky-2017-rate
Remark
    Sums of N^d pyramids whose largest height is 1/(2N) are a sphere of dimension N^d - 1, and parameters that are continuous take
    the same W < N^d values at two opposite points of it: the theorem of Borsuk and Ulam.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import linprog, root

from plica import exact
from plica._palette import BOUND, MEASUREMENT, SERIES
from plica.claims import Evidence, Row, control, row
from plica.theory.approximation import lipschitz_parameters, lipschitz_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("yarotsky-2017-rate", "effective-dimension")
SEED = 1989


def tops(N: int, d: int) -> list[tuple[Fraction, ...]]:
    """The middles of N^d boxes of the cube."""
    return list(product([Fraction(2 * k + 1, 2 * N) for k in range(N)], repeat=d))


def features(name: str, points: list[tuple[Fraction, ...]], n: int, seed: int) -> list[list[Fraction]]:
    """Rows: the values at the points of the functions that a linear method adds up; floats are the rationals they store."""
    x = np.array([[float(c) for c in p] for p in points])
    rng = np.random.default_rng(seed)
    if name == "steps":
        side = round(n ** (1 / x.shape[1]))
        boxes = np.minimum((x * side).astype(int), side - 1) @ side ** np.arange(x.shape[1])
        values = (boxes[None] == np.arange(n)[:, None]).astype(float)
    else:
        z = rng.normal(size=(n, x.shape[1])) * 4 @ x.T + rng.normal(size=(n, 1)) * 2
        values = np.maximum(z, 0) if name == "random ReLUs" else np.cos(z)
    return [[Fraction(float(v)) for v in line] for line in values]


def distance_of_worst(values: list[list[Fraction]], height: Fraction) -> float:
    """How near the method comes, at their tops, to pyramids with the signs of a combination that vanishes on all it has.

    The combination is found in rationals; the best approximation is a linear program that does not know it.
    """
    combination = exact.null_space(values)[0]
    f = np.array([float(height) * (1 if c >= 0 else -1) for c in combination])
    phi = np.array([[float(v) for v in line] for line in values]).T
    ones, n = np.ones((len(f), 1)), phi.shape[1]
    best = linprog(
        [0.0] * n + [1.0],
        A_ub=np.block([[phi, -ones], [-phi, -ones]]),
        b_ub=np.concatenate([f, -f]),
        bounds=[(None, None)] * n + [(0.0, None)],
    )
    return float(best.fun)


def descended(values: np.ndarray, points: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Weights of tanh(w . (1, x, ...)) after 20 steps of gradient descent on values at the points, and what it is there."""
    features = np.hstack([np.ones((len(points), 1)), points, np.sin(5 * points), np.cos(9 * points)])[:, :n]
    w = 0.3 * (-1.0) ** np.arange(n)
    for _ in range(20):
        out = np.tanh(features @ w)
        w = w - features.T @ ((out - values) * (1 - out**2)) / len(values)
    return w, np.tanh(features @ w)


def largest(values: np.ndarray, points: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The n largest values, and their mean for all points: a method that is continuous and not linear."""
    top = np.sort(values)[::-1][:n]
    return top, np.full(len(values), top.mean())


def opposite(method: Any, points: np.ndarray, n: int, height: float) -> tuple[float, float]:
    """For heights f of pyramids at which f and -f have the same n parameters: how far these are apart, and the larger error."""
    rng = np.random.default_rng(SEED)

    def both(u: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        f = height * u / np.abs(u).max()
        return f, *method(f, points, n), method(-f, points, n)[0]

    def unequal(u: np.ndarray) -> np.ndarray:
        _, mine, _, other = both(u)
        return np.append(mine - other, u @ u - 1)

    for _ in range(200):
        found = root(unequal, rng.normal(size=len(points)) / len(points) ** 0.5, tol=1e-14)
        if np.abs(found.fun).max() < 1e-12:
            f, mine, out, other = both(found.x)
            return float(np.abs(mine - other).max()), max(float(np.abs(out - f).max()), float(np.abs(out + f).max()))
    return float("inf"), 0.0


def step_error(N: int, n: int, d: int) -> Fraction:
    """The largest distance of pyramids with random signs on N^d boxes from the middle of their values on n^d boxes, exactly.

    A pyramid, and so a sum of pyramids, is monotone from the middle of its boxes to their walls in the largest coordinate; the
    extreme values on a box of another grid are among corners of both grids and tops.
    """
    rng = np.random.default_rng(SEED)
    signs = {p: int(s) for p, s in zip(tops(N, d), rng.choice([-1, 1], N**d), strict=True)}
    marks = sorted({Fraction(k, 2 * N) for k in range(2 * N + 1)} | {Fraction(k, n) for k in range(n + 1)})
    worst = Fraction(0)
    for box in product(range(n), repeat=d):
        inside = [[m for m in marks if Fraction(k, n) <= m <= Fraction(k + 1, n)] for k in box]
        values = [pyramids(p, signs, N) for p in product(*inside)]
        worst = max(worst, (max(values) - min(values)) / 2)
    return worst


def pyramids(x: tuple[Fraction, ...], signs: dict[tuple[Fraction, ...], int], N: int) -> Fraction:
    """The sum of the pyramids: only the one of the box that holds x is not zero."""
    top = tuple(Fraction(2 * min(int(c * N), N - 1) + 1, 2 * N) for c in x)
    return signs[top] * (Fraction(1, 2 * N) - max(abs(a - b) for a, b in zip(x, top, strict=True)))


def check(scale: str) -> Evidence:
    rows = []
    cases = [(1, 4), (1, 9), (2, 4), (2, 9), (3, 8)] + ([(1, 30), (2, 25), (3, 27)] if scale == "full" else [])
    for d, W in cases:
        N = next(k for k in range(1, W + 2) if k**d > W)
        for name in ("random ReLUs", "cosines", "steps"):
            found = distance_of_worst(features(name, tops(N, d), W, SEED), Fraction(1, 2 * N))
            about: dict[str, Any] = {"d": d, "W": W, "method": name, "what": "distance of the worst function"}
            width = lipschitz_width(W, d)
            rows.append(row(found, "=", width, kind="estimated", standard_error=1e-9, tolerance=1e-6, **about))
    for d, W in ((1, 1), (1, 2), (1, 4), (2, 3), (3, 7)):
        N = next(k for k in range(1, W + 2) if k**d > W)
        points = np.array([[float(c) for c in p] for p in tops(N, d)])[: W + 1]
        for name, method in (("gradient descent", descended), ("largest values", largest)):
            apart, error = opposite(method, points, W, 1 / (2 * N))
            about = {"d": d, "W": W, "method": name}
            rows.append(control(apart, "<=", 1e-12, what="parameters of f and of -f", **about))
            least, what = float(lipschitz_width(W, d)), "error for f or for -f"
            if W == 1 and method is descended:  # one weight finds the mean, which is 0: the bound is attained
                rows.append(row(error, "=", least, tolerance=1e-9, what=what, **about))
            else:
                rows.append(row(error, ">=", least, what=what, **about))
    for d, W in cases:
        N = next(k for k in range(1, W + 2) if k**d > W)
        n = N - 1
        if n**d == W:
            reached = step_error(N, n, d)
            rows.append(row(reached, "<=", Fraction(1, 2 * n), d=d, W=W, method="steps", what="error of steps"))
    for d in (1, 2, 3):
        for n in (2, 3, 5):
            enough = lipschitz_parameters(Fraction(1, 2 * n), d)
            rows.append(row(enough, "=", n**d, d=d, eps=Fraction(1, 2 * n), what="parameters for eps"))
            fewer = lipschitz_width(enough - 1, d)
            rows.append(row(fewer, "=", Fraction(1, 2 * n), d=d, W=enough - 1, what="one less is too few"))
    return Evidence(rows, draw=partial(draw, rows), seed=SEED)


def draw(rows: list[Row], ax: Axes) -> None:
    """The error that W parameters can promise, for one to three dimensions, and what was found."""
    W = np.unique(np.geomspace(1, 1000, 120).astype(int))
    for d, color in zip((1, 2, 3), SERIES, strict=False):
        ax.step(W, [float(lipschitz_width(int(w), d)) for w in W], where="post", color=color, label=f"d = {d}")
        found: list[Any] = [r for r in rows if r.parameters["d"] == d and r.parameters["what"].startswith("distance")]
        ax.plot([r.parameters["W"] for r in found], [float(r.measured) for r in found], "o", color=color, markersize=4)
    ax.plot([], [], "o", color=MEASUREMENT, markersize=4, label="worst function of a method")
    ax.axhline(0.05, color=BOUND, linewidth=0.8, linestyle=":", label=r"$\varepsilon$ = 1/20: 10, 100, 1000")
    ax.set(xscale="log", yscale="log")
    ax.set_xlabel("parameters W")
    ax.set_ylabel("error for the worst function")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
