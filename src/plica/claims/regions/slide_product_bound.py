r"""The slide's bound for deep networks: prod_l n_l^min{n_0, n_l/2} regions.

Claim
    A ReLU network with widths n_0, n_1, ..., n_L partitions its input space into at least prod_{l=0}^{L} n_l^{min(n_0,
    n_l/2)} regions.
Source
    Theories of Deep Learning, lecture 4, as a theorem of Pascanu, Montúfar and Bengio [oxford-lecture-4], whose theorem is
    another [pascanu2014].
Prediction
    the product, taken over the hidden layers only (the factor of the input would make it larger still)
Measurement
    plica.theory.regions.serra_2018_upper_bound, which no network exceeds, in exact integers
Remark
    Already false for one layer of four neurons on the plane (16 against 11). For n_0 = 4 and three layers of 8 it exceeds
    the number of activation patterns, 2^24. What the paper proves is the claim pascanu-2014.
"""

from __future__ import annotations

from math import comb, prod
from typing import TYPE_CHECKING, Any

from plica._palette import BOUND, MEASUREMENT, REFERENCE
from plica.claims import Evidence, counterexample, row
from plica.theory.regions import patterns_upper_bound, serra_2018_upper_bound

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "misprint (text)"
EXPECTED = "refuted"
KIND = "exact"
SEE = ("pascanu-2014", "slide-binomial-sum", "slide-at-least")


def printed(n_inputs: int, hidden: tuple[int, ...]) -> int:
    """The product, for widths that make the exponents whole."""
    return prod(n ** (min(2 * n_inputs, n) // 2) for n in hidden)


def check(scale: str) -> Evidence:
    cases = [(1, (2,)), (1, (4, 4)), (2, (2,)), (2, (4,)), (2, (4, 4)), (2, (8, 8)), (3, (6, 6)), (4, (8, 8, 8))]
    if scale == "full":
        cases += [(n0, (2 * n0,) * depth) for n0 in range(2, 12) for depth in range(1, 8)]
    rows = []
    for n0, hidden in cases:
        widths = (n0, *hidden, 1)
        bound, claimed = serra_2018_upper_bound(widths), printed(n0, hidden)
        by_layers = prod(sum(comb(n, j) for j in range(n0 + 1)) for n in hidden)  # each layer cuts each region of the last
        about: dict[str, Any] = {"n_0": n0, "hidden": hidden, "against": "proved upper bound"}
        if by_layers < claimed:
            rows.append(counterexample(bound, ">=", claimed, truth=by_layers, truth_relation="<=", **about))
        else:
            rows.append(row(bound, ">=", claimed, **about))
    widths = (4, 8, 8, 8, 1)
    patterns = patterns_upper_bound(widths)
    about = {"n_0": 4, "hidden": (8, 8, 8), "against": "2^N patterns"}
    rows.append(counterexample(patterns, ">=", printed(4, (8, 8, 8)), truth=2**24, **about))
    return Evidence(rows, draw=draw)


def draw(ax: Axes) -> None:
    """Three layers of 2 n_0 units: what is printed, and what no network exceeds."""
    inputs = list(range(1, 9))
    hidden = [(2 * n,) * 3 for n in inputs]
    ax.semilogy(
        inputs, [printed(n, h) for n, h in zip(inputs, hidden, strict=True)], "X-", color=BOUND, label="printed: at least"
    )
    most = [serra_2018_upper_bound((n, *h, 1)) for n, h in zip(inputs, hidden, strict=True)]
    ax.semilogy(inputs, most, "o-", color=MEASUREMENT, label="proved: at most")
    ax.semilogy(inputs, [2 ** sum(h) for h in hidden], ":", color=REFERENCE, label="all patterns, $2^N$")
    ax.set_xlabel(r"inputs $n_0$, three layers of $2 n_0$")
    ax.set_ylabel("regions")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
