r"""Parity of n bits: with one hidden layer, as a tree of exclusive ors, by folding, and as a disjunctive normal form."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import ceil, log2

from plica.construct._arguments import integer_argument
from plica.construct._construction import Construction
from plica.construct.circuits._circuit import Circuit, Wire
from plica.errors import InvalidInput

FORMS = ("shallow", "tree", "folded")
MAX_BITS = 2048
MAX_TABLE = 14  # variables of a truth table that is minimized


def parity(n: int, *, form: str = "tree") -> Construction:
    r"""A ReLU network that is 1 at the points of :math:`\{0, 1\}^n` with an odd number of ones, and 0 at the others, exactly.

    ``shallow`` has one hidden layer of n units, a zigzag of the sum of the bits; ``tree`` takes exclusive ors
    :math:`|a - b|` of pairs in :math:`\lceil \log_2 n \rceil` layers with 2(n - 1) units; ``folded`` folds the sum in
    half, :math:`2 \lceil \log_2 (n + 1) \rceil` units.

    Examples
    --------
    >>> parity(5)([1.0, 0.0, 1.0, 1.0, 0.0])
    array([1.])
    >>> [parity(64, form=form).n_units for form in ("shallow", "tree", "folded")]
    [64, 126, 14]
    """
    if form not in FORMS:
        raise InvalidInput(f"unknown form {form!r}.", hint=f"one of {', '.join(FORMS)}")
    n = integer_argument("n", n, least=0)
    if not 1 <= n <= MAX_BITS:
        raise InvalidInput(f"parity is built for 1 to {MAX_BITS} bits, got {n}.")
    circuit = Circuit(n)
    bits = list(circuit.inputs)
    if form == "shallow":
        total = circuit.total(bits)
        out = circuit.total([circuit.relu(total - k) * (1 if k == 0 else 2 * (-1) ** k) for k in range(n)])
        theorem = {"units": n, "depth": 1}
    elif form == "tree":
        while len(bits) > 1:
            pairs = [circuit.absolute(a - b) for a, b in zip(bits[::2], bits[1::2], strict=False)]
            bits = pairs + bits[len(bits) // 2 * 2 :]
        out = bits[0]
        theorem = {"units": 2 * (n - 1), "depth": ceil(log2(n))}
    else:
        out = _folded(circuit, circuit.total(bits), n)
        levels = ceil(log2(n + 1))
        theorem = {"units": 2 * levels, "depth": levels}
    network = circuit.network(out, name=f"parity of {n} bits, {form}")
    return Construction("parity", network, {"n": n, "form": form}, theorem, ("hastad1986",))


def _folded(circuit: Circuit, total: Wire, n: int) -> Wire:
    """The tent map on [0, 2^(k+1)] sends s to min(s, 2^(k+1) - s), which has the same parity, down to [0, 1]."""
    top = 2 ** ceil(log2(n + 1))
    while top > 1:
        half = Fraction(top, 2)
        total = circuit.relu(total) - 2 * circuit.relu(total - half)
        top //= 2
    return total


def parity_terms(n: int) -> int:
    r"""Terms of the smallest disjunctive normal form of the parity of n bits, by Quine and McCluskey: :math:`2^{n-1}`.

    Two odd points differ in at least two bits, so no term covers two of them; the count below does not use that.

    Examples
    --------
    >>> [parity_terms(n) for n in (1, 2, 3, 6)]
    [1, 2, 4, 32]
    """
    n = integer_argument("n", n, least=0)
    if not 1 <= n <= MAX_TABLE:
        raise InvalidInput(f"the truth table of {n} bits has {2**n:,} rows.", hint=f"1 to {MAX_TABLE} bits")
    return smallest_dnf(n, {i for i in range(2**n) if i.bit_count() % 2})


def smallest_dnf(n: int, ones: set[int]) -> int:
    """Terms of the smallest disjunctive normal form that is true at the given rows of a truth table of n variables.

    Prime implicants by merging, then essential ones, then the smallest cover of the rest by search.
    """
    primes = prime_implicants(n, ones)
    cover = {row: [p for p in primes if covers(p, row)] for row in ones}
    chosen = {found[0] for found in cover.values() if len(found) == 1}
    left = {row for row in ones if not any(covers(p, row) for p in chosen)}
    useful = sorted({p for row in left for p in cover[row]})
    for size in range(len(useful) + 1):
        for extra in combinations(useful, size):
            if all(any(covers(p, row) for p in extra) for row in left):
                return len(chosen) + size
    raise AssertionError("the prime implicants cover all rows")


def covers(implicant: tuple[int, int], row: int) -> bool:
    """Whether a term (value, free bits) is true at a row."""
    value, free = implicant
    return row & ~free == value


def prime_implicants(n: int, ones: set[int]) -> set[tuple[int, int]]:
    """Terms (value, free bits) that are true only at the given rows and cannot lose another literal."""
    current = {(row, 0) for row in ones}
    primes: set[tuple[int, int]] = set()
    while current:
        merged, used = set(), set()
        for value, free in current:
            for k in range(n):
                bit = 1 << k
                if not free & bit and not value & bit and (value | bit, free) in current:
                    merged.add((value, free | bit))
                    used |= {(value, free), (value | bit, free)}
        primes |= current - used
        current = merged
    return primes
