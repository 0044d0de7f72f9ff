r"""Rolnick and Tegmark: one hidden layer needs prod_i (r_i + 1) units for a monomial, and k layers need fewer.

Claim
    One hidden layer of fewer than prod_i (r_i + 1) units does not approximate x_1^{r_1} ... x_n^{r_n} to any accuracy, if no
    derivative of the activation up to twice the degree vanishes. With k hidden layers a product of n variables takes of the order
    of n^{(k-1)/k} 2^{n^{1/k}} units.
Source
    D. Rolnick, M. Tegmark, The Power of Deeper Networks for Expressing Natural Functions, ICLR 2018 [rolnick2018]; the
    constants of the layers are those of plica.theory.approximation.layered_product_units.
Prediction
    plica.theory.approximation.shallow_monomial_units(r), plica.theory.approximation.layered_product_units(n, k)
Measurement
    the rank, in exact rationals, of the matrix of Taylor coefficients of the monomial at x^{s+t}, for all s, t <= r: a network
    sum_j a_j f(w_j . x) has there sum_j a_j w_j^{s+t} times a number that is not zero, a sum of as many matrices of rank one as
    units. The same from the weights of plica.construct.shallow_monomial, with all units and without one. Products in layers of
    plica.construct.shallow_monomial: units and errors
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from itertools import product
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from plica import exact
from plica._palette import SERIES
from plica._types import Array
from plica.claims import Evidence, row
from plica.construct import shallow_monomial
from plica.theory.approximation import layered_product_units, shallow_monomial_units

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "certified"
SEE = ("rolnick-tegmark-2018", "slide-rolnick-tegmark")
SEED = 1705
MONOMIALS = ((1,), (4,), (1, 1), (2, 3), (1, 1, 1), (2, 1, 2), (1,) * 4, (3, 3))


def below(r: tuple[int, ...]) -> list[tuple[int, ...]]:
    """All exponents s <= r."""
    return list(product(*(range(k + 1) for k in r)))


def taylor_matrix(r: tuple[int, ...]) -> list[list[Fraction]]:
    """The coefficients of the monomial at x^{s+t}: one where s + t = r, and zero elsewhere."""
    hits = [[tuple(a + b for a, b in zip(s, t, strict=True)) == r for t in below(r)] for s in below(r)]
    return [[Fraction(int(hit)) for hit in line] for line in hits]


def network_matrix(r: tuple[int, ...], *, without: int = 0) -> list[list[Fraction]]:
    """sum_j a_j w_j^{s+t} over the units of the shallow network, exactly as its weights are stored."""
    network = shallow_monomial(r).network
    weights, out = network.hidden[0][0].tolist(), network.output[0][0].tolist()[len(r) :]
    units = [([Fraction(v) for v in w], Fraction(a)) for w, a in zip(weights, out, strict=True)][: len(out) - without]
    powers = [[prod((v**k for v, k in zip(w, s, strict=True)), start=Fraction(1)) for s in below(r)] for w, _ in units]
    pairs = list(zip(powers, units, strict=True))
    n = len(below(r))
    return [[sum((a * p[i] * p[j] for p, (_, a) in pairs), Fraction(0)) for j in range(n)] for i in range(n)]


def in_layers(n: int, depth: int, x: Array) -> tuple[Array, int]:
    """The product of n variables by layers of shallow products of few, and the units that they have."""
    size = next(g for g in range(1, n + 1) if g**depth >= n)
    values, units = x, 0
    for _ in range(depth):
        columns = []
        for first in range(0, values.shape[1], size):
            part = values[:, first : first + size]
            gate = shallow_monomial((1,) * part.shape[1], scale=0.05)
            columns.append(gate(part)[:, 0])
            units += gate.n_units
        values = np.stack(columns, axis=1)
    return values[:, 0], units


def check(scale: str) -> Evidence:
    rows = []
    for r in MONOMIALS + (((3, 2, 1, 1),) if scale == "full" else ()):
        needed = shallow_monomial_units(r)
        rows.append(row(exact.rank(taylor_matrix(r)), "=", needed, exponents=r, what="rank that the monomial asks for"))
        rows.append(row(exact.rank(network_matrix(r)), "=", needed, exponents=r, what="rank of the network"))
        rows.append(row(exact.rank(network_matrix(r, without=1)), "<", needed, exponents=r, what="rank without one unit"))
    x = np.random.default_rng(SEED).uniform(-1, 1, (200, 16))
    for n, depth in ((4, 1), (4, 2), (5, 2), (7, 2), (8, 3), (9, 2), (10, 3), (16, 2), (16, 4)):
        found, units = in_layers(n, depth, x[:, :n])
        rows.append(row(units, "=", layered_product_units(n, depth), n=n, depth=depth, what="units"))
        error = float(np.abs(found - x[:, :n].prod(1)).max())
        rows.append(row(error, "<=", 0.02, kind="certified", n=n, depth=depth, what="error at 200 points"))
    for k in (2, 3):  # n^{1/k} whole: n^{(k-1)/k} + ... + 1 groups of 2^{n^{1/k}} units
        for g in (2, 3, 4, 6):
            groups = sum(g**level for level in range(k))
            rows.append(row(layered_product_units(g**k, k), "=", groups * 2**g, n=g**k, depth=k, what="in closed form"))
    return Evidence(rows, draw=partial(draw), seed=SEED)


def draw(ax: Axes) -> None:
    """Units for a product of n numbers with one to four hidden layers."""
    for (k, n), color in zip(((1, 20), (2, 64), (3, 64), (4, 64)), SERIES, strict=False):
        sizes = list(range(2, n + 1))
        ax.semilogy(sizes, [layered_product_units(m, k) for m in sizes], color=color, label=f"{k} hidden layer{'s' * (k > 1)}")
    ax.set_xlabel("numbers multiplied")
    ax.set_ylabel("units")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
