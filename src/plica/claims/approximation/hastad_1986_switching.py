r"""Håstad's switching lemma: chance takes a layer from a circuit, and parity stays parity.

Claim
    Leave each variable of a normal form of width w free with probability p, and set the others at random: it then needs a
    decision tree of depth s or more with probability at most (5 p w)^s, and for s = 1 and small p with w p at most. Parity of n
    bits needs as many questions as bits are free. So layers of a circuit can be taken off one by one, and a circuit of depth d
    computes the parity of n bits with 2^{c n^{1/(d-1)}} gates or more; 2^k k^{d-2} up to a factor 2 suffice for n = k^{d-1}.
Source
    J. Håstad, Almost Optimal Lower Bounds for Small Depth Circuits, STOC 1986, the switching lemma, its 5 p w as others print
    it, and Theorem 1 [hastad1986]; the w for s = 1 from K. Amano, Theory of Computing 7 (2011) [amano2011].
Prediction
    plica.theory.approximation.hastad_1986_switching_upper_bound; w; at a = 5 p w the sum that the lemma's induction asks to be at
    most 1 is, at a = 4 p w it is not, and at 2 p w / ln((1 + sqrt(5)) / 2) it tends to 1; for terms without a common variable,
    which are evasive, the law of the number of free literals in terms that live; Binomial(n, p) for parity;
    plica.theory.approximation.parity_circuit_gates
Measurement
    every normal form of width 1 to 3 on 4 bits and each of its 81 restrictions: decision trees by minimax over all functions of
    up to 4 bits, probabilities in fractions; the sum, up to width 3 literal by literal; terms on up to 8 bits by all their
    restrictions; circuits of depth 2 to 5 for up to 16 bits, gate by gate at every input, and the decision trees of that of depth
    4 for all 6,561 restrictions of its 8 bits
Remark
    5 is room: on 4 bits no form has more than w p for s = 1, in the limit of small p, where the probability is p times the
    average sensitivity. It is the next whole number above 2 / ln((1 + sqrt(5)) / 2) = 4.156, which the induction gives for wide
    forms and small p. The bound on gates of depth d itself says nothing at sizes that can be searched.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache, partial
from itertools import combinations, product
from math import ceil, comb, log, prod, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import BOUND, SERIES
from plica._types import Array
from plica.claims import Evidence, Row, control, row
from plica.claims.approximation._normal_forms import functions
from plica.claims.approximation._parity_circuits import circuit, outputs
from plica.theory.approximation import hastad_1986_switching_upper_bound, parity_circuit_gates

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("hastad-1986-parity", "paturi-1999-parity-depth-3", "amano-2011-average-sensitivity")
BITS = 4
Counts = dict[tuple[int, int], Array]
Table = tuple[bool, ...]


@cache
def depths(n: int) -> Array:
    """The depth of the best decision tree of every function of n bits; bit i of its number is its value at the point i."""
    numbers = np.arange(2**2**n, dtype=np.int64)
    if n == 0:
        return np.zeros(2, dtype=np.int64)
    best = np.full(len(numbers), n, dtype=np.int64)
    for variable in range(n):
        halves = [depths(n - 1)[_restricted(numbers, n, (variable,), (value,))] for value in (0, 1)]
        best = np.minimum(best, 1 + np.maximum(*halves))
    best[[0, -1]] = 0
    return best


def _restricted(numbers: Array, n: int, fixed: tuple[int, ...], values: tuple[int, ...]) -> Array:
    """Functions with some variables fixed, as numbers of functions of the others."""
    points = [x for x in range(2**n) if all(x >> v & 1 == b for v, b in zip(fixed, values, strict=True))]
    return np.asarray(sum((numbers >> point & 1) << i for i, point in enumerate(points)))


def survivals(numbers: Array) -> Counts:
    """For (free, s): in how many restrictions with so many free variables each function needs a tree of depth s or more."""
    found: Counts = {}
    for n_free in range(BITS + 1):
        for fixed in combinations(range(BITS), BITS - n_free):
            for values in product((0, 1), repeat=len(fixed)):
                deep = depths(n_free)[_restricted(numbers, BITS, fixed, values)]
                for s in range(1, BITS + 1):
                    found[n_free, s] = found.get((n_free, s), 0) + (deep >= s)
    return found


def probability(counts: dict[int, int], n: int, p: Fraction) -> Fraction:
    """Of restrictions that are counted by the number of their free variables."""
    return sum((k * p**free * ((1 - p) / 2) ** (n - free) for free, k in counts.items()), Fraction(0))


def worst(counts: Counts, s: int, p: Fraction) -> Fraction:
    """The largest probability of a tree of depth s or more among all functions, in integers over one denominator."""
    a, b = p.numerator, p.denominator
    whole = sum(counts[free, s] * (2 * a) ** free * (b - a) ** (BITS - free) for free in range(BITS + 1))
    return Fraction(int(np.max(whole)), (2 * b) ** BITS)


def induction(width: int, p: Fraction, a: Fraction) -> Fraction:
    """What has to be at most 1, if a^s is to follow for a form from a^t for forms with a term less.

    In a term that is not false a literal is free with probability 2 p / (1 + p). A set Y of free ones is asked for, which costs
    |Y| of the s questions, and the term is not true at 2^|Y| - 1 of their values: the sum over Y of (2^|Y| - 1) (free / a)^|Y|.
    """
    x = 2 * p / (1 + p) / a
    return (1 + 2 * x) ** width - (1 + x) ** width


def induction_by_values(width: int, p: Fraction, a: Fraction) -> Fraction:
    """The same from the three states of each literal, every set of free literals and every value of them one by one."""
    q = (1 - p) / 2
    total = Fraction(0)
    for is_asked in product((True, False), repeat=width):
        chance = prod((p if asked else p + q for asked in is_asked), start=Fraction(1)) / (p + q) ** width
        n_values = sum(not all(values) for values in product((0, 1), repeat=sum(is_asked)))
        total += n_values * chance / a ** sum(is_asked)
    return total


def tree_depth(table: Table, known: dict[Table, int]) -> int:
    """The best decision tree of one function, by its values at all points; what is known is kept."""
    if len(set(table)) == 1:
        return 0
    if table not in known:
        n = len(table).bit_length() - 1
        sides = ([tuple(v for i, v in enumerate(table) if (i >> k & 1) == b) for b in (0, 1)] for k in range(n))
        known[table] = 1 + min(max(tree_depth(side, known) for side in pair) for pair in sides)
    return known[table]


def law_by_restrictions(values: Array, n: int, p: Fraction) -> list[Fraction]:
    """The law of the depth of the decision tree after a random restriction, from all 3^n of them."""
    table: Array = np.asarray(values, dtype=bool).reshape((2,) * n)
    known: dict[Table, int] = {}
    seen: dict[int, dict[int, int]] = {s: {} for s in range(n + 1)}
    choices: list[Any] = [slice(None), 0, 1]
    for choice in product(choices, repeat=n):
        free = sum(isinstance(c, slice) for c in choice)
        s = tree_depth(tuple(np.ravel(table[choice]).tolist()), known)
        seen[s][free] = seen[s].get(free, 0) + 1
    return [probability(seen[s], n, p) for s in range(n + 1)]


def law_of_terms(n_terms: int, width: int, p: Fraction) -> list[Fraction]:
    """The same for an OR of terms without a common variable: 0 if a term is true, else the free literals of those not false."""
    q = (1 - p) / 2
    term = {j: comb(width, j) * p**j * q ** (width - j) for j in range(1, width + 1)}  # alive, with j free literals
    term[0] = 1 - q**width - sum(term.values())  # false
    total = {0: Fraction(1)}
    for _ in range(n_terms):
        new: dict[int, Fraction] = {}
        for (a, x), (b, y) in product(total.items(), term.items()):
            new[a + b] = new.get(a + b, Fraction(0)) + x * y
        total = new
    is_true = 1 - (1 - q**width) ** n_terms
    return [total.get(s, Fraction(0)) + (is_true if s == 0 else 0) for s in range(n_terms * width + 1)]


def terms_table(n_terms: int, width: int) -> Array:
    bits = (np.arange(2 ** (n_terms * width))[:, None] >> np.arange(n_terms * width)) & 1
    return np.asarray(np.any(np.all(bits.reshape(-1, n_terms, width), axis=2), axis=1))


def check(scale: str) -> Evidence:
    is_full = scale == "full"
    rows, seen = [], {}
    for width in (1, 2, 3):
        tables = functions(BITS, width)
        counts = survivals(tables @ (1 << np.arange(2**BITS, dtype=np.int64)))
        slope = Fraction(int(counts[1, 1].max()), 2 ** (BITS - 1))
        rows.append(row(slope, "=", width, width=width, what="probability over p, largest, as p goes to 0"))
        for p in (Fraction(1, 10 * width), Fraction(1, 20 * width), Fraction(1, 100 * width)):
            for s in range(1, BITS + 1):
                largest = worst(counts, s, p)
                bound = hastad_1986_switching_upper_bound(width, s, free=p)
                seen[width, s, p] = (float(largest), float(bound))
                rows.append(row(largest, "<=", bound, width=width, p=str(p), s=s, what="depth s or more, largest of all forms"))
    rows += rows_of_the_constant()
    for n_terms, width in ((2, 2), (3, 2), (2, 3)) + (((4, 2), (2, 4)) if is_full else ()):
        for p in (Fraction(1, 8), Fraction(1, 3)):
            found = law_by_restrictions(terms_table(n_terms, width), n_terms * width, p)
            about: dict[str, Any] = {"terms": n_terms, "width": width, "p": str(p)}
            for s, (one, other) in enumerate(zip(found, law_of_terms(n_terms, width, p), strict=True)):
                rows.append(row(one, "=", other, s=s, what="depth s, terms without a common variable", **about))
    for fan, depth in ((2, 2), (2, 3), (2, 4), (2, 5), (3, 2), (3, 3), (4, 3)) + (((5, 2), (8, 2)) if is_full else ()):
        layers, n = circuit(fan, depth), fan ** (depth - 1)
        values = outputs(layers, n)
        rows.append(row(len(layers), "=", depth, bits=n, what="layers of the circuit, AND and OR in turn"))
        rows.append(row(sum(map(len, layers)), "=", parity_circuit_gates(fan, depth), bits=n, depth=depth, what="gates"))
        wrong = int((values != (np.bitwise_count(np.arange(2**n)) % 2 == 1)).sum())
        rows.append(row(wrong, "=", 0, bits=n, depth=depth, what="inputs where it is not parity"))
    n, p = 8, Fraction(1, 4)
    law = law_by_restrictions(outputs(circuit(2, 4), n), n, p)
    for s in range(n + 1):
        binomial = comb(n, s) * p**s * (1 - p) ** (n - s)
        rows.append(row(law[s], "=", binomial, bits=n, s=s, what="questions after a restriction, circuit of depth 4"))
    return Evidence(rows, draw=partial(draw, seen))


def rows_of_the_constant() -> list[Row]:
    """Why 5: the lemma's induction is closed by it, and by 4 it is not."""
    rows = []
    for width, p in ((1, Fraction(1, 50)), (2, Fraction(1, 50)), (3, Fraction(1, 50)), (60, Fraction(1, 6000))):
        about: dict[str, Any] = {"width": width, "p": str(p)}
        a, power = (Fraction(hastad_1986_switching_upper_bound(width, s, free=p)) for s in (1, BITS))
        rows.append(row(float(induction(width, p, a)), "<=", 1, what="sum of the induction at the bound for s = 1", **about))
        rows.append(row(power, "=", a**BITS, s=BITS, what="the bound, as a power of that for s = 1", **about))
        if width <= BITS:
            by_values = induction_by_values(width, p, a)
            rows.append(control(by_values, "=", induction(width, p, a), what="the sum, value by value", **about))
    rows.append(row(float(induction(width, p, a * 4 / 5)), ">", 1, what="the sum at four fifths of the bound", **about))
    golden = 2 / log((1 + sqrt(5)) / 2)
    rows.append(row(a / (p * width), "=", ceil(golden), what="the bound for s = 1 over p w, a whole number", **about))
    width, p = 1000, Fraction(1, 10**6)
    found = float(induction(width, p, Fraction(golden) * p * width))
    rows.append(row(found, "=", 1.0, tolerance=0.01, width=width, p=str(p), what="the sum at 4.156 p w, wide forms"))
    return rows


def draw(seen: dict[tuple[int, int, Fraction], tuple[float, float]], ax: Axes) -> None:
    """How often a tree of depth s is needed, the worst form of each width (dots), below the lemma's bound (dashed)."""
    for width, color in zip((1, 2, 3), SERIES, strict=False):
        p = Fraction(1, 20 * width)
        kept = [(s, *seen[width, s, p]) for s in range(1, BITS + 1) if seen[width, s, p][0] > 0]
        ax.semilogy([k[0] for k in kept], [k[1] for k in kept], "o-", color=color, markersize=5, label=f"width {width}, p = {p}")
    s = np.arange(1, BITS + 1)
    ax.semilogy(s, 0.25**s, "--", color=BOUND, label=r"$(5 p w)^s$")
    ax.set_xticks(s)
    ax.set(xlabel="depth s of the decision tree", ylabel="largest probability, all forms")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
