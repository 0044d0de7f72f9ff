r"""Parity at depth three: an OR of normal forms of width w needs 2^{n/w - 1} of them.

Claim
    A conjunctive normal form with at most w literals a clause that is true at odd inputs of n bits only is true at no more than
    2^{n - n/w} of them. Hence an OR of such forms, a circuit of depth three, computes parity only with 2^{n/w - 1} forms or more,
    and 2^{ceil(n/w) - 1} suffice: with w near the root of n, depth three costs 2^{sqrt(n)} and depth two 2^n.
Source
    R. Paturi, P. Pudlak, F. Zane, Satisfiability Coding Lemma, FOCS 1997, Chicago J. Theor. Comput. Sci. (1999), where the bound
    of depth three is n^{1/4} 2^{sqrt(n)} up to a factor [paturi1999]; for every depth J. Håstad, STOC 1986 [hastad1986].
Prediction
    at most 2^{n - n/w} points, and equally many where w divides n; at least 2^{n/w - 1} forms and at most 2^{ceil(n/w) - 1}.
    plica.theory.approximation.parity_circuit_gates(w, 3) gates of the circuit of blocks where n = w^2
Measurement
    all sets of odd points of up to 5 bits (65,536): which of them are normal forms of width w, the largest, and the fewest that
    cover all odd points, by search; for up to 12 bits the circuit of blocks, evaluated at every input
"""

from __future__ import annotations

from itertools import product
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from plica._palette import BOUND, SERIES
from plica.claims import Evidence, row
from plica.claims.approximation._normal_forms import fewest_sets, odd_sets
from plica.theory.approximation import parity_circuit_gates

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("hastad-1986-parity", "amano-2011-average-sensitivity")


def wrong_points(n: int, width: int) -> tuple[int, int, int]:
    """The circuit of blocks: its forms, one for each odd choice of the blocks' parities, where it is wrong, and its gates."""
    blocks = [range(i, min(i + width, n)) for i in range(0, n, width)]
    bits = (np.arange(2**n)[:, None] >> np.arange(n)) & 1
    output, forms, gates = np.zeros(2**n, dtype=bool), 0, set[tuple[int, ...]]()
    for choice in product((0, 1), repeat=len(blocks)):
        if sum(choice) % 2:
            forms += 1
            form = np.ones(2**n, dtype=bool)
            for block, parity in zip(blocks, choice, strict=True):
                for values in product((0, 1), repeat=len(block)):
                    if sum(values) % 2 != parity:  # a clause that forbids these values of the block
                        form &= (bits[:, list(block)] != values).any(1)
                        gates.add((block.start, *values))  # forms share their clauses
            output |= form
    return forms, int((output != (bits.sum(1) % 2 == 1)).sum()), len(gates) + forms + 1


def check(scale: str) -> Evidence:
    rows = []
    for n, width in ((2, 2), (3, 2), (3, 3), (4, 2), (4, 3), (4, 4), (5, 2), (5, 3), (5, 4), (5, 5)):
        largest = int(np.bitwise_count(odd_sets(n, width)).max())
        bound = 2 ** (n - n / width)
        rows.append(row(largest, "<=", bound, n=n, w=width, what="points of one form"))
        if n % width == 0:
            rows.append(row(largest, "=", round(bound), n=n, w=width, what="points of one form, attained"))
        found = fewest_sets(n, width)
        rows.append(row(found, ">=", 2 ** (n / width - 1), n=n, w=width, what="fewest forms, all circuits"))
        rows.append(row(found, "<=", 2 ** (ceil(n / width) - 1), n=n, w=width, what="fewest forms, all circuits"))
    for n, width in ((4, 2), (6, 3), (9, 3), (12, 4)) + (((16, 4),) if scale == "full" else ()):
        forms, wrong, gates = wrong_points(n, width)
        rows.append(row(forms, "=", 2 ** (n // width - 1), n=n, w=width, what="forms of the circuit of blocks"))
        rows.append(row(wrong, "=", 0, n=n, w=width, what="inputs where it is wrong"))
        if n == width**2:
            rows.append(row(gates, "=", parity_circuit_gates(width, 3), n=n, w=width, what="its gates"))
    return Evidence(rows, draw=draw)


def draw(ax: Axes) -> None:
    """Forms or terms against bits, for each width."""
    n = np.arange(2, 31)
    for width, color in zip((2, 3, 5), SERIES, strict=False):
        ax.semilogy(n, 2.0 ** (n / width - 1), color=color, label=f"forms of width {width}")
        small = [k for k in (2, 3, 4, 5) if k >= width]
        ax.semilogy(small, [fewest_sets(k, width) for k in small], "o", color=color, markersize=5)
    ax.semilogy(n, 2.0 ** (n - 1), "--", color=BOUND, linewidth=1, label="terms of depth two")
    ax.set(xlabel="bits n", ylabel="needed for parity (dots: by search)", ylim=(0.8, 1e6))
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
