r"""Kolmogorov and Donoho: a class has a best exponent, and quantized networks reach it, no more.

Claim
    The functions on [0, 1] with Lipschitz constant 1 and f(0) = 0 are coded to within eps with ceil(1/eps) - 1 bits, and with no
    fewer; those with |f''| <= 1 and f(0) = f'(0) = 0 with C eps^{-1/2} bits, and not with fewer than ceil(eps^{-1/2} / 4) - 1.
    ReLU networks with M weights of O(log M) bits reach these exponents, M^{-1} and M^{-2}, and no network exceeds them: it is a
    code itself.
Source
    D. Elbrächter, D. Perekrestenko, P. Grohs, H. Bölcskei, IEEE Trans. Inf. Theory 67 (2021), Definition IV.1 (code length and
    optimal exponent) and Theorem VI.4 (no network exceeds it) [elbraechter2021]. Entropies of classes are due to A. N.
    Kolmogorov, V. M. Tikhomirov, Uspekhi Mat. Nauk 14 (1959) [kolmogorov1961]; the counts of bits are proved here, by the two
    halves of the check.
Prediction
    plica.theory.approximation.lipschitz_entropy_bits for the code and for functions that are more than 2 eps apart; errors of at
    most eps, and of eps for f(x) = x; slopes -1 and -2 of log error against log M; bits of networks that are not fewer
Measurement
    codes for random and for extreme functions, in fractions: their length, the symbols they need, and errors at all knots; the
    distances of all pairs of 2^m functions; plica.construct.interpolant of the decoded functions, its values and its weights
Remark
    A step up or down keeps f - g monotone on an interval, so an error of eps at its ends stays there. With second derivatives,
    knots 2 sqrt(eps) apart with values rounded to eps miss at most eps / 2 twice, and their second differences are 13 integers.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import pairwise
from math import ceil, isqrt, log2
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import SERIES
from plica._types import Array
from plica.claims import Evidence, Row, row
from plica.construct import interpolant
from plica.theory.approximation import lipschitz_entropy_bits

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("boelcskei-2019-lower-bound", "boelcskei-2019-wavelets", "elbraechter-2021-texture")
SEED = 1959
GRID = 111  # pieces of the functions that are coded
Function = Callable[[Fraction], Fraction]
Knots = list[tuple[Fraction, Fraction]]


def smooth_walk(accelerations: list[int]) -> Function:
    """f'' is 1 or -1 on each of equal intervals, f(0) = f'(0) = 0, integrated twice in fractions."""
    n = len(accelerations)
    starts, value, slope = [], Fraction(0), Fraction(0)
    for a in accelerations:
        starts.append((value, slope, a))
        value, slope = value + slope / n + Fraction(a, 2 * n * n), slope + Fraction(a, n)

    def f(x: Fraction) -> Fraction:
        k = min(int(x * n), n - 1)
        y, s, a = starts[k]
        t = x - Fraction(k, n)
        return y + s * t + a * t * t / 2

    return f


def walk(slopes: list[int]) -> Function:
    """f' is 1 or -1 on each of equal intervals, f(0) = 0."""
    n, sums = len(slopes), [0]
    for s in slopes:
        sums.append(sums[-1] + s)

    def f(x: Fraction) -> Fraction:
        k = min(int(x * n), n - 1)
        return Fraction(sums[k], n) + slopes[k] * (x - Fraction(k, n))

    return f


def lipschitz_code(f: Function, eps: Fraction) -> list[int]:
    """A step up or down for each interval of length eps but the first; the last interval may be shorter."""
    steps, g, x = [], Fraction(0), eps
    while x < 1:
        end = min(x + eps, Fraction(1))
        steps.append(1 if f(end) >= g else -1)
        g, x = g + steps[-1] * (end - x), end
    return steps


def lipschitz_decoded(steps: list[int], eps: Fraction) -> Knots:
    """Zero on the first interval, then the steps."""
    knots = [(Fraction(0), Fraction(0)), (eps, Fraction(0))]
    for step in steps:
        x, y = knots[-1]
        end = min(x + eps, Fraction(1))
        knots.append((end, y + step * (end - x)))
    return knots


def smooth_code(f: Function, eps: Fraction) -> list[int]:
    """Values at knots 2 sqrt(eps) apart or closer, rounded to eps: their second differences, the first one with f(0) = 0."""
    n = knots_for(eps)
    values = [round(f(Fraction(k, n)) / eps) for k in range(n + 1)]
    steps = [0, *(b - a for a, b in pairwise(values))]
    return [b - a for a, b in pairwise(steps)]


def knots_for(eps: Fraction) -> int:
    """The least n with (1 / n)^2 <= 4 eps, without roots of floats."""
    n = max(1, isqrt(int(1 / (4 * eps))))
    while n * n * 4 * eps < 1:
        n += 1
    return n


def smooth_decoded(code: list[int], eps: Fraction) -> Knots:
    knots, value, step = [(Fraction(0), Fraction(0))], 0, 0
    for k, symbol in enumerate(code, start=1):
        step += symbol
        value += step
        knots.append((Fraction(k, len(code)), value * eps))
    return knots


def largest_error(f: Function, knots: Knots, fine: int) -> Fraction:
    """Of the decoded function, at its knots and at the points k / fine, between which it is read off linearly."""
    worst = Fraction(0)
    for (a, u), (b, v) in pairwise(knots):
        inside = {Fraction(k, fine) for k in range(ceil(a * fine), int(b * fine) + 1)} | {a, b}
        worst = max(worst, *(abs(f(x) - u - (v - u) * (x - a) / (b - a)) for x in inside if a <= x <= b))
    return worst


def network_of(knots: Knots) -> tuple[int, float]:
    """Nonzero weights of the network through the knots, and how far it is from them."""
    x, y = (np.array([float(v) for v in part]) for part in zip(*knots, strict=True))
    net = interpolant(x, y)
    return net.n_weights, float(np.abs(net(x[:, None])[:, 0] - y).max())


def least_distance(values: Array) -> float:
    """The smallest sup distance of two of the given rows."""
    return min(float(np.abs(values[i + 1 :] - values[i]).max(1).min()) for i in range(len(values) - 1))


def signs(m: int) -> Array:
    return 1 - 2 * ((np.arange(2**m)[:, None] >> np.arange(m)) & 1)


def check(scale: str) -> Evidence:
    is_full = scale == "full"
    rng = np.random.default_rng(SEED)
    n_functions = 200 if is_full else 20
    walks = [[1] * GRID, [-1] * GRID, [(-1) ** k for k in range(GRID)], *rng.choice((-1, 1), (n_functions, GRID)).tolist()]
    rows: list[Row] = []
    curves: dict[str, dict[Fraction, tuple[int, int, float]]] = {"f' bounded": {}, "f'' bounded": {}}
    for eps in [Fraction(1, 4), Fraction(3, 10), Fraction(1, 12), Fraction(2, 65), Fraction(1, 100)]:
        about: dict[str, Any] = {"bounded": "f'", "eps": str(eps)}
        codes = [lipschitz_code(walk(w), eps) for w in walks]
        (length,) = {len(code) for code in codes}
        bits = lipschitz_entropy_bits(eps)
        rows.append(row(length, "=", bits, what="bits of the code", **about))
        errors = [largest_error(walk(w), lipschitz_decoded(c, eps), GRID) for w, c in zip(walks, codes, strict=True)]
        rows.append(row(errors[0], "=", eps, what="error for f(x) = x", **about))
        rows.append(row(max(errors), "<=", eps, what="largest error", **about))
        if bits <= 11:
            apart = least_distance(np.cumsum(signs(bits), axis=1) / bits)  # steps of 1 / m > eps
            rows.append(row(apart, ">", float(2 * eps), what=f"least distance of 2^{bits} functions", **about))
        M, missed = max(network_of(lipschitz_decoded(c, eps)) for c in codes[3:13])
        rows.append(row(missed, "<=", 1e-12, what="network against the decoded function", **about))
        stored = M * (2 + ceil(log2(1 / eps)) + 2 * log2(M) + 2)  # steps are -1, 0, 1, and knots multiples of eps
        rows.append(row(stored, ">=", bits, what="bits of the network", **about))
        curves["f' bounded"][eps] = (bits, M, stored)
    for eps in [Fraction(1, 100), Fraction(1, 400), Fraction(1, 1000), Fraction(1, 6400), Fraction(1, 40_000)]:
        about = {"bounded": "f''", "eps": str(eps)}
        codes = [smooth_code(smooth_walk(w), eps) for w in walks]
        n = knots_for(eps)
        errors = [largest_error(smooth_walk(w), smooth_decoded(c, eps), 4 * GRID) for w, c in zip(walks, codes, strict=True)]
        rows.append(row(max(errors), "<=", eps, what="largest error", **about))
        rows.append(row(max(abs(s) for c in codes for s in c), "<=", 6, what="largest symbol", **about))
        needed = ceil(0.25 / float(eps) ** 0.5 - 1e-9) - 1
        bits = ceil(n * log2(13))
        rows.append(row(bits, ">=", needed, what="bits of the code, functions apart", **about))
        rows.append(row(bits, "<=", 8 * (needed + 1), what="bits of the code, eight times as many", **about))
        # a bump with f'' = 1, -1, -1, 1 on quarters of an interval, up or down on each of m
        bump = smooth_walk([1, -1, -1, 1])(Fraction(1, 2)) / max(1, needed) ** 2
        rows.append(row(float(2 * bump), ">", float(2 * eps), what=f"least distance of 2^{needed} functions", **about))
        M, missed = max(network_of(smooth_decoded(c, eps)) for c in codes[3:13])
        rows.append(row(missed, "<=", 1e-12, what="network against the decoded function", **about))
        stored = M * (4 + ceil(log2(n)) + 2 * log2(M) + 2)
        rows.append(row(stored, ">=", needed, what="bits of the network", **about))
        curves["f'' bounded"][eps] = (needed, M, stored)
    for (name, seen), slope in zip(curves.items(), (-1.0, -2.0), strict=True):
        few = sorted(seen)[:3]  # the smallest errors, where the first and last knot no longer count
        fitted = np.polyfit([np.log(seen[e][1]) for e in few], [np.log(float(e)) for e in few], 1)[0]
        rows.append(row(float(fitted), "=", slope, tolerance=0.06, bounded=name.split()[0], what="slope, log error by log M"))
    return Evidence(rows, draw=partial(draw, curves), seed=SEED)


def draw(curves: dict[str, dict[Fraction, tuple[int, int, float]]], ax: Axes) -> None:
    """Weights of the networks (dots) and bits that no code can do without (dashed) against the accuracy, for both classes."""
    for (name, seen), color in zip(curves.items(), SERIES, strict=False):
        inverse = [float(1 / e) for e in sorted(seen, reverse=True)]
        found = [seen[e] for e in sorted(seen, reverse=True)]
        ax.loglog(inverse, [M for _, M, _ in found], "o-", color=color, markersize=4, label=f"weights, {name}")
        ax.loglog(inverse, [max(1, bits) for bits, _, _ in found], "--", color=color, linewidth=1, label=f"least bits, {name}")
    ax.set(xlabel="1 / error", ylabel="size")
    ax.legend(frameon=False, fontsize=7)
    ax.spines[["top", "right"]].set_visible(False)
